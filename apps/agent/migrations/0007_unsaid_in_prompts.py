"""What stands in a prompt's row when its writer says nothing: the database holds it (contract §2.1)."""

import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("agent", "0006_mentions_of_tenant"),
    ]

    operations = [
        migrations.AlterField(
            model_name="rootprompt",
            name="content",
            field=models.TextField(blank=True, db_default="", default=""),
        ),
        migrations.AlterField(
            model_name="rootprompt",
            name="description",
            field=models.TextField(blank=True, db_default="", default=""),
        ),
        migrations.AlterField(
            model_name="rootprompt",
            name="updated_at",
            field=models.DateTimeField(auto_now=True, db_default=django.db.models.functions.datetime.Now()),
        ),
        migrations.AlterField(
            model_name="rootprompt",
            name="updated_by",
            field=models.TextField(blank=True, db_default="", default=""),
        ),
        migrations.AlterField(
            model_name="rootpromptversion",
            name="content",
            field=models.TextField(blank=True, db_default="", default=""),
        ),
        migrations.AlterField(
            model_name="rootpromptversion",
            name="saved_at",
            field=models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
        ),
        migrations.AlterField(
            model_name="rootpromptversion",
            name="saved_by",
            field=models.TextField(blank=True, db_default="", default=""),
        ),
    ]

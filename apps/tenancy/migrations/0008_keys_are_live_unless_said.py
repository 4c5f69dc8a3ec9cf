"""A key is one of the live community unless its writer says otherwise; the database holds it (contract §2.2)."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tenancy", "0007_principals_of_tenant"),
    ]

    operations = [
        migrations.AlterField(
            model_name="tenantapikey",
            name="environment",
            field=models.TextField(choices=[("dev", "dev"), ("live", "live")], db_default="live"),
        ),
    ]

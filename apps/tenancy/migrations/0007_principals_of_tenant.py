"""People can be referred to together with their tenant."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tenancy", "0006_on_delete"),
    ]

    operations = [
        migrations.AddConstraint(
            model_name="principal",
            constraint=models.UniqueConstraint(fields=("tenant", "id"), name="principals_tenant_id"),
        ),
    ]

"""Two rules the database holds: a backend's environment is its tenant's, and no operator outlives their listing."""

from django.db import migrations, models

ENVIRONMENT = """
UPDATE integrations SET environment = tenants.environment
FROM tenants WHERE tenants.id = integrations.tenant_id AND tenants.environment <> integrations.environment;
SET CONSTRAINTS ALL IMMEDIATE;
ALTER TABLE integrations ADD CONSTRAINT integrations_environment_of_tenant
  FOREIGN KEY (tenant_id, environment) REFERENCES tenants (id, environment)
  ON DELETE CASCADE;
"""
OPERATORS = """
DELETE FROM operators WHERE email NOT IN (SELECT email FROM platform_admins);
SET CONSTRAINTS ALL IMMEDIATE;
ALTER TABLE operators ADD CONSTRAINT operators_are_listed
  FOREIGN KEY (email) REFERENCES platform_admins (email)
  ON UPDATE CASCADE ON DELETE CASCADE;
"""


class Migration(migrations.Migration):
    dependencies = [("tenancy", "0003_on_delete"), ("integrations", "0001_first")]
    operations = [
        migrations.AddConstraint(
            model_name="tenant",
            constraint=models.UniqueConstraint(
                fields=("id", "environment"), name="tenants_id_and_environment"
            ),
        ),
        migrations.RunSQL(
            ENVIRONMENT, "ALTER TABLE integrations DROP CONSTRAINT integrations_environment_of_tenant"
        ),
        migrations.RunSQL(OPERATORS, "ALTER TABLE operators DROP CONSTRAINT operators_are_listed"),
    ]

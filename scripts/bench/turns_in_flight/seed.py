"""The community whose members ask: a few pages, a web chat, and nothing else. Prints the chat's token."""

from __future__ import annotations

import os
import secrets

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "root_platform.settings")

import django

django.setup()

from django.core.management import call_command  # noqa: E402

from apps.knowledge import sweep  # noqa: E402
from apps.knowledge.pages import save_page  # noqa: E402
from apps.tenancy.context import tenant_context  # noqa: E402
from apps.tenancy.models import TenantChannel  # noqa: E402
from apps.tenancy.tenants import create_tenant  # noqa: E402

SLUG = "bench"
PAGES = 40


def main() -> None:
    """Migrates and fills an empty database."""
    call_command("migrate", verbosity=0, interactive=False)
    tenant = create_tenant(SLUG, display_name="Bench House", agent_name="Root", timezone="UTC")
    token = secrets.token_urlsafe(24)
    with tenant_context(tenant):
        tenant.settings = {"access": {"email_domains": ["bench.example"]}}
        tenant.save()
        TenantChannel.objects.create(type=TenantChannel.Type.WEB, secrets={"access_token": token})
        for number in range(PAGES):
            text = (
                f"Room {number} opens at eight. The kitchen on its floor closes at nine in the evening. " * 6
            )
            save_page(title=f"Opening hours {number}", content_html=f"<h2>Evenings</h2><p>{text}</p>")
        sweep.sweep(stopping=lambda: False)
    print(token)


main()

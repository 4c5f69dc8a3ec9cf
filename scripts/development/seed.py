"""Puts the demo community into the database: ``python -m scripts.development.seed`` (JSON in, JSON out)."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

DEMO = Path(__file__).resolve().parent.parent / "demo"
KEY_ENVIRONMENTS = ("live", "dev")
PERSON_FIELDS = (
    "ref",
    "display_name",
    "tier",
    "is_admin",
    "email",
    "slack_user_id",
    "traits",
    "profile_context",
)


def seed(*, backend_url: str, backend_secret: str, kept: dict[str, Any]) -> dict[str, Any]:
    """Makes or refreshes the community; returns its slug, token and keys, kept ones where they still work."""
    from apps.tenancy.context import tenant_context

    community = json.loads((DEMO / "community.json").read_text())
    tenant = _tenant(community)
    with tenant_context(tenant):
        _people()
        _integration(community, backend_url=backend_url, backend_secret=backend_secret)
        token = _web_channel(community, kept.get("web_token"))
        pages = _pages()
        _owner(community)
    _operator(community)
    keys = {name: _key(tenant, name, (kept.get("api_keys") or {}).get(name)) for name in KEY_ENVIRONMENTS}
    return {"tenant": tenant.slug, "web_token": token, "api_keys": keys, "pages": pages}


def _tenant(community: dict[str, Any]) -> Any:
    from apps.foundation.errors import NotFound
    from apps.tenancy.tenants import create_tenant, find_tenant

    try:
        return find_tenant(community["slug"])
    except NotFound:
        return create_tenant(
            community["slug"],
            display_name=community["display_name"],
            agent_name=community["agent_name"],
            timezone=community["timezone"],
            settings=community["settings"],
        )


def _people() -> None:
    from apps.tenancy.principals import PersonFacts, upsert

    for person in json.loads((DEMO / "people.json").read_text()):
        upsert(PersonFacts(**{name: person[name] for name in PERSON_FIELDS if name in person}))


def _owner(community: dict[str, Any]) -> None:
    from apps.tenancy.dashboard_users import invite, role_of

    if role_of(community["owner"]) is None:
        invite(community["owner"], role="owner", by="platform")


def _operator(community: dict[str, Any]) -> None:
    from apps.tenancy.platform_admins import add_platform_admin

    add_platform_admin(community["operator"])


def _integration(community: dict[str, Any], *, backend_url: str, backend_secret: str) -> None:
    from apps.integrations.connect import connect

    connected = connect(community["integration"]["name"], base_url=backend_url, signing_secret=backend_secret)
    if connected.problem:
        sys.exit(f"The reference backend was not accepted: {connected.problem}")


def _web_channel(community: dict[str, Any], kept_token: str | None) -> str:
    from apps.tenancy.channels import active_channel, open_web_channel

    channel = active_channel("web")
    if channel is None or not kept_token or channel.secrets.get("access_token") != kept_token:
        return open_web_channel(config=community["web"])
    if channel.config != community["web"]:
        channel.config = community["web"]
        channel.save(update_fields=["config", "updated_at"])
    return kept_token


def _key(tenant: Any, environment: Any, kept_key: str | None) -> str:
    from apps.foundation.errors import RootError
    from apps.tenancy.api_keys import authenticate_key, mint_key

    try:
        if kept_key and authenticate_key(kept_key).tenant.live_id == tenant.pk:
            return kept_key
    except RootError:
        pass
    return mint_key(tenant, name="development", environment=environment).secret


def _pages() -> int:
    from apps.knowledge.page_files import read_page_file
    from apps.knowledge.pages import save_page

    files = sorted((DEMO / "pages").glob("*.md"))
    for file in files:
        page = read_page_file(file)
        save_page(title=page.title, slug=page.slug, content_html=page.html, **page.details)
    return len(files)


def main() -> None:
    """Migrates, seeds, and prints what was made as the last line."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "root_platform.settings")
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0, interactive=False)
    asked = json.load(sys.stdin)
    print(json.dumps(seed(**asked)))


if __name__ == "__main__":
    main()

"""Where pages stand on the web, and which page an address or a slug means (contract §10.5)."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import unquote, urlsplit

from apps.foundation.environment import env
from apps.foundation.html import safe_link
from apps.foundation.text import clean
from apps.knowledge.models import KnowledgePage
from apps.tenancy.context import current_tenant

MAX_NAME_CHARS: Final = 2_000
_LONGEST_SLUG: Final = 200
# The shortest token we ever made is longer; what is no token of ours stays as it was written.
_WITH_TOKEN: Final = re.compile(r"(/kb/[A-Za-z0-9_-]+/[A-Za-z0-9_-]+)\?token=[A-Za-z0-9_-]{20,}")


def is_open(page: KnowledgePage) -> bool:
    """May anybody at all read it? An audience that was named for a public page counts; it is then for them only."""
    return page.is_public and page.audience_tiers is None


def is_reachable() -> bool:
    """Does this installation know its own address? In production somebody has to say it."""
    return bool(env().platform_base_url) or not env().is_production


def site_address() -> str | None:
    """Where this community's pages are served: its own address, else the platform's; None where nobody said."""
    own = safe_link((current_tenant().config.public_base_url or "").strip().rstrip("/"))
    # Nothing but a host: the cookie and the redirect count on the path.
    if own and own == f"{urlsplit(own).scheme}://{urlsplit(own).netloc}" and "@" not in own:
        return own
    if env().platform_base_url:
        return str(env().platform_base_url).rstrip("/")
    return None if env().is_production else f"http://localhost:{env().port}"


def page_path(page: KnowledgePage) -> str:
    """``/kb/:tenantSlug/:publicId``: it names the page and gives away nothing of it."""
    return f"/kb/{current_tenant().slug}/{page.public_id}"


def page_named(name: str) -> KnowledgePage | None:
    """The page of this community that a slug, an id, a path or a whole address means, whatever token it carries."""
    wanted = _last_part(name)
    if wanted is None or not wanted.isprintable() or not 0 < len(wanted) <= _LONGEST_SLUG:
        return None
    found: KnowledgePage | None = (
        KnowledgePage.objects.filter(public_id=wanted).first()
        or KnowledgePage.objects.filter(slug=wanted).first()
        or KnowledgePage.objects.filter(slug=wanted.lower()).first()
    )
    return found


def without_link_tokens(text: str) -> str:
    """A text with the tokens of page links taken out: what is kept of a conversation opens nothing."""
    return _WITH_TOKEN.sub(r"\1", text)


def _last_part(name: str) -> str | None:
    """The slug or id in it; None for the address of another community, or of something else."""
    given = clean(name).strip().strip("<>").split("|")[0][:MAX_NAME_CHARS]
    try:
        path = urlsplit(given).path
    except ValueError:
        return None
    parts = [clean(unquote(part)) for part in path.split("/") if part]
    if "kb" not in parts[:-1]:
        return parts[0] if len(parts) == 1 and "://" not in given else None
    after = parts[parts.index("kb") + 1 :]
    if len(after) == 2 and after[0] != current_tenant().slug:
        return None
    return after[-1] if len(after) <= 2 else None

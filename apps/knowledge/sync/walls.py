"""Pages that stand in front of the content: they never replace it (contract §11.2)."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from apps.knowledge.sync.article import WebPage
from apps.knowledge.sync.failure import SyncFailure

MIN_CHARS = 60
# A wall says little; a page that says more may well speak about walls.
WALL_CHARS = 1_500
SHRUNK_SHARE = 0.3
SHRUNK_FROM = 200
_BOT = re.compile(
    r"just a moment|checking (?:your browser|if the site connection)"
    r"|verify(?:ing)? (?:that )?you(?:'re| are)? (?:not )?(?:a )?(?:human|robot)"
    r"|are you (?:a )?(?:human|robot)|not a robot|attention required|enable (?:javascript and )?cookies|ddos protection"
    r"|access (?:to this page has been )?denied|unusual traffic|captcha|pardon our interruption|security check"
    r"|request unsuccessful|you have been blocked",
    re.IGNORECASE,
)
_LOGIN_PATH = re.compile(
    r"/(?:log-?in|sign-?in|sso|auth|oauth2?|saml|cas|session/new|users/sign_in|wp-login\.php|accounts?/login)(?:[/.?;]|$)",
    re.IGNORECASE,
)
_LOGIN = re.compile(r"\b(?:log ?in|sign ?in|anmelden|se connecter|iniciar sesi[oó]n|entrar)\b", re.IGNORECASE)
_NOT_FOUND = re.compile(
    r"\b404\b|\b(?:page|site|document) (?:was |could )?not (?:be )?found\b", re.IGNORECASE
)


def refuse_walls(page: WebPage, *, asked: str, arrived: str) -> None:
    """Raises :class:`SyncFailure` with the reason when what arrived is not what was asked for."""
    said = f"{page.head_title} {page.visible}"
    is_short = len(page.visible) < WALL_CHARS
    if (page.is_challenge or _BOT.search(said)) and is_short:
        raise SyncFailure(
            "The site shows a bot check instead of the page. Allow Root there, or push the content."
        )
    if _is_login(page, asked=asked, arrived=arrived) and is_short:
        raise SyncFailure(
            "The address leads to a login page. Use a public address, or the site's API with a key."
        )
    if page.needs_script and len(page.text) < MIN_CHARS * 4:
        raise SyncFailure("The page is empty without JavaScript, so there is nothing to read in it.")
    if _NOT_FOUND.search(page.head_title) and is_short:
        raise SyncFailure(
            "The site says that this page does not exist, though without the status that says so."
        )
    refuse_too_little(page.text)


def refuse_too_little(text: str) -> None:
    """Raises :class:`SyncFailure` when there is hardly anything to read."""
    if len(text) < MIN_CHARS:
        raise SyncFailure(f"There is too little text in the answer: {len(text)} characters.")


def refuse_shrunken(now: int, *, before: int) -> None:
    """Raises :class:`SyncFailure` when an article lost most of what it said the last time."""
    if before >= SHRUNK_FROM and now < before * SHRUNK_SHARE:
        raise SyncFailure(
            f"The article shrank from {before:,} to {now:,} characters, so the last good page was kept."
            " If that is right, sync once with accept_shorter."
        )


def _is_login(page: WebPage, *, asked: str, arrived: str) -> bool:
    moved = (
        urlsplit(arrived).path != urlsplit(asked).path or urlsplit(arrived).netloc != urlsplit(asked).netloc
    )
    if moved and _LOGIN_PATH.search(urlsplit(arrived).path):
        return True
    return page.asks_password and bool(_LOGIN.search(f"{page.head_title} {page.visible}"))

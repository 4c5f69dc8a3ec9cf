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
    r"checking (?:your browser|if the site connection)|\byou(?:'re| are)? (?:not )?(?:a )?(?:human|robot|bot)\b"
    r"|not a robot|enable javascript and cookies|ddos protection by|access to this page has been denied"
    r"|unusual traffic from|pardon our interruption|you have been blocked|(?:complete|solve|enter|pass) the captcha",
    re.IGNORECASE,
)
# Words that pages about gates, rooms and cookies use too: they count as a title, or where hardly anything else is said.
_BOT_SHORT = re.compile(
    r"just a moment|(?:einen|un) mom(?:ent|ento)\b|un instant\b|attention required|enable cookies|access denied"
    r"|unusual traffic|(?<!re)captcha|security (?:check|verification)|request unsuccessful|ddos protection",
    re.IGNORECASE,
)
BARE_CHARS = 300
# More than this outside of forms is a page of its own, which happens to have a place to sign in.
OWN_CHARS = 400
_LOGIN_PATH = re.compile(
    r"/(?:log-?in|sign-?in|sso|auth|oauth2?|saml|cas|session/new|users/sign_in|wp-login\.php|accounts?/login)(?:[/.?;]|$)",
    re.IGNORECASE,
)
_LOGIN = re.compile(r"\b(?:log ?in|sign ?in|anmelden|se connecter|iniciar sesi[oó]n|entrar)\b", re.IGNORECASE)
_NOT_FOUND = re.compile(
    r"\A404\b|\b(?:error|http) 404\b|\b404 (?:error|not found)\b"
    r"|\b(?:page|site|document|seite) (?:was |could |nicht )?(?:not )?(?:be )?(?:found|gefunden)\b",
    re.IGNORECASE,
)


def refuse_walls(page: WebPage, *, asked: str, arrived: str) -> None:
    """Raises :class:`SyncFailure` with the reason when what arrived is not what was asked for."""
    is_short = len(page.visible) < WALL_CHARS
    if is_short and _is_bot_check(page):
        raise SyncFailure(
            "The site shows a bot check instead of the page. Allow Root there, or push the content."
        )
    if _is_login(page, asked=asked, arrived=arrived):
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


def _is_bot_check(page: WebPage) -> bool:
    if page.is_challenge or _BOT.search(f"{page.head_title} {page.visible}"):
        return True
    return bool(
        _BOT_SHORT.search(page.head_title)
        or (len(page.visible) < BARE_CHARS and _BOT_SHORT.search(page.visible))
    )


def _is_login(page: WebPage, *, asked: str, arrived: str) -> bool:
    """Led to one, however much it says; or a place to sign in with little beside it."""
    there, here = urlsplit(arrived), urlsplit(asked)
    moved = (there.path, there.netloc) != (here.path, here.netloc)
    if moved and _LOGIN_PATH.search(there.path) and not _LOGIN_PATH.search(here.path):
        return page.asks_password or len(page.visible) < WALL_CHARS
    said = bool(_LOGIN.search(f"{page.head_title} {page.visible}"))
    return page.asks_password and said and len(page.text) < OWN_CHARS

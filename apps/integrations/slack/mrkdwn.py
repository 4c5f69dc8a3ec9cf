"""Markdown as Slack writes it, in pieces that fit its blocks; pure (contract §8.2)."""

from __future__ import annotations

import re
from typing import Any, Final

SECTION_CHARS: Final = 2_900
MOST_SECTIONS: Final = 50
_CODE = re.compile(r"(```.*?(?:```|\Z)|`[^`\n]+`)", re.DOTALL)
# Mentions of people and channels pass; those that call everybody do not.
_MENTION = re.compile(r"<(?=(?:@[UW][A-Z0-9]{2,40}|#C[A-Z0-9]{2,40})(?:\|[^<>|\n]{0,80})?>)([^<>]+)>")
_LINK = re.compile(r"!?\[([^\[\]\n]{1,500})\]\((https?://[^\s()<>|]{1,2000}|mailto:[^\s()<>|]{1,300})\)")
_HEADING = re.compile(r"^[ \t]{0,3}#{1,6}[ \t]+(.+?)[ \t]*#*$", re.MULTILINE)
_BULLET = re.compile(r"^([ \t]*)[*+-][ \t]+", re.MULTILINE)
_BOLD = re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1")
_STRUCK = re.compile(r"~~(?=\S)(.+?)(?<=\S)~~")


def to_mrkdwn(text: str) -> str:
    """Headings and bold as ``*bold*``, links as ``<url|text>``, bullets as ``•``; code stays as it is."""
    parts = _CODE.split(text)
    return "".join(_escaped(part) if number % 2 else _prose(part) for number, part in enumerate(parts))


def blocks_of(mrkdwn: str) -> list[dict[str, Any]] | None:
    """Sections for a text that is too long for one; none when it fits."""
    if len(mrkdwn) <= SECTION_CHARS:
        return None
    pieces = _pieces(mrkdwn)[:MOST_SECTIONS]
    return [{"type": "section", "text": {"type": "mrkdwn", "text": piece}} for piece in pieces]


def _prose(text: str) -> str:
    text = text.replace("\x01", "").replace("\x02", "")
    mentions = _MENTION.sub(lambda found: f"\x01{found[1]}\x02", text)
    said = _LINK.sub(lambda found: f"\x01{found[2]}|{found[1]}\x02", _escaped(mentions))
    said = _HEADING.sub(_heading, said)
    said = _BULLET.sub(r"\1• ", said)
    said = _STRUCK.sub(r"~\1~", _BOLD.sub(r"*\2*", said))
    return said.replace("\x01", "<").replace("\x02", ">")


def _heading(found: re.Match[str]) -> str:
    plain = _BOLD.sub(r"\2", found[1]).strip("*")
    return f"*{plain}*"


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _pieces(text: str) -> list[str]:
    """Cut at empty lines, else at line ends, else at spaces, else anywhere."""
    pieces = []
    while len(text) > SECTION_CHARS:
        window = text[:SECTION_CHARS]
        cut = next((at for mark in ("\n\n", "\n", " ") if (at := window.rfind(mark)) > 0), SECTION_CHARS)
        pieces.append(text[:cut].rstrip())
        text = text[cut:].lstrip()
    return [piece for piece in [*pieces, text] if piece]

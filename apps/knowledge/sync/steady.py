"""Takes out of an article what differs with each visit though nothing was changed (contract §11.2)."""

from __future__ import annotations

import re
from html import escape, unescape
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

_CODE = re.compile(r"(<(pre|code|samp|kbd)\b.*?</\2>)", re.IGNORECASE | re.DOTALL)
_HREF = re.compile(r'(<a\b[^>]*?\shref=")([^"]*)(")', re.IGNORECASE)
_LINK_TITLE = re.compile(r'(<a\b[^>]*?)\s+title="[^"]*"', re.IGNORECASE)
_PARAMETER = re.compile(
    r"utm_\w+|[fg]clid|msclkid|mc_[ce]id|(?:php|j|asp)?sess(?:ion)?_?id|sid|csrf\w*|xsrf\w*|nonce|_?token|auth_token"
    r"|cb|cachebust\w*|_|ts|timestamp|rand(?:om)?|ref_src|visitor_?id"
    # Addresses that are signed for an hour.
    r"|x-(?:amz|goog)-[\w-]+|awsaccesskeyid|expires|signature|sig|policy|key-pair-id",
    re.IGNORECASE,
)
_NUMBER = r"(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten)"
_STAMP = (
    r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?)?\s?(?:Z|UTC|GMT|[+-]\d\d:?\d\d)?"
    r"|(?:\w{3,9},?\s)?\d{1,2}\.?\s\w{3,9}\.?,?\s\d{4}(?:,?\s(?:at\s)?\d\d?:\d\d(?::\d\d)?)?(?:\s?(?:Z|UTC|GMT|[ap]m))?"
    r"|\w{3,9}\s\d{1,2},\s\d{4}(?:,?\s(?:at\s)?\d\d?:\d\d(?::\d\d)?)?(?:\s?(?:Z|UTC|GMT|[ap]m))?"
    r"|\d\d?:\d\d(?::\d\d)?(?:\s?[ap]m)?"
)
_MADE = r"(?:generated|rendered|retrieved|fetched|cached|served)"
_NAMES = (
    r"(?:csrf|xsrf|nonce|etag|cache[- ]?key|(?:csrf |session |access )?token|session(?: id)?"
    r"|(?:request|trace|correlation|ray|visitor|build)[- ]?id)"
)
# Anywhere in the text: nothing of this is knowledge.
_ANYWHERE = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b(?:about |over |almost )?{_NUMBER} (?:second|minute|hour)s? ago\b",
        r"\bvor (?:\d+|einer|zwei|drei) (?:Sekunden?|Minuten?|Stunden?)\b",
        r"\b(?:il y a|hace|há) \d+ (?:second|minut|heure|segundo|hora)\w*",
        rf"\b(?:this )?(?:page )?(?:was )?{_MADE}(?: on| at|:)+ ?(?:{_STAMP})[.]?",
        rf"\b(?:page )?(?:{_MADE}|loaded|took)(?: in)? ?\d+(?:[.,]\d+)? ?(?:ms|s|sec|seconds?|milliseconds?)\b[.]?",
        rf"\b{_NAMES}\s*[:=#]?\s*(?=[\w+/=.-]*\d)[\w+/=.-]{{8,}}",
    )
)
# Only where it is all that an element says: in a sentence it may be what the page is about.
_ALONE = re.compile(
    rf"(?<=>)\s*(?:(?:{_STAMP})|{_NUMBER} (?:day|week|month|year)s? ago|just now|moments ago|yesterday"
    r"|(?:last )?(?:updated|modified|refreshed)(?: on| at|:)* ?(?:[^<>]{0,40}\d\d?:\d\d[^<>]{0,20})"
    r"|[\d.,]+ ?[kKmM]? (?:views?|visits|visitors|reads|likes|shares|comments|downloads)"
    r"|[\d.,]+ (?:people|members|users|guests|visitors)(?: are)? (?:here|online|viewing|watching)[^<>]{0,30}"
    r")\s*(?=</(?:p|span|small|li|em|i|div|figcaption)>)",
    re.IGNORECASE,
)
_EMPTIED = re.compile(r"<(p|span|small|li|em|i)\b[^>]*>\s*</\1>", re.IGNORECASE)
_SPACE = re.compile(r"\s+")


def steady(html: str) -> str:
    """The sanitised article without visit-dependent parts; what stands in code is left as it is."""
    pieces = _CODE.split(_HREF.sub(_steady_link, _LINK_TITLE.sub(r"\1", html)))
    # The split gives text, a piece of code, and the name of its tag, in turns.
    kept = [
        _without_visits(piece) if turn % 3 == 0 else piece
        for turn, piece in enumerate(pieces)
        if turn % 3 < 2
    ]
    return "".join(kept).strip()


def _without_visits(html: str) -> str:
    # First: the time of the patterns below grows with the square of a run of spaces.
    html = _SPACE.sub(_one_space, html)
    for pattern in _ANYWHERE:
        html = pattern.sub("", html)
    html = _ALONE.sub("", html)
    return _SPACE.sub(_one_space, _EMPTIED.sub("", html))


def _one_space(match: re.Match[str]) -> str:
    return "\n" if "\n" in match.group() else " "


def _steady_link(match: re.Match[str]) -> str:
    try:
        parts = urlsplit(unescape(match.group(2)))
    except ValueError:
        return match.group()
    path = re.sub(r";jsessionid=[^/;?]*", "", parts.path, flags=re.IGNORECASE)
    query = parts.query
    if query:
        pairs = parse_qsl(query, keep_blank_values=True)
        kept = [(name, value) for name, value in pairs if not _PARAMETER.fullmatch(name)]
        query = query if len(kept) == len(pairs) else urlencode(kept)
    target = urlunsplit((parts.scheme, parts.netloc, path, query, parts.fragment))
    return f"{match.group(1)}{escape(target, quote=True)}{match.group(3)}"

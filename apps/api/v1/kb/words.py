"""The words requests about knowledge are made of: each as strict in the document as where it is stored."""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import AfterValidator, Field, StringConstraints

from apps.api.reading import NO_NUL
from apps.foundation.text import clean
from apps.knowledge.drafts import MAX_CONTENT_CHARS

TAG: Final = "Knowledge"
# Something to read: a letter or digit of any script; in HTML one that stands outside the tags.
_SAYS_SOMETHING = r"^[^\x00]*\w[^\x00]*$"
_HTML_SAYS_SOMETHING = r"^([^\x00]*>)?[^\x00<>]*\w[^\x00]*$"
_LABEL = r"[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_PORT = r":([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2})"
_IPV6 = r"\[[0-9A-Fa-f:.]{2,45}\]"
_ADDRESS = rf"^https?://({_LABEL}(\.{_LABEL}){{0,20}}|{_IPV6})({_PORT})?([/?#][^\x00-\x20\\\x7f]*)?$"
# One line without control characters, and not blank.
_ONE_LINE = r"^[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$"

SLUG_PATTERN: Final = r"^[a-z0-9]+(-[a-z0-9]+)*$"
Slug = Annotated[
    str, StringConstraints(pattern=SLUG_PATTERN, max_length=100), Field(examples=["opening-hours"])
]
Title = Annotated[str, StringConstraints(pattern=_SAYS_SOMETHING, max_length=500)]
Content = Annotated[str, StringConstraints(pattern=_SAYS_SOMETHING, max_length=MAX_CONTENT_CHARS)]
HtmlContent = Annotated[str, StringConstraints(pattern=_HTML_SAYS_SOMETHING, max_length=MAX_CONTENT_CHARS)]
WebAddress = Annotated[
    str,
    StringConstraints(pattern=_ADDRESS, max_length=2_000),
    Field(examples=["https://harbour.example/hours"]),
]
SourceType = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,59}$"), Field(examples=["manual"])]
PersonRef = Annotated[str, StringConstraints(pattern=NO_NUL, min_length=1, max_length=256)]
TierName = Annotated[str, StringConstraints(pattern=_SAYS_SOMETHING, max_length=100)]
Tiers = Annotated[
    list[TierName],
    Field(max_length=100, description="Who may read it: these tiers and admins; null is everybody."),
]
SourceKey = Annotated[
    str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_.-]{0,99}$"), Field(examples=["handbook"])
]
SourceName = Annotated[str, StringConstraints(pattern=_SAYS_SOMETHING, max_length=200)]
Secret = Annotated[str, StringConstraints(pattern=_ONE_LINE, max_length=8_000)]
# Travels in a header, which knows no other characters.
Token = Annotated[str, StringConstraints(pattern=r"^[ -~]*[!-~][ -~]*$", max_length=8_000)]
Username = Annotated[str, StringConstraints(pattern=r"^[^:\x00-\x1f\x7f-\x9f]+$", max_length=300)]
HeaderName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$")]
HeaderValue = Annotated[str, StringConstraints(pattern=r"^[\t\x20-\x7e\x80-\xff]{0,2000}$")]
_NAME = r"[A-Za-z_][A-Za-z0-9_]{0,60}"
_VALUE = r"('[\w .:/-]*'|[0-9]{1,15})"
_STEP = (
    rf"(\.{_NAME}|\[[0-9]{{1,9}}\]|\[\*\]|\['[\w .:/-]+'\]|\[\?\(@\.{_NAME} ?(==|!=|<=?|>=?) ?{_VALUE}\)\])"
)
JsonPath = Annotated[
    str,
    StringConstraints(pattern=rf"^(\$|{_NAME})(\.\.{_NAME})?{_STEP}{{0,20}}$", max_length=500),
    Field(examples=["$.data.items"]),
]
Instructions = Annotated[str, StringConstraints(pattern=NO_NUL, max_length=4_000)]


def _storable(value: Any) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {clean(name): _storable(item) for name, item in value.items()}
    return [_storable(item) for item in value] if isinstance(value, list) else value


# JSON of the caller's own; what no database can hold of it is replaced.
FreeJson = Annotated[Any, AfterValidator(_storable)]

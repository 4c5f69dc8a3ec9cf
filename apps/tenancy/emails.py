"""Comparing mail addresses: trimmed, composed, and without regard to case (contract §6)."""

from __future__ import annotations

import re
import unicodedata

MAX_LENGTH = 320
_ADDRESS = re.compile(r"[^@\s\x00-\x1f\x7f<>,;]+@[^@\s\x00-\x1f\x7f<>,;]+")


def normalized_email(text: object) -> str | None:
    """The address as it is stored and compared, or None for anything that is not one."""
    if not isinstance(text, str):
        return None
    address = unicodedata.normalize("NFC", text).strip().lower()
    usable = len(address) <= MAX_LENGTH and address.isprintable() and _ADDRESS.fullmatch(address)
    return address if usable else None


def domain_of(address: str) -> str:
    """The domain in its ASCII form, without a closing dot."""
    return ascii_domain(address.rpartition("@")[2])


def ascii_domain(domain: str) -> str:
    """A domain in lower case and IDNA form; one that has no such form stays as written."""
    plain = domain.strip().rstrip(".").lower()
    try:
        return plain.encode("idna").decode("ascii")
    except UnicodeError:
        return plain

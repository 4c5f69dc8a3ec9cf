"""What a mail address is, and when two spellings are one (contract §6).

Trimmed, composed, without regard to case, and with the domain in the one form that DNS knows: a person who writes
``müller.example`` and a server that writes ``xn--mller-kva.example`` mean the same.
"""

from __future__ import annotations

import re
import unicodedata

import idna

MAX_LENGTH = 254
_ADDRESS = re.compile(r"[^@\s\x00-\x1f\x7f<>,;\"]+@[^@\s\x00-\x1f\x7f<>,;\"]+")


def normalized_email(text: object) -> str | None:
    """The address as it is stored and compared, or None for anything that is not one."""
    if not isinstance(text, str) or len(text) > 2 * MAX_LENGTH:
        return None
    address = unicodedata.normalize("NFC", text).strip().lower()
    if len(address) > MAX_LENGTH or not address.isprintable() or not _ADDRESS.fullmatch(address):
        return None
    person, _, domain = address.partition("@")
    folded = ascii_domain(domain)
    return f"{person}@{folded}" if folded else None


def domain_of(address: str) -> str:
    """The domain in its ASCII form, without a closing dot."""
    return ascii_domain(address.rpartition("@")[2])


def ascii_domain(domain: str) -> str:
    """A domain in lower case and ASCII; one that has no such form stays as written.

    By the rules of today (UTS 46, IDNA 2008): the older ones take ``straße`` for ``strasse``, which is another domain.
    """
    plain = domain.strip().rstrip(".").lower()
    if plain.isascii():
        return plain
    try:
        return idna.encode(plain, uts46=True).decode("ascii")
    except UnicodeError:
        return plain

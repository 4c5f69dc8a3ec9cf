"""Reading fields out of JSON somebody else wrote, with the path at hand for the error (contract §7.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

MAX_NAMES = 500


class Reader:
    """One JSON object and the way that led to it."""

    def __init__(self, value: Any, *, fail: Callable[[str], Exception], path: str = "") -> None:
        self._fail = fail
        self._path = path
        if not isinstance(value, dict):
            raise fail(f"{path or 'The whole'} must be an object.")
        self._value: dict[str, Any] = value

    def value(self, key: str) -> Any:
        """Whatever stands there, or None."""
        return self._value.get(key)

    def wrong(self, key: str, reason: str) -> Exception:
        """The error for one field."""
        return self._fail(f"{self._at(key)} {reason}.")

    def text(self, key: str, *, required: bool = False) -> str:
        """A trimmed text; absent or of another type it is empty, or an error where required."""
        found = self._value.get(key)
        text = found.strip() if isinstance(found, str) else ""
        if required and not text:
            raise self.wrong(key, "must be a text that is not empty")
        return text

    def flag(self, key: str) -> bool:
        """A switch that decides who may do something: absent is off, another type is an error."""
        found = self._value.get(key)
        if found is not None and not isinstance(found, bool):
            raise self.wrong(key, "must be true or false")
        return found is True

    def names(self, key: str) -> frozenset[str] | None:
        """A list of names that decides who may do something: absent is None, another type is an error."""
        found = self._value.get(key)
        if found is None:
            return None
        if (
            not isinstance(found, list)
            or not all(isinstance(name, str) for name in found)
            or len(found) > MAX_NAMES
        ):
            raise self.wrong(key, "must be a list of texts")
        return frozenset(name.strip() for name in found if name.strip())

    def texts(self, key: str, *, limit: int) -> tuple[str, ...]:
        """The texts of a list, each once; anything else in it is passed over."""
        found = self._value.get(key)
        entries = found[:limit] if isinstance(found, list) else []
        return tuple(
            dict.fromkeys(entry.strip() for entry in entries if isinstance(entry, str) and entry.strip())
        )

    def objects(self, key: str, *, limit: int, strict: bool = False) -> Iterator[Reader]:
        """The objects of a list; in a strict one everything must be an object, and none are cut off."""
        found = self._value.get(key)
        if found is None:
            return
        if not isinstance(found, list):
            if strict:
                raise self.wrong(key, "must be a list")
            return
        if strict and len(found) > limit:
            raise self.wrong(key, f"has more than {limit} entries")
        for position, entry in enumerate(found[:limit]):
            if strict or isinstance(entry, dict):
                yield Reader(entry, fail=self._fail, path=f"{self._at(key)}[{position}]")

    def objects_or_names(self, key: str, *, limit: int) -> Iterator[Reader | str]:
        """A strict list in which a plain text stands for an object with that name."""
        found = self._value.get(key)
        if found is None:
            return
        if not isinstance(found, list) or len(found) > limit:
            raise self.wrong(key, f"must be a list of at most {limit} entries")
        for position, entry in enumerate(found):
            if isinstance(entry, str) and entry.strip():
                yield entry.strip()
            else:
                yield Reader(entry, fail=self._fail, path=f"{self._at(key)}[{position}]")

    def web_address(self, key: str) -> str | None:
        """An http or https address, or None."""
        text = self.text(key)
        try:
            parts = urlsplit(text)
        except ValueError:
            return None
        usable = (
            parts.scheme in ("http", "https") and parts.netloc and len(text) <= 2_000 and text.isprintable()
        )
        return text if usable and " " not in text else None

    def _at(self, key: str) -> str:
        return f"{self._path}.{key}" if self._path else key

"""The pattern for text that shows something says the same as the rest of Root does."""

from __future__ import annotations

import re

from apps.api.reading import SEEN
from apps.foundation.text import is_blank


def test_the_pattern_knows_every_character_nobody_sees() -> None:
    seen = re.compile(SEEN)
    sample = [*range(0x3200), *range(0xD7F0, 0xD800), *range(0xE000, 0x14000), *range(0x1BC00, 0x1E000)]
    sample += range(0xDFF00, 0xE1100)
    characters = [chr(code) for code in sample if code]
    assert [c for c in characters if is_blank(c) == bool(seen.search(c))] == []
    assert not seen.search("a\x00")
    assert seen.search("\u200b\na\n")

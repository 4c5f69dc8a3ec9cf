"""Where a text is code: what stands there is shown, not meant (contract §4.4).

A fence that nothing closes runs to the end of the text, as Markdown has it; in a list it is indented. Every step is
bounded or consumes what it looked at.
"""

import re
from typing import Final

FENCE: Final = (
    r"^[ \t]{0,12}(?P<fence>`{3,}|~{3,})[^`\n]*"
    r"(?:\n(?s:.*?)(?P<closed>^[ \t]{0,12}(?P=fence)[`~]{0,9}[ \t]{0,9}$)|(?s:.*)\Z)"
)
INLINE: Final = r"(?<!`)(?P<ticks>`{1,3})(?!`)[^\n]{1,500}?(?<!`)(?P=ticks)(?!`)"
_CODE = re.compile(f"{FENCE}|{INLINE}", re.MULTILINE)


def outside_code(text: str) -> str:
    """The text with a backtick in the place of each piece of code."""
    return _CODE.sub("`", text)

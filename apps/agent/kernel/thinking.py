"""What a reply holds for machines and not for people: thinking, and the tokens that end it (contract §4.4)."""

import re

_TAG = re.compile(r"(?<!`)<(?P<closes>/?)(?:\w{1,20}:)?think(?:ing)?>(?!`)", re.IGNORECASE)
_ENDS = (
    "<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|end|>", "<|endoftext|>", "<|end_of_text|>", "<|return|>",
    "<｜end▁of▁sentence｜>",
)  # fmt: skip


def without_thinking(text: str) -> str:
    """Tags in backticks are talk about them. A closing tag alone ends a thought that began before the text.

    An opening tag that nothing closes hides the rest if it begins its line; elsewhere it is left for
    `pretended` to refuse, since nobody can say where the thought ends.
    """
    kept: list[str] = []
    position, opened = 0, -1
    for tag in _TAG.finditer(text):
        if not tag["closes"]:
            opened = tag.start() if opened < 0 else opened
            continue
        if opened < 0:
            kept.clear()
        else:
            kept.append(text[position:opened])
        position, opened = tag.end(), -1
    hides_the_rest = opened >= 0 and not text[position:opened].rpartition("\n")[2].strip()
    return "".join([*kept, text[position : opened if hides_the_rest else None]])


def without_end_tokens(text: str) -> str:
    """A provider that lets the end of a message through has sent a whole message."""
    end = _past_space(text, len(text))
    while found := next((token for token in _ENDS if text.endswith(token, 0, end)), None):
        end = _past_space(text, end - len(found))
    return text[:end]


def _past_space(text: str, end: int) -> int:
    while end and text[end - 1].isspace():
        end -= 1
    return end

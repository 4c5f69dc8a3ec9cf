"""What a reply holds for machines and not for people: thinking, and the tokens that end it (contract §4.4)."""

import re
from collections.abc import Iterator

from apps.agent.kernel.code_spans import FENCE, INLINE

_TAG = re.compile(r"(?<!`)<(?P<closes>/?)(?:\w{1,20}:)?(?:think(?:ing)?|thought)>(?!`)", re.IGNORECASE)
_CLOSING = re.compile(r"(?<!`)</(?:\w{1,20}:)?(?:think(?:ing)?|thought)>(?!`)", re.IGNORECASE)
_NEXT = re.compile(f"{FENCE}|{INLINE}|{_TAG.pattern}", re.IGNORECASE | re.MULTILINE)
_NEXT_UNFENCED = re.compile(f"{INLINE}|{_TAG.pattern}", re.IGNORECASE)
_ENDS = (
    "<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|end|>", "<|endoftext|>", "<|end_of_text|>", "<|return|>",
    "<｜end▁of▁sentence｜>", "<|end_of_turn|>", "<end_of_turn>", "<eos>",
)  # fmt: skip
# Where something is struck out, `</s>` ends that and not the message.
_STRUCK = re.compile(r"<s[\s>]", re.IGNORECASE)


def without_thinking(text: str) -> str:
    """Tags in code are talk about them, unless a thought is open: code in a thought may end anywhere.

    A closing tag alone ends a thought that began before the text. An opening tag that nothing closes hides the rest
    if it begins its line; elsewhere it is left for `pretended` to refuse, since nobody can say where the thought
    ends.
    """
    kept: list[str] = []
    position = 0
    for opens, closes in _thoughts(text):
        if opens is None:
            kept.clear()
        else:
            kept.append(text[position:opens])
        position = closes
    return "".join([*kept, text[position:]])


def _thoughts(text: str) -> Iterator[tuple[int | None, int]]:
    """Where each thought begins (None: before the text), and where what follows it does."""
    begun = at = 0
    following = _NEXT
    while found := following.search(text, at):
        tag = _tag_of(found)
        at = found.end() if tag is None else tag.end()
        if tag is None:
            continue
        # Behind a fence that nothing closes none is closed: to look for that again and again is a burden.
        following = _NEXT_UNFENCED if tag.start() > found.start() else following
        if tag["closes"]:
            yield None, at
        elif end := _CLOSING.search(text, at):
            at = end.end()
            yield tag.start(), at
        else:
            if not text[begun : tag.start()].rpartition("\n")[2].strip():
                yield tag.start(), len(text)
            return
        begun = at


def _tag_of(found: re.Match[str]) -> re.Match[str] | None:
    """A fence that nothing closes may have been opened by a thought that began before the text."""
    groups = found.groupdict()
    if groups.get("fence") is None:
        return _TAG.fullmatch(found.string, found.start(), found.end())
    if groups["closed"] is not None:
        return None
    first = _TAG.search(found.string, found.start())
    return first if first is not None and first["closes"] else None


def without_end_tokens(text: str) -> str:
    """A provider that lets the end of a message through has sent a whole message."""
    ends = _ENDS if _STRUCK.search(text) else (*_ENDS, "</s>")
    end = _past_space(text, len(text))
    while found := next((token for token in ends if text.endswith(token, 0, end)), None):
        end = _past_space(text, end - len(found))
    return text[:end]


def _past_space(text: str, end: int) -> int:
    while end and text[end - 1].isspace():
        end -= 1
    return end

"""Sentences the kernel itself says to a person, when the model could not (contract §4.2, §4.4)."""

from typing import Final

LLM_FAILED: Final = (
    "I could not reach my language model just now, so this request is not finished. "
    "Please try again in a few minutes."
)
NO_ANSWER: Final = "I did not manage to put together an answer this time. Please try asking again."
NO_ANSWER_AFTER_TOOLS: Final = (
    "I looked into this but did not manage to put the outcome into an answer. "
    "Please check before you rely on anything having been done, and try again."
)
WHAT_HAPPENED: Final = "This is what my steps came to:"
ALREADY_DONE: Final = "Before that, these steps went through or may have; please do not ask for them twice:"
CANCELLED: Final = "This request was stopped before it was finished."
NO_SUCH_STEP: Final = "A step that is not available"
FILTERED: Final = "(This answer was broken off by a content filter of the model, so its end is missing.)"
CUT_OFF: Final = "(This answer was cut off because it grew too long. Ask me to go on if you need the rest.)"

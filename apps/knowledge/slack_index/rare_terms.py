"""Does a text hold a word that few messages of the community hold? (contract §10.4)"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Self

from django.contrib.postgres.search import SearchQuery

from apps.knowledge.models import ProcessedSlackMessage

SMALL_CORPUS: Final = 200
PROBES: Final = 6
_TERM: Final = re.compile(r"[a-z][a-z0-9\-_.]{3,}")
_LONGEST_TERM: Final = 200


@dataclass(frozen=True, kw_only=True)
class Corpus:
    """How many messages there are, counted once for all texts of a thread."""

    messages: int

    @classmethod
    def now(cls) -> Self:
        return cls(messages=ProcessedSlackMessage.objects.filter(withdrawn_at__isnull=True).count())

    @property
    def rare_below(self) -> int:
        return max(5, self.messages // 50)

    def has_rare_term(self, text: str) -> bool:
        """In a small corpus every word is rare."""
        if self.messages < SMALL_CORPUS:
            return True
        return any(self._is_rare(term) for term in probed_terms(text))

    def _is_rare(self, term: str) -> bool:
        rows = ProcessedSlackMessage.objects.filter(
            withdrawn_at__isnull=True, search_tsv=SearchQuery(term, config="english", search_type="plain")
        )
        # A word that stands in no message, though this text is one, is a stop word.
        return 0 < rows[: self.rare_below].count() < self.rare_below


def probed_terms(text: str) -> list[str]:
    """The longest words, which are the likeliest to be rare."""
    found = {word for word in _TERM.findall(text.lower()) if len(word) <= _LONGEST_TERM}
    return sorted(found, key=lambda word: (-len(word), word))[:PROBES]

"""Which words of a question the keyword lane looks for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.knowledge.retrieval.keyword_query import MAX_TOKENS, clean_tokens, or_query


@pytest.mark.parametrize(
    ("query", "tokens"),
    [
        ("What's the Wi-Fi password?", ("what", "the", "wi", "fi", "password")),
        ("----- forwarded -----", ("forwarded",)),
        ("-refunds", ("refunds",)),
        ("who is it?", ("who", "is", "it")),
        ("PR-204-17", ("pr", "204", "17")),
        ('"unclosed quote', ("unclosed", "quote")),
        ("gpt-4 or claude", ("gpt", "or", "claude")),
        ("Где ПРАВИЛА?", ("где", "правила")),
        ("हिन्दी में", ("हिन्दी", "में")),
        ("desk desk DESK", ("desk",)),
        ("a b c", ()),
    ],
)
def test_words_of_any_script(query: str, tokens: tuple[str, ...]) -> None:
    assert clean_tokens(query) == tokens


@pytest.mark.parametrize("query", ["", "???", "- " * 40, "😀", "x" * 5_000, "&|!():*<->'\\"])
def test_without_a_word_there_is_no_query(query: str) -> None:
    assert or_query(query) is None


def test_words_are_joined_with_or_and_numbers_of_identifiers_sought_as_postgres_stores_them() -> None:
    assert or_query("PR-204 open") == "'pr' | '204' | 'open' | '-204'"


def test_the_number_of_words_is_bounded() -> None:
    assert len(clean_tokens(" ".join(f"word{number}" for number in range(5_000)))) == MAX_TOKENS


@given(st.text(max_size=300))
def test_nothing_but_words_and_our_own_operators_gets_through(query: str) -> None:
    for token in clean_tokens(query):
        assert not set("'\\&|!():*<> \t\n") & set(token)

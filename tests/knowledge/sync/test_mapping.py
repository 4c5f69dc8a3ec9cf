"""JSON paths: those that lead to fields are followed, those that could go on for ever are refused (contract §2.5)."""

from __future__ import annotations

from typing import Any

import pytest

from apps.foundation.errors import BadInput
from apps.knowledge.sync.mapping import checked_path, documents_in

ANSWER = {
    "data": [
        {"key": 1, "kind": "rule", "body": {"html": "<p>One</p>", "odd-name": "x"}, "tags": ["a", "b"]},
        {"key": 2, "kind": "draft", "body": {"html": "<p>Two</p>"}},
    ]
}

GOOD: list[tuple[str, list[Any]]] = [
    ("$.data", [1, 2]),
    ("data", [1, 2]),
    ("$.data[*]", [1, 2]),
    ("$.*[*]", [1, 2]),
    ("$.data[0]", [1]),
    ("$.data[-1:]", [2]),
    ("$.data[?(@.kind=='rule')]", [1]),
    ("$.data[?(@.key>1 & @.kind=='draft')]", [2]),
    ("$..data", [1, 2]),
    ("  $['data']  ", [1, 2]),
]


@pytest.mark.parametrize(("path", "found"), GOOD)
def test_paths_that_lead_to_documents(path: str, found: list[int]) -> None:
    mapping = {"documents_path": checked_path(path, "documents_path"), "external_id_path": "$.key"}
    assert [document["external_id"] for document in documents_in(ANSWER, mapping)] == found


BAD = [
    "",
    "   ",
    "$.[",
    "$.a[",
    "x" * 501,
    "$.title * 1000000000",
    "$.title + $.title",
    ".".join(["(`this`|`this`)"] * 27),
    "$" + ".*.`parent`" * 12,
    "$" + "['a','a']" * 30,
    "$[0,0]",
    "$..a..b",
    "$.a[?(@..b == 1)]..c",
    "$.a[?(@.b =~ '(a+)+$')]",
    "$.a.`sub(/(a+)+$/, x)`",
    "$.a.`len`",
    "$.a[/b]",
    "$.a where $.b",
    "$['\ud800']",
    "$['a\u0000']",
    7,
    None,
]


@pytest.mark.parametrize("path", BAD, ids=range(len(BAD)))
def test_paths_that_are_refused_with_a_sentence(path: object) -> None:
    with pytest.raises(BadInput, match=r"^title_path .+\.$"):
        checked_path(path, "title_path")


def test_several_finds_of_a_field() -> None:
    mapping = {"documents_path": "$.data[0]", "author_name_path": "$.tags[*]", "title_path": "$.missing"}
    assert documents_in(ANSWER, mapping)[0] == {"author_name": ["a", "b"]}

"""After the drive: what was said, stored, sent and scheduled for one community holds nothing of another."""

from __future__ import annotations

import json

import pytest

from tests.isolation.cast import MARKERS
from tests.isolation.drive import TURNS, Drive
from tests.isolation.telling import markers_in, told


def test_nobody_was_told_anything_foreign(driven: Drive) -> None:
    crossed = [
        (said.by, said.slug, found) for said in driven.said if (found := _foreign(said.text, said.slug))
    ]
    assert crossed == []


def test_every_row_that_bears_a_marker_lies_with_its_community(driven: Drive) -> None:
    crossed = {
        (row.table, driven.slugs.get(row.tenant_id, "nobody"), marker)
        for row in driven.rows
        for marker in row.markers
        if MARKERS.get(driven.slugs.get(row.tenant_id, "")) != marker
    }
    assert crossed == set()


def test_no_call_to_a_model_carries_two_communities(driven: Drive) -> None:
    assert driven.unexpected == []
    mixed = [request.purpose for request in driven.models if len(markers_in(json.dumps(request.body))) > 1]
    # A search for foreign words is a question of one community about another's.
    assert set(mixed) <= {"search_embedding", "search_rerank"}
    assert {marker for request in driven.models for marker in markers_in(json.dumps(request.body))} == set(
        MARKERS.values()
    )


@pytest.mark.parametrize("slug", MARKERS)
def test_a_backend_hears_of_its_own_community_only(driven: Drive, slug: str) -> None:
    heard = driven.backends[slug]
    assert len(heard) > 20 and all(request.signed for request in heard)
    assert [request.path for request in heard if _foreign(told([request.body, request.headers]), slug)] == []
    named = {request.json["tenant_id"] for request in heard if b'"tenant_id"' in request.body}
    assert {driven.slugs[tenant_id] for tenant_id in named} == {slug}


def test_twenty_turns_at_once_answer_with_their_own(driven: Drive) -> None:
    assert len(driven.turns) == TURNS
    for slug, outcome in driven.turns:
        assert markers_in(told(outcome)) == {MARKERS[slug]}
        assert f"Keeper of {MARKERS[slug]}" in outcome.response
        assert f"The door code is {MARKERS[slug]}" in outcome.response


def test_one_tool_of_five_raised_and_the_others_were_not_disturbed(driven: Drive) -> None:
    for _slug, outcome in driven.turns:
        assert {call.name: call.success for call in outcome.tool_calls} == {
            "search_knowledge_base": True,
            "search_members": True,
            "remember_user_preference": False,
            "escalate_to_admin": True,
            "list_user_preferences": True,
        }


def test_work_after_a_batch_runs_for_the_community_of_its_turn(driven: Drive) -> None:
    assert len(driven.batches) >= TURNS
    assert [slug for slug, text in driven.batches if markers_in(text) != {MARKERS[slug]}] == []


def _foreign(text: str, slug: str) -> set[str]:
    return markers_in(text) - {MARKERS[slug]}

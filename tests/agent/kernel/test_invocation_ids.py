"""The id of an action is the same when the turn is run again."""

from __future__ import annotations

from uuid import UUID, uuid4

from tests.fakes.kernel import call, calls, play, says, tool

ANSWER = "Booked, as you can see in the calendar."
NEEDS_ROOM = {"type": "object", "properties": {"room": {"type": "string"}}, "required": ["room"]}


def ids(*wanted: str, run_id: UUID) -> dict[str, list[UUID | None]]:
    batch = calls(*(call(*each.split(" ", 1)) for each in wanted))
    result = play([batch, says(ANSWER)], tool("search"), tool("book", parameters=NEEDS_ROOM), run_id=run_id)
    return {
        name: [done.invocation_id for done in result.calls if done.name == name]
        for name in ("book", "search")
    }


def test_same_run_same_ids_and_another_run_other_ids() -> None:
    run_id = uuid4()
    wanted = ("search", 'book {"room":"a"}', 'book {"room":"b"}')
    first = ids(*wanted, run_id=run_id)
    assert first == ids(*wanted, run_id=run_id)
    assert first["book"][0] != first["book"][1]
    assert not {*first["book"]} & {*ids(*wanted, run_id=uuid4())["book"]}


def test_other_lookups_before_it_do_not_change_an_actions_id() -> None:
    run_id = uuid4()
    alone = ids('book {"room":"a"}', run_id=run_id)["book"]
    assert ids("search", "search", 'book {"room":"a"}', run_id=run_id)["book"] == alone


def test_a_call_that_was_not_run_has_no_id_and_takes_none() -> None:
    run_id = uuid4()
    refused, booked = ids("book {}", 'book {"room":"a"}', run_id=run_id)["book"]
    assert refused is None
    assert [booked] == ids('book {"room":"a"}', run_id=run_id)["book"]

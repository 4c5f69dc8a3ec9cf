"""The drive left nothing out: what exists is read from the code, the models, the queues and the database."""

from __future__ import annotations

import pytest

from apps.agent.tools.core import CORE_TOOLS
from apps.tenancy.jobs import registry
from tests.isolation import not_driven
from tests.isolation.cast import MARKERS
from tests.isolation.drive import Drive
from tests.isolation.drivers.agent import ASKED
from tests.isolation.drivers.jobs import ASKED_ELSEWHERE, NO_COMMUNITY, PAYLOADS
from tests.isolation.rows import OF_THE_LIVE_ROW, tenant_models
from tests.isolation.surface import public_functions, sources, touching

LIVE = {"harbour", "mill"}
# Tables without a column in which a community's own words could stand.
WORDLESS = {
    "keyword_stats": "numbers",
    "reply_mentions": "keys, kinds and a date",
    "slack_extraction_state": "a date",
    "slack_ingest_turns": "dates",
    "tenant_api_keys": "hashes; a name is given by whoever mints a key, here the same for all",
    "web_browser_sessions": "hashes",
    "web_link_tokens": "hashes; a destination is nobody's yet",
    "tenant_users": "addresses and roles, here the same for all",
}


@pytest.mark.parametrize("module", touching())
def test_every_function_that_works_with_a_community_ran_for_both(driven: Drive, module: str) -> None:
    missed = [
        name
        for name in public_functions(module)
        if not driven.ran.get(name, set()) >= LIVE and not_driven.reason_for(name) is None
    ]
    assert missed == [], "drive these in tests/isolation/drivers, or say in not_driven.py why not"


def test_what_is_excused_exists_and_needs_the_excuse(driven: Drive) -> None:
    there = {name for module in sources() for name in public_functions(module)}
    assert not_driven.FUNCTIONS.keys() <= there
    # Once it is driven after all, the excuse goes.
    assert [name for name in not_driven.FUNCTIONS if driven.ran.get(name, set()) >= LIVE] == []


@pytest.mark.parametrize("model", tenant_models(), ids=lambda model: model._meta.db_table)
def test_every_table_had_rows_of_everybody_with_words_of_theirs(driven: Drive, model: type) -> None:
    table = model._meta.db_table  # type: ignore[attr-defined]
    rows = [row for row in driven.rows if row.table == table]
    owners = {driven.slugs.get(row.tenant_id, "") for row in rows}
    assert owners >= (LIVE if table in OF_THE_LIVE_ROW else MARKERS.keys())
    said = {marker for row in rows for marker in row.markers}
    assert said == (set() if table in WORDLESS else set(MARKERS.values()))


def test_every_tool_of_the_core_was_used() -> None:
    assert ASKED.keys() == CORE_TOOLS.keys()


def test_every_queue_with_a_handler_ran_jobs_of_everybody(driven: Drive) -> None:
    registry.autodiscover()
    handled = {row.name for row in registry.handled()}
    assert handled == PAYLOADS.keys() | NO_COMMUNITY.keys() | ASKED_ELSEWHERE.keys()
    for queue in handled - NO_COMMUNITY.keys():
        assert {row.slug for row in driven.jobs if row.queue == queue} >= MARKERS.keys(), queue


def test_every_job_ended_well(driven: Drive) -> None:
    assert [row for row in driven.jobs if row.state != "done" or row.error] == []

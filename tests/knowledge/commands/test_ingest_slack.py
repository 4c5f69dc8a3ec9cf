"""``manage.py ingest_slack``: recorded messages through the path that live ones take."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from apps.knowledge.models import ProcessedSlackMessage
from apps.knowledge.slack_index.events import QUEUE
from apps.tenancy.jobs import registry, run_due
from apps.tenancy.models import QueueJob, Tenant

LONG = "The harbour office moves to pier nine next Tuesday."
TS = "1790000000.000100"
ROWS = ProcessedSlackMessage.objects


def fed(file: Path, *lines: Any, options: tuple[str, ...] = ()) -> str:
    file.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines))
    out = StringIO()
    call_command("ingest_slack", str(file), "--tenant", "harbour", *options, stdout=out)
    return out.getvalue().strip()


def message(number: int, **fields: Any) -> dict[str, Any]:
    told = {"channel": "C0GEN", "channel_name": "general", "user": "U0ADA", "user_name": "Ada"}
    return {**told, "ts": f"{1_790_000_000 + number}.000100", "text": LONG, **fields}


def test_messages_come_in_with_their_names_and_vectors(in_tenant: Tenant, llm: Any, tmp_path: Path) -> None:
    said = fed(
        tmp_path / "m.jsonl",
        message(1),
        "",
        message(2, text="<@U0ADA> &amp; <#C0OPS|ops> agree on it", thread_ts=TS),
        message(3, text="too short"),
        message(4, bot_id="B0APP"),
        message(5, subtype="channel_join"),
        {"event": message(6, channel_type="channel")},
        {"channel_id": "C0GEN", "user_id": "U0MO", "message_ts": "1790000007.000100", "message_text": LONG},
    )
    assert said == "created 4, not_human 1, passed over 1, too_short 1"
    assert ROWS.filter(embedding__isnull=False).count() == 4
    assert ROWS.get(message_ts="1790000002.000100").message_text == "@U0ADA & #ops agree on it"
    assert ROWS.get(user_id="U0MO").user_name == "U0MO"


def test_the_same_file_again_changes_nothing(in_tenant: Tenant, llm: Any, tmp_path: Path) -> None:
    fed(tmp_path / "m.jsonl", message(1))
    assert fed(tmp_path / "m.jsonl", message(1)) == "unchanged 1"


def test_edits_and_deletions_are_events_like_those_of_slack(
    in_tenant: Tenant, llm: Any, tmp_path: Path
) -> None:
    changed = {"subtype": "message_changed", "channel": "C0GEN", "ts": "1790000009.000100"}
    now = {**message(1), "text": "The office stays on pier four.", "edited": {"ts": "1790000009.000100"}}
    gone = {"subtype": "message_deleted", "channel": "C0GEN", "deleted_ts": "1790000002.000100"}
    said = fed(tmp_path / "m.jsonl", message(1), message(2), {**changed, "message": now}, gone)
    assert said == "created 2, deleted 1, updated 1"
    assert ROWS.get(withdrawn_at=None).message_text == "The office stays on pier four."


def test_lines_nobody_can_read_are_named_and_the_others_are_in(
    in_tenant: Tenant, llm: Any, tmp_path: Path
) -> None:
    errors = StringIO()
    file = tmp_path / "m.jsonl"
    file.write_text("\n".join(["{", "[1]", json.dumps(message(1)), "7"]))
    with pytest.raises(CommandError, match="3 lines could not be read"):
        call_command("ingest_slack", str(file), "--tenant", "harbour", stdout=StringIO(), stderr=errors)
    assert [line.split(":")[0] for line in errors.getvalue().splitlines()] == ["Line 1", "Line 2", "Line 4"]
    assert ROWS.count() == 1


def test_in_their_turn_they_wait_as_jobs(in_tenant: Tenant, llm: Any, tmp_path: Path) -> None:
    registry.autodiscover()
    said = fed(tmp_path / "m.jsonl", *map(message, range(35)), options=("--respect-limits",))
    assert (said, ROWS.count()) == ("waiting 35", 0)
    run_due(QUEUE)
    assert ROWS.count() == 30
    assert QueueJob.objects.filter(queue=QUEUE, state="retrying").count() == 5


@pytest.mark.parametrize("content", [None, b"\xff\xfe\x00"])
def test_a_file_that_is_none(in_tenant: Tenant, tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "m.jsonl"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("ingest_slack", str(file), "--tenant", "harbour")

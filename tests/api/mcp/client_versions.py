"""Two major versions of the official client; not part of the default run (scripts/check-mcp makes what it needs)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from apps.tenancy.context import tenant_context
from tests.api.mcp.conftest import Door
from tests.channels.script import searching
from tests.knowledge.slack_talk import embedded, say
from tests.plugins.community import Community

ROOT = Path(__file__).resolve().parents[3]
SIX = ("ask_agent", "list_tools", "call_tool", "search_knowledge", "search_slack", "who_knows")


@pytest.mark.parametrize(("major", "revision"), [("2", "2026-07-28"), ("1", "2025-11-25")])
def test_a_client_of_this_major_lists_and_calls_every_tool(
    community: Community, door: Door, major: str, revision: str
) -> None:
    with tenant_context(community.tenant):
        say("The kiln is free on Tuesdays.", 1)
        embedded()
    community.llm.answer_with(searching("Guests may come until ten (see Guests)."))
    python = ROOT / ".local" / f"mcp-client-{major}" / "bin" / "python"
    done = subprocess.run(
        [python, ROOT / "scripts" / "mcp_client.py", door.url],
        env={**os.environ, "ROOT_KEY": door.secret},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    sys.stdout.write(done.stdout)
    assert told["client"].startswith(f"{major}.")
    assert told["revision"] == revision
    assert told["called"] == dict.fromkeys(SIX, True)
    assert told["pages_read"] == 1

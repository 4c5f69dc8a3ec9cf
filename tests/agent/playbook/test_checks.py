"""What is wrong with a playbook is said in sentences, and nothing of it is imported."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError

from apps.agent.models import RootPrompt
from apps.agent.playbook.lines import LONGEST_LINE
from apps.agent.playbook.reading import LONGEST_FILE, LONGEST_PHASE, read_playbook
from apps.agent.playbook.texts import LONGEST_TEXT
from apps.agent.prompts.guidance import FACTS, NAMES, built_in_lines
from apps.agent.prompts.registry import BASE, prompt
from apps.agent.prompts.store import LONGEST_ADDITION
from apps.foundation.errors import BadInput
from apps.tenancy.context import tenant_context
from apps.tenancy.models import PlatformSetting, Tenant
from tests.agent.playbook.files import exported_text, imported


def found(**sections: Any) -> tuple[list[str], list[str]]:
    findings = read_playbook(json.dumps({"version": 1, **sections}).encode()).findings
    return findings.wrong, findings.doubtful


def wrong(**sections: Any) -> str:
    return "\n".join(found(**sections)[0])


def line(builder: str, index: int = 0, **changes: Any) -> list[dict[str, Any]]:
    """The builder's own lines, one of them changed."""
    lines: list[dict[str, Any]] = [
        {"id": each.id, "when": each.when, "text": each.text} for each in built_in_lines()[builder]
    ]
    lines[index] |= changes
    return lines


@pytest.mark.parametrize(
    ("sections", "sentence"),
    [
        ({"version": 2}, "version must be 1"),
        ({"version": True}, "version must be 1"),
        ({"version": "1"}, "version must be 1"),
        ({"default": {}}, "default is no section of a playbook (perhaps defaults is meant)."),
        ({"defaults": []}, "defaults must be an object."),
        ({"lines": "x"}, "lines must be an object."),
        ({"phases": None}, "phases must be an object."),
        ({"additions": {"harbour": []}}, 'additions["harbour"] must be an object.'),
        (
            {"defaults": {"slack.foter": "x"}},
            'defaults["slack.foter"] is no prompt (perhaps slack.footer is meant).',
        ),
        ({"defaults": {"../secrets": "x"}}, "is no prompt."),
        ({"defaults": {"slack.footer": 7}}, 'defaults["slack.footer"] must be text.'),
        ({"defaults": {"slack.footer": None}}, "must be text."),
        ({"defaults": {"slack.footer": "x" * (LONGEST_TEXT + 1)}}, "has 40,001 characters; at most 40,000"),
        ({"defaults": {"slack.footer": "{{userName}} {{nope}}"}}, "asks for what nothing fills: {{nope}}."),
        ({"defaults": {"slack.footer": "{{userName}} {{a b}}"}}, "double braces that are no placeholder"),
        ({"defaults": {"slack.footer": "{{userName}} {{contextBlock}}"}}, "nothing fills: {{contextBlock}}."),
        ({"defaults": {"slack.thread_intent.system": "{{messageNoun}}"}}, "nothing fills: {{messageNoun}}."),
        ({"defaults": {"slack.confidence_eval.system": " "}}, "must not be empty."),
        ({"defaults": {BASE: ""}}, "must not be empty."),
        ({"defaults": {BASE: "Be {{personaIdentity}}."}}, "a line of its own: {{personaIdentity}}."),
        ({"phases": {"plan": "x"}}, 'phases["plan"] is no phase (perhaps planning is meant).'),
        ({"phases": {"answer": ""}}, "must not be empty."),
        ({"phases": {"answer": "{{round}}"}}, "nothing fills: {{round}}."),
        ({"phases": {"planning": ["x"]}}, "must be text."),
        ({"phases": {"planning": "x" * (LONGEST_PHASE + 1)}}, "at most 10,000"),
        ({"lines": {"prefrence_tools": []}}, "is no builder (perhaps preference_tools is meant)."),
        ({"lines": {"preference_tools": {}}}, "must be a list of lines."),
        ({"lines": {"preference_tools": ["x"]}}, 'lines["preference_tools"][0] must be an object'),
        (
            {"lines": {"preference_tools": line("preference_tools", id="rembr")}},
            "(perhaps remember is meant).",
        ),
        ({"lines": {"preference_tools": line("preference_tools", id=None)}}, "[0].id must be text."),
        (
            {"lines": {"preference_tools": line("preference_tools", 1, id="remember")}},
            "more than once: remember.",
        ),
        ({"lines": {"preference_tools": line("preference_tools", why="x")}}, "a field no line has: why."),
        ({"lines": {"preference_tools": line("preference_tools", when="a & b")}}, "[0].when is no condition"),
        ({"lines": {"preference_tools": line("preference_tools", when="@dm")}}, "does not know: @dm."),
        (
            {"lines": {"community_conversation": line("community_conversation", when="!@admin")}},
            "not know: @admin.",
        ),
        ({"lines": {"preference_tools": line("preference_tools", text=" ")}}, "leave the whole line out"),
        (
            {"lines": {"preference_tools": line("preference_tools", text="- {create}")}},
            "this builder fills nothing.",
        ),
        (
            {"lines": {"request_tools": line("request_tools", text="- {create} {made}")}},
            "fills {create}, {delete}, {list}.",
        ),
        (
            {"lines": {"request_tools": line("request_tools", text="- {{create}}")}},
            "asks for what nothing fills",
        ),
        (
            {"lines": {"preference_tools": line("preference_tools", text="x" * (LONGEST_LINE + 1))}},
            "at most 8,000",
        ),
        ({"additions": {"harbour": {"nope": "x"}}}, 'additions["harbour"]["nope"] is no prompt.'),
        ({"additions": {"harbour": {"slack.footer": 1}}}, "must be text."),
        ({"additions": {"harbour": {"slack.footer": "x" * (LONGEST_ADDITION + 1)}}}, "at most 20,000"),
    ],
)
def test_each_mistake_has_its_sentence(sections: dict[str, Any], sentence: str) -> None:
    assert sentence in wrong(**sections)


@pytest.mark.parametrize(
    ("sections", "sentence"),
    [
        ({"defaults": {"slack.footer": "For you."}}, "no longer asks for {{userName}}."),
        ({"defaults": {"slack.dm_context_block": ""}}, "is empty, so its rules are gone."),
        ({"defaults": {BASE: "{{footer}}\n{{footer}}"}}, "more than once: {{footer}}."),
        ({"defaults": {BASE: "{{footer}}"}}, "{{contextBlock}}"),
        ({"phases": {"planning": "Plan."}}, "no longer asks for {{mostRounds}}, {{round}}."),
        (
            {"lines": {"request_tools": line("request_tools", text="- Log it.")}},
            "no longer asks for {create}.",
        ),
        (
            {"lines": {"preference_tools": line("preference_tools")[1:]}},
            "leaves out lines, so their rules are gone: remember.",
        ),
        ({"lines": {"request_tools": line("request_tools", when="")}}, "does not require @create."),
        ({"additions": {"harbour": {"slack.footer": "{{nope}}"}}}, "nothing fills: {{nope}}."),
    ],
)
def test_a_loss_is_a_warning_and_no_mistake(sections: dict[str, Any], sentence: str) -> None:
    mistakes, warnings = found(**sections)
    assert mistakes == []
    assert sentence in "\n".join(warnings)


def test_short_values_may_be_asked_for_anywhere_in_a_prompt_people_meet() -> None:
    text = prompt("slack.policies_addendum").default + "- {{userName}} {{currentDateTime}} {{tier}}"
    assert found(defaults={"slack.policies_addendum": text}) == ([], [])


@pytest.mark.parametrize(
    "data",
    [
        b"", b"[]", b"null", b"{", b"\xff\xfe{}", b'{"version": 1, "version": 1}', b'{"a":' * 5_000,
        b'{"defaults": {"slack.footer": "a", "slack.footer": "b"}}', b" " * (LONGEST_FILE + 1),
    ],
)  # fmt: skip
def test_what_is_no_playbook_at_all(data: bytes) -> None:
    with pytest.raises(BadInput, match=r"playbook"):
        read_playbook(data)


@pytest.mark.usefixtures("db")
def test_every_mistake_is_listed_at_once_and_nothing_changes(tmp_path: Path) -> None:
    before = exported_text(tmp_path)
    book = {"version": 1, "defaults": {"slack.footer": "New {{userName}}", "nope": "x"}, "phases": {"x": "y"}}
    with pytest.raises(CommandError, match=r"(?s)2 found.*nope.*phases"):
        imported(tmp_path, book)
    assert exported_text(tmp_path) == before


def test_an_unknown_community_stops_all_of_it(tmp_path: Path, tenant: Tenant) -> None:
    book = {
        "version": 1,
        "defaults": {"slack.footer": "New {{userName}}"},
        "additions": {tenant.slug: {"slack.footer": "- x"}, "atlantis": {}},
    }
    for options in ([], ["--check"]):
        with pytest.raises(CommandError, match="additions of atlantis, but there is no such community"):
            imported(tmp_path, book, *options)
    with tenant_context(tenant):
        assert not RootPrompt.objects.exists()
    assert not PlatformSetting.objects.exists()


def test_check_says_what_would_change_and_changes_nothing(tmp_path: Path, tenant: Tenant) -> None:
    book = {
        "version": 1,
        "defaults": {"slack.footer": "For you."},
        "phases": {"answer": "Answer."},
        "additions": {tenant.slug: {"slack.footer": "- x"}},
    }
    said = imported(tmp_path, book, "--check")
    assert "warning: defaults" in said
    assert "Valid. It would change: texts 1, builders 0, phases 1, additions 1." in said
    assert not PlatformSetting.objects.exists()
    with tenant_context(tenant):
        assert not RootPrompt.objects.exists()


def test_for_one_community_only_its_additions_are_taken(
    tmp_path: Path, tenant: Tenant, other_tenant: Tenant
) -> None:
    book = {
        "version": 1,
        "phases": {"answer": "Answer."},
        "additions": {tenant.slug: {"slack.footer": "- x"}, other_tenant.slug: {"slack.footer": "- y"}},
    }
    assert "note: only the additions are taken" in imported(tmp_path, book, "--tenant", tenant.slug)
    assert not PlatformSetting.objects.exists()
    with tenant_context(other_tenant):
        assert not RootPrompt.objects.exists()
    del book["additions"][tenant.slug]  # type: ignore[attr-defined]
    with pytest.raises(CommandError, match="no additions of harbour"):
        imported(tmp_path, book, "--tenant", tenant.slug)


@pytest.mark.usefixtures("db")
def test_files_that_cannot_be_read_or_written_are_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="cannot be written"):
        exported_text(tmp_path / "missing")
    with pytest.raises(CommandError, match="not JSON in UTF-8"):
        imported(tmp_path, b"\xff")
    with pytest.raises(CommandError, match="There is no such community"):
        exported_text(tmp_path, "--tenant", "atlantis")


@pytest.mark.usefixtures("db")
def test_what_root_comes_with_is_beyond_doubt(tmp_path: Path) -> None:
    findings = read_playbook(exported_text(tmp_path).encode()).findings
    assert (findings.wrong, findings.doubtful) == ([], [])


def test_facts_and_names_are_those_the_lines_use() -> None:
    for builder, lines in built_in_lines().items():
        used = {term.lstrip("!") for each in lines for term in each.when.replace("|", " ").split()}
        assert {term for term in used if term.startswith("@")} <= FACTS[builder]
        named = {name for each in lines for name in re.findall(r"\{(\w+)\}", each.text)}
        assert named == NAMES[builder]


def test_a_file_of_nothing_but_mistakes_ends_the_reading_early() -> None:
    builder = next(iter(built_in_lines()))
    many = [{"id": f"x{n % 7}", "when": "", "text": "y"} for n in range(60_000)]
    for sections in (
        {"lines": {builder: many}},
        {"defaults": {f"no.such.{n}": "x" for n in range(60_000)}},
    ):
        with pytest.raises(BadInput, match=r"More than 200 mistakes\. The first: "):
            wrong(**sections)


def test_a_line_that_stands_there_often_is_named_once() -> None:
    builder = next(iter(built_in_lines()))
    lines = line(builder)
    assert f"more than once: {lines[0]['id']}." in wrong(lines={builder: [*lines, *[lines[0]] * 2_000]})

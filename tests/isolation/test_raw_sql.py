"""SQL that no scoped manager writes: where it is, why, and that it takes the tenant from the context alone."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from apps.tenancy.scoping import TenantModel
from tests.isolation.rows import tenant_models
from tests.isolation.surface import sources, tree

_LOCK = "takes an advisory lock; reads no row"
_JOBS = "the job table, which all communities share; a run enters the tenant of its row"
_LIBRARY = "names the driver's types and errors; runs no statement on a table"
# Every module that reaches the database past the models.
RAW = {
    "apps.agent.interventions.system_failures": _LOCK,
    "apps.agent.record.journal": _LOCK,
    "apps.foundation.database": "opens connections",
    "apps.foundation.database_url": _LIBRARY,
    "apps.foundation.patient_connection": "passes on the statements of others",
    "apps.foundation.variables": _LIBRARY,
    "apps.knowledge.frequencies": "counts words, which only ts_stat can",
    "apps.knowledge.locks": _LOCK,
    "apps.knowledge.retrieval.chunk_rows": "the hits, which the models take too long to write down",
    "apps.knowledge.retrieval.execution": "runs the statements of the lanes, listed below",
    "apps.knowledge.retrieval.slack.matches": "reads the hits of a search, for which the models are too slow",
    "apps.knowledge.retrieval.neighbors": "pairs of page and index, which the models take too long to write down",
    "apps.tenancy.jobs.by_hand": _JOBS,
    "apps.tenancy.jobs.claim": _JOBS,
    "apps.tenancy.jobs.dispatch": _JOBS,
    "apps.tenancy.jobs.enqueue": _JOBS,
    "apps.tenancy.jobs.job": _JOBS,
    "apps.tenancy.jobs.lease": _LOCK,
    "apps.tenancy.jobs.metrics": _JOBS,
    "apps.tenancy.jobs.retention": _JOBS,
    "apps.tenancy.jobs.runs": _JOBS,
    "apps.tenancy.jobs.scheduler": _LIBRARY,
    "apps.tenancy.jobs.settle": _JOBS,
    "apps.tenancy.jobs.silence": _JOBS,
    "apps.tenancy.principals": _LOCK,
    "root_platform.workers": "asks the server how many connections it allows",
}
# Those that write statements for somebody else to run: fragments of them are found by the tables they name.
STATEMENTS = {
    "apps.knowledge.frequencies": "runs its own",
    "apps.knowledge.retrieval.chunk_rows": "runs its own",
    "apps.knowledge.retrieval.keyword": "the keyword lane",
    "apps.knowledge.retrieval.lanes": "the vector lane",
    "apps.knowledge.retrieval.neighbors": "runs its own",
    "apps.knowledge.retrieval.slack.lanes": "recency, and the words of distilled threads",
    "apps.knowledge.retrieval.slack.matches": "runs its own",
    "apps.knowledge.retrieval.slack.text_lane": "the text lane of messages",
    "apps.knowledge.retrieval.scope": "the condition every lane begins with",
    "apps.knowledge.retrieval.tables": "names of tables and what is read of a hit",
}
_PAST_THE_MODELS = re.compile(
    r"connection\.cursor\(|\bpsycopg\b|\bRunSQL\b|\bRawSQL\b|\.raw\(|\.extra\(|\bcursor\.execute\(|\bStatement\("
)
_TABLES = {model._meta.db_table for model in tenant_models()}
_READS = re.compile(r"\b(?:FROM|JOIN|INTO|UPDATE|TABLE)\s+(\w+|\{table\}|\{rows\})")
# In a statement: the tenant is compared, or written, or the lane's scope stands for it.
_BOUND = re.compile(r"tenant_id\s*=\s*%|tenant_id\s*=\s*'\s*\|\||\{scope\}|\{rows\}|\(id, tenant_id,")
# Fragments of one statement whose whole is bound: rows picked by the bound part are looked up by their id.
PART_OF_A_BOUND_ONE = {
    "SELECT k.id, {source}, 1 - best.distance": "reads the hits of the bound part",
    "FROM {table} k USING (id)": "reads the hits of the bound part",
}


def statements() -> Iterator[tuple[str, str]]:
    """Every text in our code that reads or writes a table of communities, with its module."""
    for module in sources():
        for node in ast.walk(tree(module)):
            text = _text(node)
            if text and _named(text) & (_TABLES | {"{table}", "{rows}"}):
                yield module, text


def _text(node: ast.AST) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
    return ""


def _named(text: str) -> set[str]:
    return set(_READS.findall(text))


def test_every_module_that_writes_sql_is_known() -> None:
    reached = {module for module, text in sources().items() if _PAST_THE_MODELS.search(text)}
    assert reached == RAW.keys() | {
        "apps.knowledge.retrieval.keyword",
        "apps.knowledge.retrieval.lanes",
        "apps.knowledge.retrieval.slack.lanes",
        "apps.knowledge.retrieval.slack.text_lane",
    }


def test_every_module_with_a_statement_on_a_communitys_table_is_known() -> None:
    assert {module for module, _ in statements()} <= STATEMENTS.keys()


@pytest.mark.parametrize(("module", "text"), statements())
def test_every_statement_on_a_communitys_table_is_bound_to_one(module: str, text: str) -> None:
    lookups = any(part in text for part in PART_OF_A_BOUND_ONE)
    assert lookups or _BOUND.search(text), f"{module}: {text}"


@pytest.mark.parametrize("module", STATEMENTS)
def test_the_tenant_comes_from_the_context_and_never_from_a_caller(module: str) -> None:
    named = {
        argument.arg
        for node in ast.walk(tree(module))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for argument in [*node.args.args, *node.args.kwonlyargs]
    }
    assert not {name for name in named if "tenant" in name}
    # What is bound under that name was asked of the context, in this module.
    if "tenant" in sources()[module] and module != "apps.knowledge.retrieval.tables":
        text = sources()[module]
        assert "current_tenant_id()" in text or "tenant_scope()" in text


def test_a_scope_is_made_in_one_place() -> None:
    """A lane gets its condition ready-made; who could make one could name any tenant."""
    makers = {module for module, text in sources().items() if re.search(r"\bScope\(", text)}
    assert makers == {"apps.knowledge.retrieval.scope"}


def test_no_query_set_is_made_past_the_manager() -> None:
    makers = {module for module, text in sources().items() if re.search(r"\bQuerySet(\[\w+\])?\(", text)}
    assert makers == {"apps.tenancy.scoping"}
    managers = {
        module for module, text in sources().items() if re.search(r"models\.Manager\b|_default_manager", text)
    }
    assert managers <= {"apps.tenancy.scoping"}


@pytest.mark.parametrize("model", tenant_models(), ids=lambda model: model._meta.db_table)
def test_every_way_to_a_table_is_the_scoped_manager(model: type[TenantModel]) -> None:
    for manager in (model._default_manager, model._base_manager, *model._meta.managers):
        assert type(manager).__name__ == "TenantManager"


def test_deleting_without_a_look_is_left_to_the_sweeps_of_old_rows() -> None:
    """``_raw_delete`` asks no manager."""
    users = {module for module, text in sources().items() if "_raw_delete" in text}
    assert users == {
        "apps.agent.record.retention",
        "apps.knowledge.link_retention",
        "apps.knowledge.sync.run_retention",
        "apps.knowledge.trash",
    }

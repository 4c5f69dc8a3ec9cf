"""Who may see a page: SQL and Python agree on every combination."""

from itertools import product

import pytest

from apps.knowledge.audience import Audience
from apps.knowledge.models import KnowledgePage
from apps.knowledge.retrieval.execution import Statement, run_statements
from apps.tenancy.models import Tenant
from tests.knowledge.corpus import add_page

TIERS: list[list[str] | None] = [None, [], ["mentor"], ["member", "mentor"]]
ASKERS = [
    Audience(tier, types, admin)
    for tier, types, admin in product(
        [None, "member", "mentor", "MENTOR", ""], [None, frozenset[str](), frozenset({"url"})], [False, True]
    )
]


@pytest.mark.django_db
def test_sql_and_python_agree(in_tenant: Tenant) -> None:
    pages = [
        add_page(f"page-{number}", audience_tiers=tiers, source_type=kind)
        for number, (tiers, kind) in enumerate(product(TIERS, ["manual", "url"]))
    ]
    for asker in ASKERS:
        predicate, parameters = asker.as_sql("p")
        rows = run_statements(
            [Statement("seen", f"SELECT slug FROM knowledge_pages p WHERE {predicate}", parameters)]
        )
        assert {slug for (slug,) in rows["seen"] or []} == {
            page.slug for page in pages if asker.admits(page)
        }, asker


@pytest.mark.parametrize(
    ("tiers", "asker", "admitted"),
    [
        (None, Audience(None), True),
        (["mentor"], Audience("mentor"), True),
        (["mentor"], Audience("member"), False),
        (["mentor"], Audience(None), False),
        (["mentor"], Audience("member", is_admin=True), True),
        ([], Audience("member"), False),
        ([], Audience(None, is_admin=True), True),
        (None, Audience("public", frozenset({"url"})), False),
        (None, Audience("public", frozenset({"manual"})), True),
        (None, Audience(None, frozenset(), is_admin=True), False),
    ],
)
def test_the_rules(tiers: list[str] | None, asker: Audience, admitted: bool) -> None:
    assert asker.admits(KnowledgePage(audience_tiers=tiers)) is admitted

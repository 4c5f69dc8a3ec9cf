"""``manage.py page add``: what it says and what it stores."""

from datetime import date
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from apps.knowledge.models import KnowledgeChunk, KnowledgePage
from apps.knowledge.pages import find_page
from apps.tenancy.context import tenant_context
from apps.tenancy.models import Tenant
from tests.fakes.llm import fails

pytestmark = pytest.mark.django_db
PAGE = """+++
title = "Opening hours"
slug = "hours"
source_url = "https://ex.org/hours"
author_name = "Ana"
knowledge_date = 2026-03-31
audience_tiers = ["member", "mentor"]
is_public = true
+++
# Gate

| Day | Open |
|-----|------|
| Mon | 7–10 |

The gate is <b>open</b> most days.
"""


def _add(path: Path, slug: str = "harbour") -> str:
    out = StringIO()
    call_command("page", "add", slug, str(path), stdout=out)
    return out.getvalue().strip()


def _file(folder: Path, text: str | bytes, name: str = "hours.md") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_markdown_with_front_matter(tenant: Tenant, llm: Any, tmp_path: Path) -> None:
    path = _file(tmp_path, PAGE)
    assert _add(path) == "Created hours: 1 chunks, all embedded."
    assert _add(path) == "Unchanged hours: 1 chunks, all embedded."
    path.write_text(PAGE.replace("7–10", "8–10"))
    assert _add(path) == "Updated hours: 1 chunks, all embedded."
    with tenant_context(tenant):
        page = find_page("hours")
        assert page is not None
        assert (page.title, page.source_url, page.author_name) == (
            "Opening hours",
            "https://ex.org/hours",
            "Ana",
        )
        assert (page.knowledge_date, page.is_public) == (date(2026, 3, 31), True)
        assert page.audience_tiers == ["member", "mentor"]
        assert KnowledgeChunk.objects.get().chunk_text == (
            "Gate\n\nDay | Open\nDay: Mon | Open: 8–10\n\nThe gate is <b>open</b> most days."
        )


def test_html_without_front_matter_is_named_by_its_heading(tenant: Tenant, llm: Any, tmp_path: Path) -> None:
    path = _file(tmp_path, "<h1>Door codes</h1><p>Ask at the front desk.</p><script>1</script>", "codes.html")
    assert _add(path) == "Created door-codes: 1 chunks, all embedded."
    assert _add(path) == "Unchanged door-codes: 1 chunks, all embedded."


def test_it_says_when_the_embedder_does_not_answer(tenant: Tenant, llm: Any, tmp_path: Path) -> None:
    llm.embedding.replies.extend(fails(503) for _ in range(9))
    assert _add(_file(tmp_path, PAGE)) == "Created hours: 1 of 1 chunks wait for the embedder."


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.txt", "text", "neither Markdown"),
        ("a.md", b"\xff\xfe\x00", "not text in UTF-8"),
        ("a.md", "+++\ntitle = \n+++\nbody", "not TOML"),
        ("a.md", "+++\ntitle = 'x'\nbody without an end", "no closing"),
        ("a.md", "+++\ntitel = 'x'\n+++\nbody", "unknown in front matter: titel"),
        ("a.md", "+++\ntitle = 3\n+++\nbody", "title must be a text"),
        ("a.md", "+++\nis_public = 'yes'\n+++\nbody", "is_public must be true or false"),
        ("a.md", "+++\nsource_url = 'javascript:1'\n+++\nbody", "http://"),
        ("a.md", "", "needs content"),
    ],
)
def test_a_bad_file_gets_a_sentence(
    tenant: Tenant, tmp_path: Path, name: str, content: str | bytes, words: str
) -> None:
    with pytest.raises(CommandError, match=words):
        _add(_file(tmp_path, content, name))
    with tenant_context(tenant):
        assert not KnowledgePage.objects.exists()


def test_a_missing_file_and_an_unknown_community(tenant: Tenant, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="cannot be read"):
        _add(tmp_path / "absent.md")
    with pytest.raises(CommandError, match="no such community"):
        _add(_file(tmp_path, PAGE), slug="nobody")

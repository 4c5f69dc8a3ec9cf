"""Active content never reaches the stored page (KNW-09)."""

from typing import Any

import pytest

from apps.knowledge.models import KnowledgeChunk
from apps.knowledge.pages import save_page
from apps.tenancy.models import Tenant

pytestmark = pytest.mark.django_db
SEEN = "<p>the plain text stays where it is</p>"


@pytest.mark.parametrize(
    "hostile",
    [
        '<a href="java\tscript:void(0)">open</a>',
        "<svg><a><animate attributeName=href values=javascript:void(0)></animate><text>map</text></a></svg>",
        "<p onclick=x()>press</p>",
        "<img src=x onerror=1>",
        "<style>@import url(//e)</style>",
        '<a href="data:text/html,x">data</a>',
        "<math><mtext><script>1</script>",
        "<iframe srcdoc='<script>1</script>'></iframe>",
        "<form action=//e><button formaction=javascript:1>go</button></form>",
    ],
)
def test_content(in_tenant: Tenant, llm: Any, hostile: str) -> None:
    page = save_page(title="<script>1</script>", content_html=hostile + SEEN).page
    page.refresh_from_db()
    html = page.content_html.lower()
    for sign in (
        "script",
        "onclick",
        "onerror",
        "<svg",
        "<style",
        "<math",
        "<iframe",
        "<form",
        "<img",
        "data:",
        "//e",
    ):
        assert sign not in html
    assert "the plain text stays where it is" in page.content_text
    assert page.title == "<script>1</script>"  # a title is text; whoever shows it escapes it
    assert "the plain text stays" in KnowledgeChunk.objects.get().chunk_text

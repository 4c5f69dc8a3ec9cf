"""What the chat page shows before anybody asked, and the headers it is served with (contract §8.4)."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from apps.agent.turns import MESSAGE_LIMIT
from apps.channels.json_http import status_of
from apps.channels.web.admission import WebChannel
from apps.channels.web.config import WebPerson
from apps.foundation.errors import RootError
from apps.integrations.llm.status import ModelStatus, model_status

CONTENT_POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    ]
)
HEADERS = {
    "Content-Security-Policy": CONTENT_POLICY,
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "X-Frame-Options": "DENY",
    "X-Robots-Tag": "noindex",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """The template's only variable."""

    slug: str
    agent: str
    community: str
    title: str
    examples: list[str]
    people: list[WebPerson]
    ask_as: str
    model: ModelStatus
    max_length: int = MESSAGE_LIMIT


def page_for(channel: WebChannel) -> Page:
    """The page of one community."""
    tenant, config = channel.tenant, channel.config
    return Page(
        slug=tenant.slug,
        agent=tenant.agent_name,
        community=tenant.display_name,
        title=config.title or f"Ask {tenant.agent_name}",
        examples=config.examples,
        people=config.people,
        ask_as=config.ask_as or "",
        model=model_status(),
    )


def render_page(request: HttpRequest, channel: WebChannel) -> HttpResponse:
    """The chat page."""
    return _with_headers(render(request, "web/page.html", {"page": page_for(channel)}))


def render_refusal(request: HttpRequest, error: RootError) -> HttpResponse:
    """A small page that says why there is no chat here."""
    return _with_headers(render(request, "web/refused.html", {"error": error}, status=status_of(error)))


def redirect_without_token(slug: str) -> HttpResponse:
    """Back to the same page, so that the token stays in no history, bookmark or referrer."""
    return HttpResponse(status=303, headers={**HEADERS, "Location": f"/web/{slug}/test"})


def _with_headers(response: HttpResponse) -> HttpResponse:
    for name, value in HEADERS.items():
        response.headers[name] = value
    return response

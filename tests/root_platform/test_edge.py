"""What the outermost layers answer: probes by number, errors in the caller's form, ids in answers and log lines."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import include, path

from root_platform.log_lines import LogLine, NoProbes, TraceId

HTML = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
JSON = {"Accept": "application/json"}


def breaks(_request: HttpRequest) -> HttpResponse:
    raise RuntimeError("a view that fails")


def finds_no_database(_request: HttpRequest) -> HttpResponse:
    raise OperationalError("couldn't get a connection")


urlpatterns = [
    path("breaks", breaks),
    path("no-database", finds_no_database),
    path("", include("root_platform.urls")),
]
handler404 = "root_platform.error_answers.not_found"
handler500 = "root_platform.error_answers.server_error"


@pytest.fixture
def client(settings: Any) -> Client:
    settings.ROOT_URLCONF = __name__
    return Client(raise_request_exception=False)


@pytest.fixture
def written() -> Iterator[list[str]]:
    """Log lines as the process would write them."""
    lines: list[str] = []

    class Kept(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(self.format(record))

    handler = Kept()
    handler.setFormatter(LogLine(secrets=lambda: ["hunter2-hunter2", "short"]))
    handler.addFilter(TraceId())
    names = ("django.request", "root_platform.error_answers", "test.edge")
    for name in names:
        logging.getLogger(name).addHandler(handler)
    yield lines
    for name in names:
        logging.getLogger(name).removeHandler(handler)


@pytest.mark.parametrize(
    "host", ["10.1.2.3", "10.1.2.3:4000", "[fd00::7]:4000", "anything.example", "a b", ""]
)
@pytest.mark.parametrize("method", ["get", "head"])
def test_probes_are_answered_whatever_host_they_name(db: None, settings: Any, host: str, method: str) -> None:
    settings.ALLOWED_HOSTS = ["root.example"]
    reply = getattr(Client(headers={"host": host}), method)("/health")
    assert reply.status_code == 200
    assert reply.content == (b"" if method == "head" else b'{"status": "ok"}')


@pytest.mark.parametrize("address", ["/", "/health/", "/healthy", "/web/harbour/messages", "/nowhere"])
def test_everything_else_stays_strict(settings: Any, address: str) -> None:
    settings.ALLOWED_HOSTS = ["root.example"]
    reply = Client(headers={"host": "10.1.2.3", **JSON}).get(address)
    assert (reply.status_code, reply.json()["error"]["code"]) == (400, "bad_input")
    assert "10.1.2.3" not in reply.content.decode()


@pytest.mark.parametrize(
    ("address", "allowed"),
    [
        *((address, "GET, HEAD") for address in ("/health", "/ready", "/", "/web/x/test")),
        *((address, "POST") for address in ("/web/x/messages/stream", "/dev/simulate-message")),
        ("/web/x/messages", "GET, POST"),
    ],
)
def test_a_wrong_method_is_told_the_right_ones(address: str, allowed: str) -> None:
    reply = Client().delete(address)
    assert (reply.status_code, reply.headers.get("Allow")) == (405, allowed)


@pytest.mark.parametrize(
    ("address", "status", "code"),
    [("/breaks", 500, "internal"), ("/no-database", 503, "unavailable"), ("/nowhere", 404, "not_found")],
)
def test_programs_get_json_and_browsers_a_page(client: Client, address: str, status: int, code: str) -> None:
    asked = address + "?token=hunter2-hunter2"
    for headers in (JSON, {}):
        reply = client.get(asked, headers=headers)
        assert (reply.status_code, reply.json()["error"]["code"]) == (status, code)
    page = client.get(asked, headers=HTML)
    assert page.status_code == status and page.headers["Content-Type"].startswith("text/html")
    assert (
        "script" not in page.content.decode()
        and "default-src 'none'" in page.headers["Content-Security-Policy"]
    )
    for told in (reply.content, page.content):
        assert b"hunter2" not in told and b"Traceback" not in told and b"a view that" not in told
    assert (page.headers["X-Request-Id"].encode() in page.content) == (status >= 500)


@pytest.mark.parametrize("address", ["/breaks", "/no-database", "/nowhere"])
def test_the_log_line_has_the_id_and_no_query(client: Client, written: list[str], address: str) -> None:
    reply = client.get(address + "?token=hunter2")
    assert written and all(f"[{reply.headers['X-Request-Id']}]" in line for line in written)
    assert address in written[0] and "hunter2" not in "".join(written) and "?" not in written[0]


def test_two_requests_have_two_ids(client: Client) -> None:
    first, second = (client.get("/nowhere").headers["X-Request-Id"] for _ in range(2))
    assert first != second and len(first) == 32


def test_a_line_stays_one_and_hides_what_is_ours(written: list[str]) -> None:
    try:
        int("hunter2-hunter2")
    except ValueError:
        logging.getLogger("test.edge").exception("path /a\n2026-01-01 INFO forged\x1b[2J short")
    first, *rest = written[0].splitlines()
    assert first.endswith("[-] path /a\\n2026-01-01 INFO forged\\u001b[2J short")
    assert rest[-1] == "ValueError: invalid literal for int() with base 10: '***'"


@pytest.mark.parametrize(
    ("address", "status", "kept"), [("/ready", 503, False), ("/ready", 405, True), ("/x", 503, True)]
)
def test_only_a_probe_that_finds_us_down_is_not_repeated_in_the_log(
    address: str, status: int, kept: bool
) -> None:
    request = HttpRequest()
    request.path = address
    assert NoProbes().filter(logging.makeLogRecord({"status_code": status, "request": request})) is kept

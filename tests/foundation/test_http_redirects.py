"""Redirects: only when asked, few, and never carrying credentials elsewhere."""

from __future__ import annotations

import pytest

from apps.foundation.http import send
from apps.foundation.http_failure import HttpFailure
from tests.fakes.backend import FakeBackend, Reply


def moved(location: str, *, status: int = 302) -> Reply:
    return Reply(status=status, headers={"location": location})


def test_a_redirect_is_a_reply_unless_asked_otherwise(site: FakeBackend) -> None:
    site.answer("GET /a", moved("/b"))
    reply = send("GET", f"{site.url}/a", timeout=5)
    assert (reply.status, reply.headers["location"]) == (302, "/b")


def test_relative_redirects_are_followed_and_keep_their_headers_at_home(site: FakeBackend) -> None:
    site.answer("GET /a/b", moved("../c"))
    site.answer("GET /c", Reply({"ok": True}))
    reply = send("GET", f"{site.url}/a/b", headers={"Authorization": "x"}, timeout=5, follow_redirects=True)
    assert (reply.status, reply.url) == (200, f"{site.url}/c")
    assert site.requests[-1].headers["authorization"] == "x"


def test_credentials_stay_behind_at_another_origin(site: FakeBackend) -> None:
    with FakeBackend(secret=None) as elsewhere:
        elsewhere.answer("GET /", Reply({}))
        site.answer("GET /", moved(elsewhere.url + "/"))
        send(
            "GET",
            f"{site.url}/",
            headers={"Authorization": "x", "Cookie": "y", "X-Api-Key": "z", "Accept": "text/html"},
            timeout=5,
            follow_redirects=True,
        )
        arrived = elsewhere.requests[0].headers
    assert not {"authorization", "cookie", "x-api-key"} & arrived.keys()
    assert arrived["accept"] == "text/html"
    assert arrived["host"] == elsewhere.url.removeprefix("http://")


def test_five_redirects_are_enough(site: FakeBackend) -> None:
    for step in range(6):
        site.answer(f"GET /{step}", moved(f"/{step + 1}"))
    site.answer("GET /6", Reply({}))
    assert send("GET", f"{site.url}/1", timeout=5, follow_redirects=True).status == 200
    with pytest.raises(HttpFailure, match="too often"):
        send("GET", f"{site.url}/0", timeout=5, follow_redirects=True)


@pytest.mark.parametrize(
    "location", ["file:///etc/hosts", "ftp://x/", "http://u:p@x/", "http://[x/", "javascript:1"]
)
def test_each_hop_is_judged_again(site: FakeBackend, location: str) -> None:
    site.answer("GET /", moved(location))
    with pytest.raises(HttpFailure) as caught:
        send("GET", f"{site.url}/", timeout=5, follow_redirects=True)
    assert caught.value.kind == "refused"


def test_posts_never_follow(site: FakeBackend) -> None:
    site.answer("POST /", moved("/b", status=307))
    assert send("POST", f"{site.url}/", body=b"{}", timeout=5).status == 307
    with pytest.raises(ValueError, match="GET"):
        send("POST", f"{site.url}/", body=b"{}", timeout=5, follow_redirects=True)
    assert len(site.requests) == 1


def test_no_cookie_is_ever_kept(site: FakeBackend) -> None:
    site.answer("GET /", Reply({}, headers={"set-cookie": "a=b"}))
    send("GET", f"{site.url}/", timeout=5)
    send("GET", f"{site.url}/", timeout=5)
    assert "cookie" not in site.requests[1].headers

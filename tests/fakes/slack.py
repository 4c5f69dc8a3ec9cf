"""Slack's Web API on 127.0.0.1: tests fill a workspace, say when it objects, and read what it was asked.

with FakeSlack() as slack:
    slack.people["U0ADA"] = person("Ada")
    slack.channels["C0GEN"] = channel("general")
    slack.post("C0GEN", "U0ADA", "The door code is 4711.", ts="1790000000.000100")
    slack.object_to("conversations.history", retry_after=30)      # the next call is refused with 429
"""

from __future__ import annotations

import json
import threading
from collections import defaultdict, deque
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qsl

Json = dict[str, Any]
TOKEN = "xoxb-harbour"
HOME = "https://harbour.slack.com/"
BOT = "U0BOT"


@dataclass(frozen=True, kw_only=True)
class Called:
    """One call as it arrived."""

    method: str
    fields: dict[str, str]
    token: str


def person(name: str, **fields: Any) -> Json:
    return {"name": name.lower(), "real_name": name, "profile": {"display_name": name}, **fields}


def channel(name: str, **fields: Any) -> Json:
    return {"name": name, "is_channel": True, "is_private": False, "is_archived": False, **fields}


class FakeSlack:
    def __init__(self, *, token: str = TOKEN) -> None:
        self.token = token
        self.people: dict[str, Json] = {}
        self.channels: dict[str, Json] = {}
        self.messages: dict[str, list[Json]] = defaultdict(list)
        self.files: dict[str, tuple[str, bytes]] = {}  # by path: media type and content
        self.downloads: list[tuple[str, str]] = []  # path and the Authorization it came with
        self.calls: list[Called] = []
        self.neighbours: dict[str, FakeSlack] = {}  # other workspaces at this address, by their tokens
        self.largest_page = 1000  # what a token is sent at most, whatever it asks for
        self.answers: dict[str, deque[Json | tuple[int, dict[str, str], bytes]]] = defaultdict(deque)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._server.block_on_close = False

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def api_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/api"

    def file_url(self, path: str) -> str:
        return f"http://127.0.0.1:{self._server.server_port}{path}"

    def post(self, channel_id: str, user: str, text: str, *, ts: str, **fields: Any) -> Json:
        """A message in a channel, or with ``thread_ts`` in a thread; gives it as Slack would send it."""
        message = {"type": "message", "user": user, "text": text, "ts": ts, **fields}
        self.messages[channel_id].append(message)
        return {**message, "channel": channel_id, "channel_type": "channel"}

    def object_to(self, method: str, *, retry_after: int = 30, times: int = 1) -> None:
        body = json.dumps({"ok": False, "error": "ratelimited"}).encode()
        for _ in range(times):
            self.answers[method].append((429, {"retry-after": str(retry_after)}, body))

    def refuse(self, method: str, error: str, *, times: int = 1) -> None:
        self.answers[method].extend([{"ok": False, "error": error}] * times)

    def called(self, method: str) -> list[dict[str, str]]:
        return [call.fields for call in self.calls if call.method == method]

    def answer(self, call: Called) -> Json | tuple[int, dict[str, str], bytes]:
        if call.token in self.neighbours:
            return self.neighbours[call.token].answer(call)
        self.calls.append(call)
        if self.answers[call.method]:
            return self.answers[call.method].popleft()
        if call.token != self.token:
            return _no("invalid_auth")
        known = getattr(self, "_" + call.method.replace(".", "_"), None)
        answer: Json = known(call.fields) if known else _no("unknown_method")
        return answer

    def _auth_test(self, _asked: dict[str, str]) -> Json:
        return _ok(url=HOME, team="Harbour", team_id="T0HARBOUR", user="pilot", user_id=BOT, bot_id="B0BOT")

    def _users_info(self, asked: dict[str, str]) -> Json:
        found = self.people.get(asked.get("user", ""))
        return _ok(user={"id": asked["user"], **found}) if found else _no("user_not_found")

    def _users_list(self, _asked: dict[str, str]) -> Json:
        return _ok(members=[{"id": name, **found} for name, found in self.people.items()])

    def _conversations_list(self, asked: dict[str, str]) -> Json:
        start = int(asked.get("cursor") or 0)
        shown = [{"id": name, **found} for name, found in self.channels.items() if not found["is_private"]]
        size = min(int(asked.get("limit") or 100), self.largest_page)
        following = str(start + size) if start + size < len(shown) else ""
        return _ok(channels=shown[start : start + size], response_metadata={"next_cursor": following})

    def _conversations_info(self, asked: dict[str, str]) -> Json:
        found = self.channels.get(asked.get("channel", ""))
        return _ok(channel={"id": asked["channel"], **found}) if found else _no("channel_not_found")

    def _conversations_history(self, asked: dict[str, str]) -> Json:
        if asked["channel"] not in self.channels and not asked["channel"].startswith("D"):
            return _no("channel_not_found")
        told = [each for each in self._told(asked["channel"]) if _is_on_top(each)]
        found = sorted(
            (each for each in told if _within(each, asked)), key=lambda m: float(m["ts"]), reverse=True
        )
        size = min(int(asked.get("limit") or 100), self.largest_page)
        return _ok(messages=found[:size], has_more=len(found) > size)

    def _conversations_replies(self, asked: dict[str, str]) -> Json:
        thread = [
            each
            for each in self._told(asked["channel"])
            if asked["ts"] in (each["ts"], each.get("thread_ts")) and _within(each, asked)
        ]
        thread.sort(key=lambda m: float(m["ts"]))
        start = int(asked.get("cursor") or 0)
        size = min(int(asked.get("limit") or 100), self.largest_page)
        following = str(start + size) if start + size < len(thread) else ""
        return _ok(
            messages=thread[start : start + size],
            has_more=bool(following),
            response_metadata={"next_cursor": following},
        )

    def _conversations_open(self, asked: dict[str, str]) -> Json:
        user = asked.get("users", "")
        return _ok(channel={"id": f"D{user[1:]}"}) if user in self.people else _no("user_not_found")

    def _chat_postMessage(self, asked: dict[str, str]) -> Json:  # noqa: N802 - Slack's own name
        place = asked["channel"]
        if place not in self.channels and not place.startswith("D"):
            return _no("channel_not_found")
        ts = f"{1_790_100_000 + len(self.messages[place])}.000100"
        told: Json = {name: asked[name] for name in ("text", "thread_ts") if name in asked}
        told |= {name: json.loads(asked[name]) for name in ("metadata", "blocks") if name in asked}
        self.messages[place].append({"type": "message", "user": BOT, "ts": ts, **told})
        return _ok(channel=place, ts=ts)

    def _chat_getPermalink(self, asked: dict[str, str]) -> Json:  # noqa: N802 - Slack's own name
        ts = asked["message_ts"].replace(".", "")
        return _ok(permalink=f"{HOME}archives/{asked['channel']}/p{ts}")

    def _told(self, channel_id: str) -> list[Json]:
        """Messages with the count of their replies, as Slack sends them."""
        said = self.messages[channel_id]
        counts = {
            each["ts"]: sum(1 for reply in said if reply.get("thread_ts") == each["ts"] != reply["ts"])
            for each in said
        }
        return [
            {
                **each,
                **(
                    {"reply_count": counts[each["ts"]], "thread_ts": each["ts"]} if counts[each["ts"]] else {}
                ),
            }
            for each in said
        ]


def _is_on_top(message: Json) -> bool:
    return message.get("thread_ts") in (None, message["ts"]) or message.get("subtype") == "thread_broadcast"


def _within(message: Json, asked: dict[str, str]) -> bool:
    ts, inclusive = float(message["ts"]), asked.get("inclusive") in ("1", "true")
    latest = float(asked.get("latest") or "inf")
    oldest = float(asked.get("oldest") or "0")
    return (oldest <= ts <= latest) if inclusive else (oldest < ts < latest)


def _ok(**fields: Any) -> Json:
    return {"ok": True, **fields}


def _no(error: str) -> Json:
    return {"ok": False, "error": error}


def _sent(body: bytes) -> dict[str, str]:
    """A form, or JSON with everything that is no text still written as JSON."""
    if not body.startswith(b"{"):
        return dict(parse_qsl(body.decode()))
    return {
        name: value if isinstance(value, str) else json.dumps(value)
        for name, value in json.loads(body).items()
    }


def _handler(slack: FakeSlack) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            path, _, query = self.path.partition("?")
            if not path.startswith("/api/"):
                self._file(path)
                return
            fields = dict(parse_qsl(query)) | _sent(body)
            token = (self.headers.get("authorization") or "").removeprefix("Bearer ")
            answer = slack.answer(Called(method=path.removeprefix("/api/"), fields=fields, token=token))
            if isinstance(answer, tuple):
                self._send(*answer)
                return
            self._send(200, {"content-type": "application/json"}, json.dumps(answer).encode())

        do_GET = do_POST  # noqa: N815 - the base class wants this name

        def _file(self, path: str) -> None:
            authorization = self.headers.get("authorization") or ""
            home = slack.neighbours.get(authorization.removeprefix("Bearer "), slack)
            home.downloads.append((path, authorization))
            kind, data = home.files.get(path, ("text/plain", b""))
            found = path in home.files and authorization == f"Bearer {home.token}"
            self._send(200 if found else 404, {"content-type": kind}, data)

        def _send(self, status: int, headers: dict[str, str], body: bytes) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Quiet: the calls are kept, not printed."""

    return Handler

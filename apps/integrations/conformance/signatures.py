"""Does a backend answer only what Root signed, and all of it? (contract §7.1)."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping

from apps.foundation.signing import (
    DEFAULT_SKEW_SECONDS,
    SIGNATURE_HEADER,
    TIMESTAMP_HEADER,
    sign,
    signed_headers,
)
from apps.integrations.conformance.calling import Heard, as_body, sent, signed
from apps.integrations.conformance.report import Finding, advice, failed, held, passed, skipped
from apps.integrations.models import Integration
from apps.integrations.rootint.endpoints import EndpointKey

_LONG = 12 * DEFAULT_SKEW_SECONDS
_NEARLY = DEFAULT_SKEW_SECONDS - 60
_BODY = as_body({"channel": "slack", "slack_user_id": "U0ROOTINTCHECK"})
# Valid JSON no serialiser would write: whoever checks the signature over rewritten JSON refuses it.
_ODD = b'{ "slack_user_id" : "U0ROOTINT\\u0043HECK",\n\t"channel":"slack" }'
# Addresses a backend may do without answer 404, which tells a stranger no more than this.
_OPTIONAL: frozenset[EndpointKey] = frozenset({"identity_resolve", "identity_roster", "links_issue"})
_EVERYWHERE: Mapping[EndpointKey, bytes] = {
    "identity_resolve": _BODY,
    "identity_roster": b"",
    "links_issue": as_body({"destination": "rootint-check", "principal_ref": "rootint-check"}),
    "escalations": as_body({"type": "rootint_check"}),
}


def check_signatures(row: Integration, *, tool: str | None) -> Iterator[Finding]:
    """``tool`` is one that only reads: it is called with wrong signatures."""
    yield _signed_is_answered(row)
    yield from _on_the_manifest(row)
    yield _refused("signature.tampered", _tampered(row), "a body other than the one that was signed")
    yield _odd_bytes(row)
    for key, body in _EVERYWHERE.items():
        heard = sent(row, key, body=body, headers=_wrong(row, body))
        if heard.status == 404 and key in _OPTIONAL:
            yield skipped(f"signature.wrong.{key}", "answered with 404, as an address that is not offered")
        else:
            yield _refused(f"signature.wrong.{key}", heard, "a wrong signature")
    if tool is not None:
        body = as_body({"invocation_id": "rootint-check", "params": {}})
        heard = sent(row, "tool_invoke", body=body, tool=tool, headers=_wrong(row, body))
        yield _refused("signature.wrong.tool_invoke", heard, "a wrong signature")


def _on_the_manifest(row: Integration) -> Iterator[Finding]:
    now = int(time.time())
    plain = {"content-type": "application/json"}
    yield _refused("signature.missing", sent(row, "manifest", headers=plain), "no signature")
    yield _refused("signature.wrong", sent(row, "manifest", headers=_wrong(row, b"")), "a wrong signature")
    words = {**plain, TIMESTAMP_HEADER: "yesterday", SIGNATURE_HEADER: "0" * 64}
    yield _refused("signature.malformed", sent(row, "manifest", headers=words), "a malformed timestamp")
    yield _refused("signature.stale", signed(row, "manifest", now=now - _LONG), "an hour-old timestamp")
    yield _refused("signature.future", signed(row, "manifest", now=now + _LONG), "a timestamp an hour ahead")
    near = signed(row, "manifest", now=now - _NEARLY)
    yield held(
        "signature.skew",
        None if near.good else f"refused a timestamp {_NEARLY} seconds old; allow 300: {near.shown()}",
    )


def _signed_is_answered(row: Integration) -> Finding:
    heard = signed(row, "manifest")
    problem = None if heard.good else f"a well signed request was not answered: {heard.shown()}"
    return held("signature.good", problem)


def _odd_bytes(row: Integration) -> Finding:
    heard = signed(row, "identity_resolve", body=_ODD)
    if heard.status in (401, 403):
        told = "the signature must be checked over the bytes as they came, not over JSON written anew"
        return failed("signature.exact_bytes", told)
    return passed("signature.exact_bytes")


def _tampered(row: Integration) -> Heard:
    headers = signed_headers(row.signing_secret, body=_BODY)
    return sent(row, "identity_resolve", body=_BODY.replace(b"CHECK", b"OTHER"), headers=headers)


def _wrong(row: Integration, body: bytes) -> dict[str, str]:
    now = int(time.time())
    genuine = sign(row.signing_secret, timestamp=now, body=body)
    # The very last digit: a comparison that stops early, or compares a part, does not see it.
    last = "0" if genuine[-1] != "0" else "1"
    return {
        "content-type": "application/json",
        TIMESTAMP_HEADER: str(now),
        SIGNATURE_HEADER: genuine[:-1] + last,
    }


def _refused(check: str, heard: Heard, what: str) -> Finding:
    if heard.status in (401, 403):
        return passed(check)
    if heard.declined:
        return advice(check, f"{what} was refused with {heard.status}; 401 says it better")
    if heard.good:
        return failed(check, f"{what} was accepted")
    return failed(check, f"{what} must be refused with 401: {heard.shown()}")

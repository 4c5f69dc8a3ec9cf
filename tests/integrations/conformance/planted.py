"""Copies of the reference backend with one fault planted in each."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.scripts.reference_backend.house import ROOT, House, running

CODE, MANIFEST = "scripts/reference_backend.py", "scripts/reference_backend_data/manifest.json"


@dataclass(frozen=True, slots=True)
class Fault:
    """What is written in place of what, and the one rule that must be named for it."""

    name: str
    check: str
    old: str
    new: str
    file: str = CODE


FAULTS = (
    Fault(
        "takes any signature",
        "signature.wrong",
        'return hmac.compare_digest(expected.encode(), signature.encode("utf-8", "surrogateescape"))',
        "return bool(expected and signature)",
    ),
    Fault(
        "compares only the beginning of a signature",
        "signature.wrong",
        'return hmac.compare_digest(expected.encode(), signature.encode("utf-8", "surrogateescape"))',
        "return expected[:8] == signature[:8]",
    ),
    Fault(
        "never looks at the clock",
        "signature.stale",
        "if abs(time.time() - int(timestamp)) > CLOCK_SKEW_SECONDS:",
        "if int(timestamp) < 0:",
    ),
    Fault("allows no skew", "signature.skew", "CLOCK_SKEW_SECONDS = 300", "CLOCK_SKEW_SECONDS = 30"),
    Fault(
        "signs JSON it wrote anew",
        "signature.exact_bytes",
        "expected = expected_signature(secret, timestamp=timestamp, body=body)",
        'body = json.dumps(json.loads(body), separators=(",", ":")).encode() if body else body\n'
        "    expected = expected_signature(secret, timestamp=timestamp, body=body)",
    ),
    Fault("speaks no root-int", "manifest.valid", '"root-int/1"', '"rootint-1"', file=MANIFEST),
    Fault(
        "offers a schema that is none",
        "tool.get_door_status.schema",
        '"door": { "type": "string", "enum": ["front door", "side door"] }',
        '"door": { "type": "door" }',
        file=MANIFEST,
    ),
    Fault(
        "offers a tool to a tier nobody declared",
        "tiers.declared",
        '"tiers": ["member", "mentor"],\n      "read_only": true,\n      "timeout_ms": 60000',
        '"tiers": ["member", "mentors"],\n      "read_only": true,\n      "timeout_ms": 60000',
        file=MANIFEST,
    ),
    Fault(
        "answers without success",
        "tool.list_my_bookings.answer",
        'return done({"bookings": mine, "totalCount": len(mine)})',
        'return {"bookings": mine, "totalCount": len(mine)}',
    ),
    Fault(
        "breaks over arguments it does not know",
        "tool.find_mentors.refusal",
        '        check_params(call.params, entry["parameters"])',
        "        if name == 'find_mentors' and call.params:\n            raise KeyError(name)\n"
        '        check_params(call.params, entry["parameters"])',
    ),
    Fault(
        "ends a stream without a result",
        "tool.export_attendance.stream",
        'yield {"type": "result", **done(data)}',
        'yield {"type": "progress", "message": str(data)[:20]}',
    ),
    Fault(
        "takes longer than it says",
        "tool.slow_report.in_time",
        'time.sleep(call.params.get("seconds", 1))',
        "time.sleep(6)",
    ),
    Fault(
        "breaks over a stranger",
        "identity.unknown.slack",
        'return {"principal": None, "acts_for": None}',
        "raise KeyError(slack_user_id)",
    ),
    Fault(
        "calls people by another name in its roster",
        "identity.known.slack",
        'return {"principals": [{**identity(p), "slack_user_id": p["slack_user_id"]} for p in house.people]}',
        'return {"principals": [{**identity(p), "principal_ref": p["ref"] + "-x", '
        '"slack_user_id": p["slack_user_id"]} for p in house.people]}',
    ),
    Fault(
        "lists people without a reference",
        "roster.entries",
        'return {"principals": [{**identity(p), "slack_user_id": p["slack_user_id"]} for p in house.people]}',
        'return {"principals": [{**identity(p), "principal_ref": p["ref"] if p["ref"] != "tm-002" else ""} '
        "for p in house.people]}",
    ),
    Fault(
        "issues links that lead nowhere",
        "links.issued.my-profile",
        'return {"url": f"{house.settings.public_url}{entry[\'path\']}',
        'return {"url": f"{entry[\'path\']}',
    ),
    Fault(
        "gives everybody the same link",
        "links.issued.my-bookings",
        "?ticket={secrets.token_urlsafe(18)}",
        "?ticket=ticket",
    ),
    Fault(
        "takes a notice only once",
        "escalations.repeated",
        'if "intervention_id" not in kept or all(kept.items() - known.items() for known in house.escalations):',
        "if True:\n            if any(e.get('intervention_id') == kept['intervention_id']"
        " for e in house.escalations):\n                raise RequestError('Known.', status=409)",
    ),
    Fault(
        "acts again when a call is repeated",
        "tool.book_room.once",
        "        return house.once(call, name, lambda: settle(house, name, call))",
        "        return settle(house, name, call)",
    ),
)


def copied(folder: Path) -> Path:
    """The reference backend and what it reads, in a folder of its own."""
    shutil.copytree(ROOT / "scripts/reference_backend_data", folder / "scripts/reference_backend_data")
    (folder / "scripts/demo").mkdir()
    shutil.copy(ROOT / "scripts/demo/people.json", folder / "scripts/demo/people.json")
    return Path(shutil.copy(ROOT / CODE, folder / CODE))


@contextmanager
def faulty(fault: Fault, folder: Path) -> Iterator[House]:
    """A running copy with the fault in it."""
    script = copied(folder)
    file = folder / fault.file
    text = file.read_text(encoding="utf-8")
    assert fault.old in text, f"the reference backend changed: {fault.name} cannot be planted"
    file.write_text(text.replace(fault.old, fault.new), encoding="utf-8")
    with running(folder / "port", script=script) as house:
        yield house

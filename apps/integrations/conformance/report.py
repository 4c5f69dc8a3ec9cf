"""What a conformance run found, for people and for machines (contract §7)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from apps.integrations.rootint.secrecy import without

Outcome = Literal["passed", "failed", "advice", "skipped"]
_MARKS: dict[Outcome, str] = {"passed": "ok  ", "failed": "FAIL", "advice": "note", "skipped": "-   "}
_WIDTH = 34


@dataclass(frozen=True, slots=True)
class Finding:
    """One rule and how the backend does by it. ``check`` is a stable name such as ``signature.stale``."""

    check: str
    outcome: Outcome
    told: str


def passed(check: str, told: str = "") -> Finding:
    """The rule is kept."""
    return Finding(check, "passed", told)


def failed(check: str, told: str) -> Finding:
    """The rule is broken."""
    return Finding(check, "failed", told)


def advice(check: str, told: str) -> Finding:
    """Allowed, and worth a change."""
    return Finding(check, "advice", told)


def skipped(check: str, told: str) -> Finding:
    """Could not be tried, and why."""
    return Finding(check, "skipped", told)


def held(check: str, problem: str | None, *, told: str = "") -> Finding:
    """Passed unless there is a problem."""
    return passed(check, told) if problem is None else failed(check, problem)


@dataclass(frozen=True, slots=True)
class Report:
    """All findings of one run."""

    url: str
    at: datetime
    findings: tuple[Finding, ...]

    @property
    def failures(self) -> tuple[Finding, ...]:
        """The broken rules."""
        return tuple(finding for finding in self.findings if finding.outcome == "failed")

    def as_json(self, *, secret: str) -> dict[str, Any]:
        """The report as plain values; the signing secret is in none of them."""
        value = {
            "protocol": "root-int/1",
            "url": self.url,
            "checked_at": self.at.isoformat(timespec="seconds"),
            "passed": not self.failures,
            "counts": self._counts(),
            "findings": [
                {"check": each.check, "outcome": each.outcome, "told": each.told} for each in self.findings
            ],
        }
        return without(secret, value)  # type: ignore[no-any-return]

    def readable(self, *, secret: str) -> str:
        """The report as lines."""
        told: str = without(secret, "\n".join(self._lines()))
        return told

    def _lines(self) -> Iterator[str]:
        yield f"root-int/1 conformance of {self.url}"
        yield f"{self.at:%Y-%m-%d %H:%M:%S %Z}"
        section = ""
        for finding in self.findings:
            if (begins := finding.check.partition(".")[0]) != section:
                section = begins
                yield ""
            mark = _MARKS[finding.outcome]
            yield f"{mark}  {finding.check:<{_WIDTH}}  {finding.told}".rstrip()
        yield ""
        counts = self._counts()
        yield ", ".join(f"{count} {outcome}" for outcome, count in counts.items())
        yield "The backend conforms." if not self.failures else "The backend does not conform."

    def _counts(self) -> dict[str, int]:
        found = Counter(finding.outcome for finding in self.findings)
        return {outcome: found[outcome] for outcome in _MARKS}


def of(findings: Iterable[Finding], *, url: str, at: datetime) -> Report:
    """The report of these findings."""
    return Report(url=url, at=at, findings=tuple(findings))

"""Whatever the code says it fulfils stands in docs/contract.md under a heading of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PLACES = ("apps", "root_platform", "scripts")
READ = {".py", ".html", ".js", ".css", ".md", ""}
CITED = re.compile(r"\bcontract\s+(§[^)\n.]*(?:\.\d[^)\n.]*)*)")
ANCHOR = re.compile(r"(?:§|,\s)([A-Z](?:\.\d+)*|\d+(?:\.\d+)*)\b")


def anchors_in(text: str) -> set[str]:
    """``§4.5, §A.7`` and ``§8.4, 11.2`` alike."""
    return {anchor for cited in CITED.findall(text) for anchor in ANCHOR.findall(cited)}


def headings() -> set[str]:
    lines = (ROOT / "docs" / "contract.md").read_text().splitlines()
    return {anchor for line in lines if line.startswith("#") for anchor in ANCHOR.findall(line)}


def files() -> Iterator[Path]:
    for place in PLACES:
        for file in (ROOT / place).rglob("*"):
            if file.is_file() and file.suffix in READ and "__pycache__" not in file.parts:
                yield file


def test_every_cited_anchor_has_a_heading() -> None:
    known = headings()
    strange = {
        f"{file.relative_to(ROOT)}: §{anchor}"
        for file in files()
        for anchor in anchors_in(file.read_text()) - known
    }
    assert strange == set()


def test_no_anchor_has_two_meanings_of_its_own() -> None:
    """Parts of one section may each have a heading; a number that stands alone names one."""
    lines = [
        line for line in (ROOT / "docs" / "contract.md").read_text().splitlines() if line.startswith("#")
    ]
    assert len(lines) == len(set(lines))


def test_citations_are_read_in_every_form_in_use() -> None:
    assert anchors_in("x (contract §4.5, §A.7).") == {"4.5", "A.7"}
    assert anchors_in("(contract §8.4, 11.2)") == {"8.4", "11.2"}
    assert anchors_in('(contract §8, "Private addresses")') == {"8"}
    assert anchors_in("(contract §7.3, identity and roster). 3 more") == {"7.3"}
    assert anchors_in("(contract §4.5, §A)") == {"4.5", "A"}
    assert anchors_in("no contract, 4.5") == set()

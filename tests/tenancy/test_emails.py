"""One definition of a mail address, and one form for all its spellings."""

from __future__ import annotations

import pytest

from apps.tenancy.emails import MAX_LENGTH, ascii_domain, normalized_email


@pytest.mark.parametrize(
    ("written", "stored"),
    [
        (" Ada@Harbour.Example ", "ada@harbour.example"),
        ("ada@harbour.example.", "ada@harbour.example"),
        ("ada@MÜLLER.example", "ada@xn--mller-kva.example"),
        ("ada@mu\u0308ller.example", "ada@xn--mller-kva.example"),
        ("ada@XN--MLLER-KVA.example", "ada@xn--mller-kva.example"),
        ("ada@straße.example", "ada@xn--strae-oqa.example"),
        ("ada@strasse.example", "ada@strasse.example"),
        ("ada@müller。example", "ada@xn--mller-kva.example"),
        ("jörg@harbour.example", "jörg@harbour.example"),
        ("ada@mail_1.harbour.example", "ada@mail_1.harbour.example"),
    ],
)
def test_spellings_of_one_address_are_one(written: str, stored: str) -> None:
    assert normalized_email(written) == stored
    assert normalized_email(stored) == stored


@pytest.mark.parametrize(
    "given",
    [
        *(
            None,
            7,
            b"a@b.example",
            "",
            "  ",
            "nobody",
            "a@b@c",
            "a b@c.example",
            "@c.example",
            "a@",
            "a@.",
            "a@...",
        ),
        *(
            "a@b.example, c@d.example",
            "Ada <a@b.example>",
            '"a"@b.example',
            "a@b.example\nbcc:x",
            "a\x00@b.example",
        ),
        *("a\u200b@b.example", "a\u202e@b.example", "\ud800@b.example"),
        *("a" * MAX_LENGTH + "@b.example", "a@" + "é" * 100_000),
    ],
)
def test_what_is_no_address(given: object) -> None:
    assert normalized_email(given) is None


def test_a_domain_without_such_a_form_stays_as_written() -> None:
    assert ascii_domain("☃.example") == "☃.example"
    assert ascii_domain(" Harbour.Example. ") == "harbour.example"

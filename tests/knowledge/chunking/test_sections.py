"""Headings: the trail before each chunk, and no heading lost."""

from apps.knowledge.chunking import chunk_html

BODY = "<p>A sentence long enough to count.</p>"


def test_each_chunk_opens_with_its_trail_of_headings() -> None:
    html = f"<h1>Guide</h1>{BODY}<h3>Printer</h3>{BODY}<h2>Rooms</h2>{BODY}<h1>Rules</h1>{BODY}"
    chunks = chunk_html(html)
    assert [chunk.heading for chunk in chunks] == ["Guide", "Guide > Printer", "Guide > Rooms", "Rules"]
    assert all(chunk.text.startswith(f"{chunk.heading}\n\nA sentence") for chunk in chunks)


def test_text_before_the_first_heading_has_no_trail() -> None:
    assert [chunk.heading for chunk in chunk_html(f"{BODY}<h2>Later</h2>{BODY}")] == ["", "Later"]


def test_a_heading_with_nothing_beneath_it_is_still_found() -> None:
    chunks = chunk_html(f"<h1>Guide</h1><h2>Lockers</h2><h2>Rooms</h2>{BODY}<h1>Contact</h1>")
    assert [chunk.text.splitlines()[0] for chunk in chunks] == ["Guide > Lockers", "Guide > Rooms", "Contact"]


def test_a_very_long_heading_is_shortened_in_the_trail_and_kept_as_text() -> None:
    title = "word " * 100 + "end"
    chunks = chunk_html(f"<h1>{title}</h1>{BODY}")
    assert len(chunks[0].heading) <= 80
    assert title in chunks[0].body


def test_no_headings_at_all() -> None:
    assert [chunk.heading for chunk in chunk_html(BODY * 3)] == [""]


def test_headings_inside_a_block_are_its_text() -> None:
    chunks = chunk_html("<blockquote><h2>Quoted</h2>words of somebody else</blockquote>")
    assert [(chunk.heading, chunk.body) for chunk in chunks] == [("", "Quoted\nwords of somebody else")]

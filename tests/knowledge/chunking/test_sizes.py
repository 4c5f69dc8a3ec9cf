"""Chunk sizes: about 1500 characters, 200 repeated, never above 2250, whatever the text."""

from itertools import pairwise

import pytest

from apps.knowledge.chunking import LIMIT_CHARS, TARGET_CHARS, chunk_html

SENTENCE = "The harbour master opens the gate at seven. "


def test_blocks_are_packed_up_to_the_target() -> None:
    chunks = chunk_html(f"<p>{SENTENCE * 5}</p>" * 40)
    assert len(chunks) > 3
    assert all(TARGET_CHARS * 0.6 < len(chunk.text) <= TARGET_CHARS for chunk in chunks[:-1])


def test_a_block_somewhat_over_the_target_stays_whole() -> None:
    block = (SENTENCE * 50)[:2_200].strip()
    assert [chunk.body for chunk in chunk_html(f"<p>{block}</p>")] == [block]


def test_a_block_over_the_limit_is_cut_at_sentences() -> None:
    chunks = chunk_html(f"<p>{SENTENCE * 200}</p>")
    assert len(chunks) > 4
    assert all(chunk.body.endswith("seven.") and chunk.body.startswith("The ") for chunk in chunks)


def test_consecutive_chunks_share_about_200_characters() -> None:
    chunks = chunk_html(f"<p>{SENTENCE * 200}</p>")
    for before, after in pairwise(chunks):
        shared = after.body[: after.overlap].strip()
        assert 100 < len(shared) <= 200
        assert before.body.endswith(shared)


def test_sections_do_not_overlap() -> None:
    assert [
        chunk.overlap for chunk in chunk_html(f"<h2>A</h2><p>{SENTENCE}</p><h2>B</h2><p>{SENTENCE}</p>")
    ] == [0, 0]


@pytest.mark.parametrize(
    "text",
    [
        "x" * 40_000,
        "漢字を読む人は港に行く。" * 3_000,
        "語" * 30_000,
        "מִשְׁפָּט אֶחָד וְעוֹד אֶחָד. " * 1_500,
        "جملة قصيرة؟ وأخرى بعدها. " * 1_500,
        "👩‍👩‍👧‍👦" * 4_000,
        "." * 40_000,
        "a\n" * 20_000,
    ],
    ids=["one word", "japanese", "no spaces", "hebrew", "arabic", "emoji", "dots", "lines"],
)
def test_no_chunk_exceeds_the_limit(text: str) -> None:
    chunks = chunk_html(f"<h1>Title</h1><pre>{text}</pre>")
    assert max(len(chunk.text) for chunk in chunks) <= LIMIT_CHARS


def test_an_accent_or_a_joined_emoji_is_not_cut_off() -> None:
    family = "👩\u200d👧"
    chunks = chunk_html(f"<p>{family * 2_000}</p>")
    assert all(chunk.body.startswith("👩") and chunk.body.endswith("👧") for chunk in chunks)


@pytest.mark.parametrize("html", ["", "<p>nineteen letters it</p>", "<script>" + "x" * 500 + "</script>"])
def test_a_page_with_hardly_any_text_gives_none(html: str) -> None:
    assert chunk_html(html) == []


def test_five_megabytes_are_cut_in_one_go() -> None:
    html = f"<h2>Log</h2><p>{SENTENCE * 20}</p>" * 5_800
    assert len(html) > 5_000_000
    assert len(chunk_html(html)) == 5_800

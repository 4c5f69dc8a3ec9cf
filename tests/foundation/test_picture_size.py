"""Sizes of pictures: recorded ones, drawn by a browser 7 pixels wide and 5 high, and broken ones."""

from __future__ import annotations

import base64

import pytest

from apps.foundation.picture_size import picture_size

DRAWN = {
    "png": (
        "iVBORw0KGgoAAAANSUhEUgAAAAcAAAAFCAYAAACJmvbYAAAAHklEQVR4AbTJMQ0AAADCsAX/nkEBfCzZVRncFqMTBgAA///i"
        "XYXJAAAABklEQVQDACA9Df1MQUJ/AAAAAElFTkSuQmCC"
    ),
    "jpeg": (
        "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABALDA4MChAODQ4SERATGCgaGBYWGDEjJR0oOjM9PDkzODdASFxOQERXRTc4UG1R"
        "V19iZ2hnPk1xeXBkeFxlZ2P/2wBDARESEhgVGC8aGi9jQjhCY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2Nj"
        "Y2NjY2NjY2NjY2NjY2P/wAARCAAFAAcDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAX/xAAUEAEAAAAAAAAAAAAA"
        "AAAAAAAA/8QAFQEBAQAAAAAAAAAAAAAAAAAABQb/xAAUEQEAAAAAAAAAAAAAAAAAAAAA/9oADAMBAAIRAxEAPwCKALXj/9k="
    ),
    "webp lossy": "UklGRjgAAABXRUJQVlA4ICwAAACQAQCdASoHAAUABABoJaACdLoAA5gA/us2/6E2Paiv/0JP/ibP+Js+AAAAAA==",
    "webp lossless": "UklGRhwAAABXRUJQVlA4TA8AAAAvBgABAAcQ/Y/+ByKi/wEA",
    "webp alpha": (
        "UklGRlwAAABXRUJQVlA4WAoAAAAQAAAABgAABAAAQUxQSAoAAAABB1DAiAhERP8DVlA4ICwAAACQAQCdASoHAAUABABoJaAC"
        "dLoAA5gA/us2/6E2Paiv/0JP/ibP+Js+AAAAAA=="
    ),
    "gif": "R0lGODlhBwAFAIAAAP8AAAAAACwAAAAABwAFAAACBYSPqcsFADs=",
}


def drawn(kind: str) -> bytes:
    return base64.b64decode(DRAWN[kind])


@pytest.mark.parametrize("kind", DRAWN)
def test_a_drawn_picture_has_its_size(kind: str) -> None:
    assert picture_size(drawn(kind)) == (7, 5)


@pytest.mark.parametrize("kind", DRAWN)
def test_a_head_cut_anywhere_is_no_size_or_the_right_one(kind: str) -> None:
    whole = drawn(kind)
    assert {picture_size(whole[:length]) for length in range(len(whole))} == {None, (7, 5)}


def test_fill_bytes_and_a_thumbnail_do_not_mislead() -> None:
    plain = drawn("jpeg")
    thumbnail = (
        b"\xff\xe1"
        + (2 + len(plain)).to_bytes(2, "big")
        + plain.replace(b"\x00\x05\x00\x07", b"\x00\x01\x00\x01")
    )
    assert picture_size(plain[:2] + b"\xff\xff" + thumbnail + plain[2:]) == (7, 5)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"<svg width='7' height='5'/>",
        b"\x89PNG\r\n\x1a\n" + b"\x00" * 64,
        b"\xff\xd8\xff" + b"\xff" * 1000,
        b"\xff\xd8\xff\xe0\x00\x00" * 200,
        b"RIFF\x00\x00\x00\x00WEBPVP9 " + b"\x00" * 64,
    ],
)
def test_what_has_no_whole_head_has_no_size(data: bytes) -> None:
    assert picture_size(data) is None

"""What became of a message that was sent: delivered, refused, or nobody knows (contract §8.2, §8.3)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivered:
    """The carrier has it; ``external_id`` is its own name for the message, ``place`` the channel it is in."""

    carrier: str
    external_id: str
    place: str = ""


class DeliveryUncertain(Exception):
    """The carrier may have it or not. Whoever sends again may double it."""

"""The workspace of the index's own tests."""

from tests.knowledge.slack_index.conftest import slack

__all__ = ["slack"]

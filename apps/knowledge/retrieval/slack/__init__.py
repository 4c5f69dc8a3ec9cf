"""The search in Slack: messages and what was distilled from threads (contract §10.3)."""

from apps.knowledge.retrieval.slack.matches import SlackMatch
from apps.knowledge.retrieval.slack.search import SlackOutcome, search_messages

__all__ = ["SlackMatch", "SlackOutcome", "search_messages"]

"""The tables of the knowledge base and of the Slack index, behind one import path."""

from apps.knowledge.models.chunks import DIMENSIONS, KnowledgeChunk
from apps.knowledge.models.extraction import SlackExtractionState, SlackKnowledgeExtraction
from apps.knowledge.models.frequencies import KeywordFrequency, KeywordStats
from apps.knowledge.models.links import WebBrowserSession, WebLinkToken
from apps.knowledge.models.pages import KnowledgePage
from apps.knowledge.models.slack import (
    ProcessedSlackMessage,
    SlackChannelReach,
    SlackIngestTurns,
    SlackMessageEnrichment,
    SlackThreadArtifact,
)
from apps.knowledge.models.sources import KnowledgeSource, KnowledgeSyncRun
from apps.knowledge.models.trash import KnowledgeTrash

__all__ = [
    "DIMENSIONS",
    "KeywordFrequency",
    "KeywordStats",
    "KnowledgeChunk",
    "KnowledgePage",
    "KnowledgeSource",
    "KnowledgeSyncRun",
    "KnowledgeTrash",
    "ProcessedSlackMessage",
    "SlackChannelReach",
    "SlackExtractionState",
    "SlackIngestTurns",
    "SlackKnowledgeExtraction",
    "SlackMessageEnrichment",
    "SlackThreadArtifact",
    "WebBrowserSession",
    "WebLinkToken",
]

"""The tables of the knowledge base, behind one import path."""

from apps.knowledge.models.chunks import DIMENSIONS, KnowledgeChunk
from apps.knowledge.models.pages import KnowledgePage

__all__ = ["DIMENSIONS", "KnowledgeChunk", "KnowledgePage"]

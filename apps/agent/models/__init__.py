"""The tables the agent owns, behind one import path."""

from apps.agent.models.conversations import ConversationLog
from apps.agent.models.prompts import RootPrompt, RootPromptVersion

__all__ = ["ConversationLog", "RootPrompt", "RootPromptVersion"]

"""The tables the agent owns, behind one import path."""

from apps.agent.models.conversations import ConversationLog
from apps.agent.models.interventions import HumanIntervention, InterventionCategory, InterventionStatus
from apps.agent.models.mentions import MatchedVia, ReplyMention
from apps.agent.models.preferences import MemberPreference, PreferenceScope, PreferenceType
from apps.agent.models.prompts import RootPrompt, RootPromptVersion
from apps.agent.models.runs import AgentRun, AgentToolCall, CallState, RunProduct
from apps.agent.models.source_usage import ReplySourceUsage

__all__ = [
    "AgentRun",
    "AgentToolCall",
    "CallState",
    "ConversationLog",
    "HumanIntervention",
    "InterventionCategory",
    "InterventionStatus",
    "MatchedVia",
    "MemberPreference",
    "PreferenceScope",
    "PreferenceType",
    "ReplyMention",
    "ReplySourceUsage",
    "RootPrompt",
    "RootPromptVersion",
    "RunProduct",
]

"""The platform's own tools: what each is called, where it may appear, and how it is made (contract §5.1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from apps.agent.tools.contributions import (
    add_my_slack_contribution,
    list_my_slack_contributions,
    refresh_my_slack_contribution,
    remove_my_slack_contribution,
)
from apps.agent.tools.current_events import search_current_events
from apps.agent.tools.declaration import Tool
from apps.agent.tools.escalation import escalate_to_admin
from apps.agent.tools.expertise import who_knows
from apps.agent.tools.extracted_knowledge import (
    delete_my_extracted_knowledge_entry,
    list_my_extracted_knowledge,
    update_my_extracted_knowledge_entry,
)
from apps.agent.tools.knowledge import search_knowledge_base
from apps.agent.tools.knowledge_entries import save_knowledge_entry
from apps.agent.tools.page_links import get_knowledge_page_link
from apps.agent.tools.person import TurnPerson
from apps.agent.tools.preferences import (
    forget_user_preference,
    list_user_preferences,
    remember_user_preference,
)
from apps.agent.tools.slack_search import search_slack_messages

# In the order they are offered. A maker gets the person of the turn and closes over what it needs; it returns
# None where this installation lacks what the tool works with, so that nothing is offered that can only fail.
CORE_TOOLS: Mapping[str, Callable[[TurnPerson], Tool | None]] = MappingProxyType(
    {
        "search_knowledge_base": search_knowledge_base,
        "search_slack_messages": search_slack_messages,
        "who_knows": who_knows,
        "get_knowledge_page_link": get_knowledge_page_link,
        "save_knowledge_entry": save_knowledge_entry,
        "search_current_events": search_current_events,
        "list_my_slack_contributions": list_my_slack_contributions,
        "add_my_slack_contribution": add_my_slack_contribution,
        "refresh_my_slack_contribution": refresh_my_slack_contribution,
        "remove_my_slack_contribution": remove_my_slack_contribution,
        "list_my_extracted_knowledge": list_my_extracted_knowledge,
        "update_my_extracted_knowledge_entry": update_my_extracted_knowledge_entry,
        "delete_my_extracted_knowledge_entry": delete_my_extracted_knowledge_entry,
        "remember_user_preference": remember_user_preference,
        "list_user_preferences": list_user_preferences,
        "forget_user_preference": forget_user_preference,
        "escalate_to_admin": escalate_to_admin,
    }
)

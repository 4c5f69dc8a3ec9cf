"""The platform's own tools: what each is called, where it may appear, and how it is made (contract §5.1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from apps.agent.tools.declaration import Tool
from apps.agent.tools.knowledge import search_knowledge_base
from apps.agent.tools.person import TurnPerson

# In the order they are offered. A maker gets the person of the turn and closes over what it needs.
CORE_TOOLS: Mapping[str, Callable[[TurnPerson], Tool]] = MappingProxyType(
    {"search_knowledge_base": search_knowledge_base}
)

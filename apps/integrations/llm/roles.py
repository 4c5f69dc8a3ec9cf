"""Which model plays which part; every role has its own variable (contract §3.1)."""

from __future__ import annotations

from typing import Literal

from apps.foundation.environment import Environment, env
from apps.integrations.llm.failures import LlmFailure

Role = Literal[
    "default",
    "planner",
    "search",
    "writing",
    "reasoning",
    "vision",
    "image_generation",
    "web_research",
    "work_saved",
]


def model_for(role: Role) -> str:
    """The model of a role. ``work_saved`` falls back to the default one; image generation has no default."""
    environment = env()
    chosen = _configured(environment)[role]
    if not chosen:
        message = f"No model is configured for {role.replace('_', ' ')}."
        raise LlmFailure("no_model", message, retryable=False)
    return chosen


def _configured(environment: Environment) -> dict[Role, str | None]:
    return {
        "default": environment.llm_model_default,
        "planner": environment.llm_model_planner,
        "search": environment.llm_model_search,
        "writing": environment.llm_model_writing,
        "reasoning": environment.llm_model_reasoning,
        "vision": environment.llm_model_vision,
        "image_generation": environment.llm_model_image_generation,
        "web_research": environment.llm_model_web_research,
        "work_saved": environment.llm_model_work_saved or environment.llm_model_default,
    }

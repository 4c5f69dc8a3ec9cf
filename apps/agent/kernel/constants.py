"""The fixed numbers of the agent loop (contract §4.2)."""

from typing import Final

MAX_PLANNING_ROUNDS: Final = 2
LLM_CALL_RETRY_DELAYS_MS: Final = (0, 5000)

MIN_RESPONSE_LENGTH_AFTER_TOOLS: Final = 20

TOOL_RESULT_SERIALIZED_CAP: Final = 60_000
TOOL_RESULT_TRUNCATE_BUDGET: Final = 55_000
TRUNCATION_MARKER: Final = (
    "…[TRUNCATED for size — the full text is not available; do not guess at what was cut]"
)

PLAN_MIN_BULLETS: Final = 3
PLAN_MAX_BULLET_LENGTH: Final = 60
PLAN_MAX_TOTAL_LENGTH: Final = 700
PLAN_MAX_TRAILING_PROSE: Final = 80

# What the planning instruction asks for; the detector above is more lenient on purpose.
PLAN_STATUS_LENGTH: Final = 80
PLAN_BULLETS: Final = 5
PLAN_BULLET_LENGTH: Final = 40

EMPTY_BURST_LENGTH: Final = 3
MAX_RETRIES_EACH: Final = 1

EXHAUSTED_TOOLS_TEMPERATURE: Final = 0.7
BEST_EFFORT_TEMPERATURE: Final = 0.3
BEST_EFFORT_HISTORY: Final = 6

# Ours, where the specification sets no number.
TOOL_WORKERS: Final = 8
MAX_BATCH_CALLS: Final = 64
TOOL_TIMEOUT_SECONDS: Final = 180.0
PROGRESS_LENGTH: Final = 500
BEST_EFFORT_RESULTS_LENGTH: Final = 12_000

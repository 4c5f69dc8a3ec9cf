"""Is a language model connected at all?"""

from __future__ import annotations

from typing import Literal
from urllib.parse import urlsplit

from apps.foundation.environment import env

ModelStatus = Literal["connected", "stand_in", "missing"]
_HOSTED = "openrouter.ai"


def model_status() -> ModelStatus:
    """``stand_in`` is the offline model; ``missing`` the hosted address without the key it needs.

    Another address without a key counts as connected: a model of one's own often needs none.
    """
    environment = env()
    if environment.root_offline_model:
        return "stand_in"
    host = urlsplit(environment.openrouter_base_url).hostname or ""
    keyless = environment.openrouter_api_key is None or not environment.openrouter_api_key.get_secret_value()
    return "missing" if keyless and (host == _HOSTED or host.endswith("." + _HOSTED)) else "connected"


def is_offline() -> bool:
    """True while nothing that deserves the name of a language model answers."""
    return model_status() != "connected"

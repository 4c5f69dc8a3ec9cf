"""One pooled OpenAI client for each address and key; it never retries on its own (contract §3.1)."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from ipaddress import ip_address
from urllib.parse import urlsplit

from openai import DefaultHttpxClient, OpenAI, Timeout
from pydantic import SecretStr

from apps.foundation.environment import Environment, env
from apps.integrations.llm.failures import no_key

CONNECT_SECONDS = 10.0
_HOSTED = "openrouter.ai"
_KEYLESS = "none"  # what a server of one's own is sent when no key is set
_KEPT = 8

_clients: OrderedDict[tuple[int, str, str], OpenAI] = OrderedDict()
_lock = threading.Lock()


def client() -> OpenAI:
    """The client of the model provider in the environment; safe to share between threads."""
    environment = env()
    return _pooled(environment.openrouter_base_url, _api_key(environment))


def perplexity() -> OpenAI:
    """The client of the web research provider that has a key of its own (contract §5.1)."""
    environment = env()
    return _pooled(environment.perplexity_base_url, _usable(_value(environment.perplexity_api_key)))


def _pooled(base_url: str, api_key: str) -> OpenAI:
    # The process id keeps a forked worker from sharing its parent's sockets.
    key = (os.getpid(), base_url, api_key)
    with _lock:
        found = _clients.get(key) or _new_client(base_url=key[1], api_key=key[2])
        _clients[key] = found
        _clients.move_to_end(key)
        while len(_clients) > _KEPT:
            _clients.popitem(last=False)
        return found


def timeout(seconds: float) -> Timeout:
    """Every phase bounded: connecting shorter than the wait for an answer."""
    return Timeout(seconds, connect=min(seconds, CONNECT_SECONDS))


def _api_key(environment: Environment) -> str:
    value = _value(environment.openrouter_api_key)
    host = urlsplit(environment.openrouter_base_url).hostname or ""
    if not value and not (host == _HOSTED or host.endswith("." + _HOSTED)):
        return _KEYLESS
    return _usable(value)


def _value(secret: SecretStr | None) -> str:
    return secret.get_secret_value().strip() if secret is not None else ""


def _usable(value: str) -> str:
    if not value.isascii() or not value.isprintable() or not value or " " in value:
        raise no_key()
    return value


def _new_client(*, base_url: str, api_key: str) -> OpenAI:
    # A proxy from the environment is right for the internet and wrong for a model on this machine.
    pool = DefaultHttpxClient(trust_env=not _is_local(base_url))
    made = OpenAI(base_url=base_url, api_key=api_key, max_retries=0, http_client=pool)
    # The SDK reads these from OPENAI_* variables, which are not meant for this provider.
    made.organization = made.project = None
    return made


def _is_local(base_url: str) -> bool:
    host = urlsplit(base_url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"

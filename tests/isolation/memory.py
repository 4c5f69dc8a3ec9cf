"""What the modules of the platform keep in memory for as long as the process lives."""

from __future__ import annotations

import ast
import importlib
import weakref
from collections import OrderedDict, defaultdict, deque
from collections.abc import Iterator, Mapping
from dataclasses import is_dataclass
from enum import Enum
from functools import _lru_cache_wrapper
from typing import Any

from apps.foundation.ttl_cache import TtlCache
from tests.isolation.surface import sources, tree

CONTAINERS = (
    dict, list, set, bytearray, deque, defaultdict, OrderedDict,
    weakref.WeakValueDictionary, weakref.WeakKeyDictionary, weakref.WeakSet,
)  # fmt: skip
# Settings and addresses: read once by Django itself, and by it alone.
_DJANGO = ("root_platform.settings", ".urls")


def containers() -> dict[str, Any]:
    """Every module's own mutable container by ``module:name``."""
    return {name: value for name, value in _kept() if isinstance(value, CONTAINERS)}


def caches() -> dict[str, Any]:
    """Every cache by ``module:name``: those that expire, and functions that remember their results."""
    return {name: value for name, value in _kept() if isinstance(value, TtlCache | _lru_cache_wrapper)}


def objects() -> dict[str, Any]:
    """Every other object with a state of its own, such as a pool."""
    return {name: value for name, value in _kept() if _has_state(value)}


def contents() -> dict[str, str]:
    """What the containers hold now."""
    return {name: repr(_still(value)) for name, value in containers().items()}


def _kept() -> Iterator[tuple[str, Any]]:
    for module in sources():
        if module.endswith(_DJANGO) or "management" in module:
            continue
        names = list(_assigned(module))
        loaded = vars(importlib.import_module(module)) if names else {}
        yield from ((f"{module}:{name}", loaded[name]) for name in names if name in loaded)


def _assigned(module: str) -> Iterator[str]:
    """Names a module gives a value of its own; imported ones belong to somebody else."""
    for node in tree(module).body:
        if isinstance(node, ast.Assign):
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id
        elif isinstance(node, ast.FunctionDef) and node.decorator_list:
            yield node.name


def _has_state(value: object) -> bool:
    kind = type(value)
    ours = kind.__module__.startswith(("apps.", "root_platform.")) and not isinstance(value, TtlCache)
    return ours and not isinstance(value, type | Enum) and not _is_frozen(value)


def _is_frozen(value: object) -> bool:
    params = getattr(value, "__dataclass_params__", None)
    return is_dataclass(value) and params is not None and params.frozen


def _still(value: Any) -> Any:
    """Sets have no order of their own."""
    if isinstance(value, set | weakref.WeakSet):
        return sorted(map(repr, value))
    return dict(value) if isinstance(value, Mapping) else list(value)

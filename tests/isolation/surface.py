"""What there is to drive, read from the code itself: whoever adds something finds it here without a word."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
APPS = f"{ROOT}/apps/"
# What makes a module one that works with a community's data.
_TOUCHES = re.compile(
    r"\.objects\b|\bcurrent_tenant(_id)?\b|\btenant_context\b|\bconnection\.cursor\b|\brun_statements\b"
    r"|\bunscoped\b"
)
_DEFINITION = ast.FunctionDef | ast.AsyncFunctionDef


def module_name(path: str | Path) -> str:
    """``apps.knowledge.pages`` for its file."""
    dotted = ".".join(Path(path).resolve().relative_to(ROOT).with_suffix("").parts)
    return dotted.removesuffix(".__init__")


@cache
def sources() -> dict[str, str]:
    """Every module of the platform with its text; migrations are history."""
    files = [*ROOT.glob("apps/**/*.py"), *ROOT.glob("root_platform/**/*.py")]
    return {module_name(file): file.read_text() for file in sorted(files) if "migrations" not in file.parts}


@cache
def tree(module: str) -> ast.Module:
    """A module's syntax."""
    return ast.parse(sources()[module])


def touching() -> list[str]:
    """The modules that work with a community's data."""
    return [name for name, text in sources().items() if _TOUCHES.search(text)]


def public_functions(module: str) -> list[str]:
    """``module:function`` and ``module:Class.method`` of all that others may call."""
    return [f"{module}:{name}" for name in _public(tree(module))]


def _public(module: ast.Module) -> Iterator[str]:
    for node in module.body:
        if isinstance(node, _DEFINITION) and not node.name.startswith("_"):
            yield node.name
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            for method in node.body:
                if isinstance(method, _DEFINITION) and not method.name.startswith("_"):
                    yield f"{node.name}.{method.name}"

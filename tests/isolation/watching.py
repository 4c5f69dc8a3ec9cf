"""Which of our functions ran for which community, as the interpreter itself reports it."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import CodeType, FrameType
from typing import Any

from apps.tenancy.context import NoTenant, current_tenant
from tests.isolation.surface import APPS, module_name


@dataclass
class Watch:
    """Functions as ``module:qualified.name``, with the slugs they ran for."""

    _ran: set[tuple[CodeType, str]] = field(default_factory=set)

    def seen(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for code, slug in list(self._ran):
            found.setdefault(f"{module_name(code.co_filename)}:{code.co_qualname}", set()).add(slug)
        return found

    def look(self, frame: FrameType, event: str, _argument: Any) -> None:
        code = frame.f_code
        if event != "call" or not code.co_filename.startswith(APPS):
            return
        try:
            slug = current_tenant().slug
        except NoTenant:
            slug = ""
        self._ran.add((code, slug))


@contextmanager
def watching() -> Iterator[Watch]:
    """Watches this thread and every thread started in the block."""
    watch = Watch()
    threading.setprofile(watch.look)
    sys.setprofile(watch.look)
    try:
        yield watch
    finally:
        sys.setprofile(None)
        threading.setprofile(None)

"""Actions on rows: asked for in a list or on a row's page, confirmed, carried out by a service (contract §14.1)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.template.response import TemplateResponse
from django.urls import reverse

from apps.dashboard.ops.admin.history import say, write_down
from apps.foundation.errors import RootError
from apps.foundation.text import one_line

if TYPE_CHECKING:
    from apps.dashboard.ops.admin.base import ReadOnly

MOST_ROWS = 100
NAMED_ROWS = 8
LONGEST_QUERY = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One thing an operator may do to rows."""

    name: str
    verb: str
    """On the button, such as "Suspend"."""
    past: str
    """In the history and the message, such as "Suspended"."""
    warning: str
    """What it means, in a sentence, before it is confirmed."""
    perform: Callable[[Any], object]
    """Calls the service; a :class:`RootError` is shown, and the other rows are tried all the same."""
    applies: Callable[[Any], bool] = lambda row: True
    """Is there anything to do for this row? Otherwise it is passed over."""


class Stepped:
    """One step as Django's admin calls it: for a page, a request and the chosen rows."""

    def __init__(self, step: Step) -> None:
        self.step = step
        self.__name__ = step.name
        self.short_description = f"{step.verb} …"

    def __call__(self, page: ReadOnly, request: HttpRequest, queryset: Any) -> HttpResponse:
        rows = list(queryset[: MOST_ROWS + 1])
        chosen = [row for row in rows if self.step.applies(row)]
        if len(rows) > MOST_ROWS:
            page.message_user(request, f"Choose at most {MOST_ROWS} rows at a time.", messages.WARNING)
        elif not chosen:
            page.message_user(request, f"Nothing here to {self.step.verb.lower()}.", messages.WARNING)
        elif request.POST.get("confirmed") != "yes":
            return self._question(page, request, chosen)
        else:
            self._carry_out(page, request, chosen)
        return HttpResponseRedirect(_list_address(page, request))

    def _question(self, page: ReadOnly, request: HttpRequest, chosen: list[Any]) -> HttpResponse:
        context = {
            **page.admin_site.each_context(request),
            "title": f"{self.step.verb}?",
            "step": self.step,
            "rows": chosen,
            "checkbox": ACTION_CHECKBOX_NAME,
            "opts": page.opts,
            "back": _back(request),
            "list_address": _list_address(page, request),
        }
        return TemplateResponse(request, "ops/confirm.html", context)

    def _carry_out(self, page: ReadOnly, request: HttpRequest, chosen: list[Any]) -> None:
        done = []
        for row in chosen:
            did, shown = f"{self.step.past}.", one_line(str(row), limit=80)
            try:
                with transaction.atomic():
                    # First: afterwards the row may be gone, and the operator too.
                    write_down(request, row, did=did)
                    self.step.perform(row)
            except RootError as error:
                page.message_user(request, f"{shown}: {error.message}", messages.ERROR)
                continue
            say(request, row, did)
            done.append(shown)
        if done:
            page.message_user(request, f"{self.step.past}: {_named(done)}.", messages.SUCCESS)


def _back(request: HttpRequest) -> str:
    """The search, filters and order of the list an action came from."""
    asked = request.POST.get("back", request.GET.urlencode())
    return QueryDict(asked).urlencode() if len(asked) <= LONGEST_QUERY else ""


def _list_address(page: ReadOnly, request: HttpRequest) -> str:
    address = reverse(f"admin:{page.opts.app_label}_{page.opts.model_name}_changelist")
    return f"{address}?{back}" if (back := _back(request)) else address


def _named(rows: list[str]) -> str:
    # Messages travel in a cookie, which holds little.
    more = len(rows) - NAMED_ROWS
    return ", ".join(rows[:NAMED_ROWS]) + (f" and {more} more" if more > 0 else "")

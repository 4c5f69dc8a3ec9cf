"""What every table of the admin has in common: readable, newest first, and nothing more unless it says so."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib import admin, messages
from django.contrib.admin.models import LogEntry
from django.core.exceptions import ValidationError
from django.db import models
from django.http import HttpRequest, HttpResponse

from apps.dashboard.ops.admin.confirming import Step, Stepped
from apps.dashboard.ops.admin.history import say
from apps.dashboard.ops.admin.paging import BoundedPaginator
from apps.dashboard.ops.admin.sections import words_for
from apps.dashboard.rows import every_row


class ReadOnly(admin.ModelAdmin):  # type: ignore[type-arg]
    """A table to read. Only columns named in ``fields`` are ever shown, so that a new one stays hidden.

    There are no permissions to give: whoever is on the list of platform admins sees all of it.
    """

    list_per_page = 50
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    paginator = BoundedPaginator
    newest_first: ClassVar[tuple[str, ...]] = ("-created_at",)
    view_on_site = False
    change_list_template = "ops/change_list.html"
    change_form_template = "ops/change_form.html"
    object_history_template = "ops/object_history.html"
    nothing_yet: ClassVar[str] = "Nothing here yet."
    steps: ClassVar[tuple[Step, ...]] = ()
    """What may be done to rows beside reading them."""

    def get_queryset(self, request: HttpRequest) -> models.QuerySet[Any]:
        return every_row(self.model).order_by(*self.newest_first)

    def get_ordering(self, request: HttpRequest) -> tuple[str, ...]:
        return self.newest_first

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        assert self.fields is not None, f"{type(self).__name__} names no fields"
        return self.fields

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        shown = {"title": words_for(self.model)[0], "nothing_yet": self.nothing_yet}
        return super().changelist_view(request, {**shown, **(extra_context or {})})

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> Any:
        row = self.get_object(request, object_id) if request.method == "GET" else None
        # Where the list stood, so that an action leads back to it.
        back = request.GET.get("_changelist_filters", "")
        offered = (
            {} if row is None else {"steps": self.steps_for(row), "links": self.links_for(row), "back": back}
        )
        return super().change_view(request, object_id, form_url, {**offered, **(extra_context or {})})

    def steps_for(self, row: Any) -> list[Step]:
        """The steps there is anything to do in."""
        return [step for step in self.steps if step.applies(row)]

    def links_for(self, row: Any) -> list[tuple[str, str]]:
        """Where to go from a row: words and addresses."""
        return []

    def get_actions(self, request: HttpRequest) -> Any:
        steps = [Stepped(step) for step in self.steps]
        return {step.__name__: (step, step.__name__, step.short_description) for step in steps}

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        # Django lets an address ask about every column, hidden ones too: letter by letter it would tell a secret.
        return any(_covers(item, lookup) for item in self.list_filter)

    def response_action(self, request: HttpRequest, queryset: Any) -> HttpResponse | None:
        try:
            return super().response_action(request, queryset)
        except (ValidationError, ValueError):
            self.message_user(request, "These rows do not exist.", messages.WARNING)
            return None

    def has_module_permission(self, request: HttpRequest) -> bool:
        return True

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return True

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def log_addition(self, request: HttpRequest, obj: Any, message: Any) -> LogEntry:
        say(request, obj, "added it")
        return super().log_addition(request, obj, message)

    def log_change(self, request: HttpRequest, obj: Any, message: Any) -> LogEntry:
        say(request, obj, "changed it")
        return super().log_change(request, obj, message)


def _covers(item: Any, lookup: str) -> bool:
    own = getattr(item, "parameter_name", None)
    column = item[0] if isinstance(item, tuple) else item
    return bool(lookup == own if own is not None else lookup.partition("__")[0] == column)

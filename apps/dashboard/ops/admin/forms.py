"""Forms whose saving is a service's business (contract §14.1).

What the service refuses is shown on the form, with the sentence the service gives.
"""

from __future__ import annotations

import json
import math
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.forms.fields import InvalidJSONInput

from apps.foundation.errors import RootError
from apps.foundation.text import clean


class ServiceForm(forms.ModelForm):  # type: ignore[type-arg]
    """A form that is carried out as the last step of its validation, inside the transaction of the admin's view."""

    def carry_out(self) -> Any:
        """Calls the service and gives the row it wrote; a :class:`RootError` becomes an error of the form."""
        raise NotImplementedError

    def _post_clean(self) -> None:
        # In place of the model's own checks: they know no tenant, and the service knows better.
        if self.errors:
            return
        try:
            self.instance = self.carry_out()
        except RootError as error:
            self.add_error(None, error.message)


class Slug(forms.CharField):
    """The slug of a community, written out: there may be thousands of them."""

    def __init__(self, **options: Any) -> None:
        super().__init__(max_length=68, **options)


class _Indented(json.JSONEncoder):
    def __init__(self, **options: Any) -> None:
        super().__init__(**(options | {"indent": 2, "ensure_ascii": False}))


class SettingsField(forms.JSONField):
    """A JSON object for people to read and edit."""

    widget = forms.Textarea(
        attrs={"rows": 24, "cols": 80, "spellcheck": "false", "class": "vLargeTextField code"}
    )
    too_large = 256 * 1024

    def __init__(self, **options: Any) -> None:
        super().__init__(**(options | {"encoder": _Indented, "required": False}))

    def bound_data(self, data: Any, initial: Any) -> Any:
        # What was typed comes back as it was typed: written anew it might be what no page can carry.
        return InvalidJSONInput(data) if isinstance(data, str) else initial

    def to_python(self, value: Any) -> Any:
        if isinstance(value, str) and len(value) > self.too_large:
            raise ValidationError(f"Settings have at most {self.too_large // 1024} KB.")
        try:
            parsed = super().to_python(value)
        except RecursionError:
            raise ValidationError("This is nested too deeply.") from None
        if parsed is None:
            return {}
        if not isinstance(parsed, dict):
            raise ValidationError("Settings are a JSON object, such as {}.")
        if not _storable(parsed):
            raise ValidationError("Settings hold plain text and finite numbers only.")
        return parsed


def _storable(value: Any) -> bool:
    if isinstance(value, str):
        return clean(value) == value
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, dict):
        return all(_storable(name) and _storable(item) for name, item in value.items())
    return not isinstance(value, list) or all(map(_storable, value))

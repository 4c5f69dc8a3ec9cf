"""Command lines that answer mistakes with a sentence instead of a traceback."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from apps.foundation.errors import RootError
from apps.foundation.text import printable


class SentenceCommand(BaseCommand):
    """Runs ``perform``; an intended error becomes one line on stderr and exit status 1."""

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            self.perform(**options)
        except RootError as error:
            raise CommandError(printable(error.message)) from None

    def perform(self, **options: Any) -> None:
        """What the command does."""
        raise NotImplementedError

    def say(self, line: str) -> None:
        """One line for the person at the terminal; nothing in it can steer the terminal or turn text around."""
        self.stdout.write(printable(line))

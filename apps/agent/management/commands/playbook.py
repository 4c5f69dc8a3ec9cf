"""``manage.py playbook export|import``: the words of all prompts, taken out, changed and put back (contract §4.5)."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from apps.agent.playbook.book import Playbook, as_file
from apps.agent.playbook.putting_in import only_for, plan, put_in
from apps.agent.playbook.reading import LONGEST_FILE, read_playbook
from apps.agent.playbook.taking_out import community_playbook, platform_playbook
from apps.foundation.commands import SentenceCommand
from apps.foundation.errors import BadInput
from apps.foundation.text import one_line
from apps.tenancy.tenants import find_tenant


class Command(SentenceCommand):
    help = (
        "Exports and imports the wording of the whole platform, or with --tenant one community's additions."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        taken = actions.add_parser(
            "export", help="Write the words in force to a file, or to - for the screen."
        )
        put = actions.add_parser("import", help="Put a file's words in force, all of them or none.")
        put.add_argument(
            "--check", action="store_true", help="say what is wrong and what would change; do nothing"
        )
        for action in (taken, put):
            action.add_argument("--tenant", metavar="SLUG", help="only this community's additions")
            action.add_argument("file", metavar="FILE")

    def perform(self, **options: Any) -> None:
        if options["action"] == "export":
            self._export(options["file"], options["tenant"])
        else:
            self._import(options["file"], options["tenant"], check=options["check"])

    def _export(self, file: str, slug: str | None) -> None:
        text = as_file(community_playbook(find_tenant(slug)) if slug else platform_playbook())
        if file == "-":
            self.stdout.write(text, ending="")
            return
        try:
            Path(file).write_text(text, encoding="utf-8")
        except OSError as error:
            raise BadInput(f"{file} cannot be written: {error.strerror or error}.") from None
        self.say(f"Wrote {file}.")

    def _import(self, file: str, slug: str | None, *, check: bool) -> None:
        playbook = self._checked(_read(file))
        if slug:
            playbook = self._narrowed(playbook, find_tenant(slug).slug)
        if check:
            self.say(f"Valid. It would change: {plan(playbook).sentence()}.")
        else:
            self.say(f"Imported. Changed: {put_in(playbook).sentence()}.")

    def _checked(self, data: bytes) -> Playbook:
        reading = read_playbook(data)
        for sentence in reading.findings.doubtful:
            self.stderr.write(f"warning: {one_line(sentence, limit=400)}")
        if wrong := reading.findings.wrong:
            lines = [f"This playbook cannot be imported ({len(wrong)} found):"]
            raise BadInput("\n".join([*lines, *(f"- {one_line(sentence, limit=400)}" for sentence in wrong)]))
        return reading.playbook

    def _narrowed(self, playbook: Playbook, slug: str) -> Playbook:
        if playbook.is_platform_wide:
            self.stderr.write(
                "note: only the additions are taken; the platform's own words stay as they are."
            )
        return only_for(playbook, slug)


def _read(file: str) -> bytes:
    try:
        if file == "-":
            return sys.stdin.buffer.read(LONGEST_FILE + 1)
        with Path(file).open("rb") as opened:
            return opened.read(LONGEST_FILE + 1)
    except OSError as error:
        raise BadInput(f"{file} cannot be read: {error.strerror or error}.") from None

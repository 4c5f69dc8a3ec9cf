"""The real worker command with its own handlers, for a few queues alone: ``python -m tests.fakes.own_fleet QUEUE …``.

Half minutes are seconds, so that a killed worker's job is soon taken back; nothing else differs.
"""

from __future__ import annotations

import sys
from dataclasses import replace

from root_platform import workers

from apps.foundation import queues  # isort: skip
from apps.tenancy.jobs import registry  # isort: skip
from tests.fakes.kill_fleet import _named  # isort: skip


def main() -> None:
    """Keeps the handlers of the named queues."""
    wanted, sys.argv[1:] = sys.argv[1:], []
    for name in [name for name in registry._handlers if name not in wanted]:
        del registry._handlers[name]
    for name in wanted:
        queues.QUEUES[name] = replace(queues.QUEUES[name], backoff=queues.Backoff())
    queues.BEAT_SECONDS, queues.SILENT_SECONDS = 0.3, 3.0
    whole = workers.fleet
    workers.fleet = lambda: [_named(child) for child in whole()]
    workers.main()


if __name__ == "__main__":
    main()

"""python -m scripts.offline_model --port 0 --port-file F"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
from pathlib import Path
from types import FrameType


def main() -> int:
    options = _options()
    # Read by numpy when it is loaded; on a small or busy machine more threads only wait for each other.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        # Imported late: the packages are an optional extra, and their absence deserves a sentence.
        from scripts.offline_model.embedder import Embedder
        from scripts.offline_model.server import OfflineServer
    except ImportError as error:
        print(
            f"The offline model needs the packages of the extra 'embedded': {error.name} is missing.",
            file=sys.stderr,
        )
        return 2
    server = OfflineServer(Embedder.load(), host=options.host, port=options.port)
    _stop_on_signals(server)
    if options.port_file:
        _write_port(options.port_file, server.server_port)
    print(f"Offline model on http://{options.host}:{server.server_port}/v1", flush=True)
    server.serve_forever(poll_interval=0.2)
    server.server_close()
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="offline_model", description="An OpenAI-compatible server without a model."
    )
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8377, help="0 takes any free one")
    parser.add_argument("--port-file", type=Path, help="where to write the port once requests are answered")
    return parser.parse_args()


def _write_port(path: Path, port: int) -> None:
    """Whole or not at all: whoever waits for the file reads a complete number."""
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    draft.write_text(str(port))
    draft.replace(path)


def _stop_on_signals(server: object) -> None:
    def stop(_signal: int, _frame: FrameType | None) -> None:
        # shutdown() waits for serve_forever, which runs in this very thread.
        threading.Thread(target=server.shutdown, daemon=True).start()  # type: ignore[attr-defined]

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)


if __name__ == "__main__":
    sys.exit(main())

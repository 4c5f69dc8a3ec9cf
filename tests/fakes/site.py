"""Root itself on a real port, for tests that need a connection they can drop or a browser."""

import socket
import threading
import time
from types import TracebackType
from typing import Self

import uvicorn

START_SECONDS = 30.0


class Site:
    def __init__(self) -> None:
        # Not at import: the application needs settings that the test has prepared.
        from django.core.asgi import get_asgi_application

        self._socket = socket.socket()
        self._socket.bind(("127.0.0.1", 0))
        self._server = uvicorn.Server(
            uvicorn.Config(
                get_asgi_application(), lifespan="off", log_config=None, timeout_graceful_shutdown=5
            )
        )
        self._thread = threading.Thread(target=self._server.run, args=([self._socket],), daemon=True)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        deadline = time.monotonic() + START_SECONDS
        while not self._server.started:
            assert time.monotonic() < deadline, "the site did not start"
            time.sleep(0.01)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.should_exit = True
        self._thread.join(START_SECONDS)

"""The web process: one ASGI application."""

from __future__ import annotations

import os
import sys
import warnings

from django.core.asgi import get_asgi_application

CONNECTION_SECONDS = 5.0

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "root_platform.settings")
# Static files come from disk as plain iterators; Django reads those in a thread, which is right for files.
warnings.filterwarnings("ignore", message="StreamingHttpResponse must consume synchronous iterators")
# Without collected files they are found where they lie, which is as well.
warnings.filterwarnings("ignore", message="No directory at")
# By this name Postgres lists our connections; libpq reads it whenever it opens one.
os.environ["PGAPPNAME"] = "root-web"
_django = get_asgi_application()

from apps.foundation import database  # noqa: E402
from apps.foundation.environment import MalformedEnvironment, env, require_for_serving  # noqa: E402
from root_platform import own_workers, readiness  # noqa: E402
from root_platform.bounded_bodies import BoundedBodies  # noqa: E402

application = BoundedBodies(_django)

try:
    require_for_serving(env())
except MalformedEnvironment as error:
    sys.exit(str(error))

# Somebody waits for the answer; the caller can try again sooner than the database comes back.
database.wait_at_most(CONNECTION_SECONDS)
own_workers.begin()
readiness.prepare()

"""The web process: one ASGI application."""

from __future__ import annotations

import os
import sys

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "root_platform.settings")
application = get_asgi_application()

from apps.foundation.environment import MalformedEnvironment, env, require_for_serving  # noqa: E402

try:
    require_for_serving(env())
except MalformedEnvironment as error:
    sys.exit(str(error))

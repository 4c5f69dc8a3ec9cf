"""The Celery app, composed: ``celery -A root_platform.celery worker -Q QUEUE`` (contract §13)."""

import os

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "root_platform.settings")
os.environ["PGAPPNAME"] = "root-worker"  # how Postgres lists our connections
django.setup()

from apps.foundation.broker import app  # noqa: E402
from apps.tenancy.jobs import registry, worker  # noqa: E402

registry.autodiscover()

__all__ = ["app", "worker"]

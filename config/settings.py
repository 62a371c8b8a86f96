"""Settings, all from the environment; docs/operating.md lists them all.

Here is what the application is and where it runs. Modules beside this one say the rest,
each on one subject: the API, who gets in, and what is outside.
"""

from pathlib import Path

from apps.core import postgres
from apps.core.database.settings import database
from apps.core.monitoring.log import logging_config
from apps.core.roles.names import Role
from config import env
from config.api import *  # noqa: F403
from config.outside import *  # noqa: F403
from config.security import *  # noqa: F403

BASE_DIR = Path(__file__).resolve().parent.parent

# Where things are
DATA_DIR = env.path("STEPBACK_DATA_DIR")
LOCATION = postgres.locate(DATA_DIR, BASE_DIR)
DATABASE_URL = env.text("DATABASE_URL")
# A process of `up` has one of these, its own. Commands log in as the role they need.
DATABASE_URLS = {
    Role.WEB: DATABASE_URL,
    Role.OWNER: env.text("STEPBACK_OWNER_URL"),
    Role.WORKER: env.text("STEPBACK_WORKER_URL"),
    Role.RETENTION: env.text("STEPBACK_RETENTION_URL"),
}
REQUIRE_ROLES = env.flag("STEPBACK_REQUIRE_ROLES")
# One for each thread of a web process that asks the database: see its pools.
POOL_SIZE = env.number("STEPBACK_POOL_SIZE", 16)
PREPARE = env.flag("STEPBACK_PREPARE", default=not DATABASE_URL)
DATABASES = {
    "default": database(
        DATABASE_URL or LOCATION.dsn_of(Role.WEB), pool_size=POOL_SIZE, prepare=PREPARE
    )
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# The installation's own
SECRET_KEY = env.text("SECRET_KEY") or postgres.made_secret(LOCATION.secret_key_file)
DEBUG = env.flag("DEBUG")
DEFAULT_EXCEPTION_REPORTER_FILTER = "apps.core.monitoring.debugging.WithoutLogins"

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "django_htmx",
    "axes",
    "django_otp",
    "django_otp.plugins.otp_totp",
    "procrastinate.contrib.django",
    "apps.core",
    "apps.audit",
    "apps.accounts",
    "apps.agents",
    "apps.blobs",
    "apps.schemas",
    "apps.timeline",
    "apps.meaning",
    "apps.data",
    "apps.memory",
    "apps.approvals",
    "apps.metrics",
    "apps.guards",
    "apps.heartbeats",
    "apps.webhooks",
    "apps.watching",
    "apps.witness",
    "apps.backups",
    "apps.retention",
    "apps.exports",
    "apps.plans",
    "apps.incidents",
    "apps.surveys",
    "apps.experiments",
    "apps.erasures",
    "apps.worker",
    "apps.server",
    "apps.console",
]

MIDDLEWARE = [
    "apps.core.middleware.RequestLogMiddleware",
    "apps.core.middleware.ApiBypassMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "apps.core.http.stylesheet.StylesheetMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "apps.accounts.views.visits.SignInMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "apps.accounts.views.visits.VisitMiddleware",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
APPEND_SLASH = False

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
            ],
        },
    },
]

# Language and time
LANGUAGE_CODE = "en-us"
USE_I18N = False
USE_TZ = True
TIME_ZONE = "UTC"

# Static files are served from where they are: no collect step
STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_USE_FINDERS = True

# Logs
LOG_LEVEL = env.text("STEPBACK_LOG_LEVEL", "INFO").upper()
LOGGING_CONFIG = None
logging_config(LOG_LEVEL, json_lines=not env.flag("STEPBACK_LOG_PLAIN"))

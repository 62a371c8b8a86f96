"""Settings, all from the environment; docs/operating.md lists them all."""

from datetime import timedelta
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

from apps.core import postgres
from apps.core.database.settings import database
from apps.core.monitoring.log import logging_config
from apps.core.roles.names import Role
from config import env

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

# Security
SECRET_KEY = env.text("SECRET_KEY") or postgres.made_secret(LOCATION.secret_key_file)
DEBUG = env.flag("DEBUG")
DEFAULT_EXCEPTION_REPORTER_FILTER = "apps.core.monitoring.debugging.WithoutLogins"
ALLOWED_HOSTS = env.items("ALLOWED_HOSTS", ["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.items("CSRF_TRUSTED_ORIGINS", [])
BEHIND_TLS = env.flag("STEPBACK_TLS")
# Proxies whose X-Forwarded-For is believed; without any, a client is who connects.
TRUSTED_PROXIES = env.networks("STEPBACK_TRUSTED_PROXIES")
# Where people open the console: links in mails and webhooks begin so.
PUBLIC_URL = env.origin("STEPBACK_URL", "http://127.0.0.1:8000")
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if BEHIND_TLS else None
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_HSTS_SECONDS = 31_536_000 if BEHIND_TLS else 0
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = BEHIND_TLS
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_NAME = "stepback_session"
SESSION_ENGINE = "apps.accounts.sessions"
# From signing in on, however much it is used; and how long it may go unused.
SESSION_COOKIE_AGE = 14 * 24 * 3600
SESSION_IDLE = timedelta(
    minutes=env.number("STEPBACK_IDLE_MINUTES", 720, within=range(5, 20_161))
)
X_FRAME_OPTIONS = "DENY"
CSRF_FAILURE_VIEW = "apps.core.http.problems.fallbacks.csrf_failure"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "font-src": ["'self'"],
        "connect-src": ["'self'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'none'"],
        "base-uri": ["'none'"],
    }
}

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

# Accounts
AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "apps.accounts.views.guessing.SlowedByName",
    "django.contrib.auth.backends.ModelBackend",
]
PASSWORD_HASHERS = [
    "apps.accounts.hashing.GatedPBKDF2",
]
AUTH_PASSWORD_VALIDATORS = [
    {
        "NAME": "django.contrib.auth.password_validation"
        ".UserAttributeSimilarityValidator",
        "OPTIONS": {"user_attributes": ("username", "display_name", "email")},
    },
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
# Under which name authenticators list their codes.
OTP_TOTP_ISSUER = "Stepback"
LOGIN_URL = "accounts:sign_in"
LOGIN_REDIRECT_URL = "console:home"
AXES_FAILURE_LIMIT = 10
AXES_COOLOFF_TIME = 0.25
# Never the name alone: anybody could lock anybody out. See accounts/views/guessing.py.
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_CLIENT_IP_CALLABLE = "apps.accounts.views.guessing.axes_address"
# A quarter of an hour is that, also for who goes on guessing.
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_VERBOSE = False
AXES_RESET_ON_SUCCESS = True
# The record of people's acts has what was done; this one would grow with every sign-in.
AXES_DISABLE_ACCESS_LOG = True
# Our own page says that a name is locked, so its middleware has nothing to answer.
SILENCED_SYSTEM_CHECKS = ["axes.W002"]

# Language and time
LANGUAGE_CODE = "en-us"
USE_I18N = False
USE_TZ = True
TIME_ZONE = "UTC"

# Static files are served from where they are: no collect step
STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_USE_FINDERS = True

# The API
REQUEST_BYTES: int = 33 * 1024 * 1024
DATA_UPLOAD_MAX_MEMORY_SIZE = REQUEST_BYTES
WORKERS = env.number("STEPBACK_WORKERS", 2)
RATE_LIMIT_PER_MINUTE = env.number("STEPBACK_RATE_LIMIT", 600_000)
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "apps.accounts.api.authentication.KeyAuthentication"
    ],
    "DEFAULT_PERMISSION_CLASSES": ["apps.accounts.api.permissions.HasScope"],
    "DEFAULT_PARSER_CLASSES": ["apps.core.http.StrictJSONParser"],
    "DEFAULT_RENDERER_CLASSES": ["apps.core.http.JSONRenderer"],
    "EXCEPTION_HANDLER": "apps.core.http.exception_handler",
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "UNAUTHENTICATED_USER": None,
    "URL_FORMAT_OVERRIDE": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Stepback",
    "DESCRIPTION": "Every state an AI agent ever had, and the way back to it.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "DEFAULT_GENERATOR_CLASS": "apps.core.http.openapi.document.Generator",
    "PREPROCESSING_HOOKS": ["apps.core.http.openapi.document.below_v1"],
    "COMPONENT_SPLIT_REQUEST": True,
    "ENUM_NAME_OVERRIDES": {
        "AgentStatus": "apps.agents.models.AgentStatus",
        "CacheScope": "apps.timeline.words.CacheScope",
        "CheckOutcome": "apps.checks.Outcome",
        "CompensationStatus": "apps.timeline.words.CompensationStatus",
        "ScopeEnum": "apps.accounts.choices.Scope",
        "DifferenceKind": "apps.timeline.stepping.DifferenceKind",
        "EffectClass": "apps.timeline.words.EffectClass",
        "EffectStatus": "apps.timeline.words.EffectStatus",
        "ExportKind": "apps.exports.words.Kind",
        "ExportState": "apps.exports.words.State",
        "ExportFormat": "apps.exports.words.AuditFormat",
        "ExportWaits": "apps.exports.words.Waits",
        "GuardKind": "apps.guards.words.Kind",
        "GuardMode": "apps.guards.words.Mode",
        "GuardSaid": "apps.guards.words.Said",
        "GuardDid": "apps.guards.words.Did",
        "GuardTrialStatus": "apps.guards.words.TrialStatus",
        "IncidentStatus": "apps.incidents.words.Status",
        "IncidentDeed": "apps.incidents.words.Deed",
        "IncidentVerdict": "apps.incidents.words.Verdict",
        "ExperimentStatus": "apps.experiments.words.Status",
        "ErasureKind": "apps.erasures.words.Kind",
        "ErasureWaits": "apps.erasures.words.Waits",
        "ErasureState": "apps.erasures.words.State",
        "TombstoneKindEnum": "apps.timeline.words.Removed",
        "LegalHoldKind": "apps.retention.words.HoldKind",
        "PlanKind": "apps.plans.api.serializers.KINDS",
        "PickedVerdict": "apps.plans.api.serializers.PICKED_VERDICTS",
        "PlanStatus": "apps.plans.models.PlanStatus",
        "RemovalState": "apps.retention.words.State",
        "Outcome": "apps.timeline.words.Outcome",
        "SessionStatus": "apps.timeline.models.Status",
        "WebhookFormat": "apps.webhooks.models.Format",
        "WebhookStatus": "apps.webhooks.models.Status",
    },
}

# Mail about alerts; without a host it is written to the worker's output
EMAIL_HOST = env.text("STEPBACK_SMTP_HOST")
EMAIL_PORT = env.number("STEPBACK_SMTP_PORT", 25)
EMAIL_TIMEOUT = 10
EMAIL_BACKEND = "django.core.mail.backends." + (
    "smtp.EmailBackend" if EMAIL_HOST else "console.EmailBackend"
)
DEFAULT_FROM_EMAIL = env.text("STEPBACK_MAIL_FROM", "stepback@localhost")

# The worker: its jobs are in one module, which only the worker loads
PROCRASTINATE_AUTODISCOVER_MODULE_NAME = ""
PROCRASTINATE_IMPORT_PATHS = ["apps.worker.jobs"]
SWEEP_SECONDS = env.number("STEPBACK_SWEEP_SECONDS", 60, within=range(1, 61))

# Signed notes over the heads of histories: the worker signs, everybody can verify
SIGNING_KEY = env.text("STEPBACK_SIGNING_KEY")
VERIFIER_KEY = env.text("STEPBACK_VERIFIER_KEY")
ROOTS = env.path("STEPBACK_ROOTS")
# Where else notes go: folders and s3://bucket/prefix, separated by commas.
WITNESSES = env.items("STEPBACK_WITNESSES", [])
# The journal of erasures, beside the database as the notes are.
ERASURES = env.path("STEPBACK_ERASURES")

# Where bytes of files go, a folder or s3://bucket/prefix; unset: the data folder's own
OBJECTS = env.text("STEPBACK_OBJECTS")

# What wraps the keys of encrypting projects, file:PATH or env:NAME
KEYS = env.text("STEPBACK_KEYS")

# Where a backup goes every day, a folder or s3://bucket/prefix, and for whom alone
BACKUPS = env.text("STEPBACK_BACKUPS")
BACKUP_RECIPIENT = env.text("STEPBACK_BACKUP_RECIPIENT")

# Webhooks: whether they may go to private addresses, and by plain http.
WEBHOOKS_PRIVATE = env.flag("STEPBACK_WEBHOOKS_PRIVATE")

# Search by meaning: the models that come along, or an endpoint as OpenAI's. Memories
# are read as sentences, by a model that takes more memory and time.
EMBEDDINGS_SENTENCES = env.flag("STEPBACK_SENTENCES", default=True)
EMBEDDINGS_URL = env.text("STEPBACK_EMBEDDINGS_URL")
EMBEDDINGS_MODEL = env.text("STEPBACK_EMBEDDINGS_MODEL")
EMBEDDINGS_KEY = env.text("STEPBACK_EMBEDDINGS_KEY")
EMBEDDINGS_DIMENSIONS = env.number(
    "STEPBACK_EMBEDDINGS_DIMENSIONS", 0, within=range(8, 4097)
)
# The cosine, in hundredths, that shows as a similarity of 0.70.
EMBEDDINGS_NEAR = env.number("STEPBACK_EMBEDDINGS_NEAR", 30, within=range(1, 100))
EMBEDDINGS_PRIVATE = env.flag("STEPBACK_EMBEDDINGS_PRIVATE")
if EMBEDDINGS_URL and not (EMBEDDINGS_MODEL and EMBEDDINGS_DIMENSIONS):
    raise ImproperlyConfigured(
        "With STEPBACK_EMBEDDINGS_URL there must be STEPBACK_EMBEDDINGS_MODEL and "
        "STEPBACK_EMBEDDINGS_DIMENSIONS."
    )

# Memories that a model proposes of turns: a chat endpoint as OpenAI's, asked by the
# worker. None of it is ever set over HTTP.
FORMATION_URL = env.text("STEPBACK_FORMATION_URL")
FORMATION_MODEL = env.text("STEPBACK_FORMATION_MODEL")
FORMATION_KEY = env.text("STEPBACK_FORMATION_KEY")
FORMATION_PRIVATE = env.flag("STEPBACK_FORMATION_PRIVATE")
if FORMATION_URL and not FORMATION_MODEL:
    raise ImproperlyConfigured(
        "With STEPBACK_FORMATION_URL there must be STEPBACK_FORMATION_MODEL."
    )

# Prometheus may ask at /metrics with this token; without one there is nothing
METRICS_TOKEN = env.text("STEPBACK_METRICS_TOKEN")

# Logs
LOG_LEVEL = env.text("STEPBACK_LOG_LEVEL", "INFO").upper()
LOGGING_CONFIG = None
logging_config(LOG_LEVEL, json_lines=not env.flag("STEPBACK_LOG_PLAIN"))

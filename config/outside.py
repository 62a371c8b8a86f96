"""Settings of what is outside: mail, stores of bytes, witnesses, models, Prometheus.

With them stand the worker and the keys, which work with what is outside.
"""

from django.core.exceptions import ImproperlyConfigured

from config import env

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

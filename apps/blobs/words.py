"""States of a blob, and how large one may be."""

from datetime import timedelta

from django.db import models

MAX_BLOB_BYTES = 8 * 1024 * 1024
MOST_ASKED = 1_000
# So long an upload, or naming it, keeps a blob from being collected.
LEASE = timedelta(hours=24)
# An append is over, or refused, long before this: who had a lease has its uses by then.
APPEND_IS_OVER = timedelta(seconds=60)


class State(models.TextChoices):
    """Whether a blob may be named."""

    STORED = "stored"  # the upload
    CONDEMNED = "condemned"  # collection, once its lease is over and nothing names it

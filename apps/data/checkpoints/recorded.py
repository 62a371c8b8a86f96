"""What the record of a checkpoint's making says of it, besides who made it and when.

`verifying` holds the row against it. What is said of a checkpoint in words is there as
digests alone, keyed with the project's secret.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db.models import TextField
from django.db.models.functions import Cast

from apps.audit.covered import ROW, Row, digest
from apps.data.models import Checkpoint
from apps.data.querysets import CheckpointQuerySet
from apps.timeline.operations import Document

KIND = "checkpoint"
# Of the row; what these are cannot be recomputed from history.
WORDS = ("ordinal", "label", "description", "metadata")


def with_words(checkpoints: CheckpointQuerySet) -> CheckpointQuerySet:
    """Have the metadata as it is stored: parsed, a number may be written otherwise."""
    return checkpoints.annotate(stored_metadata=Cast("metadata", TextField()))


def counts(checkpoint: Checkpoint) -> dict[str, Any]:
    """Return what it points to, as all records of it say."""
    return {
        "at": checkpoint.number,
        "config_version": f"v{checkpoint.config_ordinal}",
        "keys": checkpoint.keys,
        "bytes": checkpoint.bytes,
    }


def words(document: Document, checkpoint: Checkpoint) -> dict[str, Any]:
    """Return what the record of its making says of a row that `with_words` has read."""
    columns = digests(document, checkpoint)
    return Row(kind=KIND, key=checkpoint.id, columns=columns).details()


def kept_in(details: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the digests that a record has; none where they cannot be read."""
    row = details.get(ROW)
    columns = row.get("columns") if isinstance(row, dict) else None
    return columns if isinstance(columns, dict) else {}


def digests(document: Document, checkpoint: Any) -> dict[str, str]:
    """Return the digest of each of `WORDS`."""
    secret = bytes(document.project.index_key)
    said = {name: getattr(checkpoint, name) for name in WORDS}
    said["metadata"] = checkpoint.stored_metadata
    return {
        name: digest(secret, KIND, checkpoint.event_id, name, value)
        for name, value in said.items()
    }

"""The one type of a session's id, everywhere it occurs.

It is the distribution key: the length and the collation can never change, and all
tables must agree on them, so there is one function that makes the field.
"""

from __future__ import annotations

from typing import Any

from django.db import models

ID_LENGTH = 31


def id_field(**options: Any) -> models.CharField[Any, Any]:
    return models.CharField(max_length=ID_LENGTH, db_collation="C", **options)

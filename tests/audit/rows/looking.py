"""Looks for differences, and makes some behind the product's back."""

from typing import Any

from django.db import connection

from apps.accounts.models import Project
from apps.audit.comparing import Comparison
from tests.acting import tampering


def found(project: Project, **told: Any) -> list[str]:
    comparison = Comparison(
        project_id=project.id, secret=bytes(project.index_key), **told
    )
    return [str(one) for one in comparison.differences()]


def run(table: str, statement: str, *params: Any) -> None:
    """Do this to the table behind the product's back."""
    with tampering(table), connection.cursor() as cursor:
        cursor.execute(statement, params)
        assert cursor.rowcount >= 1

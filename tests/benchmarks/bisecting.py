"""`python -m tests.benchmarks.bisecting SESSION CHECK`: count what a bisect sends.

In a process of its own, which settles on DATABASE_URL once.
"""

from __future__ import annotations

import sys

import django
import pytest


def statements(session_id: str, said: str) -> list[str]:
    """Return the statements of one bisect, with nothing cached."""
    django.setup()
    from django.db import connection
    from django.utils import timezone

    from apps.accounts.models import Project
    from apps.agents.scope import Scope
    from apps.checks import read_text
    from apps.timeline.bisect import Asked, find_flips
    from tests.contracts.test_query_counts import counted

    project = Project.objects.get()
    asked = Asked(check=read_text(said))
    with pytest.MonkeyPatch.context() as patch, counted(patch) as sent:
        find_flips(Scope(project), session_id, asked, now=timezone.now())
    connection.close()
    return sent


if __name__ == "__main__":
    sys.stdout.write(f"{len(statements(*sys.argv[1:]))}\n")

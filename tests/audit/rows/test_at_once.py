"""Comparing while others act: what is in the making is no damage."""

from __future__ import annotations

import threading
from random import Random

import pytest
from django.db import connection

from apps.accounts.models import Project
from apps.core.errors import DomainError
from tests.audit.rows.acts import Acts
from tests.audit.rows.looking import found
from tests.conftest import make_project

WRITERS = 3
TIMES = 12


@pytest.mark.django_db(transaction=True)
def test_no_act_in_the_meantime_is_called_damage() -> None:
    """Labels come and go, keys are revoked, notes are written: both sides at once."""
    project = make_project("busy")
    Acts(project, Random(0)).begin()
    enough = threading.Event()
    writers = [
        threading.Thread(target=_write, args=(project, seed, enough))
        for seed in range(WRITERS)
    ]
    for writer in writers:
        writer.start()
    try:
        differences = [found(project) for _ in range(TIMES)]
    finally:
        enough.set()
        for writer in writers:
            writer.join()

    assert differences == [[]] * TIMES
    assert found(project) == []


def _write(project: Project, seed: int, enough: threading.Event) -> None:
    draw = Random(seed)
    acts = Acts(project, draw)
    verbs = (
        *(acts.label, acts.unlabel, acts.note, acts.review, acts.score),
        *(acts.key, acts.revoke, acts.metadata),
    )
    try:
        while not enough.is_set():
            try:
                draw.choice(verbs)()
            except DomainError:
                acts.refused += 1
    finally:
        connection.close()

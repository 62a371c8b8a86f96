"""kill -9 of the worker in the middle of each job: the next does it, whole and once.

Each job is caught where it has changed something and not all. What it did for one
project before it was killed is undone, as the server does for a client that is gone;
the next worker's result is compared with that of a project that nobody disturbed.
Expiry and deliveries have theirs in `test_worker.py` and `webhooks/test_worker.py`.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.live import Server, manage, serving
from tests.worker.given import BEGINS, JOBS, SETTINGS, Told, is_done, rolled_up
from tests.worker.processes import WAITING, kill, rows, standing_still, until, working


@pytest.fixture(scope="module")
def house(worker_id: str) -> Iterator[Server]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STEPBACK_WEBHOOKS_PRIVATE", "true")
        with serving(f"killed_{worker_id}", workers=1) as server:
            yield server


@pytest.fixture(scope="module")
def tell(house: Server) -> Iterator[Callable[[str], Told]]:
    """`tell("name")` makes a project with a history."""
    with ExitStack() as stack:

        def made(slug: str) -> Told:
            run = "from tests.worker.telling import tell; "
            run += f"tell({slug!r}, {BEGINS.isoformat()!r})"
            printed = manage(house.dsn, "shell", "--no-imports", "-c", run)
            project_id, secret = printed.split()
            client = stack.enter_context(house.client(secret))
            return Told(house, project_id, client)

        yield made


@pytest.fixture(scope="module")
def calm(house: Server, tell: Callable[[str], Told]) -> Told:
    """A project for which every job is done, and nobody is killed."""
    told = tell("calm")
    for job in JOBS.values():
        job.prepare(told)
    with working(house.dsn, Path(f"{house.log}.calm"), **SETTINGS):
        for name, job in JOBS.items():
            if job.is_hourly:
                ask(house, name)
            until(lambda j=job: is_done(j, told), name)
    return told


def ask(house: Server, task: str) -> int:
    """Have a worker do this once, now; return the job's id."""
    query = (
        "INSERT INTO procrastinate_jobs (queue_name, task_name, args) VALUES"
        " ('default', %s, '{\"timestamp\": 0}') RETURNING id"
    )
    ((job_id,),) = rows(house.dsn, query, task)
    return int(job_id)


def is_over(house: Server, job_id: int) -> bool:
    return not rows(house.dsn, "SELECT 1 FROM procrastinate_jobs WHERE id = %s", job_id)


def undo(house: Server) -> None:
    """End what the killed worker had asked for, as if the server noticed at once."""
    end = f"SELECT pg_terminate_backend(pid) FROM ({WAITING}) AS held"
    until(lambda: not rows(house.dsn, end))


@pytest.mark.parametrize("name", JOBS)
def test_what_a_worker_left_in_the_middle_is_done_by_the_next_and_once(
    name: str,
    house: Server,
    tell: Callable[[str], Told],
    calm: Told,
    tmp_path: Path,
) -> None:
    job, task, log = JOBS[name], name.partition(":")[0], tmp_path / "log"
    told = tell(re.sub("[^a-z]+", "-", name))
    job.prepare(told)
    before = job.found(told)
    assert not is_done(job, told)
    with standing_still(house.dsn, job.event, told.about(job.rows)):
        with working(house.dsn, log, **SETTINGS) as process:
            if job.is_hourly:
                ask(house, task)
            until(lambda: rows(house.dsn, WAITING), log.read_text())
            kill(process)
        undo(house)
    assert job.found(told) == before

    with working(house.dsn, log, **SETTINGS):
        if job.is_hourly:
            ask(house, task)
        until(lambda: is_done(job, told), log.read_text())
        # Once more: it finds nothing that it would do a second time.
        again = ask(house, task)
        until(lambda: is_over(house, again), log.read_text())

    assert job.found(told) == job.found(calm)
    assert is_done(job, told)


def test_a_plan_goes_on_behind_the_sessions_that_were_done(
    house: Server, tell: Callable[[str], Told], tmp_path: Path
) -> None:
    job, log = JOBS["run_plans"], tmp_path / "log"
    told = tell("plans-middle")
    job.prepare(told)
    second = "NEW.position = 1 AND NEW.state = 'done'"
    with standing_still(house.dsn, job.event, second):
        with working(house.dsn, log, **SETTINGS) as process:
            until(lambda: rows(house.dsn, WAITING), log.read_text())
            kill(process)
        undo(house)
    done = [(0, "done", 1, 1), (1, "planned", None, 0), (2, "planned", None, 0)]
    assert job.found(told) == (["running"], done)

    with working(house.dsn, log, **SETTINGS):
        until(lambda: is_done(job, told), log.read_text())


def test_what_was_added_up_in_peace_is_what_the_facts_add_up_to(
    calm: Told, house: Server
) -> None:
    kept = rolled_up(calm)

    manage(house.dsn, "rebuild_rollups")

    assert rolled_up(calm) == kept

"""Which process of a parallel run gets which tests: those that share a server, one.

A server, or `up`, costs 5 to 20 seconds of a core; a folder's tests on three processes
start three. So a module is one unit of work, and what shares more than that is named
here. `xdist_group` would say the same, but pytest 9.2 and xdist 3.8 pass over it
without a word (pytest-xdist issue 1386).
"""

from __future__ import annotations

from xdist.scheduler import LoadScopeScheduling

# What takes longest is begun first, so that no process is left with it at the end. Of
# the rest xdist begins what has most tests: a module of few, however long they take,
# comes last. That was five minutes of one process, for questions about memories.
FIRST = (
    "tests/memory/test_isolation.py",
    "tests/browser/test_every_page.py",
    "tests/browser",
    "tests/server/test_up.py",
    "tests/faults",
    "tests/model",
    "tests/python_client",
    "tests/fuzz",
    "tests/replay",
    "tests/clients",
    "tests/anchor",
    "tests/races/interleavings",
    "tests/races",
    "tests/live_api",
    "tests/worker/test_killed.py",
    "tests/retention/test_database_killed.py",
    "tests/retention/test_processes.py",
    "tests/retention/test_archives_killed.py",
    "tests/timeline/keeping/test_killed.py",
    "tests/exports/test_killed.py",
    "tests/encryption/test_killed.py",
    "tests/encryption/test_served.py",
    "tests/blobs/test_killed.py",
    "tests/witness/test_killed.py",
    "tests/server/test_backup.py",
    "tests/server/test_older_line.py",
    "tests/memory/test_histories.py",
    "tests/memory/test_quality.py",
    "tests/accounts/test_sign_in_served.py",
    "tests/data/test_histories.py",
    "tests/benchmarks/test_benchmarks.py",
    "tests/contracts/test_docs_page.py",
    "tests/contracts/test_migrations.py",
    "tests/demo/test_cut_short.py",
    "tests/schemas/test_corpus.py",
    "tests/timeline/masks/test_nowhere.py",
    "tests/meaning/test_past.py",
    "tests/server/test_own_server.py",
    "tests/server/test_up_roles.py",
    "tests/timeline/test_verify.py",
    "tests/webhooks/test_worker.py",
    "tests/worker/test_plans.py",
    "tests/worker/test_pooled.py",
    "tests/worker/test_projector.py",
    "tests/worker/test_worker.py",
)


def unit(nodeid: str) -> str:
    """Return what a test is run together with: a place named above, or its module."""
    module = nodeid.partition("::")[0]
    for place in FIRST:
        if module == place or module.startswith(f"{place}/"):
            return place
    return module


class ByHouse(LoadScopeScheduling):
    """Gives out units: those of `FIRST` first, then the others as they come."""

    def _split_scope(self, nodeid: str) -> str:
        return unit(nodeid)

    def schedule(self) -> None:
        """Put the units of `FIRST` first, if this is the beginning."""
        if self.collection is None:
            nodeids = next(iter(self.registered_collections.values()))
            found = {unit(nodeid) for nodeid in nodeids}
            # A unit keeps its place in the queue when it is filled.
            self.workqueue.update({one: {} for one in FIRST if one in found})
        super().schedule()

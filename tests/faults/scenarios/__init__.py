"""The scenarios by name, in the order in which they run."""

from __future__ import annotations

from types import ModuleType

from tests.faults.scenarios import (
    client_cuts,
    clock,
    database_cuts,
    disk,
    left_open,
    lost_host,
    pool,
    postgres,
    projector,
    statement_timeouts,
    web_workers,
)

ALL: dict[str, ModuleType] = {
    module.NAME: module
    for module in (
        web_workers,
        projector,
        postgres,
        lost_host,
        database_cuts,
        client_cuts,
        disk,
        pool,
        statement_timeouts,
        left_open,
        clock,
    )
}

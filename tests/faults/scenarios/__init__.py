"""The scenarios by name, in the order in which they run."""

from __future__ import annotations

from types import ModuleType

from tests.faults.scenarios import postgres, web_workers

ALL: dict[str, ModuleType] = {module.NAME: module for module in (web_workers, postgres)}

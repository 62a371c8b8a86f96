"""Doing erasures: what the sweeping process calls, with the retention role's rights."""

from apps.erasures.running.sweeping import run, sweep

__all__ = ["run", "sweep"]

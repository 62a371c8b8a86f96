"""Make the files of exports: what the worker calls."""

from apps.exports.making.sweeping import forget, sweep

__all__ = ["forget", "sweep"]

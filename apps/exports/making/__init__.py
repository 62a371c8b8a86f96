"""Make the files of exports: what the worker calls."""

from apps.exports.making.forgetting import forget
from apps.exports.making.sweeping import sweep

__all__ = ["forget", "sweep"]

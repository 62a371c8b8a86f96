"""Verbs of experiments: begin, rename, close."""

from apps.experiments.operations.changing import close, rename
from apps.experiments.operations.making import make

__all__ = ["close", "make", "rename"]

"""Verbs of surveys: ask for one."""

from apps.surveys.operations.asking import ask

__all__ = ["ask"]

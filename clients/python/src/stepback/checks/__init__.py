"""Checks over a state, decided here: the server's own code, written from it."""

from stepback.checks.errors import CheckRefused
from stepback.checks.evaluating import Outcome, Verdict, evaluate
from stepback.checks.language import read_text

__all__ = ["CheckRefused", "Outcome", "Verdict", "evaluate", "read_text"]

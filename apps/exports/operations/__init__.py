"""Asking for exports, and reading their files."""

from apps.exports.operations.asking import ask
from apps.exports.operations.files import opened

__all__ = ["ask", "opened"]

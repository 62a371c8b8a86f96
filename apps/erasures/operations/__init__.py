"""Asking for previews and for erasures."""

from apps.erasures.operations.beginning import LONGEST_REASON, begin
from apps.erasures.operations.previews import preview
from apps.erasures.querysets import PREVIEW_COUNTS

__all__ = ["LONGEST_REASON", "PREVIEW_COUNTS", "begin", "preview"]

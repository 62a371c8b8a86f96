"""Turn around every answer of the ORM that nobody gave an order.

PostgreSQL gives such rows as they lie in the table, nearly always oldest first, until
vacuum frees a page and a younger row takes it. A test, or the product, that counts on
it then fails once in some hundred runs; turned around, it fails in each.
"""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet

_as_answered = QuerySet._fetch_all


def turn_around_what_has_no_order() -> None:
    """Have querysets without an order answer in the reverse of what PostgreSQL gave."""
    QuerySet._fetch_all = _turned_around  # type: ignore[method-assign]


def _turned_around(self: QuerySet[Any]) -> None:
    is_new = self._result_cache is None
    _as_answered(self)
    if is_new and not self.ordered:
        self._result_cache.reverse()

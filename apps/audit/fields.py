"""PostgreSQL's 64-bit transaction id as a column, written by the database itself."""

from typing import TYPE_CHECKING, Any

from django.db import models

if TYPE_CHECKING:
    AnyField = models.Field[Any, int]
else:
    AnyField = models.Field


class Xid8Field(AnyField):
    """An `xid8`: orders what readers follow, without a sequence and without gaps."""

    def db_type(self, connection: Any) -> str:
        return "xid8"

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> int | None:
        return None if value is None else int(value)

    def get_prep_value(self, value: Any) -> Any:
        # As text: PostgreSQL reads an untyped literal as xid8, but casts no integer.
        if value is None or hasattr(value, "resolve_expression"):
            return value
        return str(int(value))


class CurrentTransaction(models.Func):
    """`pg_current_xact_id()`: the id of the transaction that writes the row."""

    function = "pg_current_xact_id"
    template = "%(function)s()"
    arity = 0
    output_field = Xid8Field()

"""The types of JSON values; what may be in them is said in `limits`."""

from typing import Any, TypeAlias

Json: TypeAlias = Any
State: TypeAlias = dict[str, Any]

"""Who asks: an operator of the project."""

from tests.incidents.conftest import olga, person

__all__ = ["olga", "person"]

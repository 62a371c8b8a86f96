"""What needs attention in a project: for its first page, and all of a kind."""

from apps.console.pages.project.attention.items import SHOWN
from apps.console.pages.project.attention.kinds import ABOUT
from apps.console.pages.project.attention.listing import all_of
from apps.console.pages.project.attention.summary import NEEDED, of_project

__all__ = ["ABOUT", "NEEDED", "SHOWN", "all_of", "of_project"]

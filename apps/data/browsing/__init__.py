"""Looking over an agent's data: keys level by level, config, and all in short.

Whoever looks has read: it is recorded as the reads of the operations are.
"""

from apps.data.browsing.config import ConfigLook, look_at_config, rules_of
from apps.data.browsing.governed import Governed, governed
from apps.data.browsing.summary import Summary, summarize
from apps.data.browsing.tree import Branch, Leaf, Tree, browse

__all__ = [
    "Branch",
    "ConfigLook",
    "Governed",
    "Leaf",
    "Summary",
    "Tree",
    "browse",
    "governed",
    "look_at_config",
    "rules_of",
    "summarize",
]

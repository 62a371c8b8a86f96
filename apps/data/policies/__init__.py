"""Policies of an agent's config: what its data may hold, where, how much, how long.

Pure functions over key, value and metadata: nothing here knows the database or HTTP.
Text comes in and is looked at; of what is found, only a masked shape goes out.
"""

from apps.data.policies.blocks import Also, Block, Exemption, Rule, Verdict
from apps.data.policies.errors import InvalidPolicy
from apps.data.policies.parsing import parse, parse_policies
from apps.data.policies.policies import Policies

__all__ = [
    "Also",
    "Block",
    "Exemption",
    "InvalidPolicy",
    "Policies",
    "Rule",
    "Verdict",
    "parse",
    "parse_policies",
]

"""One proof for every method of Anchor's client that is served, by its dotted name.

A proof calls its method as a user would, with every argument that it has, and looks at
what came of it. Each namespace has a module here, found by itself.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import httpx

from tests.anchor.releases import Client

# Their methods are not served: each is taken from here with its first proof.
NOT_YET_SERVED: set[str] = set()


@dataclass(frozen=True, kw_only=True)
class Given:
    """What a proof is given: clients of one release, and the API without them."""

    release: str
    anchor: Client
    admin: Client
    rest: httpx.Client


Proof: TypeAlias = Callable[[Given], None]
PROOFS: dict[str, Proof] = {}


def proves(name: str) -> Callable[[Proof], Proof]:
    def keep(proof: Proof) -> Proof:
        assert name not in PROOFS
        PROOFS[name] = proof
        return proof

    return keep


for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")

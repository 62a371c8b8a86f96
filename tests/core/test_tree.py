"""The tree of notes is that of RFC 6962."""

import hashlib

import pytest

from apps.core.notes import tree

# The leaves and roots of the RFC's reference implementation.
LEAVES = [
    bytes.fromhex(one)
    for one in (
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    )
]
ROOTS = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]


@pytest.mark.parametrize("count", range(1, 9))
def test_roots_are_those_of_the_rfc(count: int) -> None:
    hashes = [tree.leaf_hash(one) for one in LEAVES[:count]]

    assert tree.root_of(hashes).hex() == ROOTS[count - 1]


def test_the_root_of_nothing_is_the_hash_of_nothing() -> None:
    assert tree.root_of([]) == hashlib.sha256(b"").digest()


def split(hashes: list[bytes]) -> bytes:
    """Return the root as the RFC defines it, at the largest power of two."""
    if len(hashes) == 1:
        return hashes[0]
    at = 1 << (len(hashes) - 1).bit_length() - 1
    both = split(hashes[:at]) + split(hashes[at:])
    return hashlib.sha256(b"\x01" + both).digest()


@pytest.mark.parametrize("count", range(1, 70))
def test_roots_are_as_the_rfc_defines_them(count: int) -> None:
    hashes = [tree.leaf_hash(str(n).encode()) for n in range(count)]

    assert tree.root_of(hashes) == split(hashes)

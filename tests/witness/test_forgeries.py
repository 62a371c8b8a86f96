"""Ten thousand random forgeries of notes, leaves and proofs: each is found."""

import base64
import json
import os
import random
from collections.abc import Callable
from contextlib import closing
from copy import deepcopy
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import (
    Ed25519PrivateKey,
    Ed25519PublicKey,
)

from apps.core.notes import roots, tree
from apps.core.notes.auditing import audit
from apps.core.notes.index import Index
from apps.core.notes.roots import Head, Kind, Root, Tree
from apps.core.notes.signed import SigningKey
from stepback.proofs import ProofRefused, ed25519, verify_proof

SEED = int(os.environ.get("STEPBACK_SEED", "13"))
PROOFS, FOLDERS = 7_000, 3_000
KEY = SigningKey.made("stepback/test")
FOREIGN = SigningKey.made("stepback/test")
START = datetime(2026, 3, 1, tzinfo=UTC)
Forge = Callable[[random.Random, Any], Any]


@dataclass
class Place:
    """Notes in memory, as a witness has them."""

    notes: dict[int, bytes] = field(default_factory=dict)
    leaves: dict[int, bytes] = field(default_factory=dict)

    def newest(self) -> int:
        return max(self.notes, default=0)

    def read(self, number: int) -> bytes | None:
        return self.notes.get(number)

    def read_leaves(self, number: int, root: bytes) -> bytes | None:
        return self.leaves.get(number)


def made_root(dice: random.Random, number: int, previous: bytes | None) -> Root:
    heads = [
        Head(Kind.SESSION, f"sess_{n}", number * 10 + n, dice.randbytes(32))
        for n in range(dice.randint(2, 9))
    ]
    return Root(
        origin=KEY.verifier.name,
        number=number,
        previous=previous,
        at=START + timedelta(minutes=number),
        heads=heads,
        tree=Tree.over(heads),
    )


def made_place(dice: random.Random) -> Place:
    """Return seven notes; nobody has touched them."""
    place, previous = Place(), None
    for number in range(1, 8):
        root = made_root(dice, number, previous)
        place.notes[number] = KEY.sign(root.text())
        place.leaves[number] = root.leaves()
        previous = roots.digest(place.notes[number])
    return place


def made_proof(dice: random.Random) -> dict[str, Any]:
    """Return an answer of a proof; nobody has touched it."""
    root = made_root(dice, dice.randint(1, 99), dice.randbytes(32))
    index = dice.randrange(len(root.heads))
    hashes = [tree.leaf_hash(one.leaf) for one in root.heads]
    path = [base64.b64encode(one).decode() for one in tree.path_to(hashes, index)]
    head = root.heads[index]
    return {
        "session_id": head.id,
        "status": "signed",
        "signed_version": head.number,
        "note_number": root.number,
        "signed_at": root.text().decode().split("\nat ")[1].split("\n")[0],
        "proof": {
            "leaf": head.line,
            "index": index,
            "leaf_count": len(root.heads),
            "path": path,
            "note": KEY.sign(root.text()).decode(),
        },
    }


def flipped(dice: random.Random, data: bytes) -> bytes:
    at = dice.randrange(len(data))
    changed = bytes([data[at] ^ 1 << dice.randrange(8)])
    return data[:at] + changed + data[at + 1 :]


def flipped_text(dice: random.Random, text: str) -> str:
    return flipped(dice, text.encode()).decode(errors="surrogateescape")


def flip_in_proof(dice: random.Random, answer: Any) -> None:
    proof = answer["proof"]
    name = dice.choice(("leaf", "note", "note", "path"))
    if name == "path":
        at = dice.randrange(len(proof["path"]))
        proof["path"][at] = flipped_text(dice, proof["path"][at])
    else:
        proof[name] = flipped_text(dice, proof[name])


def change_a_field(dice: random.Random, answer: Any) -> None:
    name = dice.choice(
        ("session_id", "signed_version", "note_number", "signed_at", "status")
    )
    answer[name] = dice.choice([None, "other", -1, 10**6, True, [], {}])


def change_a_place(dice: random.Random, answer: Any) -> None:
    name = dice.choice(("index", "leaf_count"))
    old = answer["proof"][name]
    answer["proof"][name] = dice.choice([old + 1, old - 1, old + 64, -old - 1, None])


def change_the_path(dice: random.Random, answer: Any) -> None:
    path = answer["proof"]["path"]
    kind = dice.randrange(4)
    if kind == 0:
        path.pop(dice.randrange(len(path)))
    elif kind == 1:
        path.insert(dice.randrange(len(path) + 1), dice.choice(path))
    elif kind == 2:
        path[dice.randrange(len(path))] = base64.b64encode(dice.randbytes(32)).decode()
    else:
        answer["proof"]["path"] = dice.choice([None, "", {}, [1], [None]])


def take_from_another(dice: random.Random, answer: Any) -> None:
    """Leaf, way or note of another proof that holds by itself."""
    other = made_proof(dice)
    name = dice.choice(("leaf", "path", "note"))
    answer["proof"][name] = other["proof"][name]


def cut_a_text(dice: random.Random, answer: Any) -> None:
    name = dice.choice(("leaf", "note"))
    text = answer["proof"][name]
    answer["proof"][name] = text[: dice.randrange(len(text))]


def sign_by_a_foreign_key(dice: random.Random, answer: Any) -> None:
    text = answer["proof"]["note"].rpartition("\n\n")[0] + "\n"
    answer["proof"]["note"] = FOREIGN.sign(text.encode()).decode()


def forge_the_leaf_and_the_root(dice: random.Random, answer: Any) -> None:
    """All that can be computed anew without the key."""
    head = Head(Kind.SESSION, answer["session_id"], 7, dice.randbytes(32))
    root = replace(made_root(dice, 7, None), heads=[head], tree=Tree.over([head]))
    note = answer["proof"]["note"]
    answer["signed_version"] = answer["note_number"] = 7
    signature = note.rpartition("\n\n")[2]
    answer["proof"] = {
        "leaf": head.line,
        "index": 0,
        "leaf_count": 1,
        "path": [],
        "note": root.text().decode() + "\n" + signature,
    }


OF_PROOFS: list[Forge] = [
    flip_in_proof,
    flip_in_proof,
    change_a_field,
    change_a_place,
    change_the_path,
    take_from_another,
    cut_a_text,
    sign_by_a_foreign_key,
    forge_the_leaf_and_the_root,
]


@pytest.fixture
def fast(monkeypatch: pytest.MonkeyPatch) -> None:
    """Signatures by the library; that ours says the same has a test of its own."""

    def verify(public: bytes, message: bytes, signature: bytes) -> bool:
        try:
            Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
        except (InvalidSignature, ValueError):
            return False
        return True

    monkeypatch.setattr(ed25519, "verify", verify)


@pytest.mark.usefixtures("fast")
def test_every_forged_proof_is_refused() -> None:
    dice, key = random.Random(SEED), str(KEY.verifier)
    forged = 0
    while forged < PROOFS:
        answer = made_proof(dice)
        assert verify_proof(answer, key).version == answer["signed_version"]
        other = deepcopy(answer)
        forge = dice.choice(OF_PROOFS)
        forge(dice, other)
        if other == answer:
            continue
        forged += 1
        with pytest.raises(ProofRefused):
            pytest.fail(f"{forge.__name__}: {verify_proof(other, key)} {other}")


def flip_a_note(dice: random.Random, place: Place) -> None:
    number = dice.randint(1, 7)
    place.notes[number] = flipped(dice, place.notes[number])


def flip_leaves(dice: random.Random, place: Place) -> None:
    number = dice.randint(1, 7)
    place.leaves[number] = flipped(dice, place.leaves[number])


def cut_a_file(dice: random.Random, place: Place) -> None:
    files = dice.choice((place.notes, place.leaves))
    number = dice.randint(1, 7)
    files[number] = files[number][: dice.randrange(len(files[number]))]


def lose_a_file(dice: random.Random, place: Place) -> None:
    files = dice.choice((place.notes, place.leaves))
    # The last note is missed by whoever knows that it was there.
    files.pop(dice.randint(1, 6))


def swap_files(dice: random.Random, place: Place) -> None:
    files = dice.choice((place.notes, place.leaves))
    one, other = dice.sample(range(1, 8), 2)
    files[one], files[other] = files[other], files[one]


def swap_leaves(dice: random.Random, place: Place) -> None:
    number = dice.randint(1, 7)
    lines = place.leaves[number].splitlines(keepends=True)
    one, other = dice.sample(range(len(lines)), 2)
    lines[one], lines[other] = lines[other], lines[one]
    place.leaves[number] = b"".join(lines)


def sign_foreign(dice: random.Random, place: Place) -> None:
    number = dice.randint(1, 7)
    text = place.notes[number].rpartition(b"\n\n")[0] + b"\n"
    place.notes[number] = FOREIGN.sign(text)


def sign_again(dice: random.Random, place: Place) -> None:
    """By who has the key, but not the notes behind it."""
    number = dice.randint(1, 6)
    previous = roots.digest(place.notes[number - 1]) if number > 1 else None
    root = made_root(dice, number, previous)
    place.notes[number], place.leaves[number] = KEY.sign(root.text()), root.leaves()


def go_back(dice: random.Random, place: Place) -> None:
    """An earlier note in the place of a later one, and none behind it."""
    early, late = sorted(dice.sample(range(1, 8), 2))
    place.notes[late] = place.notes[early]
    place.leaves[late] = place.leaves[early]


OF_PLACES: list[Forge] = [
    flip_a_note,
    flip_leaves,
    cut_a_file,
    lose_a_file,
    swap_files,
    swap_leaves,
    sign_foreign,
    sign_again,
    go_back,
]


def broken(place: Place) -> int:
    with closing(Index.temporary()) as index:
        return audit(place, [KEY.verifier], index).broken


def test_every_forged_place_of_notes_is_found() -> None:
    dice = random.Random(SEED)
    place = made_place(dice)
    assert broken(place) == 0
    forged = 0
    while forged < FOLDERS:
        other, forge = deepcopy(place), dice.choice(OF_PLACES)
        forge(dice, other)
        if other == place:
            continue
        forged += 1
        assert broken(other), (forge.__name__, other)


def test_our_own_verification_says_what_the_library_says() -> None:
    dice = random.Random(SEED)
    for _ in range(40):
        secret = Ed25519PrivateKey.generate()
        public = secret.public_key().public_bytes_raw()
        message = dice.randbytes(dice.randrange(200))
        signature = secret.sign(message)
        assert ed25519.verify(public, message, signature)
        assert not ed25519.verify(public, message + b"x", signature)
        assert not ed25519.verify(public, message, flipped(dice, signature))
        s = int.from_bytes(signature[32:], "little") + ed25519.ORDER
        again = signature[:32] + s.to_bytes(32, "little")
        assert not ed25519.verify(public, message, again)


def test_a_proof_is_checked_by_our_own_verification() -> None:
    answer = made_proof(random.Random(SEED))
    other = json.loads(json.dumps(answer))
    other["proof"]["note"] = other["proof"]["note"].replace("number ", "number 1")

    assert verify_proof(answer, str(KEY.verifier)).session_id == answer["session_id"]
    with pytest.raises(ProofRefused, match="does not hold"):
        verify_proof(other, str(KEY.verifier))
    with pytest.raises(ProofRefused, match="not signed by this key"):
        verify_proof(answer, str(FOREIGN.verifier))

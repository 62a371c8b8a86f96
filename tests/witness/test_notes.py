"""The format of notes, read by another implementation; and their files."""

import base64
import hashlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from apps.core.notes import keys, roots
from apps.core.notes.errors import KeyRefused, NoteError, NumberTaken
from apps.core.notes.folder import Folder
from apps.core.notes.roots import Head, Kind, Root
from apps.core.notes.signed import SigningKey, VerifierKey, opened
from tests.commands import ROOT

AT = datetime(2026, 3, 1, 12, 0, 0, 250_000, tzinfo=UTC)
# What the Go package `sumdb/note` publishes as its example: a key, and a note of it.
PETER = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
SAID = (
    "If you think cryptography is the answer to your problem,\n"
    "then you don't know what your problem is.\n"
)
SIGNATURE = (
    "x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6K"
    "E6RyyBwJnAM="
)


def root(**changed: object) -> Root:
    said = {
        "origin": "stepback/test",
        "number": 42,
        "previous": bytes(range(32)),
        "at": AT,
        "heads": [
            Head(Kind.SESSION, "sess_a", 7, b"\x01" * 32),
            Head(Kind.RECORD, "installation", 3, b"\x02" * 32),
            Head(Kind.SESSION, "sess_b", None, None),
        ],
        "went_back": "a backup",
    }
    return Root(**said | changed)  # type: ignore[arg-type]


def independent(note: bytes, verifier: str) -> bytes:
    """Verify a note by the words of the specification alone."""
    text, _, line = note.decode().rpartition("\n\n")
    text += "\n"
    name, hashed, encoded = verifier.split("+", 2)
    public = base64.b64decode(encoded)[1:]
    identity = hashlib.sha256(name.encode() + b"\n\x01" + public).digest()[:4]
    assert identity.hex() == hashed
    dash, said, signature = line.rstrip("\n").split(" ")
    decoded = base64.b64decode(signature)
    assert (dash, said, decoded[:4]) == ("\u2014", name, identity)
    Ed25519PublicKey.from_public_bytes(public).verify(decoded[4:], text.encode())
    return text.encode()


def test_another_implementation_verifies_our_notes() -> None:
    key = SigningKey.made("stepback/test")

    note = key.sign(root().text())

    assert independent(note, str(key.verifier)) == root().text()


def test_ours_verifies_notes_of_another() -> None:
    note = f"{SAID}\n\u2014 PeterNeumann {SIGNATURE}\n".encode()

    assert opened(note, [VerifierKey.parse(PETER)]) == SAID.encode()
    with pytest.raises(NoteError, match="altered"):
        opened(note.replace(b"your", b"their"), [VerifierKey.parse(PETER)])


def test_a_note_has_exactly_these_bytes() -> None:
    assert root().text().decode() == (
        "stepback/test\n"
        "stepback-roots/1\n"
        "number 42\n"
        "previous AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n"
        "at 2026-03-01T12:00:00.250000Z\n"
        "went-back a backup\n"
        "session sess_a 7 AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=\n"
        "record installation 3 AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI=\n"
        "session sess_b - -\n"
    )
    assert roots.parse(root().text()) == root()
    first = root(number=1, previous=None, went_back=None, heads=[])
    assert roots.parse(first.text()) == first


def test_a_reason_cannot_write_lines_of_its_own() -> None:
    said = root(went_back="a\nsession sess_a 9 AQ==\u2028\x00b" + "c" * 500)

    read = roots.parse(said.text())

    assert len(read.heads) == 3
    assert read.went_back is not None
    assert read.went_back.startswith("a session sess_a 9 AQ== b")
    assert len(read.went_back) == 200


@pytest.mark.parametrize(
    "change",
    [
        lambda note: note.replace(b"number 42", b"number 43"),
        lambda note: note[:-20] + b"\n",
        lambda note: note.replace(b"\n\n", b"\n"),
        lambda note: note.replace("\u2014".encode(), b"-"),
        lambda note: note + b"x",
        lambda note: b"",
        lambda note: b"\n\n",
        lambda note: note.replace(b"stepback/test ", b"stepback/other "),
    ],
)
def test_what_was_changed_is_refused(change: Callable[[bytes], bytes]) -> None:
    key = SigningKey.made("stepback/test")
    note = key.sign(root().text())
    assert opened(note, [key.verifier])

    with pytest.raises(NoteError):
        opened(change(note), [key.verifier])


def test_other_signatures_do_no_harm_and_prove_nothing() -> None:
    key, other = SigningKey.made("stepback/test"), SigningKey.made("witness/one")
    text = root().text()
    line = other.sign(text).rpartition(b"\n\n")[2]

    assert opened(key.sign(text) + line, [key.verifier]) == text
    with pytest.raises(NoteError, match="known key"):
        opened(other.sign(text), [key.verifier])


def test_keys_come_back_as_written_and_a_refusal_does_not_quote_them() -> None:
    key = SigningKey.made("stepback/test")
    assert SigningKey.parse(key.secret()).verifier == key.verifier
    assert VerifierKey.parse(str(key.verifier)) == key.verifier
    for wrong in (key.secret()[:-4], str(key.verifier), key.secret()[1:], "", "x"):
        with pytest.raises(KeyRefused) as refused:
            SigningKey.parse(wrong)
        assert not wrong or wrong not in str(refused.value)
    assert key.secret() not in repr(key)


def test_the_private_key_is_its_owners_alone(tmp_path: Path, settings: Any) -> None:
    settings.LOCATION = replace(settings.LOCATION, data_dir=tmp_path)
    settings.SIGNING_KEY = settings.VERIFIER_KEY = ""

    made = keys.made_keys()

    assert keys.made_keys().verifier == made.verifier
    assert keys.signing_file().stat().st_mode & 0o777 == 0o600
    assert keys.verifier_keys() == [made.verifier]
    # Another takes its place: what the first has signed is still believed.
    other = SigningKey.made("stepback/other")
    settings.SIGNING_KEY = other.secret()
    assert keys.made_keys().verifier == other.verifier
    assert keys.verifier_keys() == [made.verifier, other.verifier]


def test_a_number_is_given_once(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "roots")
    (tmp_path / "roots").mkdir()
    folder.write(999, b"a")
    folder.write(1000, b"b")

    with pytest.raises(NumberTaken):
        folder.write(1000, b"c")

    assert (folder.newest(), folder.read(1000)) == (1000, b"b")
    assert folder.read(1001) is None
    assert not list(folder.path.glob("*.unfinished"))


KILLED = """
import os, signal, sys
from pathlib import Path
from apps.core.notes.folder import Folder
os.link = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
Folder(Path(sys.argv[1])).write(2, b"half a note")
"""


def test_who_is_killed_before_the_name_is_given_leaves_no_note(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.write(1, b"a")

    done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], cwd=ROOT)

    assert done.returncode == -signal.SIGKILL
    assert (folder.newest(), folder.read(2)) == (1, None)
    assert len(list(folder.path.glob("*.unfinished"))) == 1
    folder.tidy()
    folder.write(2, b"whole")
    assert folder.read(2) == b"whole"
    assert sorted(os.listdir(tmp_path)) == ["000000000"]

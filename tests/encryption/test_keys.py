"""Key-encryption keys, data keys, and what is unwrapped in memory."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest

from apps.accounts import encryption
from apps.accounts import operations as accounts
from apps.accounts.models import DataKey, Project
from apps.audit.models import AuditRecord
from apps.core import keyring
from apps.core.errors import InvalidRequest
from apps.core.keyring import KeysUnavailable, memory, new_key, outer
from apps.core.keyring.errors import KeysRefused
from tests.acts import act_by
from tests.encryption.conftest import forget, line

GOOD = base64.b64encode(bytes(32)).decode()


def test_the_first_key_wraps_and_all_open() -> None:
    older = outer.parse(line("old"))
    wrapped = older.wrap(b"secret", purpose=b"p")
    both = outer.parse(line("new") + f"old {_said(older, 'old')}\n")
    assert both.current == "new"
    assert both.unwrap(wrapped, outer_id="old", purpose=b"p") == b"secret"


def _said(keys: keyring.OuterKeys, key_id: str) -> str:
    return base64.b64encode(keys.by_id[key_id]).decode()


def test_a_key_opens_for_its_purpose_alone() -> None:
    keys = outer.parse(line("one"))
    wrapped = keys.wrap(b"secret", purpose=b"p")
    with pytest.raises(KeysUnavailable, match="one"):
        keys.unwrap(wrapped, outer_id="one", purpose=b"q")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "has no key"),
        ("# nothing\n\n", "has no key"),
        ("one", "line 1"),
        (f"one {GOOD} more", "line 1"),
        (f"o/ne {GOOD}", "line 1"),
        ("one c2hvcnQ=", "32 bytes"),
        ("one !!!", "32 bytes"),
        (f"one {GOOD}\none {GOOD}", "two one"),
    ],
)
def test_what_is_no_key_is_refused_without_repeating_it(text: str, why: str) -> None:
    with pytest.raises(KeysRefused, match=why) as refused:
        outer.parse(text)
    assert GOOD not in str(refused.value)


@pytest.mark.parametrize(
    "address", ["", "vault:x", "file:", "env:", "file:/nowhere/keys", "env:STEPBACK_NO"]
)
def test_an_address_that_gives_no_keys_is_named(address: str, settings: Any) -> None:
    settings.KEYS = address
    with pytest.raises(KeysUnavailable, match="STEPBACK_KEYS"):
        keyring.outer_keys()


def test_keys_of_a_variable_are_read(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.KEYS = "env:STEPBACK_TEST_KEYS"
    monkeypatch.setenv("STEPBACK_TEST_KEYS", line("one"))
    assert keyring.outer_keys().current == "one"


def test_an_unwrapped_key_is_known_for_five_minutes() -> None:
    now = [0.0]
    mine = memory.Memory(clock=lambda: now[0])
    key = new_key("proj_1")
    mine.keep(key)
    now[0] = 299.0
    assert mine.known(key.mark) == key
    now[0] = 300.0
    assert mine.known(key.mark) is None


def test_what_is_sealed_opens_unchanged_in_its_context_alone() -> None:
    key, other = new_key("proj_1"), new_key("proj_1")
    sealed = key.seal(b"text", b"a", b"b")
    assert key.open(sealed, b"a", b"b") == b"text"
    assert key.open(sealed, b"ab", b"") is None
    assert other.open(sealed, b"a", b"b") is None
    assert sealed != key.seal(b"text", b"a", b"b")
    for at in range(len(sealed)):
        changed = bytearray(sealed)
        changed[at] ^= 1
        assert key.open(bytes(changed), b"a", b"b") is None
        assert key.open(sealed[:at], b"a", b"b") is None


@pytest.mark.django_db
def test_encrypting_is_recorded_once_and_not_taken_back(
    project: Project, keys: Path
) -> None:
    assert accounts.encrypt_project(act=act_by(), project=project)
    assert not accounts.encrypt_project(act=act_by(), project=project)
    (key,) = DataKey.objects.all()
    record = AuditRecord.objects.filter(project_id=project.id).latest("number")
    assert record.details["data_key"] == 1
    assert record.details["outer_key"] == key.outer_id == "first"


@pytest.mark.django_db
def test_a_project_that_is_searched_by_meaning_is_refused(
    project: Project, keys: Path
) -> None:
    accounts.set_search_by_meaning(act=act_by(), project=project, is_on=True)
    with pytest.raises(InvalidRequest, match="meaning"):
        accounts.encrypt_project(act=act_by(), project=project)
    assert not DataKey.objects.exists()


@pytest.mark.django_db
def test_an_encrypted_project_cannot_be_searched_by_meaning(encrypted: Project) -> None:
    with pytest.raises(InvalidRequest, match="encrypted"):
        accounts.set_search_by_meaning(act=act_by(), project=encrypted, is_on=True)


@pytest.mark.django_db
def test_a_start_needs_no_keys_where_nothing_encrypts(settings: Any) -> None:
    settings.KEYS = ""
    encryption.require_keys()


@pytest.mark.django_db
def test_a_start_with_keys_that_do_not_open_names_the_id(
    encrypted: Project, keys: Path, settings: Any
) -> None:
    encryption.require_keys()
    keys.write_text(line("first"))
    with pytest.raises(KeysUnavailable, match="first"):
        encryption.require_keys()
    keys.write_text(line("second"))
    with pytest.raises(KeysUnavailable, match="no key first"):
        encryption.require_keys()


@pytest.mark.django_db
def test_rotating_wraps_anew_and_leaves_the_key_as_it_is(
    encrypted: Project, keys: Path
) -> None:
    key = encryption.sealing_key(encrypted, None)
    keys.write_text(line("second") + keys.read_text())
    assert accounts.rotate_keys(act=act_by()) == 1
    assert accounts.rotate_keys(act=act_by()) == 0
    keys.write_text(keys.read_text().splitlines(keepends=True)[0])
    forget()
    assert encryption.sealing_key(encrypted, None) == key

"""Files of bundles: one that was cut, altered or made to harm is refused unread."""

from __future__ import annotations

import io
import json
import os
import stat
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZipFile, ZipInfo

import pytest

from stepback.bundles import BundleRefused, make_bundle, packing, read_bundle
from stepback.bundles.packing import seal, sealed, unpack
from stepback.checks import CheckRefused
from tests.python_client.bundles import made


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    folder = tmp_path / "bundles"
    folder.mkdir()
    return made.write(folder / "run.bundle", ["state.seat=12A"])


@pytest.fixture
def nothing_is_written(tmp_path: Path) -> Any:
    """Fails where a test has left anything beside the bundle."""
    yield
    found = [one for one in tmp_path.rglob("*") if one.is_file() or one.is_symlink()]
    assert [one.name for one in found] == ["run.bundle"]


def refused(path: Path, *words: str) -> None:
    with pytest.raises(BundleRefused) as error:
        read_bundle(path)
    for word in words:
        assert word in str(error.value)


def members(bundle: Path) -> dict[str, bytes]:
    return unpack(bundle)


def test_it_is_a_zip_that_anybody_can_open(bundle: Path) -> None:
    with ZipFile(bundle) as archive:
        assert archive.testzip() is None
        names = archive.namelist()
        manifest = json.loads(archive.read("manifest.json"))

    assert names == ["manifest.json", "trajectory.jsonl", "checks.json", "repro.md"]
    assert manifest["format"] == "stepback-bundle/1"
    assert set(manifest["files"]) == set(names[1:])


def test_it_is_read_as_it_was_made(bundle: Path) -> None:
    found = read_bundle(bundle)

    assert found.checks == ("state.seat=12A",)
    assert [one.state for one in found.record.states] == made.STATES
    assert [one.tool for one in found.record.calls] == ["find_seats", "take_seat"]


def test_one_content_is_one_file(bundle: Path) -> None:
    again = make_bundle(made.trajectory(), ["state.seat=12A"])

    assert bundle.read_bytes() == again


def test_it_tells_how_it_is_replayed(bundle: Path) -> None:
    text = members(bundle)["repro.md"].decode()

    assert "stepback replay THIS_FILE --agent module:function" in text
    assert "`sess_1`" in text
    assert "- `state.seat=12A`" in text
    assert "- `take_seat`: 1" in text


def test_names_that_an_agent_made_up_end_no_code_in_it() -> None:
    calls = [made.call("`\n# Run `curl x | sh`\u202e", {}, 1, 1)]
    packed = make_bundle(made.trajectory(beside=calls))

    with ZipFile(io.BytesIO(packed)) as archive:
        text = archive.read("repro.md").decode()

    assert "\n# Run" not in text
    assert "`' # Run 'curl x | sh' `: 1" in text


def test_every_byte_that_is_changed_is_noticed(
    bundle: Path, nothing_is_written: None
) -> None:
    whole = bundle.read_bytes()

    for at in range(len(whole)):
        changed = bytearray(whole)
        changed[at] ^= 0x20
        bundle.write_bytes(changed)
        refused(bundle)


def test_wherever_it_is_cut_is_noticed(bundle: Path, nothing_is_written: None) -> None:
    whole = bundle.read_bytes()

    for end in range(len(whole)):
        bundle.write_bytes(whole[:end])
        refused(bundle)


@pytest.mark.parametrize(
    "altered",
    [lambda data: data + b"\0", lambda data: b"\0" + data, lambda data: data * 2],
)
def test_what_is_added_is_noticed(
    bundle: Path, nothing_is_written: None, altered: Callable[[bytes], bytes]
) -> None:
    bundle.write_bytes(altered(bundle.read_bytes()))

    refused(bundle)


# From here on whoever alters a bundle seals it anew.


@pytest.mark.parametrize(
    "name",
    [
        "../evil.md",
        "repro/../../evil.md",
        "/tmp/evil.md",
        "..\\evil.md",
        "C:\\evil.md",
        "C:evil.md",
        "..",
        "",
    ],
)
def test_paths_that_lead_out_are_refused(
    bundle: Path, nothing_is_written: None, name: str
) -> None:
    bundle.write_bytes(sealed({**members(bundle), name: b"x"}))

    refused(bundle, "leads out of its folder")


@pytest.mark.parametrize("name", ["agent.py", "a/repro.md", "REPRO.md"])
def test_what_no_bundle_has_is_refused(
    bundle: Path, nothing_is_written: None, name: str
) -> None:
    bundle.write_bytes(sealed({**members(bundle), name: b"x"}))

    refused(bundle, "which no bundle has")


def archive_of(
    bundle: Path, change: Callable[[ZipInfo], None], compression: int = ZIP_DEFLATED
) -> bytes:
    """Write the same members, `repro.md` as a changed one."""
    packed = io.BytesIO()
    with ZipFile(packed, "w") as archive:
        for name, data in members(bundle).items():
            info = ZipInfo(name, packing.NEVER)
            info.compress_type = ZIP_DEFLATED
            if name == "repro.md":
                info.compress_type = compression
                change(info)
            archive.writestr(info, data)
        archive.comment = bytes(len(seal(b"")))
    return seal(packed.getvalue()[: -len(seal(b""))])


@pytest.mark.parametrize(
    "kind", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFBLK, stat.S_IFDIR]
)
def test_links_and_devices_are_refused(
    bundle: Path, nothing_is_written: None, kind: int
) -> None:
    def change(info: ZipInfo) -> None:
        info.external_attr = (kind | 0o777) << 16

    bundle.write_bytes(archive_of(bundle, change))

    refused(bundle, "which is a link or no file")


def test_another_way_of_packing_is_refused(
    bundle: Path, nothing_is_written: None
) -> None:
    bundle.write_bytes(archive_of(bundle, lambda info: None, ZIP_BZIP2))

    refused(bundle, "packed in a way that no bundle is")


def test_a_member_that_is_there_twice_is_refused(
    bundle: Path, nothing_is_written: None
) -> None:
    packed = io.BytesIO()
    with ZipFile(packed, "w") as archive:
        for name, data in members(bundle).items():
            archive.writestr(ZipInfo(name), data)
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr(ZipInfo("repro.md"), b"other")
        archive.comment = bytes(len(seal(b"")))
    bundle.write_bytes(seal(packed.getvalue()[: -len(seal(b""))]))

    refused(bundle, "repro.md twice")


def test_a_bomb_is_refused_before_it_is_unpacked(
    bundle: Path, nothing_is_written: None
) -> None:
    bundle.write_bytes(sealed({**members(bundle), "repro.md": bytes(2 << 20)}))
    assert bundle.stat().st_size < 10_000

    refused(bundle, "larger than a bundle has it")


def test_a_bomb_that_lies_about_its_size_is_refused(
    bundle: Path, nothing_is_written: None
) -> None:
    whole = sealed({**members(bundle), "repro.md": bytes(2 << 20)})
    lying = whole[: -len(seal(b""))].replace(
        struct.pack("<I", 2 << 20), struct.pack("<I", 100)
    )
    bundle.write_bytes(seal(lying))

    refused(bundle, "no archive")


def test_a_file_that_is_too_large_is_not_read(
    bundle: Path, nothing_is_written: None
) -> None:
    # With a hole in it: it takes no room.
    os.truncate(bundle, packing.LARGEST_FILE + 1)

    refused(bundle, "more than 256 MiB")


@pytest.mark.parametrize("name", ["trajectory.jsonl", "checks.json", "repro.md"])
def test_a_member_that_is_not_as_the_manifest_says_is_refused(
    bundle: Path, nothing_is_written: None, name: str
) -> None:
    found = members(bundle)
    bundle.write_bytes(sealed({**found, name: found[name] + b"\n"}))

    refused(bundle, "not what its manifest says")


@pytest.mark.parametrize(
    "manifest", [b"", b"[]", b"{}", b"no json", b'{"files": {"a": 1}}', b"[" * 100_000]
)
def test_a_manifest_that_is_none_is_refused(
    bundle: Path, nothing_is_written: None, manifest: bytes
) -> None:
    bundle.write_bytes(sealed({**members(bundle), "manifest.json": manifest}))

    refused(bundle, "manifest")


def test_what_lacks_a_member_is_refused(bundle: Path, nothing_is_written: None) -> None:
    found = members(bundle)
    del found["checks.json"]
    bundle.write_bytes(sealed(found))

    refused(bundle, "lacks checks.json")


def test_a_file_that_is_no_archive_is_refused(
    bundle: Path, nothing_is_written: None
) -> None:
    bundle.write_bytes(seal(b"nothing"))

    refused(bundle, "no archive")


@pytest.mark.parametrize(
    ("altered", "said"),
    [
        (lambda text: text.replace(b"12A", b"13A"), "was changed"),
        (lambda text: text[: text.rindex(b'{"type": "trailer"')], "it was cut"),
        (lambda text: b"[]\n" + text, "no object"),
        (lambda text: b"[" * 100_000 + text, "no JSON"),
        (lambda text: b"", "it was cut"),
        (
            lambda _: made.trajectory(versions=[{"type": "version", "chain": ""}]),
            "tells",
        ),
        (
            lambda _: made.trajectory(versions=[made.version(0, 1, set_aside_by=2)]),
            "begin",
        ),
    ],
)
def test_a_trajectory_that_was_altered_before_it_was_packed_is_refused(
    bundle: Path, nothing_is_written: None, altered: Any, said: str
) -> None:
    found = members(bundle)
    del found["manifest.json"]
    text = altered(found["trajectory.jsonl"])
    bundle.write_bytes(packing.pack({**found, "trajectory.jsonl": text}, {}))

    refused(bundle, said)


@pytest.mark.parametrize(
    "checks", [b"{}x", b"7", b"[7]", b'["state.a="]', b"[" * 100_000]
)
def test_checks_that_cannot_be_read_are_refused(
    bundle: Path, nothing_is_written: None, checks: bytes
) -> None:
    found = members(bundle)
    del found["manifest.json"]
    bundle.write_bytes(packing.pack({**found, "checks.json": checks}, {}))

    refused(bundle, "heck")


def test_one_that_another_has_sealed_is_told_by_its_digest(bundle: Path) -> None:
    digest = read_bundle(bundle).sha256
    other = made.write(bundle, ["state.seat=14C"])

    with pytest.raises(BundleRefused, match=digest):
        read_bundle(other, digest)
    assert read_bundle(other, read_bundle(other).sha256.upper()).checks


def test_a_bad_check_is_refused_before_a_bundle_is_made() -> None:
    with pytest.raises(CheckRefused):
        make_bundle(made.trajectory(), ["state.seat="])

"""Bundles on the command line: a session taken along, and replayed without a server."""

from __future__ import annotations

import hashlib
from argparse import Namespace

from stepback._sync.client import Stepback
from stepback.bundles import (
    Difference,
    Replayed,
    agent_at,
    make_bundle,
    read_bundle,
)
from stepback.bundles import replay as replayed
from stepback.checks import CheckRefused, read_text
from stepback.cli import trajectories
from stepback.cli.asking import refuse_unused
from stepback.cli.output import Output, plain, value

ONLY_BUNDLES = ("mask", "check", "version")


class NotPassed(ValueError):
    """The agent did not do as it should."""


class BadCheck(ValueError):
    """A check cannot be read."""


def export(client: Stepback, asked: Namespace, output: Output) -> None:
    """Write a session: as JSON lines, or with its effects as a bundle.

    Raises: ValueError, BadCheck.
    """
    if not asked.with_effects:
        refuse_unused(asked, ONLY_BUNDLES, "is of a bundle: say --with-effects.")
        trajectories.export(client, asked, output)
        return
    if asked.file is None:
        raise ValueError("A bundle is a file: say which.")
    checks = asked.check or []
    _require_checks(checks)
    told = client.sessions.bundle(
        asked.session, version=asked.version, masks=asked.mask
    )
    packed = make_bundle(told, checks)
    with asked.file.open("xb") as file:
        file.write(packed)
    bundle = read_bundle(asked.file)
    masked = bundle.record.masked
    raw = {**bundle.trailer, "file_sha256": hashlib.sha256(packed).hexdigest()}
    lines = [
        f"Wrote {raw['versions']} versions and {raw['turns']} turns to {asked.file}.",
        f"Its digest is {raw['file_sha256']}.",
    ]
    if masked.get("values"):
        lines.append(f"{masked['values']} values are hidden wherever they stood.")
    if masked.get("short_values"):
        lines.append(
            f"{masked['short_values']} of fewer than three characters are hidden at "
            "their place alone."
        )
    output.result(raw, *lines)


def replay(asked: Namespace, output: Output) -> None:
    """Run an agent against a bundle, and tell what came of it.

    Raises: BundleRefused, BadCheck, NoAgent, NotPassed.
    """
    bundle = read_bundle(asked.file, asked.sha256)
    _require_checks(asked.check)
    found = replayed(bundle, agent_at(asked.agent), asked.check)
    output.result(found.told(), *_lines(found, output))
    if not found.passed:
        raise NotPassed(_reason(found))


def _require_checks(checks: list[str]) -> None:
    """Raises: BadCheck, at the place of what is wrong."""
    for text in checks:
        try:
            read_text(text)
        except CheckRefused as error:
            raise BadCheck(f"--check {text!r}: {error.sentence}") from error


def _lines(found: Replayed, output: Output) -> list[str]:
    lines = [_difference(found.difference)]
    for text, outcome in found.checks:
        colour = "added" if outcome == "holds" else "removed"
        lines.append(f"{output.paint(outcome, colour)}  {plain(text)}")
    for one in found.tried:
        said = f"! No network: {plain(one.at)} asked for {plain(one.address)}"
        lines.append(output.paint(said, "removed"))
    if found.raised is not None:
        lines.append(output.paint(f"! The agent raised {found.raised}", "removed"))
    return lines


def _difference(found: Difference | None) -> str:
    if found is None:
        return "It did as was recorded."
    where = f" {plain(found.pointer)}" if found.pointer else ""
    return (
        f"First difference in {found.kind}, step {found.step}{where}: recorded "
        f"({plain(found.at)}) {value(found.recorded)}, now {value(found.now)}"
    )


def _reason(found: Replayed) -> str:
    if found.raised is not None:
        return "The agent did not come to its end."
    failed = sum(1 for _, outcome in found.checks if outcome != "holds")
    if failed:
        return f"{failed} of {len(found.checks)} checks do not hold."
    return "It did not do as was recorded, and no check decides."

"""Proofs of sessions: kept as a file, and checked without a server."""

from __future__ import annotations

import json
from argparse import Namespace
from dataclasses import asdict
from pathlib import Path

from stepback._sync.client import Stepback
from stepback.cli.output import Output, plain
from stepback.proofs import ProofRefused, verify_proof


def prove(client: Stepback, asked: Namespace, output: Output) -> None:
    """Write a session's proof to a file.

    Raises: ProofRefused where it has none.
    """
    found = client.roots.prove(asked.session)
    if found.proof is None:
        raise ProofRefused(found.message)
    with asked.file.open("x") as file:
        json.dump(found.raw, file, ensure_ascii=False, indent=1)
    said = f"{asked.file} proves v{found.signed_version} of {plain(asked.session)}"
    output.result(found.raw, said + (", which went on." if found.moved else "."))


def verify(asked: Namespace, output: Output) -> None:
    """Check a proof with the key that was kept.

    Raises: ProofRefused.
    """
    proven = verify_proof(_read(asked.file), asked.verifier_key)
    said = (
        f"v{proven.version} of {plain(proven.session_id)} was signed in note "
        f"{proven.note} at {plain(proven.signed_at)} by {plain(proven.signed_by)}; "
        f"its chain is {proven.chain}."
    )
    output.result(asdict(proven), said)


def _read(file: Path) -> dict[str, object]:
    try:
        found = json.loads(file.read_bytes())
    except (ValueError, RecursionError) as error:
        raise ProofRefused(f"{file} is no JSON: it was cut or altered.") from error
    if not isinstance(found, dict):
        raise ProofRefused(f"{file} is no proof.")
    return found

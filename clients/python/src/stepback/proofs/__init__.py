"""Checks proofs of sessions without a server, with the public key that you kept."""

from stepback.proofs.verifying import ProofRefused, Proven, verify_proof

__all__ = ["ProofRefused", "Proven", "verify_proof"]

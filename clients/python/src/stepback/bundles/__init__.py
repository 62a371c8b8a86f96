"""Bundles: a recorded run in one file, and its replay without a server."""

from stepback.bundles.bundle import Bundle, make_bundle, read_bundle
from stepback.bundles.network import NoNetwork, Try
from stepback.bundles.packing import BundleRefused
from stepback.bundles.replaying import NoAgent, Replayed, agent_at, replay
from stepback.bundles.run import Difference, NotRecorded, RecordedFailure, Run

__all__ = [
    "Bundle",
    "BundleRefused",
    "Difference",
    "NoAgent",
    "NoNetwork",
    "NotRecorded",
    "RecordedFailure",
    "Replayed",
    "Run",
    "Try",
    "agent_at",
    "make_bundle",
    "read_bundle",
    "replay",
]

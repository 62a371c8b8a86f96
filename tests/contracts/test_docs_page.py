"""The docs page really shows the API, under our CSP and with no network at all."""

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.contracts.routes import api_routes

CHROMIUM = Path(os.environ.get("STEPBACK_CHROMIUM", "/usr/bin/chromium"))
pytestmark = pytest.mark.skipif(
    not CHROMIUM.exists() and os.environ.get("CI") != "true",
    reason=f"there is no {CHROMIUM}; STEPBACK_CHROMIUM names another",
)


def test_it_shows_every_operation_and_reports_no_error(
    live: Any, tmp_path: Path
) -> None:
    shown = subprocess.run(
        [
            CHROMIUM,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--enable-logging=stderr",
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
            f"--user-data-dir={tmp_path}",
            "--virtual-time-budget=20000",
            # Of more than two hundred rows it draws those that are in the window.
            "--window-size=1400,18000",
            "--dump-dom",
            f"{live.url}/docs",
        ],
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert shown.stdout.count('class="opblock-summary-method"') == len(api_routes())
    assert "List sessions, newest first" in shown.stdout
    assert "CONSOLE" not in shown.stderr

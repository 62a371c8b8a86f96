"""The product's settings, with a clock that the harness can step back and forth.

All code takes the time from `timezone.now`, at its doors; here it adds the seconds that
stand in a file.
"""

import os
from datetime import datetime, timedelta
from pathlib import Path

from django.utils import timezone

from config.settings import *  # noqa: F403

_offset = Path(os.environ["STEPBACK_FAULTS_CLOCK"])
_now = timezone.now


def _stepped() -> datetime:
    return _now() + timedelta(seconds=float(_offset.read_text()))


timezone.now = _stepped

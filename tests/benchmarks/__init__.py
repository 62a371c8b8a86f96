"""Measures the product beside what people know. The client is used as it is here."""

import sys
from pathlib import Path

CLIENT = Path(__file__).parents[2] / "clients" / "python" / "src"
if str(CLIENT) not in sys.path:
    sys.path.append(str(CLIENT))

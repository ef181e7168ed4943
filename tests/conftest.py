"""What all tests have in common."""

from __future__ import annotations

import os
from pathlib import Path

BUILD = Path(__file__).resolve().parents[1] / "build"
os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", str(BUILD / "hypothesis"))

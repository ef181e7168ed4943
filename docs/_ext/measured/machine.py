"""What the machine is, for the status page and for the measurements of speed: not whose it is."""

from __future__ import annotations

import platform
import subprocess
from pathlib import Path


def processor() -> str:
    """The name of the processor, as far as the system tells."""
    table = Path("/proc/cpuinfo")
    if table.exists():
        lines = [line.partition(":") for line in table.read_text(encoding="utf-8").splitlines()]
        names = [value.strip() for key, _, value in lines if key.strip() == "model name"]
    else:
        command = ["sysctl", "-n", "machdep.cpu.brand_string"]
        names = [subprocess.run(command, capture_output=True, text=True).stdout.strip()]
    return next(filter(None, names), platform.machine())

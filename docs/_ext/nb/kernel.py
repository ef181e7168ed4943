"""How kernels are started: what they and this process say to one another is encrypted.

Their sockets are open to everybody on the machine, and a kernel that runs in the clear says so.
"""

from __future__ import annotations

import zmq
from traitlets.config import Config


def kernel_config() -> Config:
    """Settings of nbclient: encryption, wherever ZeroMQ was built with it."""
    policy = "auto" if zmq.has("curve") else "disabled"
    return Config(KernelManager={"transport_encryption": policy})

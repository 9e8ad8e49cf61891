"""What the machine is doing, as the operating system says."""

from __future__ import annotations

import os

import psutil

from lpm_kernel.domain.training.growth import MachineState

BUSY_SHARE = 0.5
"""Share of the processors that is at work, over a minute, from which the machine counts as busy."""


def machine_state() -> MachineState:
    """Look at the load of the last minute and at the battery."""
    load = psutil.getloadavg()[0] / (os.cpu_count() or 1)
    battery = psutil.sensors_battery() if hasattr(psutil, "sensors_battery") else None
    return MachineState(load < BUSY_SHARE, battery is None or battery.power_plugged is not False)

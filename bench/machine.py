"""The machine that a number is from, and a fixed place on it."""

import os
import platform


def pin(cores):
    """Pins this process, and what it starts, to the last of its cores: interrupts prefer the first.

    To be called before TensorFlow is imported, whose threads stay where they are born.
    """
    allowed = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, allowed[-cores:])


def line():
    load = " ".join(f"{value:.2f}" for value in os.getloadavg())
    return f"{_model()}, {os.cpu_count()} cores, load average {load}"


def _model():
    try:
        with open("/proc/cpuinfo") as info:
            for entry in info:
                if entry.startswith("model name"):
                    return entry.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()

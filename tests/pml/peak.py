"""How much memory a program needed at most."""

from pathlib import Path


def peak_megabytes() -> float:
    """The peak of this process.

    Linux lets `getrusage` begin with the peak of the process that started it, so it is asked for another number there.
    """
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text("utf-8").splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) / 1024
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 / 1024  # bytes, on macOS

"""How much memory is free, and how many rows of a block fit into it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

SHARE = 0.25  # of the memory that is free: others use it as well, and what is free changes
LEAST = 1 << 26  # bytes that are taken to be free where nothing is known, or all seems used
ROOT = Path("/")


def block_rows(bytes_per_row: int, most: int | None = None, device: Any = None) -> int:
    """How many rows a block may have: as many as fit into a share of the free memory; `most` is a limit.

    `bytes_per_row` is all that a row of a block needs: its vector, and its scores for all queries. `device`
    is one of torch; None is the memory of this machine.
    """
    rows = max(int(free_memory(device) * SHARE), LEAST) // max(bytes_per_row, 1)
    return max(min(rows, rows if most is None else most), 1)


def free_memory(device: Any = None) -> int:
    """Bytes that this process can still use, on a device of torch or in the memory of this machine."""
    if device is not None and str(device).startswith("cuda"):
        import torch

        free: int = torch.cuda.mem_get_info(device)[0]
        # What torch holds without using it is free to it as well.
        held = torch.cuda.memory_stats(device)
        return int(free + held["reserved_bytes.all.current"] - held["allocated_bytes.all.current"])
    known = [size for size in (_of_machine(), _of_group(), _of_process()) if size is not None]
    return max(min(known, default=LEAST), 0)


def _of_machine() -> int | None:
    """What the machine has available: by Linux's account, or else by that of the system's configuration."""
    try:
        for line in (ROOT / "proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    except (AttributeError, OSError, ValueError):  # Windows has none
        return None


def _of_group() -> int | None:
    """What is left of the limits of the control groups that this process is in, of either version."""
    try:
        lines = (ROOT / "proc/self/cgroup").read_text().splitlines()
    except OSError:
        return None
    left = []
    for line in lines:
        _, controllers, path = [*line.split(":", 2), "", ""][:3]
        if not controllers:
            top, files = ROOT / "sys/fs/cgroup", ("memory.max", "memory.current", "inactive_file")
        elif "memory" in controllers.split(","):
            top = ROOT / "sys/fs/cgroup/memory"
            files = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
        else:
            continue
        # Inside a container, the path may be that of the host: what is mounted here is then its own group.
        group = top / path.strip("/")
        folders = [folder for folder in [group, *group.parents] if folder == top or top in folder.parents]
        left += [_left(folder, *files) for folder in folders]
    return min((size for size in left if size is not None), default=None)


def _left(folder: Path, limit: str, usage: str, inactive: str) -> int | None:
    """The limit of a group less what it uses; pages of files that it can give up are not counted."""
    try:
        most, used = int((folder / limit).read_text()), int((folder / usage).read_text())
    except (OSError, ValueError):  # not there, or "max"
        return None
    try:
        stat = dict(line.split() for line in (folder / "memory.stat").read_text().splitlines())
        used -= int(stat.get(inactive, 0))
    except (OSError, ValueError):
        pass
    return max(most - used, 0)


def _of_process() -> int | None:
    """What is left of the limit of this process's address space (`ulimit -v`)."""
    try:
        import resource

        most = resource.getrlimit(resource.RLIMIT_AS)[0]
        if most in (resource.RLIM_INFINITY, -1):
            return None
        pages = int((ROOT / "proc/self/statm").read_text().split()[0])
        return max(most - pages * resource.getpagesize(), 0)
    except (ImportError, OSError, ValueError, IndexError):
        return None

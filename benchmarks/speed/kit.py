"""What the speed benchmarks share: the kit of peers, interleaved timing, a table."""

from __future__ import annotations

import gc
import importlib
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

__all__ = ["Kit", "interleaved", "table", "whole_command"]


class Kit:
    """The folder of the peers: `bench/` with generators and C programs, `data/`, `venvs/`, `src/`."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self.bench = self.root / "bench"
        if not (self.bench / "common.py").exists():
            sys.exit(f"{self.root}: no bench/common.py here; give the folder of the benchmark kit")
        (self.root / "data").mkdir(exist_ok=True)
        sys.path.insert(0, str(self.bench))
        self.common: Any = importlib.import_module("common")

    def compiled(self, name: str, *flags: str) -> Path:
        """A C program of the kit, compiled once."""
        program = self.bench / name
        if not program.exists():
            source = program.with_suffix(".c")
            subprocess.run(
                ["gcc", "-O3", "-march=native", "-w", "-o", program, source, "-lpthread", "-lm", *flags], check=True
            )
        return program


def interleaved(fns: dict[str, Callable[[], Any]], repeats: int) -> dict[str, float]:
    """Best seconds of each, run in turns so that a busy moment hits all alike."""
    best = dict.fromkeys(fns, float("inf"))
    for _ in range(repeats):
        for name, fn in fns.items():
            gc.collect()
            start = time.perf_counter()
            fn()
            best[name] = min(best[name], time.perf_counter() - start)
    return best


def whole_command(command: Sequence[object], out: Path) -> tuple[float, float]:
    """Seconds and peak megabytes of a command with its output in a file."""
    start = time.perf_counter()
    with out.open("wb") as stream:
        process = subprocess.Popen([str(word) for word in command], stdout=stream)
        _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    if status != 0:
        raise SystemExit(f"{command[0]} failed")
    scale = 1024 if sys.platform != "darwin" else 1024 * 1024
    return seconds, usage.ru_maxrss / scale


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A Markdown table, ready for benchmarks/LOG.md."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)

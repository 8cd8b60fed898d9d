"""How long it takes before anything happens: `import rankwise`, and `rankwise evaluate` on a tiny file.

python benchmarks/speed/startup.py
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from kit import table, whole_command

REPEATS = 15


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        (here / "qrels").write_text("q1 0 d1 1\nq1 0 d2 0\n")
        (here / "run").write_text("q1 Q0 d1 1 2.0 tag\nq1 Q0 d2 2 1.0 tag\n")
        commands: dict[str, list[object]] = {
            "python -c pass": [sys.executable, "-c", "pass"],
            "import numpy": [sys.executable, "-c", "import numpy"],
            "import rankwise": [sys.executable, "-c", "import rankwise"],
            "import rankwise; rankwise.evaluate": [sys.executable, "-c", "import rankwise; rankwise.evaluate"],
            "rankwise evaluate on a tiny file": [
                Path(sys.executable).with_name("rankwise"),
                "evaluate",
                here / "qrels",
                here / "run",
            ],
        }
        best = dict.fromkeys(commands, float("inf"))
        for _ in range(REPEATS):
            for name, command in commands.items():
                best[name] = min(best[name], whole_command(command, here / "out")[0])
    print(table(["what", "s"], [[name, f"{seconds:.3f}"] for name, seconds in best.items()]))


if __name__ == "__main__":
    main()

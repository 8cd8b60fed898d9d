"""A headless Chromium, spoken to through a pair of pipes by its DevTools protocol; nothing else is needed."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
PATIENCE = 60.0
# The browser reads its third file and writes its fourth. A process of its own sees to that: what runs between a fork
# and the program that follows is no place for Python where threads are.
HAND_OVER = """
import fcntl, os, sys
read, write = (fcntl.fcntl(int(number), fcntl.F_DUPFD, 10) for number in sys.argv[1:3])
os.dup2(read, 3)
os.dup2(write, 4)
os.execv(sys.argv[3], sys.argv[3:])
"""


def found() -> str | None:
    """Where Chromium is, if it is installed; `CHROMIUM` names another one."""
    return next(
        (path for name in (os.environ.get("CHROMIUM", ""), *NAMES) if name and (path := shutil.which(name))), None
    )


class Browser:
    """One page; `events` are all that it told."""

    def __init__(self, folder: Path) -> None:
        path = found()
        assert path is not None
        out_of_it, answers = os.pipe()
        questions, into_it = os.pipe()
        self._out, self._in = out_of_it, into_it
        self.events: list[dict[str, Any]] = []
        self._number, self._rest = 0, b""

        flags = ["headless=new", "no-sandbox", "disable-gpu", "disable-dev-shm-usage", "remote-debugging-pipe",
                 "no-first-run", "disable-background-networking", "disable-extensions", "hide-scrollbars",
                 f"user-data-dir={folder / 'profile'}"]  # fmt: skip
        command = [path, *(f"--{flag}" for flag in flags), "about:blank"]
        self.process = subprocess.Popen(
            [sys.executable, "-c", HAND_OVER, str(questions), str(answers), *command],
            pass_fds=(questions, answers),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(questions)
        os.close(answers)
        self._session: str | None = None
        try:
            target = self.ask("Target.createTarget", url="about:blank")["targetId"]
            self._session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
            for domain in ("Page", "Runtime", "Network", "Log"):
                self.ask(f"{domain}.enable")
        except BaseException:
            self.close()
            raise

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        asked = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            asked["sessionId"] = self._session
        os.write(self._in, json.dumps(asked).encode() + b"\0")
        number = self._number
        while True:
            told = self._next()
            if told.get("id") == number:
                assert "error" not in told, f"{method}: {told['error']}"
                result: dict[str, Any] = told["result"]
                return result
            self.events.append(told)

    def run(self, script: str) -> Any:
        """The value of an expression in the page; a promise is waited for."""
        told = self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in told, told["exceptionDetails"]
        return told["result"].get("value")

    def wait(self, script: str) -> None:
        """Until an expression is true."""
        until = time.monotonic() + PATIENCE
        while not self.run(script):
            assert time.monotonic() < until, f"not within {PATIENCE:g} s: {script}"
            time.sleep(0.1)

    def open(self, address: str, *, width: int = 1200, height: int = 900, scheme: str = "light") -> None:
        self.ask(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.ask("Page.navigate", url=address)
        self.wait("document.readyState === 'complete'")

    def press(self, key: str, code: int, text: str = "") -> None:
        for kind in ("keyDown", "keyUp"):
            more = {"text": text} if kind == "keyDown" and text else {}
            self.ask("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, **more)

    def screenshot(self, path: Path, clip: tuple[float, float, float, float] | None = None) -> None:
        """The whole page, or a part: left, top, width, height."""
        more: dict[str, Any] = {"captureBeyondViewport": True}
        if clip is None:
            size = self.ask("Page.getLayoutMetrics")["cssContentSize"]
            clip = (0, 0, size["width"], size["height"])
        more["clip"] = dict(zip(("x", "y", "width", "height"), clip, strict=True)) | {"scale": 1}
        path.write_bytes(base64.b64decode(self.ask("Page.captureScreenshot", format="png", **more)["data"]))

    def told(self, *methods: str) -> list[dict[str, Any]]:
        """The events of these kinds so far."""
        return [event["params"] for event in self.events if event.get("method") in methods]

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(timeout=30)
        os.close(self._in)
        os.close(self._out)

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._out], [], [], PATIENCE)
            assert ready, "the browser does not answer"
            piece = os.read(self._out, 1 << 20)
            assert piece, "the browser has ended"
            self._rest += piece
        one, _, self._rest = self._rest.partition(b"\0")
        told: dict[str, Any] = json.loads(one)
        return told

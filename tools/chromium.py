"""Chromium without a window, driven over a pipe by the DevTools protocol."""

from __future__ import annotations

import base64
import fcntl
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

PROGRAM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
_FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--no-first-run", "--hide-scrollbars",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
)  # fmt: skip


_TELEPHONE = 700
"""Pixels of the width below which a window is that of a telephone."""


class _Navigated(Exception):  # noqa: N818 - no error
    """The page has changed under a script."""


class Browser:
    """One page of a running Chromium."""

    def __init__(self, send: int, receive: int) -> None:
        self._send, self._receive = send, receive
        self._rest = b""
        self._number = 0
        self.events: list[dict[str, Any]] = []
        self._session = ""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Call a method and return its result; events on the way are kept."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._send, json.dumps(message).encode() + b"\0")
        while True:
            reply = self._read()
            if reply.get("id") == self._number:
                if "navigated" in str(reply.get("error")) or "context" in str(reply.get("error")):
                    raise _Navigated
                assert "error" not in reply, reply
                return dict(reply["result"])
            self.events.append(reply)

    def open(self, url: str) -> None:
        """Open an address, and wait for the page to load."""
        seen = len(self.events)
        self.call("Page.navigate", url=url)
        self.wait_for_event("Page.loadEventFired", seen)

    def wait_for_event(self, name: str, seen: int = 0) -> dict[str, Any]:
        """Wait for an event after the first `seen`."""
        while not (found := [each for each in self.events[seen:] if each.get("method") == name]):
            self.events.append(self._read())
        return found[0]

    def run(self, script: str) -> Any:
        """Return the value of an expression, awaited."""
        result = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def wait(self, condition: str) -> None:
        """Wait until an expression is true, also across pages; for half a minute."""
        script = f"new Promise(done => setTimeout(() => done(Boolean({condition})), 25))"
        for _ in range(1200):
            with suppress(_Navigated):
                if self.run(script):
                    return
        raise AssertionError(f"never: {condition}")

    def type(self, text: str) -> None:
        """Type a text."""
        self.call("Input.insertText", text=text)

    def press(self, key: str, *, code: int, modifiers: int = 0) -> None:
        """Press a key. Modifiers are 1 for Alt, 2 for Ctrl."""
        for kind in ("rawKeyDown", "keyUp"):
            self.call(
                "Input.dispatchKeyEvent",
                type=kind,
                key=key,
                code=key,
                windowsVirtualKeyCode=code,
                modifiers=modifiers,
            )

    def set_look(
        self, *, language: str = "", theme: str = "", width: int = 0, height: int = 0, scale: int = 1
    ) -> None:
        """Set language, theme and size of what is opened next; what is not given is that of the browser.

        Args:
            language: As browsers ask for it.
            theme: `light` or `dark`; motion is reduced with either.
            width: Pixels; below 700 it is a telephone.
            height: Pixels.
            scale: Pixels of the screen for one of the page.
        """
        if language:
            agent = self.run("navigator.userAgent")
            self.call("Emulation.setUserAgentOverride", userAgent=agent, acceptLanguage=language)
        wanted = {"prefers-color-scheme": theme, "prefers-reduced-motion": "reduce" if theme else ""}
        features = [{"name": name, "value": value} for name, value in wanted.items()]
        self.call("Emulation.setEmulatedMedia", features=features)
        if width:
            size = {
                "width": width,
                "height": height,
                "deviceScaleFactor": scale,
                "mobile": width < _TELEPHONE,
            }
            self.call("Emulation.setDeviceMetricsOverride", **size)
        else:
            self.call("Emulation.clearDeviceMetricsOverride")

    def take_picture(self) -> bytes:
        """Return a PNG of what is seen."""
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])

    def print_pdf(self) -> bytes:
        """Return the page as a PDF on A4."""
        size = {"paperWidth": 8.27, "paperHeight": 11.69}
        return base64.b64decode(self.call("Page.printToPDF", **size)["data"])

    @property
    def addresses(self) -> list[str]:
        """Addresses of all requests so far."""
        sent = [each for each in self.events if each.get("method") == "Network.requestWillBeSent"]
        return [each["params"]["request"]["url"] for each in sent]

    @property
    def complaints(self) -> list[str]:
        """Lines of the console and its errors, and dialogs."""
        kinds = (
            "Runtime.consoleAPICalled",
            "Runtime.exceptionThrown",
            "Log.entryAdded",
            "Page.javascriptDialogOpening",
        )
        return [json.dumps(each["params"]) for each in self.events if each.get("method") in kinds]

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            more = os.read(self._receive, 1 << 16)
            assert more, "Chromium has ended"
            self._rest += more
        line, _, self._rest = self._rest.partition(b"\0")
        return dict(json.loads(line))


@contextmanager
def start_chromium(*flags: str) -> Iterator[Browser]:
    """Start Chromium; it ends with the block."""
    assert PROGRAM is not None
    to_browser, from_us = os.pipe()
    to_us, from_browser = os.pipe()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:

        def place() -> None:
            # First to free descriptors, since either pipe may have the number that the other one is to get.
            copies = [fcntl.fcntl(pipe, fcntl.F_DUPFD, 5) for pipe in (to_browser, from_browser)]
            os.dup2(copies[0], 3)
            os.dup2(copies[1], 4)

        process = subprocess.Popen(
            [PROGRAM, *_FLAGS, *flags, f"--user-data-dir={profile}", "about:blank"],
            preexec_fn=place,
            close_fds=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        try:
            yield Browser(from_us, to_us)
        finally:
            process.kill()
            process.wait()
            os.close(from_us)
            os.close(to_us)

"""Drives Chromium through a pipe, without anything that would have to be installed beside it."""

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time


class Browser:
    def __init__(self, program):
        self.folder = tempfile.mkdtemp(prefix="book-browser-")
        commands, self.commands = os.pipe()
        self.answers, answers = os.pipe()
        # Chromium reads commands from the file 3 and writes answers to the file 4.
        script = f'exec 3<&{commands} 4>&{answers}; exec "$0" "$@"'
        flags = [
            "--headless=new", "--remote-debugging-pipe", f"--user-data-dir={self.folder}", "--no-first-run",
            "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--hide-scrollbars",
            "--disable-dev-shm-usage", "--proxy-server=127.0.0.1:9",
        ]
        if os.getuid() == 0:
            flags.append("--no-sandbox")
        self.process = subprocess.Popen(
            ["/bin/bash", "-c", script, program, *flags, "about:blank"], pass_fds=(commands, answers),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(commands)
        os.close(answers)
        self.buffer = b""
        self.number = 0
        self.requests = []
        self.loads = 0
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Network"]:
            self.call(f"{domain}.enable")

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.commands, data):]
        while True:
            answer = self.read()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def read(self):
        while b"\0" not in self.buffer:
            piece = os.read(self.answers, 1 << 20)
            if not piece:
                raise RuntimeError("The browser ended.")
            self.buffer += piece
        message, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(message)
        if message.get("method") == "Network.requestWillBeSent":
            self.requests.append(message["params"]["request"]["url"])
        if message.get("method") == "Page.loadEventFired":
            self.loads += 1
        return message

    def open(self, url):
        """Returns the addresses that the page asked for."""
        self.requests = []
        loads = self.loads
        self.call("Page.navigate", url=url)
        while self.loads == loads:
            self.read()
        self.run("document.fonts.ready.then(() => 1)")
        return list(self.requests)

    def size(self, width, height=900, scheme="light"):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def run(self, script):
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True, userGesture=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{script[:200]}: {result['exceptionDetails']['exception'].get('description')}")
        return result["result"].get("value")

    def until(self, script, seconds=20):
        """The first true value of the script; its last value if it never comes true: what a page does by timers takes as long
        as the machine makes it take. In the middle of a navigation there is no page to ask."""
        end = time.monotonic() + seconds
        while True:
            try:
                value = self.run(script)
            except RuntimeError:
                value = None
                if time.monotonic() > end:
                    raise
            if value or time.monotonic() > end:
                return value
            time.sleep(0.02)

    def key(self, key, text=None):
        code = {"Escape": 27, "Enter": 13, "Tab": 9, "ArrowDown": 40}.get(key, ord(key[0]))
        for kind in ["keyDown", "keyUp"]:
            extra = {"text": text} if text and kind == "keyDown" else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code, **extra)

    def type(self, words):
        self.call("Input.insertText", text=words)

    def scripts(self, are_on):
        self.call("Emulation.setScriptExecutionDisabled", value=not are_on)

    def pdf(self, path, **options):
        data = self.call("Page.printToPDF", preferCSSPageSize=True, printBackground=False, **options)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def close(self):
        self.session = None
        try:
            self.call("Browser.close")
        except (RuntimeError, OSError):
            pass
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

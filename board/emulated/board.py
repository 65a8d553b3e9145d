"""The emulated board: starts it, uses its two terminals, presses its button, stops it."""

import json
import re
import signal
import socket
import subprocess
import tempfile
import threading
import time


class BoardError(Exception):
    """The board did not reach an expected state in time."""


class Terminal:
    """A terminal of the board. Keeps all output; `expect` searches the output after the last match."""

    def __init__(self, name, connection, log):
        self.name = name
        self.connection = connection
        self.log = log
        self.text = ""
        self.seen = 0
        self.closed = False
        self.changed = threading.Condition()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        while True:
            try:
                data = self.connection.recv(65536)
            except OSError:
                data = b""
            if data and self.log:
                self.log.write(data)
                self.log.flush()
            with self.changed:
                self.text += data.decode("utf-8", "replace").replace("\r", "")
                self.closed = not data
                self.changed.notify_all()
            if not data:
                return

    def send(self, text):
        self.connection.sendall(text.encode())

    def expect(self, pattern, limit):
        """Waits for the pattern, or raises BoardError. Returns the match and the text before it."""
        end = time.monotonic() + limit
        expression = re.compile(pattern, re.MULTILINE)
        with self.changed:
            while True:
                match = expression.search(self.text, self.seen)
                if match:
                    before = self.text[self.seen : match.start()]
                    self.seen = match.end()
                    return match, before
                left = end - time.monotonic()
                if self.closed or left <= 0:
                    why = "it ended" if self.closed else f"{limit:.0f} s passed"
                    tail = self.text[-400:]
                    raise BoardError(f"{self.name}: waited for {pattern!r}, {why}; the last output is {tail!r}")
                self.changed.wait(left)


class Board:
    """One run of the emulated board, from power on to power off.

    folder: contains vmlinuz and initrd.gz.
    disks: QEMU arguments for its disks; `plain_disks` returns the usual ones.
    log: a file to which the output of its terminals is appended, or None.
    limit: seconds after which every wait fails, counted from power on.
    """

    def __init__(self, folder, disks, log=None, limit=900, memory=1024):
        self.folder = folder
        self.disks = disks
        self.log_path = log
        self.limit = limit
        self.memory = memory
        self.count = 0

    @staticmethod
    def plain_disks(root, data):
        """Disks that are two files."""
        arguments = []
        for name, path in (("root", root), ("data", data)):
            arguments += ["-drive", f"if=none,file={path},format=raw,id={name}"]
            arguments += ["-device", f"virtio-blk-device,drive={name}"]
        return arguments

    def start(self):
        """Switches the power on. Returns when the shell responds."""
        self.sockets = tempfile.TemporaryDirectory(prefix="board")
        self.end = time.monotonic() + self.limit
        place = self.sockets.name
        command = ["qemu-system-aarch64", "-M", "virt", "-cpu", "cortex-a72", "-smp", "2", "-m", str(self.memory)]
        command += ["-accel", "tcg,thread=multi", "-nic", "none", "-display", "none", "-monitor", "none", "-no-reboot"]
        command += ["-kernel", f"{self.folder}/vmlinuz", "-initrd", f"{self.folder}/initrd.gz"]
        command += ["-append", "console=ttyAMA0 quiet systemd.show_status=no", *self.disks]
        for name in ("serial", "shell"):
            command += ["-chardev", f"socket,id={name},path={place}/{name},server=on,wait=on"]
        command += ["-serial", "chardev:serial", "-device", "virtio-serial-device"]
        # A keyboard: its lights are LEDs of the kernel.
        command += ["-device", "virtio-keyboard-pci"]
        command += ["-device", "virtconsole,chardev=shell", "-qmp", f"unix:{place}/qmp,server=on,wait=off"]
        self.log = open(self.log_path, "ab") if self.log_path else None
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        self.serial = Terminal("serial line", self._connect("serial"), self.log)
        self.shell = Terminal("shell", self._connect("shell"), self.log)
        self.qmp = self._connect("qmp")
        self.qmp_lines = self.qmp.makefile("r")
        self.qmp_lock = threading.Lock()
        self.qmp_lines.readline()
        self._command("qmp_capabilities")
        self.shell.expect(r"^board-shell-ready\n", self._left(240))

    def _connect(self, name):
        end = time.monotonic() + 20
        while True:
            connection = socket.socket(socket.AF_UNIX)
            try:
                connection.connect(f"{self.sockets.name}/{name}")
                return connection
            except OSError:
                connection.close()
                if time.monotonic() > end or self.process.poll() is not None:
                    raise BoardError(f"the emulator did not start; see {self.log_path}") from None
                time.sleep(0.05)

    def _left(self, limit):
        return max(0, min(limit, self.end - time.monotonic()))

    def _command(self, name):
        with self.qmp_lock:
            self.qmp.sendall(json.dumps({"execute": name}).encode() + b"\n")
            while True:
                line = self.qmp_lines.readline()
                if not line:
                    raise BoardError("the emulator has ended")
                answer = json.loads(line)
                if "error" in answer:
                    raise BoardError(f"{name}: {answer['error']}")
                if "return" in answer:
                    return

    # The button.

    def press(self):
        """Starts a press of 100 ms and returns."""
        self._command("system_powerdown")

    def hold(self, seconds):
        """Presses for about `seconds`: sends the key again before its 100 ms end."""
        end = time.monotonic() + seconds
        self.press()
        while time.monotonic() < end - 0.1:
            time.sleep(0.04)
            self.press()

    # The shell.

    def run(self, command, limit=60):
        """Runs a command as root. Returns its exit status and its output on both streams."""
        self.count += 1
        self.shell.send(f"{{ {command}\n}} </dev/null 2>&1; printf '\\n@@%d:%d@@\\n' {self.count} $?\n")
        match, before = self.shell.expect(rf"^@@{self.count}:(\d+)@@\n", self._left(limit))
        return int(match[1]), before[:-1]

    def output(self, command, limit=60):
        """Runs a command as root; raises BoardError if it fails. Returns its output without surrounding whitespace."""
        status, text = self.run(command, limit)
        if status != 0:
            raise BoardError(f"`{command}` exits {status}: {text}")
        return text.strip()

    def json(self, command, limit=60):
        """The JSON objects that `pinhole --json COMMAND` prints."""
        lines = self.output(f"pinhole --json {command}", limit).splitlines()
        return [json.loads(line) for line in lines if line.startswith("{")]

    def wait_until(self, condition, limit, interval=0.5):
        """Calls a function until its result is true, and returns the result; raises BoardError after the limit."""
        end = time.monotonic() + self._left(limit)
        while True:
            value = condition()
            if value:
                return value
            if time.monotonic() > end:
                raise BoardError(f"not within {limit:.0f} s")
            time.sleep(interval)

    # Stopping.

    def power_off(self):
        """Shuts down, and waits until the power is off."""
        self.shell.send("systemctl poweroff\n")
        self.wait_off(120)

    def reboot(self):
        """Restarts, and waits until the shell responds."""
        self.shell.send("systemctl reboot\n")
        self.wait_off(120)
        self.start()

    def kill(self):
        """Cuts the power."""
        self.process.send_signal(signal.SIGKILL)
        self.wait_off(20)

    def wait_off(self, limit):
        """Waits until the power is off."""
        try:
            self.process.wait(limit)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise BoardError(f"the board did not power off within {limit} s") from None
        finally:
            for connection in (self.serial.connection, self.shell.connection, self.qmp):
                connection.close()
            self.sockets.cleanup()
            if self.log:
                self.log.close()

    def is_on(self):
        """True while the emulator runs."""
        return self.process.poll() is None

"""The camera as a process, controlled only through its control socket."""
import json
import os
import signal
import socket
import subprocess
import time

# Small pictures, so that more cuts are between files than inside one.
CONFIGURATION = (
    "library : { reserve_mb = 8; };\n"
    "simulator : { width = 640; height = 120; frames_per_second = 60.0; };\n"
)


class Camera:
    def __init__(self, program, state, configuration, preload=None):
        """`configuration` is a file to write, on a different disk than the one whose power is cut.

        `preload` is a library that is loaded into the camera before all others.
        """
        self.environment = {**os.environ, "LD_PRELOAD": preload} if preload else None
        self.program, self.state, self.configuration, self.process = program, state, configuration, None
        with open(configuration, "w", encoding="ascii") as file:
            file.write(CONFIGURATION)

    def start(self):
        """Starts it and waits until it answers, which may take long on a busy machine."""
        os.makedirs(self.state, exist_ok=True)
        self.process = subprocess.Popen(
            [self.program, "run", "--state", self.state, "--config", self.configuration, "--sensor", "simulated",
             "--console", "none"],
            env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 30
        while True:
            try:
                if self.command("status")[0]["state"] in ("ready", "saving", "full"):
                    return
            except (OSError, KeyError, IndexError):
                pass
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.process.kill()
                self.process.wait()
                raise RuntimeError("the camera does not start")
            time.sleep(0.005)

    def stop(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        self.process.wait(60)

    def connection(self):
        client = socket.socket(socket.AF_UNIX)
        client.settimeout(60)
        client.connect(self.state + "/run/console.sock")
        return client

    def command(self, line):
        """The records of a command, without its exit status."""
        return list(self.follow(line))

    def follow(self, line):
        """The records of a command, one by one as they arrive."""
        with self.connection() as client:
            client.sendall(line.encode() + b"\n")
            with client.makefile("r", encoding="utf-8") as answer:
                for text in answer:
                    record = json.loads(text)
                    if "exit" in record:
                        return
                    yield record

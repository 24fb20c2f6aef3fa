# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A peer's process, driven by lines (harness/main.cpp lists them)."""
import os
import select
import signal
import subprocess

TIMEOUT = 120  # seconds for one answer; POCL needs some to compile


class Failure(Exception):
    """A peer crashed, hung, or said "error TEXT"."""


class Peer:
    """Starts the executable when first asked, and again after it failed."""

    def __init__(self, path, environment=None, under=()):
        """`environment`: variables for this peer, beside those of the process; `under`: a command that runs it."""
        self.command = [*under, path]
        self.environment = dict(os.environ, **(environment or {}))
        self.process = None
        self.buffer = b""

    def ask(self, command):
        """Sends a line and returns what follows the command's name in the answer."""
        if self.process is None:
            self.buffer = b""
            try:
                self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                                env=self.environment, start_new_session=bool(self.command[1:]))
            except OSError as error:
                raise Failure(str(error)) from error
        try:
            self.process.stdin.write(command.encode() + b"\n")
            self.process.stdin.flush()
            answer = self.readLine()
        except BrokenPipeError:
            answer = None
        if answer is None:
            raise self.dead()
        word, _, rest = answer.partition(" ")
        if word == "error":
            self.stop()
            raise Failure(rest)
        return rest

    def readLine(self):
        """The next line, or None at the end of the stream."""
        while b"\n" not in self.buffer:
            ready, _, _ = select.select([self.process.stdout], [], [], TIMEOUT)
            if not ready:
                self.kill()
                self.stop()
                raise Failure(f"no answer within {TIMEOUT} s")
            chunk = os.read(self.process.stdout.fileno(), 65536)
            if not chunk:
                return None
            self.buffer += chunk
        line, _, self.buffer = self.buffer.partition(b"\n")
        return line.decode()

    def kill(self):
        """With what it runs under."""
        if self.command[1:]:
            os.killpg(self.process.pid, signal.SIGKILL)
        else:
            self.process.kill()

    def dead(self):
        code = self.stop()
        return Failure(f"killed by signal {-code}" if code < 0 else f"exit code {code}")

    def end(self):
        """Stops the process where it runs, with what is open in it; the next line starts a new one."""
        if self.process is not None:
            self.stop()

    def stop(self):
        process, self.process = self.process, None
        process.stdin.close()
        process.stdout.close()
        return process.wait()

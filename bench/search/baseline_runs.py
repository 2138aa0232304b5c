"""bench/search/baseline_runs.py - runs that are kept in a file as they end, and are not made again.
SPDX-License-Identifier: MIT
"""
import json
import os
import sys
import time


class kept_runs:
    """A line of JSON for each run, written when the run ends. A program that is killed loses the run in progress alone.

    Without a path nothing is kept. A last line without its end, of a program that was killed, is cut off.
    """

    def __init__(self, path):
        self.path = path
        self.runs = {}
        if not path or not os.path.exists(path):
            return
        with open(path, "rb") as file:
            text = file.read()
        whole = text[:text.rfind(b"\n") + 1]
        for number, line in enumerate(whole.decode(errors="replace").splitlines(), 1):
            try:
                run = json.loads(line)
                self.runs[self.name_of(run["of"])] = run
            except (ValueError, TypeError, KeyError) as problem:
                sys.exit(f"{path}:{number}: is no run: {problem}")
        if text and not self.runs:
            sys.exit(f"{path}: has no run; remove it, or name another file")
        if len(whole) < len(text):
            os.truncate(path, len(whole))

    @staticmethod
    def name_of(of):
        return json.dumps(of, sort_keys=True)

    def find(self, of):
        """The run with this dictionary as its name, or None."""
        return self.runs.get(self.name_of(of))

    def add(self, of, **results):
        run = {"of": of, **results}
        self.runs[self.name_of(of)] = run
        if self.path:
            with open(self.path, "a") as file:
                file.write(json.dumps(run) + "\n")
        return run


class progress:
    """On a terminal one line, written over twice a second; else a line each minute and at the end of each run."""

    def __init__(self, what):
        self.what = what
        self.begin = self.shown = time.monotonic()
        self.is_terminal = sys.stderr.isatty()

    def step(self, done, of):
        now = time.monotonic()
        if now < self.shown + (.5 if self.is_terminal else 60):
            return
        self.shown = now
        self.show(f"{self.what}: {done} of {of}, {now - self.begin:.0f} s", "\r" if self.is_terminal else "\n")

    def end(self, result):
        if self.is_terminal:
            self.show("", "\r")
        else:
            self.show(f"{self.what}: {result}, {time.monotonic() - self.begin:.1f} s", "\n")

    def show(self, text, end):
        print(text.ljust(78) if self.is_terminal else text, end=end, file=sys.stderr, flush=True)

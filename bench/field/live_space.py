"""bench/field/live_space.py - the space of a running bench.field.live, with the members of a recording.
SPDX-License-Identifier: MIT
"""
import collections.abc
import math
import subprocess
import time

from baseline_recording import indexed_values


def without_trunc_mod(text):
    """The constraint with `%` for the remainder of C++, which is the same for numbers that are not negative."""
    begin = text.find("trunc_mod(")
    if begin < 0:
        return text
    first = begin + len("trunc_mod(")
    depth, comma, at = 1, 0, first
    while depth:
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        comma = at if text[at] == "," and depth == 1 else comma
        at += 1
    return without_trunc_mod(f"{text[:begin]}(({text[first:comma]}) % ({text[comma + 1:at - 1]})){text[at:]}")


class measured_times(collections.abc.Mapping):
    """Milliseconds of each valid configuration, None for a failure. A value is measured when it is read first."""

    def __init__(self, space):
        self.space = space
        self.known = {}

    def __contains__(self, at):
        return at in self.space.places

    def __getitem__(self, at):
        if at not in self.known:
            self.known[at] = self.space.measure(at)
        return self.known[at]

    def __iter__(self):
        return iter(self.space.all)

    def __len__(self):
        return len(self.space.all)


class live_space(indexed_values):
    """One run of the program. Configurations are tuples of values, in the order of `names`."""
    is_live = True

    def __init__(self, program, kernel, *options):
        self.name = kernel
        self.process = subprocess.Popen([program, "--kernel", kernel, *options], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.values = {}
        self.constraints = []
        valid = []
        self.final = {}
        for line in self.process.stdout:
            word, _, rest = line.rstrip("\n").partition(" ")
            if word == "parameter":
                name, kind, *texts = rest.split(" ")
                self.values[name] = [int(text) if kind == "number" else text for text in texts]
            elif word == "constraint":
                self.constraints.append(without_trunc_mod(rest))
            elif word == "valid":
                valid.append(tuple(int(i) for i in rest.split()))
            elif word == "default":
                self.default_ms = float(rest)
            elif word == "ready":
                break
        else:
            raise RuntimeError(f"{program} --kernel {kernel} ended with {self.process.wait()} before it was ready")
        self.begin = time.monotonic()
        self.names = list(self.values)
        self.places = {tuple(self.values[name][i] for name, i in zip(self.names, at)): at for at in valid}
        self.all = list(self.places)
        self.best_ms = math.nan
        self.time_ms = measured_times(self)
        self.note_indices()

    def measure(self, at):
        self.process.stdin.write(" ".join(map(str, self.places[at])) + "\n")
        self.process.stdin.flush()
        answer = self.read()
        return None if answer == ["value", "failed"] else float(answer[1])

    def read(self):
        """The words of the next line. Errors: RuntimeError, the program has ended."""
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"bench.field.live --kernel {self.name} ended with {self.process.wait()}")
        return line.split()

    def end(self):
        """Ends the tuning. Returns the numbers of the final."""
        self.process.stdin.close()
        for line in self.process.stdout:
            if line.startswith("final "):
                self.final = dict(pair.split("=") for pair in line.split()[1:])
        self.process.wait()
        return self.final

    def kill(self):
        self.process.kill()
        self.process.wait()

"""bench/search/baseline_recording.py - recordings, and the account of one run on one of them.
SPDX-License-Identifier: MIT
"""
import csv
import glob
import gzip
import json
import math
import os
import random
import statistics
import time


class indexed_values:
    """What tools that know numbers alone need: the indices of values. A subclass has `names` and `values`."""
    is_live = False

    def note_indices(self):
        self.varying = [d for d, name in enumerate(self.names) if len(self.values[name]) > 1]
        self.index = [{value: i for i, value in enumerate(self.values[name])} for name in self.names]

    def size(self, d):
        return len(self.values[self.names[d]])

    def of_indices(self, indices):
        """The configuration with these indices of the values that vary."""
        at = [self.values[name][0] for name in self.names]
        for d, i in zip(self.varying, indices):
            at[d] = self.values[self.names[d]][int(i)]
        return tuple(at)

    def indices_of(self, at):
        return [self.index[d][at[d]] for d in self.varying]

    def is_number(self, d):
        return all(isinstance(value, (int, float)) for value in self.values[self.names[d]])


class recording(indexed_values):
    """A space whose every configuration was measured. Configurations are tuples, in the order of `names`."""

    def __init__(self, path):
        self.name = os.path.basename(path).split(".")[0]
        self.path = path
        self.values = {}
        self.constraints = []
        rows = []
        with gzip.open(path, "rt") as file:
            for line in file:
                if line.startswith("# parameters:"):
                    self.values = json.loads(line.split(":", 1)[1])
                elif line.startswith("# constraints:"):
                    self.constraints = json.loads(line.split(":", 1)[1])
                elif not line.startswith("#"):
                    rows.append(line)
        self.names = list(self.values)
        as_text = {name: {str(value): value for value in values} for name, values in self.values.items()}
        self.time_ms = {}  # None: it failed
        for row in csv.DictReader(rows):
            at = tuple(as_text[name][row[name]] for name in self.names)
            self.time_ms.setdefault(at, float(row["time_ms"]) if row["status"] == "ok" and row["time_ms"] else None)
        self.all = list(self.time_ms)
        self.best_ms = min(ms for ms in self.time_ms.values() if ms is not None)
        self.note_indices()


def recordings(folder, parts):
    for path in sorted(glob.glob(os.path.join(folder, "**", "*.csv.gz"), recursive=True)):
        name = os.path.basename(path)
        if not parts or any(part in name for part in parts.split(",")):
            yield recording(path)


class budget_spent(Exception):
    """Ends a run from inside a tool."""


class evaluations:
    """What one tool asked for, and what it had found after each evaluation.

    on_evaluation(evaluations, budget) is called after each.
    """

    def __init__(self, space, budget, on_evaluation=lambda done, of: None):
        self.space = space
        self.budget = min(budget, len(space.all))
        self.on_evaluation = on_evaluation
        self.best = []
        self.failed = []
        self.known = {}
        self.asked_in_vain = 0
        self.cpu_s = 0.0

    @classmethod
    def of_kept(cls, space, budget, run):
        """What kept() gave, again."""
        out = cls(space, budget)
        for ms in run["ms"]:
            out.count(ms)
        out.asked_in_vain = run["in_vain"]
        out.cpu_s = run["cpu_s"]
        return out

    def kept(self):
        return {"ms": list(self.known.values()), "in_vain": self.asked_in_vain, "cpu_s": round(self.cpu_s, 4)}

    def __call__(self, at):
        """Milliseconds; None for a failure and for what breaks a constraint."""
        if at in self.known:
            self.count_vain()
            return self.known[at]
        if at not in self.space.time_ms:
            self.count_vain()
            return None
        if len(self.best) == self.budget:
            raise budget_spent
        ms = self.known[at] = self.space.time_ms[at]
        self.count(ms)
        self.on_evaluation(len(self.best), self.budget)
        if len(self.best) == self.budget:
            raise budget_spent
        return ms

    def count(self, ms):
        best = self.best[-1] if self.best else math.inf
        self.best.append(best if ms is None else min(best, ms))
        self.failed.append(ms is None)

    def count_vain(self):
        self.asked_in_vain += 1
        if self.asked_in_vain > 100 * self.budget:
            raise budget_spent

    def is_valid(self, at):
        return at in self.space.time_ms

    def penalty_ms(self):
        """A high value for failures, of what was seen alone: ten times the slowest."""
        seen = [ms for ms in self.known.values() if ms is not None]
        return 10 * max(seen) if seen else 1e6

    def draw_unseen(self, rng=random):
        while True:
            at = rng.choice(self.space.all)
            if at not in self.known:
                return at

    def drive(self, tool, seed):
        begin = time.process_time()
        try:
            tool(self, seed)
        except budget_spent:
            pass
        self.cpu_s = time.process_time() - begin

    def best_after(self, count):
        return self.best[min(count, len(self.best)) - 1] if self.best else math.inf


def summary(runs, space, budget):
    """The numbers of bench/search/replay_run.hpp, computed in the same way; NaN behind the budget."""
    checkpoints = list(range(40, max(budget, 40) + 1, 20))

    def fractions(count):
        return [space.best_ms / run.best_after(count) for run in runs]

    def fraction(count):
        return statistics.mean(fractions(count)) if count <= budget else math.nan

    def error(count):
        if count > budget or len(runs) < 2:
            return math.nan
        return statistics.stdev(fractions(count)) / math.sqrt(len(runs))

    within = []
    for run in runs:
        first = next((i + 1 for i, best in enumerate(run.best) if best <= 1.05 * space.best_ms), math.inf)
        within.append(first)
    middle = statistics.median(within)
    late = [failed for run in runs for failed in run.failed[40:]]
    mae_ms = statistics.mean(
        statistics.mean(run.best_after(min(k, budget)) - space.best_ms for k in checkpoints) for run in runs)
    return {
        "frac20": fraction(20), "frac40": fraction(40), "frac100": fraction(100), "frac220": fraction(220),
        "error40": error(40), "error100": error(100), "error220": error(220),
        "mae_ms": mae_ms, "mae_rel": mae_ms / space.best_ms,
        "evals_to_5pct": "na" if math.isinf(middle) else int(middle),
        "reached_5pct": statistics.mean(0 if math.isinf(first) else 1 for first in within),
        "failures": statistics.mean(sum(run.failed) for run in runs),
        "failures_after_40": statistics.mean(late) if late else 0.0,
        "cpu_ms_per_suggestion": 1e3 * sum(run.cpu_s for run in runs) / max(1, sum(len(run.best) for run in runs)),
        "evaluations": statistics.mean(len(run.best) for run in runs),
        "in_vain": statistics.mean(run.asked_in_vain for run in runs),
        "runs": len(runs),
    }


def fraction_text(value):
    return "na" if math.isnan(value) else f"{value:.3f}"


def fractions_text(s):
    return " ".join(f"frac{count}={fraction_text(s[f'frac{count}'])}" for count in (20, 40, 100, 220))


def fractions_line(space, name, s):
    errors = " ".join(f"error{count}={fraction_text(s[f'error{count}'])}" for count in (40, 100, 220))
    return (f"replay space={space} strategy={name} {fractions_text(s)} {errors} mae_ms={s['mae_ms']:.5g} "
            f"mae_rel={s['mae_rel']:.4f} evals_to_5pct={s['evals_to_5pct']} reached_5pct={s['reached_5pct']:.2f} "
            f"failures={s['failures']:.1f} failures_after_40={s['failures_after_40']:.3f} "
            f"cpu_ms_per_suggestion={s['cpu_ms_per_suggestion']:.3f} evaluations={s['evaluations']:.0f} "
            f"in_vain={s['in_vain']:.0f} runs={s['runs']}")


def mean_line(name, table):
    def mean(key):
        return statistics.mean(s[key] for s in table)

    means = {f"frac{count}": mean(f"frac{count}") for count in (20, 40, 100, 220)}
    return (f"replay mean strategy={name} spaces={len(table)} {fractions_text(means)} "
            f"reached_5pct={mean('reached_5pct'):.2f} cpu_ms_per_suggestion={mean('cpu_ms_per_suggestion'):.3f}")

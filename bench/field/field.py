"""bench/field/field.py - attune beside other tuners on live kernels: equal variants, one timer, equal evaluations or time.
SPDX-License-Identifier: MIT

Run      python3 bench/search/baselines.py --environment FOLDER [--botorch]   makes the environment of all tools
         FOLDER/bin/python bench/field/field.py --live BUILD/bench/bench.field.live [--kernels NAME,...]
             [--tools NAME,...] [--by evaluations|seconds] [--budget N] [--repeats N] [--seed S]
             [--keep FILE [--kept-alone]] [--csv FILE] [--figures FOLDER]
         NAME of a tool: attune, or one of bench/search/baseline_tools.py (uniform is random search)
         --by: the budget is N new configurations (40) or N seconds since the default was timed (60)
         --keep: each run is added to FILE when it ends, and a run that FILE has is not made again
         --csv: all outcomes; --figures: NAME-light.svg and NAME-dark.svg of each kernel
Prints   field: a line a run. at: for each tool and checkpoint the geometric mean over the kernels of (best time of
         the tool / best time of attune, medians over the seeds), with its 95 % interval (bootstrap over seeds); above 1
         attune is ahead. The last line names the least of them
Note     every tool asks one bench.field.live process per run, which compiles and times each variant in the same way.
         Runs of different tools follow each other in turns, seed by seed. Each begins with the default's time, which
         costs no evaluation. attune compiles the next variant while one is timed; the others ask one at a time.
"""
import argparse
import csv
import math
import os
import random
import statistics
import sys
import time

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")
sys.dont_write_bytecode = True
here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [here, os.path.join(here, "..", "search")]

from baseline_recording import budget_spent, evaluations
from baseline_runs import kept_runs, progress
from live_space import live_space

KERNELS = ("sgemm,batched_gemm,stencil2d,stencil3d,convolution2d,harris,kmeans,spmv,spmm,sddmm,ttv,mttkrp")
TOOLS = "attune,uniform,kt_bayes_opt_multi_advanced,kt_genetic_algorithm,pyatf,opentuner,ytopt"
CHECKPOINTS = {"evaluations": (10, 20, 40), "seconds": (10, 30, 60)}


class live_evaluations(evaluations):
    """What a tool asked for, with the seconds at which it had each outcome."""

    def __init__(self, space, budget, seconds, shown):
        super().__init__(space, budget, shown)
        self.until = space.begin + seconds
        self.at_s = []

    def __call__(self, at):
        before = len(self.best)
        try:
            return super().__call__(at)
        finally:
            if len(self.best) > before:
                self.at_s.append(time.monotonic() - self.space.begin)
                if time.monotonic() > self.until:
                    raise budget_spent


def run_of_tool(tool, arguments, kernel, seed, shown):
    by_count = arguments.by == "evaluations"
    space = live_space(arguments.live, kernel, "--seed", str(seed), "--evaluations", "1000000")
    try:
        run = live_evaluations(space, arguments.budget if by_count else 10**6,
                               math.inf if by_count else arguments.budget, shown)
        run.drive(tool, seed)
        final = space.end()
    except BaseException:
        space.kill()
        raise
    return {"default_ms": space.default_ms, "ms": list(run.known.values()), "s": run.at_s, "final": final}


def run_of_attune(arguments, kernel, seed, shown):
    by_count = arguments.by == "evaluations"
    limit = ["--evaluations", str(arguments.budget)] if by_count else [
        "--evaluations", "1000000", "--seconds", str(arguments.budget)]
    space = live_space(arguments.live, kernel, "--own", "--seed", str(seed), *limit)
    best, at_s, final = [], [], {}
    for line in space.process.stdout:
        words = line.split()
        if words[0] == "best":
            best.append(float(words[1]))
            at_s.append(float(words[2]))
            shown(len(best), arguments.budget)
        elif words[0] == "final":
            final = dict(pair.split("=") for pair in words[1:])
    if space.process.wait() != 0:
        raise RuntimeError(f"bench.field.live ended with {space.process.returncode}")
    return {"default_ms": space.default_ms, "best": best, "s": at_s, "final": final}


def curve(run):
    """The best time so far, after the default and after each evaluation."""
    out = [run["default_ms"]]
    for ms in run.get("best", run.get("ms")):
        out.append(out[-1] if ms is None else min(out[-1], ms))
    return out


def best_at(run, by, checkpoint):
    """Milliseconds."""
    count = checkpoint if by == "evaluations" else sum(1 for s in run["s"] if s <= checkpoint)
    best = curve(run)
    return best[min(count, len(best) - 1)]


def ratio(runs, tool, by, checkpoint, drawn=None):
    """Geometric mean over the kernels of tool / attune. drawn(runs) -> those that count."""
    drawn = drawn or (lambda all_of: all_of)
    logs = []
    for of_kernel in runs.values():
        if tool in of_kernel and "attune" in of_kernel:
            medians = [statistics.median(best_at(run, by, checkpoint) for run in drawn(of_kernel[name]))
                       for name in (tool, "attune")]
            logs.append(math.log(medians[0] / medians[1]))
    return math.exp(statistics.mean(logs)) if logs else math.nan


def print_means(runs, tools, by, budget):
    least = math.inf, "", 0
    rng = random.Random(0)
    for checkpoint in [c for c in CHECKPOINTS[by] if c <= budget] or [budget]:
        for tool in tools:
            if tool == "attune":
                continue
            mean = ratio(runs, tool, by, checkpoint)
            if math.isnan(mean):
                continue
            again = sorted(ratio(runs, tool, by, checkpoint, lambda all_of: rng.choices(all_of, k=len(all_of)))
                           for _ in range(1000))
            print(f"at {by}={checkpoint} tool={tool} tool_over_attune={mean:.3f} low={again[25]:.3f} "
                  f"high={again[974]:.3f}", flush=True)
            least = min(least, (mean, tool, checkpoint))
    counts = [len(of_tool) for of_kernel in runs.values() for of_tool in of_kernel.values()]
    if least[1]:
        print(f"total kernels={len(runs)} tools={len(tools) - 1} seeds={min(counts)} by={by} least={least[0]:.3f} "
              f"least_tool={least[1]} least_at={least[2]}")


def expert_ms(of_kernel):
    """The median over all runs; None: none is known."""
    times = [float(run["final"]["winner_ms"]) * float(run["final"]["vs_expert"])
             for of_tool in of_kernel.values() for run in of_tool if run["final"].get("vs_expert", "na") != "na"]
    return statistics.median(times) if times else None


def draw(folder, kernel, of_kernel, by, budget):
    """Best so far: the median over the seeds, with a band from the first to the third quartile."""
    import matplotlib
    matplotlib.use("svg")
    from matplotlib import pyplot

    os.makedirs(folder, exist_ok=True)
    places = range(budget + 1)
    for theme, style in (("light", "default"), ("dark", "dark_background")):
        with pyplot.style.context(style), matplotlib.rc_context({"svg.hashsalt": "field", "svg.fonttype": "none"}):
            figure, axes = pyplot.subplots(figsize=(7, 4))
            for tool, of_tool in of_kernel.items():
                table = [sorted(best_at(run, by, place) for run in of_tool) for place in places]
                line, = axes.plot(places, [statistics.median(row) for row in table], label=tool,
                                  linewidth=2.5 if tool == "attune" else 1.2)
                axes.fill_between(places, [row[len(row) // 4] for row in table],
                                  [row[(3 * len(row)) // 4] for row in table], alpha=.15, color=line.get_color())
            expert = expert_ms(of_kernel)
            if expert is not None:
                axes.axhline(expert, linestyle="--", linewidth=1, color="gray", label="expert")
            axes.set(yscale="log", xlabel=by, ylabel="best time so far, ms", title=kernel)
            axes.legend()
            figure.savefig(os.path.join(folder, f"{kernel}-{theme}.svg"), metadata={"Date": None})
            pyplot.close(figure)


def write_csv(path, runs, by):
    with open(path, "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["kernel", "tool", "run", "by", "evaluation", "seconds", "best_ms"])
        for kernel, of_kernel in runs.items():
            for tool, of_tool in of_kernel.items():
                for number, run in enumerate(of_tool):
                    for i, (ms, s) in enumerate(zip(curve(run), [0.0, *run["s"]])):
                        rows.writerow([kernel, tool, number, by, i, f"{s:.6f}", f"{ms:.9g}"])


def live_tool(name):
    """A tool of baseline_tools.py, or attune (None). Kernel Tuner's cache is filled when it is read."""
    if name == "attune":
        return None
    from baseline_tools import make_tool
    return make_tool(name)


def main():
    parser = argparse.ArgumentParser(description="attune beside other tuners on live kernels")
    parser.add_argument("--live", required=True)
    parser.add_argument("--kernels", default=KERNELS)
    parser.add_argument("--tools", default=TOOLS)
    parser.add_argument("--by", choices=["evaluations", "seconds"], default="evaluations")
    parser.add_argument("--budget", type=int)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep")
    parser.add_argument("--kept-alone", action="store_true")
    parser.add_argument("--csv")
    parser.add_argument("--figures")
    arguments = parser.parse_args()
    arguments.budget = arguments.budget or CHECKPOINTS[arguments.by][-1]
    names = arguments.tools.split(",")
    kept = kept_runs(arguments.keep)
    tools = {}
    runs = {}
    for kernel in arguments.kernels.split(","):
        for repeat in range(arguments.repeats):
            for name in names:
                of = {"kernel": kernel, "tool": name, "by": arguments.by, "budget": arguments.budget,
                      "seed": arguments.seed + repeat}
                run = kept.find(of)
                if run is None and (arguments.kept_alone or tools.get(name, 0) == "broken"):
                    continue
                if run is None:
                    shown = progress(f"{kernel} {name} {repeat + 1}/{arguments.repeats}")
                    try:
                        if name not in tools:
                            tools[name] = live_tool(name)
                        made = (run_of_attune(arguments, kernel, of["seed"], shown.step) if name == "attune" else
                                run_of_tool(tools[name], arguments, kernel, of["seed"], shown.step))
                    except Exception as problem:  # the tool's own: the others continue
                        what = f"{type(problem).__name__}: {problem}".splitlines()[0][:200]
                        if name not in tools:
                            tools[name] = "broken"
                        shown.end("failed")
                        print(f"field kernel={kernel} tool={name} seed={of['seed']} error=\"{what}\"", flush=True)
                        continue
                    shown.end(f"{len(made['s'])} evaluations")
                    run = kept.add(of, **made)
                runs.setdefault(kernel, {}).setdefault(name, []).append(run)
                best = " ".join(f"best_{c}={best_at(run, arguments.by, c):.4g}" for c in CHECKPOINTS[arguments.by]
                                if c <= arguments.budget)
                print(f"field kernel={kernel} tool={name} seed={of['seed']} default_ms={run['default_ms']:.4g} {best} "
                      f"evaluations={len(run['s'])} seconds={run['s'][-1] if run['s'] else 0:.1f} "
                      f"winner_ms={run['final'].get('winner_ms', 'na')} "
                      f"vs_expert={run['final'].get('vs_expert', 'na')}", flush=True)
    print_means(runs, names, arguments.by, arguments.budget)
    if arguments.csv:
        write_csv(arguments.csv, runs, arguments.by)
    if arguments.figures:
        for kernel, of_kernel in runs.items():
            draw(arguments.figures, kernel, of_kernel, arguments.by, arguments.budget)


if __name__ == "__main__":
    main()

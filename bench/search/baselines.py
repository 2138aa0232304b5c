"""bench/search/baselines.py - other tuners from PyPI on the recordings of bench.search.replay.
SPDX-License-Identifier: MIT

Run      python3 bench/search/baselines.py --environment FOLDER [--botorch]
         makes a virtual environment with all of them; --botorch adds BoTorch, whose torch is 6 GB
         FOLDER/bin/python bench/search/baselines.py --data DIR [--tools NAME[,NAME...]]
             [--spaces PART[,PART...]] [--budget 220] [--repeats 3] [--seed 0] [--keep FILE [--kept-alone]]
         DIR: files *.csv.gz as bench.search.replay reads them; NAME: see --list, or all
         FOLDER/bin/python bench/search/baselines.py --tsp DIR [--names att48,...] [--repeats 3] [--seed 0]
             [--keep FILE [--kept-alone]]
         OpenTuner's default on one PermutationParameter: 3,000 tours (rbg323: 6,000)
         --keep: each run is added to FILE when it ends, and a run that FILE has is not made again, so that
         a program that was killed goes on and --repeats can grow; --kept-alone: no run is made
Prints   the lines of bench.search.replay, whose --beside reads them; a fraction behind the budget is na. A
         tool that cannot be imported, or fails, is named with the reason. tours: a line per instance, the
         best length of each run. Progress goes to stderr
Note     an evaluation is a configuration that was not evaluated before. Configurations that break a
         known constraint are answered as failures and cost no evaluation, so that tools without
         constraints are not the worse for it; a run ends after 100 such questions for each
         evaluation. Every tool runs on one thread.
"""
import argparse
import os
import statistics
import subprocess
import sys
import venv

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

PACKAGES = [
    "kernel_tuner==1.5.0",
    "pyatf==0.0.13",
    "scikit-optimize==0.10.2",
    "bayesian-optimization==3.4.0",
    "smac==2.4.1",
    # OpenTuner is of 2022: SQLAlchemy 2 has removed calls that it makes, and setuptools what its setup.py needs.
    "opentuner==0.8.8",
    "sqlalchemy==1.4.54",
    "setuptools<81",
]
BOTORCH = ["botorch==0.18.1", "torch==2.15.0"]


def make_environment(folder, with_botorch):
    venv.create(folder, with_pip=True)
    python = f"{folder}/bin/python"
    subprocess.run([python, "-m", "pip", "install", "setuptools<81", "wheel"], check=True)
    wanted = PACKAGES + (BOTORCH if with_botorch else [])
    subprocess.run([python, "-m", "pip", "install", *wanted], check=True)


def runs_on(space, name, tools, arguments, kept):
    """The runs of a tool on a space: those that are kept, and the others made now. An error ends them."""
    from baseline_recording import evaluations
    from baseline_runs import progress
    from baseline_tools import make_tool

    runs = []
    for repeat in range(arguments.repeats):
        of = {"tool": name, "space": space.name, "budget": arguments.budget, "seed": arguments.seed + repeat}
        run = kept.find(of)
        if run is None and arguments.kept_alone:
            continue
        if run is None:
            shown = progress(f"{space.name} {name} {repeat + 1}/{arguments.repeats}")
            try:
                if name not in tools:
                    tools[name] = make_tool(name)
                made = evaluations(space, arguments.budget, shown.step)
                made.drive(tools[name], arguments.seed + repeat)
            except Exception as problem:  # the tool's own: the others go on
                what = str(problem).splitlines()[0][:200] if str(problem) else type(problem).__name__
                shown.end("failed")
                print(f"baseline space={space.name} strategy={name} seed={of['seed']} error=\"{what}\"", flush=True)
                break
            shown.end(f"{len(made.best)} evaluations")
            run = kept.add(of, **made.kept())
        runs.append(evaluations.of_kept(space, arguments.budget, run))
    return runs


def replay(arguments):
    from baseline_recording import fractions_line, mean_line, recordings, summary
    from baseline_runs import kept_runs
    from baseline_tools import TOOLS

    names = list(TOOLS) if arguments.tools == "all" else arguments.tools.split(",")
    unknown = [name for name in names if name not in TOOLS]
    if unknown:
        sys.exit(f"--tools: {unknown[0]} is none of {', '.join(TOOLS)}")
    kept = kept_runs(arguments.keep)
    found = list(recordings(arguments.data, arguments.spaces))
    if not found:
        sys.exit(f"{arguments.data}: no recording of that name")
    tools = {}
    for name in names:
        table = []
        for space in found:
            runs = runs_on(space, name, tools, arguments, kept)
            if runs:
                table.append(summary(runs, space, arguments.budget))
                print(fractions_line(space.name, name, table[-1]), flush=True)
        if table:
            print(mean_line(name, table), flush=True)


def tours(arguments):
    from baseline_runs import kept_runs, progress
    from baseline_tours import INSTANCES, best_tour, read_tours

    kept = kept_runs(arguments.keep)
    wanted = list(INSTANCES) if arguments.names == "all" else arguments.names.split(",")
    unknown = [name for name in wanted if name not in INSTANCES]
    if unknown:
        sys.exit(f"--names: {unknown[0]} is none of {', '.join(INSTANCES)}")
    for name in wanted:
        file, best_known, tested = INSTANCES[name]
        way = read_tours(os.path.join(arguments.tsp, file))
        lengths = []
        for repeat in range(arguments.repeats):
            of = {"tool": "opentuner", "tours": name, "tested": tested, "seed": arguments.seed + repeat}
            run = kept.find(of)
            if run is None and arguments.kept_alone:
                continue
            if run is None:
                shown = progress(f"{name} {repeat + 1}/{arguments.repeats}")
                run = kept.add(of, length=best_tour(way, tested, arguments.seed + repeat, shown.step))
                shown.end(f"length {run['length']:.0f}")
            lengths.append(run["length"])
        if not lengths:
            continue
        middle = statistics.median(lengths)
        print(f"tours {name} best_known={best_known} opentuner={middle:.0f} ratio={middle / best_known:.3f} "
              f"tested={tested} runs={len(lengths)} lengths={','.join(f'{length:.0f}' for length in sorted(lengths))}",
              flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--environment")
    parser.add_argument("--botorch", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--data")
    parser.add_argument("--tools", default="all")
    parser.add_argument("--spaces", default="")
    parser.add_argument("--budget", type=int, default=220)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", default="")
    parser.add_argument("--kept-alone", action="store_true")
    parser.add_argument("--tsp")
    parser.add_argument("--names", default="all")
    arguments = parser.parse_args()
    if arguments.environment:
        make_environment(arguments.environment, arguments.botorch)
    elif arguments.list:
        from baseline_tools import TOOLS

        for name, (_, what) in TOOLS.items():
            print(f"tool name={name} what=\"{what}\"")
    elif arguments.tsp:
        tours(arguments)
    elif arguments.data:
        replay(arguments)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()

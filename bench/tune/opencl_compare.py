"""attune and Kernel Tuner tune one matrix product in turns, several times; prints the ratios of their wall times and results.

   python3 bench/tune/opencl_compare.py build/dev/bench/bench.tune.opencl PYTHON [REPEATS [EVALUATIONS [SIZE]]]

PYTHON has kernel_tuner and pyopencl: python3 -m venv peers && peers/bin/pip install kernel_tuner pyopencl. Each of
the REPEATS (3) is one run of bench.tune.opencl with --peer and a seed of its own: 40 EVALUATIONS of each tuner, then both
winners and the default in turns. Each side begins with an empty cache of PoCL.
"""
import re
import statistics
import subprocess
import sys

bench, python = sys.argv[1:3]
repeats, evaluations, size = ([int(word) for word in sys.argv[3:6]] + [3, 40, 512][len(sys.argv) - 3:])
walls, results = [], []
for seed in range(repeats):
    said = subprocess.run([bench, "--peer", python, "--seed", str(seed), "--evaluations", str(evaluations),
                           "--size", str(size)], stdout=subprocess.PIPE, text=True).stdout
    line = re.search(r"^opencl_peer .*$", said, re.MULTILINE)
    if line is None:
        sys.exit("no comparison:\n" + said)
    print("seed=%d %s" % (seed, line.group()), flush=True)
    walls.append(float(re.search(r"wall_ratio=([\d.]+)", line.group()).group(1)))
    results.append(float(re.search(r"result_ratio=([\d.]+)", line.group()).group(1)))
print("opencl_compare repeats=%d wall_ratio=%.2f (%.2f to %.2f) result_ratio=%.2f (%.2f to %.2f)" % (
    repeats, statistics.median(walls), min(walls), max(walls), statistics.median(results), min(results), max(results)))

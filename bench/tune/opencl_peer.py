"""The matrix product of examples/kernels/opencl tuned by Kernel Tuner: what bench.tune.opencl starts for --peer.

   python3 bench/tune/opencl_peer.py gemm.kernel.cl SIZE EVALUATIONS SEED

Needs kernel_tuner and pyopencl. Prints `peer best_ms=... seconds=... evaluations=...` and the best configuration as
`NAME=value` words.
"""
import sys
import time

import kernel_tuner
import numpy

text = open(sys.argv[1]).read().replace("#include <attune/tunable.hpp>", "#define ATTUNE_TUNABLE(name, ...) name")
size, evaluations, seed = (int(word) for word in sys.argv[2:5])
powers = lambda first, last: [1 << i for i in range(first.bit_length() - 1, last.bit_length())]
parameters = {
    "MWG": powers(16, 128), "NWG": powers(16, 128), "KWG": [32], "MDIMC": powers(8, 32), "NDIMC": powers(8, 32),
    "MDIMA": powers(8, 32), "NDIMB": powers(8, 32), "KWI": [2], "VWM": powers(1, 8), "VWN": powers(1, 8),
    "SA": [0, 1], "SB": [0, 1]}
restrictions = [
    "KWG % KWI == 0", "MWG % (MDIMC * VWM) == 0", "NWG % (NDIMC * VWN) == 0", "MWG % (MDIMA * VWM) == 0",
    "NWG % (NDIMB * VWN) == 0", "KWG % ((MDIMC * NDIMC) / MDIMA) == 0", "KWG % ((MDIMC * NDIMC) / NDIMB) == 0"]
random = numpy.random.default_rng(seed)
a, b = (random.integers(-5, 6, (size, size)).astype(numpy.float32) for _ in range(2))
c = numpy.zeros((size, size), numpy.float32)
number = numpy.int32(size)
began = time.monotonic()
results, _ = kernel_tuner.tune_kernel(
    "gemm", text, (size, size), [a, b, c, number, number, number], parameters, lang="OpenCL",
    grid_div_x=["MWG"], grid_div_y=["NWG"], block_size_names=["MDIMC", "NDIMC", "none"],
    restrictions=restrictions, answer=[None, None, b.T @ a, None, None, None], atol=1e-2,
    strategy="bayes_opt", strategy_options={"max_fevals": evaluations}, quiet=True)
seconds = time.monotonic() - began
times = [one for one in results if isinstance(one["time"], float)]
best = min(times, key=lambda one: one["time"])
print("peer best_ms=%.4f seconds=%.1f evaluations=%d" % (best["time"], seconds, len(results)))
print(" ".join("%s=%d" % (name, best[name]) for name in parameters))

"""bench/declare/onnx_graphs.py - builds graphs, counts what they need and runs them, for bench.declare.onnx_graphs.
SPDX-License-Identifier: MIT

    python3 bench/declare/onnx_graphs.py FOLDER LIBRARY

Writes FOLDER/NAME.onnx for each of 20 networks (onnx_networks.py) and prints a line for each:
    NAME  weights  operations (onnx_count.py)  bytes that a forward pass adds to what a process has allocated, at most
The bytes are those of onnxruntime in a process of its own: inputs, outputs, what lies between them, workspace; neither
weights nor what the session holds before. One thread, nodes in the order of the file, no arena, no plan of memory but
operators in place, no prepacked weights. Of two passes, of the graph as it is and of the one that onnxruntime
simplifies (constants are folded, norms join their convolutions), the smaller one counts. LIBRARY is
counted_allocations, which counts them.

Environment:
    python3 -m venv ENVIRONMENT
    ENVIRONMENT/bin/pip install onnx==1.16.2 onnxruntime==1.17.3 numpy==1.26.4
"""
import ctypes
import os
import subprocess
import sys

import numpy
import onnx
import onnxruntime

LEVELS = ("ORT_DISABLE_ALL", "ORT_ENABLE_BASIC")


def session_of(path, level):
    options = onnxruntime.SessionOptions()
    options.enable_mem_pattern = False
    options.enable_mem_reuse = False  # keeps no dead buffer for a later array; operators still write in place
    options.enable_cpu_mem_arena = False
    options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, level)
    options.execution_order = onnxruntime.ExecutionOrder.PRIORITY_BASED  # that of the file
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.disable_prepacking", "1")
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def forward_bytes(path, level):
    session = session_of(path, level)
    counted = ctypes.CDLL(None)
    counted.bench_allocated.restype = counted.bench_most_allocated.restype = ctypes.c_int64
    before = counted.bench_allocated()
    arrays = {i.name: numpy.ones(i.shape, numpy.int64 if "int64" in i.type else numpy.float32)
              for i in session.get_inputs()}
    # The values of onnxruntime share their memory with arrays; run() would copy its results.
    values = {name: onnxruntime.OrtValue.ortvalue_from_numpy(array) for name, array in arrays.items()}
    results = session.run_with_ort_values([o.name for o in session.get_outputs()], values)
    assert all(r.shape() for r in results)
    return counted.bench_most_allocated() - before


def forward_in_process(path, level, library):
    words = [sys.executable, __file__, "--forward", path, level]
    answer = subprocess.run(words, check=True, text=True, stdout=subprocess.PIPE,
                            env={**os.environ, "LD_PRELOAD": library})
    return int(answer.stdout)


def main(words):
    if len(words) == 3 and words[0] == "--forward":
        print(forward_bytes(*words[1:]))
        return
    if len(words) != 2 or words[0].startswith("-"):
        sys.exit(__doc__)
    from onnx_count import count
    from onnx_networks import NETWORKS, written

    folder, library = words
    for network in NETWORKS:
        writer = written(network)
        path = os.path.join(folder, f"{writer.name}.onnx")
        weights, operations = count(writer)
        onnx.save(writer.model(), path)
        peak = min(forward_in_process(path, level, library) for level in LEVELS)
        print(writer.name, weights, operations, peak, flush=True)


main(sys.argv[1:])

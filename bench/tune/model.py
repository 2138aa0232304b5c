"""bench/tune/model.py - the layers of ONNX models tuned by `attune tune`, beside onnxruntime's own times of its nodes.
SPDX-License-Identifier: MIT

    python3 -m venv ENVIRONMENT && ENVIRONMENT/bin/pip install onnxruntime rapidocr-onnxruntime
    taskset -c 0 ENVIRONMENT/bin/python bench/tune/model.py PROGRAM FOLDER [--budget 10min] [--rounds 5] [--runs 20]
        [--model PATH NAME=1x3x48x320]...

PROGRAM is the program attune. Without --model: the three models of rapidocr-onnxruntime, text detection at 640 x 640,
recognition at 48 x 320, direction at 48 x 192. The store of a model is FOLDER/NAME.attune; --budget 0 tunes nothing. Then rounds
in turns: onnxruntime (one thread, all optimisations) runs the model, and its profiler gives the least time of each node; attune
times the winners of the store. Prints for each model
    model NAME layers= attune_ms= onnxruntime_ms= ratio= low= high= covered=
sums over nodes and over calls of layers, medians over rounds; ratio: attune's sum over onnxruntime's, of the same round, with its
least and largest value; below 1: attune is faster. covered: part of onnxruntime's time that is no operator outside.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

import numpy
import onnxruntime


def rapidocr_models():
    import rapidocr_onnxruntime

    folder = pathlib.Path(rapidocr_onnxruntime.__file__).parent / "models"
    return [
        (folder / "ch_PP-OCRv4_det_infer.onnx", "x=1x3x640x640"),
        (folder / "ch_PP-OCRv4_rec_infer.onnx", "x=1x3x48x320"),
        (folder / "ch_ppocr_mobile_v2.0_cls_infer.onnx", "x=1x3x48x192"),
    ]


def node_times(path, shape, runs):
    """The least microseconds of each node, with its operator."""
    name, extents = shape.split("=")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.enable_profiling = True
    with tempfile.TemporaryDirectory() as folder:
        options.profile_file_prefix = folder + "/profile"
        session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        given = numpy.random.default_rng(1).uniform(-1, 1, [int(n) for n in extents.split("x")])
        for _ in range(runs):
            session.run(None, {name: given.astype(numpy.float32)})
        events = json.loads(pathlib.Path(session.end_profiling()).read_text())
    times = {}
    for event in events:
        if event.get("cat") == "Node" and event["name"].endswith("_kernel_time"):
            key = event["name"], event["args"]["op_name"]
            times[key] = min(times.get(key, 1e9), event["dur"])
    return times


def layer_times(program, path, shape, store):
    words = [program, "tune", str(path), "--shape", shape, "--store", str(store), "--evaluations", "0", "--json"]
    return json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--budget", default="10min")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--model", nargs=2, action="append", metavar=("PATH", "SHAPE"))
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    for path, shape in asked.model or rapidocr_models():
        path = pathlib.Path(path)
        store = asked.folder / (path.stem + ".attune")
        if asked.budget != "0":
            words = [asked.program, "tune", str(path), "--shape", shape, "--budget", asked.budget]
            subprocess.run(words + ["--store", str(store)], check=True, stdout=sys.stderr)
        ours, theirs, ratios = [], [], []
        for _ in range(asked.rounds):
            nodes = node_times(path, shape, asked.runs)
            layers = layer_times(asked.program, path, shape, store)
            theirs.append(sum(nodes.values()) / 1e3)
            ours.append(layers["best_s"] * 1e3)
            ratios.append(ours[-1] / theirs[-1])
        outside = {one["op"] for one in layers["outside"]}
        rest = sum(us for (_, op), us in nodes.items() if op in outside) / 1e3
        print(
            f"model {path.stem} layers={len(layers['tasks'])} attune_ms={statistics.median(ours):.3f} "
            f"onnxruntime_ms={statistics.median(theirs):.3f} ratio={statistics.median(ratios):.3f} "
            f"low={min(ratios):.3f} high={max(ratios):.3f} covered={1 - rest / theirs[-1]:.3f}",
            flush=True,
        )


if __name__ == "__main__":
    main()

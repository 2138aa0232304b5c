"""bench/tune/metaschedule.py - TVM's MetaSchedule on the layers of bench.tune.programs, by its own defaults.
SPDX-License-Identifier: MIT

    python3 bench/tune/environment.py metaschedule ENVIRONMENT
    taskset -c 1 ENVIRONMENT/bin/python bench/tune/metaschedule.py tune LAYER TRIALS FOLDER
    taskset -c 1 ENVIRONMENT/bin/python bench/tune/metaschedule.py choose LAYER FOLDER
    bench.tune.programs --metaschedule FOLDER --metaschedule-python ENVIRONMENT/bin/python

tune: one core, fp32, batches of 64, cost model and measuring as TVM ships them (but for PATIENCE_S); the database of the layer is in
FOLDER/LAYER, with its time and number of trials. choose: the 32 best records, and the 16 best of the first 60, are built
again and timed in turns, the fastest of them once more, so that no noisy reading picks; choice.json keeps what won. Prints
    metaschedule LAYER trials= seconds= best_ms= best_at60_ms= recorded_ms=
best_at60: of the first 60 trials; recorded: what the tuner itself had read for its own pick.
"""
import json
import os
import pathlib
import resource
import statistics
import sys
import time

os.environ["TVM_NUM_THREADS"] = "1"

import numpy
import tvm
from tvm import te, tirx, topi
from tvm.s_tir import meta_schedule
from tvm.s_tir.meta_schedule.testing import te_workload
from tvm.s_tir.schedule import Schedule, Trace

from served import seconds_per_call, serve

WHO = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
RECORDS = "database_tuning_record.json"
PATIENCE_S = 300.0  # of its builder and runner, for one candidate: its 30 s are too few on a busy machine


def conv_bias_relu(height, width, inputs, outputs, size, stride, padding):
    x = te.placeholder((1, height, width, inputs), name="x")
    w = te.placeholder((size, size, inputs, outputs), name="w")
    bias = te.placeholder((outputs,), name="bias")
    sums = te_workload.conv2d_nhwc_without_layout_rewrite(x, w, stride, padding, 1)
    shifted = te.compute(sums.shape, lambda n, h, v, c: sums[n, h, v, c] + bias[c], name="shifted")
    return [x, w, bias, topi.nn.relu(shifted)]


def product_bias_gelu(rows, columns, inner):
    x, w, sums = te_workload.matmul(rows, columns, inner)
    bias = te.placeholder((columns,), name="bias")
    v = te.compute((rows, columns), lambda i, j: sums[i, j] + bias[j], name="shifted")

    def number(of):
        return tirx.const(of, "float32")

    def gelu(i, j):
        cubic = v[i, j] + number(0.044715) * v[i, j] * v[i, j] * v[i, j]
        return number(0.5) * v[i, j] * (number(1) + te.tanh(number(0.7978845608) * cubic))

    return [x, w, bias, te.compute((rows, columns), gelu, name="gelu")]


def layer_norm(rows, columns):
    x = te.placeholder((rows, columns), name="x")
    scale = te.placeholder((columns,), name="scale")
    shift = te.placeholder((columns,), name="shift")
    return [x, scale, shift, topi.nn.layer_norm(x, scale, shift, axis=[1])]


LAYERS = {
    "matmul_512": lambda: te_workload.matmul(512, 512, 512),
    "matmul_1024": lambda: te_workload.matmul(1024, 1024, 1024),
    "batched_matmul": lambda: te_workload.batch_matmul_nkkm(12, 128, 128, 64),
    "ffn_gelu": lambda: product_bias_gelu(128, 3072, 768),
    "conv_56": lambda: te_workload.conv2d_nhwc(1, 56, 56, 64, 64, 3, 1, 1),
    "conv_28": lambda: te_workload.conv2d_nhwc(1, 28, 28, 128, 128, 3, 1, 1),
    "conv_bias_relu": lambda: conv_bias_relu(56, 56, 64, 64, 3, 1, 1),
    "conv_1x1": lambda: te_workload.conv2d_nhwc(1, 14, 14, 256, 1024, 1, 1, 0),
    "conv_7x7": lambda: te_workload.conv2d_nhwc(1, 224, 224, 3, 64, 7, 2, 3),
    "depthwise": lambda: te_workload.depthwise_conv2d_nhwc(1, 112, 112, 32, 3, 1, 1),
    "softmax": lambda: te_workload.softmax_mn(1536, 128),
    "layer_norm": lambda: layer_norm(128, 768),
}


def module_of(layer):
    return tvm.IRModule({"main": te.create_prim_func(list(LAYERS[layer]()))})


def this_target():
    cpu = tvm.target.codegen.llvm_get_system_cpu()
    return tvm.target.Target({"kind": "llvm", "mcpu": cpu, "num-cores": 1})


def tune(layer, trials, folder):
    where = pathlib.Path(folder) / layer
    if (where / RECORDS).exists() and (where / RECORDS).stat().st_size:
        sys.exit(f"{where} has records of a tuning; name another folder, or remove it")
    where.mkdir(parents=True, exist_ok=True)
    begin = time.monotonic()
    spent = {"trials": 0, "failed": 0}

    @tvm.ir.utils.derived_object
    class stamp(meta_schedule.measure_callback.PyMeasureCallback):
        """After each batch, so that a tuning that is cut short says what it had."""

        def apply(self, task_scheduler, task_id, measure_candidates, builder_results, runner_results):
            spent["trials"] += len(runner_results)
            spent["failed"] += sum(1 for result in runner_results if result.error_msg)
            spent["seconds"] = time.monotonic() - begin
            spent["cpu_seconds"] = sum(used.ru_utime + used.ru_stime for used in map(resource.getrusage, WHO))
            (where / "tuning.json").write_text(json.dumps(spent))

    meta_schedule.tune_tir(
        mod=module_of(layer),
        target=this_target(),
        work_dir=str(where),
        max_trials_global=trials,
        num_tuning_cores=1,
        seed=1,
        builder=meta_schedule.builder.LocalBuilder(max_workers=1, timeout_sec=PATIENCE_S),
        runner=meta_schedule.runner.LocalRunner(timeout_sec=PATIENCE_S),
        measure_callbacks=[*meta_schedule.measure_callback.MeasureCallback.create("default"), stamp()],
    )
    print(f"metaschedule {layer} " + " ".join(f"{name}={value:.6g}" for name, value in spent.items()))


def page_array(shape):
    """Random numbers that begin with a page, as the bench's own arrays do."""
    count = int(numpy.prod(shape))
    held = numpy.empty(4 * count + 4096, dtype="uint8")
    begin = -held.ctypes.data % 4096
    values = held[begin : begin + 4 * count].view("float32").reshape(shape)
    values[...] = numpy.random.default_rng(1).random(shape, dtype="float32") - numpy.float32(0.5)
    return tvm.runtime.from_dlpack(values)


def arguments_of(layer):
    function = module_of(layer)["main"]
    infos = meta_schedule.arg_info.ArgInfo.from_prim_func(function)
    return [page_array([int(n) for n in of.shape]) for of in infos]


def function_of(layer, record, arguments):
    """The program of a record."""
    schedule = Schedule(meta_schedule.tune_context._normalize_mod(module_of(layer)))
    Trace.apply_json_to_schedule(record, schedule)
    made = tvm.compile(schedule.mod, target=this_target())
    made = made.jit() if hasattr(made, "jit") else made
    call = made["main"]
    return lambda: call(*arguments)


def medians_of(functions, rounds):
    """Processor seconds of one call of each, timed in turns."""
    calls = {at: max(1, min(1000, int(0.005 / seconds_per_call(of, 1)))) for at, of in functions.items()}
    times = {at: [] for at in functions}
    for _ in range(rounds):
        for at, function in functions.items():
            times[at].append(seconds_per_call(function, calls[at]))
    return {at: statistics.median(of) for at, of in times.items()}


def choose(layer, folder):
    where = pathlib.Path(folder) / layer
    records = [json.loads(line)[1] for line in (where / RECORDS).read_text().splitlines()]
    readings = [statistics.fmean(float(s) for s in record[1]) if record[1] else 1e9 for record in records]
    order = sorted(range(len(records)), key=readings.__getitem__)
    chosen = set(order[:32]) | set([at for at in order if at < 60][:16])
    arguments = arguments_of(layer)
    functions = {
        at: function_of(layer, records[at][0], arguments) for at in sorted(chosen) if readings[at] < 1e6
    }
    first = medians_of(functions, 9)
    order60 = sorted((at for at in first if at < 60), key=first.get)
    finalists = set(sorted(first, key=first.get)[:6]) | set(order60[:4])
    medians = medians_of({at: functions[at] for at in finalists}, 31)
    best = min(medians, key=medians.get)
    at60 = min((at for at in medians if at < 60), key=medians.get)
    spent = json.loads((where / "tuning.json").read_text())
    choice = {"record": best, "record_at60": at60, **spent}
    (where / "choice.json").write_text(json.dumps(choice))
    print(
        f"metaschedule {layer} trials={spent['trials']} seconds={spent['seconds']:.1f}"
        f" best_ms={medians[best] * 1e3:.4f} best_at60_ms={medians[at60] * 1e3:.4f}"
        f" recorded_ms={readings[order[0]] * 1e3:.4f}",
        flush=True,
    )


def chosen_functions(folder):
    def functions_of(layer):
        where = pathlib.Path(folder) / layer
        if not (where / "choice.json").exists():
            return {}
        choice = json.loads((where / "choice.json").read_text())
        lines = (where / RECORDS).read_text().splitlines()
        arguments = arguments_of(layer)
        label = f"trials={choice['trials']},seconds={choice['seconds']:.0f}"
        out = {label: function_of(layer, json.loads(lines[choice["record"]])[1][0], arguments)}
        if choice["record_at60"] != choice["record"]:
            record = json.loads(lines[choice["record_at60"]])[1][0]
            out["trials=60"] = function_of(layer, record, arguments)
        return out

    return functions_of


if __name__ == "__main__":
    words = sys.argv[1:]
    if len(words) == 4 and words[0] == "tune" and words[1] in LAYERS:
        tune(words[1], int(words[2]), words[3])
    elif len(words) == 3 and words[0] == "choose" and words[1] in LAYERS:
        choose(words[1], words[2])
    elif len(words) == 2 and words[0] == "serve":
        serve(chosen_functions(words[1]))
    else:
        sys.exit(__doc__)

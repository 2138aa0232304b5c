"""bench/tune/served.py - one side of bench.tune.programs: functions that are timed when it says so.
SPDX-License-Identifier: MIT

First it writes "ready". Lines that come in, and the line that answers each:
    load LAYER          ready LABEL...   (no label: it has none)   or   none WHY
    time LABEL CALLS    seconds S        median processor seconds of one call, after one that does not count
The bench asks in turns, so that its own functions and these run one after the other on one core.
"""
import sys
import time


def seconds_per_call(function, calls):
    """Processor seconds of the calling thread per call, after one call that does not count."""
    function()
    begin = time.thread_time()
    for _ in range(calls):
        function()
    return (time.thread_time() - begin) / calls


def serve(functions_of):
    """Answers until the input ends. functions_of: layer -> {label without spaces: function}."""
    functions = {}
    print("ready", flush=True)
    for line in sys.stdin:
        words = line.split()
        try:
            if words[0] == "load":
                functions = functions_of(words[1])
                answer = " ".join(["ready", *functions])
            else:
                answer = f"seconds {seconds_per_call(functions[words[1]], int(words[2])):.9g}"
        except Exception as why:  # it is said there, and the bench goes on without
            answer = "none " + " ".join(f"{type(why).__name__}: {why}".split())[:300]
        print(answer, flush=True)

"""bench/tune/environment.py - the Python environments that bench.tune.programs compares with.
SPDX-License-Identifier: MIT

    python3 bench/tune/environment.py metaschedule FOLDER    TVM with MetaSchedule, 0.6 GB
    python3 bench/tune/environment.py libraries FOLDER       torch with oneDNN and MKL, 6 GB: its wheel loads CUDA's

Versions are pinned: TVM 0.27 ends in a segmentation fault with the apache-tvm-ffi that pip takes by itself.
"""
import subprocess
import sys
import venv

PACKAGES = {
    "metaschedule": [
        "apache-tvm==0.27.0.post1",
        "apache-tvm-ffi==0.1.14.post1",
        "numpy",
        "xgboost",
        "cloudpickle",
        "psutil",
        "tornado",
    ],
    "libraries": ["torch==2.15.0", "numpy"],
}

if len(sys.argv) != 3 or sys.argv[1] not in PACKAGES:
    sys.exit(__doc__)
venv.create(sys.argv[2], with_pip=True)
python = f"{sys.argv[2]}/bin/python"
subprocess.run([python, "-m", "pip", "install", *PACKAGES[sys.argv[1]]], check=True)

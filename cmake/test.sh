#!/bin/sh
# sh cmake/test.sh : builds what a merge needs in build/test, warnings are errors, and runs its tests; the rest: cmake/matrix.sh
# SPDX-License-Identifier: MIT
set -eu
cd "$(dirname "$0")/.."
. cmake/packages.sh

wish ninja-build # keeps both cores busy across targets
need g++ cmake make libboost-dev libeigen3-dev nlohmann-json3-dev doctest-dev
wish libbenchmark-dev clang-format-19
wish clang-19 libclang-rt-19-dev # for tests/fuzz, to compare object code with, and to compile the cases in half the time
wish g++-aarch64-linux-gnu qemu-user # for tests/aarch64
wish libomp5-19                  # for kernels with OpenMP
wish libtcmalloc-minimal4 libjemalloc2 # for tests/host: allocators of other make
need pocl-opencl-icd ocl-icd-libopencl1 opencl-headers # OpenCL on this processor
wish libnlopt-cxx-dev            # the second opinion on fitted hyperparameters
wish libonnx-dev libprotobuf-dev # for attune::onnx, and the second opinion on its shapes
provide doctest/doctest.h

configure build/test -C cmake/ci.cmake
cmake --build build/test --parallel "$(jobs)"
cd build/test
ATTUNE_TEST_NEEDS_OPENCL=1 # no test of OpenCL is skipped
export ATTUNE_TEST_NEEDS_OPENCL
exec ctest --output-on-failure --no-tests=error --parallel "$(jobs)"

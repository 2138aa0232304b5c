#!/bin/sh
# sh cmake/demo.sh : builds the first example and runs it twice; the second run starts tuned.
# SPDX-License-Identifier: MIT
set -eu
cd "$(dirname "$0")/.."
. cmake/packages.sh

need g++ cmake make libboost-dev libeigen3-dev nlohmann-json3-dev
provide

configure build/demo -D CMAKE_BUILD_TYPE=Release -D ATTUNE_BUILD_TESTS=OFF -D ATTUNE_BUILD_BENCH=OFF
cmake --build build/demo --parallel "$(jobs)" --target 01_first_tune

# The store is a file in the working directory; start without one, so that the first run tunes.
rm -rf build/demo/run
mkdir build/demo/run
cd build/demo/run
printf '\n== first run: tunes, and remembers what it found\n'
../examples/01_first_tune
printf '\n== second run: starts with what the first one remembered\n'
exec ../examples/01_first_tune

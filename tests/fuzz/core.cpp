// tests/fuzz/core.cpp - what every fuzzer stands on, once for all.
// SPDX-License-Identifier: MIT
#include <attune/unit/core.hpp>

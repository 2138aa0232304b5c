// tests/package/by_hand.cpp - a consumer without CMake's help: one file brings the implementation.
// SPDX-License-Identifier: MIT
#define ATTUNE_IMPLEMENTATION
#include "search.cpp"

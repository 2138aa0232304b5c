// tests/main.cpp - doctest's runner, compiled once and linked into every test program.
// SPDX-License-Identifier: MIT
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

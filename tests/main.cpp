// tests/main.cpp - doctest's runner, compiled once and linked into every test program.
// SPDX-License-Identifier: MIT
#define DOCTEST_CONFIG_IMPLEMENT
#include <cstdlib>
#include <doctest/doctest.h>

/// LLVM's OpenMP library is not instrumented: the thread sanitizer does not see how its threads
/// wait for each other.
extern "C" char const* __tsan_default_suppressions();
extern "C" char const* __tsan_default_suppressions() { return "race:libomp.so\n"; }

/// No test touches the cache of the user who runs it; those that need one make their own.
int main(int argc, char** argv)
{
    ::setenv("ATTUNE_CACHE", "off", 0);
    return doctest::Context(argc, argv).run();
}

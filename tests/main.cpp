// tests/main.cpp - doctest's runner, compiled once and linked into every test program.
// SPDX-License-Identifier: MIT
#define DOCTEST_CONFIG_IMPLEMENT
#include <cstdlib>
#include <doctest/doctest.h>
#include <sys/auxv.h>

/// LLVM's libraries are not instrumented: the thread sanitizer does not see how their threads wait
/// for each other.
extern "C" char const* __tsan_default_suppressions();
extern "C" char const* __tsan_default_suppressions()
{
    return "race:libomp.so\nrace:libLLVM.so\nrace:libclang-cpp.so\n";
}

/// Children that start threads, as workers do, are what some tests are about; the sanitizer does
/// not watch one whose parent had threads. And a child that calls exit is gone at once: the
/// sanitizer would have it sleep for a second first, in case that other threads of it still make a
/// mistake. Nor are threads of the parent that a child never had leaks of the child.
extern "C" char const* __tsan_default_options();
extern "C" char const* __tsan_default_options()
{
    return "die_after_fork=0:atexit_sleep_ms=0:report_thread_leaks=0";
}

/// The leak checker reads the memory of its process by ptrace, which a privileged start forbids.
extern "C" char const* __asan_default_options();
extern "C" char const* __asan_default_options()
{
    return ::getauxval(AT_SECURE) == 0 ? "" : "detect_leaks=0";
}

/// No test touches the cache of the user who runs it, and none waits for others that time something
/// on this machine; those that need one make their own.
int main(int argc, char** argv)
{
    ::setenv("ATTUNE_CACHE", "off", 0);
    ::setenv("ATTUNE_TURNS", "off", 0);
    return doctest::Context(argc, argv).run();
}

// tests/support/bad_variants.hpp - ways for a variant to be no good, each with what must become of it.
// SPDX-License-Identifier: MIT
//
// A seed chooses a way and its details: which element, which signal, how far outside.
#pragma once

#include <cfenv>
#include <csetjmp>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <fcntl.h>
#include <iterator>
#include <limits>
#include <locale.h>
#include <pthread.h>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "bad_call.hpp"

namespace attune_test {

/// The wrong thing first or last: a right result next to it must not help.
inline bad_way const bad_ways[] = {
    {"null write", crashed, [](bad_call const&) { store<char>(nullptr, 1); }},
    {"wild write", crashed, [](bad_call const& c) { right(c), store<char>(wild(c.detail), 1); }},
    {"wild read", crashed,
     [](bad_call const& c) {
         c.y[0] = *wild(c.detail);
         right(c);
     }},
    {"one past y", crashed | refuted,
     [](bad_call const& c) { right(c), store(c.y.data() + c.y.size(), 1.0); }},
    {"one before y", crashed | refuted,
     [](bad_call const& c) { right(c), store(c.y.data() - 1, 1.0); }},
    {"one past k", crashed | refuted,
     [](bad_call const& c) { right(c), store(c.k.data() + c.k.size(), 1); }},
    {"one before k", crashed | refuted,
     [](bad_call const& c) { right(c), store(c.k.data() - 1, 1); }},
    {"far past y", crashed,
     [](bad_call const& c) { store(c.y.data() + c.y.size() + 512 + element(c) % 8, 1.0); }},
    {"uses what it reads past x", crashed | refuted,
     [](bad_call const& c) {
         right(c);
         double const volatile* const x = c.x.data();
         c.y[c.y.size() - 1] = c.factor * x[c.x.size()];
     }},
    {"writes its input", crashed,
     [](bad_call const& c) {
         right(c);
         std::size_t const i = element(c);
         store(const_cast<double*>(&c.x[i]), c.x[i] + 1); // NOLINT
     }},
    {"stack overflow", crashed, [](bad_call const& c) { right(c), c.k[0] = overflow_stack(0); }},
    {"endless loop", timed_out, [](bad_call const&) { idle_forever(); }},
    {"sleeps", timed_out, [](bad_call const& c) { right(c), sleep(1000); }},
    {"waits", timed_out, [](bad_call const& c) { right(c), pause(); }},
    {"throws", crashed, [](bad_call const&) { throw std::runtime_error("no"); }},
    {"throws a number", crashed, [](bad_call const&) { throw 7; }},
    {"aborts", crashed, [](bad_call const& c) { right(c), std::abort(); }},
    {"terminates", crashed, [](bad_call const& c) { right(c), std::terminate(); }},
    {"traps", crashed, [](bad_call const&) { __builtin_trap(); }},
    {"exits", crashed, [](bad_call const& c) { right(c), std::exit(c.detail % 2 ? 0 : 3); }},
    {"exits at once", crashed, [](bad_call const& c) { right(c), _exit(c.detail % 2 ? 0 : 3); }},
    {"exits quickly", crashed, [](bad_call const& c) { right(c), std::quick_exit(0); }},
    {"ends its thread", crashed, [](bad_call const& c) { right(c), pthread_exit(nullptr); }},
    {"jumps out", crashed, [](bad_call const& c) { right(c), std::longjmp(users_place, 1); }},
    {"returns twice", refuted, [](bad_call const& c) { right(c), static_cast<void>(fork()); }},
    {"leaves a process", refuted,
     [](bad_call const& c) {
         right(c);
         if (fork() != 0) return;
         if (c.detail % 2 == 0) setsid();
         sleep(2);
         _exit(0);
     }},
    {"kills its group", crashed, [](bad_call const&) { kill(0, SIGKILL); }},
    {"asks for too much", crashed,
     [](bad_call const& c) { right(c), store(static_cast<char*>(std::malloc(~0UL >> 2)), '1'); }},
    {"takes too much", crashed,
     [](bad_call const& c) {
         right(c);
         std::size_t const much = std::size_t{64} << 30; // never mapped, or never touched
         std::vector<char*> all;
         for (;;)
             all.push_back(new char[much]);
     }},
    {"leaks", refuted,
     [](bad_call const& c) {
         right(c);
         char* volatile lost = new char[(c.detail % 8 + 2) << 20]; // two to nine MiB
         lost[0] = 1;
     }},
    {"leaks a mapping", refuted,
     [](bad_call const& c) {
         right(c);
         mmap(nullptr, 4 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
     }},
    {"one element wrong", refuted, [](bad_call const& c) { right(c), c.y[element(c)] *= 1.01; }},
    {"one index wrong", refuted, [](bad_call const& c) { right(c), c.k[element(c)] += 1; }},
    {"NaN", refuted,
     [](bad_call const& c) {
         right(c), c.y[element(c)] = std::numeric_limits<double>::quiet_NaN();
     }},
    {"infinity", refuted,
     [](bad_call const& c) {
         right(c), c.y[element(c)] = std::numeric_limits<double>::infinity();
     }},
    {"writes nothing", refuted, [](bad_call const&) {}},
    {"writes half", refuted,
     [](bad_call const& c) { right({c.x, c.y.first(c.y.size() / 2), c.k, c.factor, 0, 0}); }},
    {"leaves one out", refuted,
     [](bad_call const& c) {
         double const before = c.y[element(c)];
         right(c);
         c.y[element(c)] = before;
     }},
    {"adds", refuted,
     [](bad_call const& c) {
         for (std::size_t i = 0; i < c.y.size(); ++i)
             c.y[i] += c.factor * c.x[i];
     }},
    {"leaves k out", refuted,
     [](bad_call const& c) {
         for (std::size_t i = 0; i < c.y.size(); ++i)
             c.y[i] = c.factor * c.x[i];
     }},
    {"is wrong every other time", refuted,
     [](bad_call const& c) {
         right(c);
         if (c.calls % 2 == 0) c.y[element(c)] = 0.25;
     }},
    {"is slow", ranked | timed_out,
     [](bad_call const& c) {
         for (int i = 0; i < 20'000'000; ++i)
             asm volatile("");
         right(c);
     }},
    {"closes a standard descriptor", refuted,
     [](bad_call const& c) { right(c), close(static_cast<int>(c.detail % 3)); }},
    {"closes a descriptor", refuted, [](bad_call const& c) { right(c), close(users_descriptor); }},
    {"exchanges a descriptor", refuted,
     [](bad_call const& c) {
         right(c);
         int const other = open("/dev/zero", O_RDONLY | O_CLOEXEC);
         dup2(other, users_descriptor);
         close(other);
     }},
    {"installs a handler", refuted,
     [](bad_call const& c) {
         right(c);
         set_handler(one_of({SIGUSR1, SIGSEGV, SIGINT, SIGFPE, SIGALRM, SIGCHLD}, c), [](int) {});
     }},
    {"ignores a signal", refuted,
     [](bad_call const& c) {
         right(c), set_handler(one_of({SIGTERM, SIGUSR2, SIGPIPE, SIGINT}, c), SIG_IGN);
     }},
    {"blocks signals", refuted,
     [](bad_call const& c) { right(c), block({one_of({SIGTERM, SIGUSR1, SIGSEGV}, c)}); }},
    {"sets an alarm", refuted, [](bad_call const& c) { right(c), alarm(1000); }},
    {"rounds differently", refuted,
     [](bad_call const& c) {
         right(c), std::fesetround(one_of({FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}, c));
     }},
#if defined(__x86_64__)
    {"flushes to zero", refuted,
     [](bad_call const& c) {
         right(c);
         __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | one_of({0x8000U, 0x40U, 0x8040U}, c));
     }},
    {"unmasks divisions by zero", refuted,
     [](bad_call const& c) {
         right(c), __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() & ~0x200U);
     }},
    {"illegal instruction", crashed,
     [](bad_call const& c) { right(c), [] { asm volatile("ud2"); }(); }},
    {"privileged instruction", crashed, [](bad_call const&) { asm volatile("hlt"); }},
    {"divides by zero", crashed,
     [](bad_call const& c) {
         int volatile zero = 0;
         c.k[0] = static_cast<int>(c.detail % 100) / zero;
         right(c);
     }},
#endif
    {"changes the locale", refuted,
     [](bad_call const& c) { right(c), uselocale(newlocale(LC_ALL_MASK, "C", locale_t{})); }},
    {"changes the folder", refuted,
     [](bad_call const& c) { right(c), static_cast<void>(chdir("/")); }},
    {"changes the environment", refuted,
     [](bad_call const& c) {
         right(c);
         c.detail % 2 == 0 ? setenv("ATTUNE_TEST", "1", 1) : unsetenv("ATTUNE_TEST_KEPT");
     }},
    {"changes the file mode mask", refuted, [](bad_call const& c) { right(c), umask(0); }},
};

/// These reach the child by default; the program must not notice any of them.
inline int const fatal_signals[] = {SIGHUP,    SIGINT,  SIGQUIT, SIGILL,  SIGTRAP, SIGABRT,
                                    SIGBUS,    SIGFPE,  SIGKILL, SIGUSR1, SIGSEGV, SIGUSR2,
                                    SIGPIPE,   SIGALRM, SIGTERM, SIGXCPU, SIGXFSZ, SIGPROF,
                                    SIGVTALRM, SIGSYS,  SIGSTOP};

/// What goes wrong only later, in the program itself. Not in a child: `calls` begins with 1 there.
inline bad_way const late_ways[] = {
    {"crashes later", crashed,
     [](bad_call const& c) { right(c), c.calls > 3 ? store<char>(nullptr, 1) : void(); }},
    {"aborts later", crashed,
     [](bad_call const& c) { right(c), c.calls > 2 ? std::abort() : void(); }},
    {"overflows its stack later", crashed,
     [](bad_call const& c) { right(c), c.k[0] = c.calls > 2 ? overflow_stack(0) : 0; }},
    {"throws later", crashed,
     [](bad_call const& c) {
         right(c);
         if (c.calls > 2) throw 7;
     }},
    {"hangs later", timed_out,
     [](bad_call const& c) { right(c), c.calls > 3 ? idle_forever() : void(); }},
    {"is wrong later", refuted,
     [](bad_call const& c) { right(c), c.y[element(c)] += c.calls > 3 ? 1 : 0; }},
    {"rounds differently later", refuted,
     [](bad_call const& c) { right(c), c.calls > 3 ? std::fesetround(FE_DOWNWARD) : 0; }},
    {"installs a handler later", refuted,
     [](bad_call const& c) { right(c), c.calls > 3 ? set_handler(SIGUSR2, [](int) {}) : void(); }},
};

/// Each way with two seeds, and two that do not get as far as a run.
inline constexpr std::size_t bad_variant_count =
    2 * std::size(bad_ways) + std::size(fatal_signals) + std::size(late_ways) + 2;

} // namespace attune_test

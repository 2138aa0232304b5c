// tests/measure/sandbox/sandboxed_run.cpp : sandboxed_run() of include/attune/measure/sandbox/child_process.hpp
// SPDX-License-Identifier: MIT
#include <attune/measure/sandbox/child_process.hpp>

#include <cstdio>
#include <cstdlib>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "../../support/open_files.hpp"
#include "../../support/sanitized.hpp"
#include "faults.hpp"

using attune::buffer;
using attune::failure;
using attune::failure_stage;
using attune::first_run_result;
using attune::detail::as_buffer;
using attune::detail::sandboxed_run;
using attune::detail::sandboxed_run_options;
using attune::detail::snapshot;
using attune_test::divide;
using attune_test::overflow_the_stack;
using attune_test::write_to;

namespace {

/// A call that doubles its input, its trusted result, and a check that a trial leaves no trace.
struct doubling {
    std::vector<double> in = std::vector<double>(100);
    std::vector<double> out = std::vector<double>(100, -1);
    buffer buffers[2] = {as_buffer(std::span<double const>(in), 0),
                         as_buffer(std::span<double>(out), 1)};
    snapshot reference{buffers};

    doubling()
    {
        std::iota(in.begin(), in.end(), 1.0);
        snapshot const before(buffers);
        run();
        reference = snapshot(buffers);
        before.restore();
    }

    void run()
    {
        for (std::size_t i = 0; i < in.size(); ++i)
            out[i] = 2 * in[i];
    }

    template <class Run>
    first_run_result tried(Run const& variant, double limit_s = 10)
    {
        sandboxed_run_options options{.limit_s = limit_s};
        first_run_result const result = sandboxed_run(variant, buffers, &reference, options);
        CHECK(in.front() == 1);
        CHECK(in.back() == 100);
        CHECK(out == std::vector<double>(100, -1));
        CHECK(attune_test::has_no_children());
        return result;
    }

    template <class Run>
    failure refused(Run const& variant, double limit_s = 10)
    {
        first_run_result const result = tried(variant, limit_s);
        REQUIRE(std::holds_alternative<failure>(result));
        return std::get<failure>(result);
    }
};

} // namespace

TEST_CASE("a write where nothing is mapped is a crash that names the address")
{
    doubling call;
    std::size_t const page = 4096;
    void* const nothing = mmap(nullptr, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(nothing != MAP_FAILED);
    char* const target = static_cast<char*>(nothing) + 16;
    failure const f = call.refused([&] { write_to(target); });
    munmap(nothing, page);
    CHECK(f.stage == failure_stage::crash);
    char address[32];
    std::snprintf(address, sizeof address, "%p", static_cast<void*>(target));
    CHECK(f.reason == "SIGSEGV (invalid memory access) at address " + std::string(address));
}

TEST_CASE("what a run dies of is its reason, and so is where its result is wrong")
{
    doubling call;
    char* volatile null = nullptr;
    struct way {
        std::function<void()> run;
        failure_stage stage;
        char const* reason;
    };
    std::vector<way> ways{{[&] { write_to(null); }, failure_stage::crash,
                           "SIGSEGV (invalid memory access) at address 0x0"},
                          {[] { std::exit(3); }, failure_stage::crash, "exit(3) was called"},
                          {[] { std::exit(0); }, failure_stage::crash, "exit(0) was called"},
                          {[] {}, failure_stage::verify,
                           "argument 1, element 0: got -1, reference 2 (100 of 100 differ)"},
                          {[&] {
                               call.run();
                               call.out[41] = 85;
                           },
                           failure_stage::verify, "argument 1, element 41: got 85, reference 84"}};
#if defined(__x86_64__) || defined(__i386__)
    int volatile zero = 0;
    ways.push_back({[&] { zero = divide(7, zero); }, failure_stage::crash,
                    "SIGFPE (integer division by zero or overflow)"});
#endif
    for (way const& one : ways) {
        CAPTURE(one.reason);
        failure const f = call.refused(one.run);
        CHECK(f.stage == one.stage);
        CHECK(f.reason == one.reason);
    }
}
TEST_CASE("an overflown stack is a crash")
{
    doubling call;
    int volatile result = 0;
    failure const f = call.refused([&] { result = overflow_the_stack(0); });
    CHECK(f.stage == failure_stage::crash);
    CHECK(f.reason.substr(0, 7) == "SIGSEGV");
}

TEST_CASE("abort is a crash, and what it printed is kept")
{
    doubling call;
    failure const f = call.refused([] {
        std::fputs("assertion failed: n > 0\n", stderr);
        std::abort();
    });
    CHECK(f.stage == failure_stage::crash);
    CHECK(f.reason == "SIGABRT (abort was called)");
#if defined(__linux__)
    CHECK(f.log.substr(0, 24) == "assertion failed: n > 0\n");
#endif
}

TEST_CASE("an exception is a crash whose reason is the first line of its text")
{
    doubling call;
    failure const f = call.refused([] { throw std::runtime_error("no room\nfor 7 tiles"); });
    CHECK(f.stage == failure_stage::crash);
    CHECK(f.reason == "no room");
    CHECK(f.log == "no room\nfor 7 tiles");
    CHECK(call.refused([] { throw std::runtime_error(""); }).reason ==
          "an exception without a text");
    CHECK(call.refused([] { throw 1; }).stage == failure_stage::crash);
}

TEST_CASE("an endless run is a timeout that names the limit")
{
    doubling call;
    auto const endless = [] {
        for (int volatile i = 0;;)
            i = i + 1;
    };
    failure const f = call.refused(endless, 0.125);
    CHECK(f.stage == failure_stage::timeout);
    CHECK(f.reason == "still running after 0.125 s");
}

TEST_CASE("a result within the tolerance of its buffer passes")
{
    doubling call;
    auto const rounded = [&] {
        call.run();
        call.out[99] *= 1 + 1e-6;
    };
    CHECK(call.refused(rounded).stage == failure_stage::verify);
    call.buffers[1].within.relative = 1e-5;
    CHECK(std::holds_alternative<double>(call.tried(rounded)));
}

TEST_CASE("without a reference any result will do, but not any end")
{
    doubling call;
    CHECK(std::holds_alternative<double>(sandboxed_run([] {}, call.buffers, nullptr)));
    CHECK(std::holds_alternative<failure>(
        sandboxed_run([] { std::abort(); }, call.buffers, nullptr)));
}

TEST_CASE("a check of the caller sees the child's memory and may refuse")
{
    doubling call;
    sandboxed_run_options options;
    options.also_check = [&] {
        return call.out[0] == 2 ? std::string("two\nis refused") : std::string();
    };
    first_run_result const result =
        sandboxed_run([&] { call.run(); }, call.buffers, &call.reference, options);
    CHECK(std::get<failure>(result).stage == failure_stage::verify);
    CHECK(std::get<failure>(result).reason == "two");
    CHECK(std::get<failure>(result).log == "two\nis refused");
}

TEST_CASE("a check that never ends is not taken for a run that does not")
{
    doubling call;
    sandboxed_run_options options{.limit_s = 60, .check_limit_s = 0.125};
    options.also_check = []() -> std::string {
        for (;;)
            pause();
    };
    first_run_result const result =
        sandboxed_run([&] { call.run(); }, call.buffers, &call.reference, options);
    CHECK(std::get<failure>(result).stage == failure_stage::verify);
    CHECK(std::get<failure>(result).reason ==
          "the check of its result was still running after 0.125 s");
}

TEST_CASE("a run that is refused memory says so, and how to give it more")
{
    doubling call;
    sandboxed_run_options options{.memory_bytes = std::size_t{64} << 20};
    constexpr std::size_t bytes = std::size_t{256} << 20;
    auto const allocates = [&] {
        std::vector<char> scratch(bytes);
        static_cast<char volatile*>(scratch.data())[0] = 1; // else Clang 16 leaves it out
        call.run();
    };
    auto const unchecked = [&] {
        auto* const scratch = static_cast<char volatile*>(std::malloc(bytes));
        scratch[0] = 1;
        call.run();
    };
    for (std::function<void()> const& run :
         {std::function<void()>(allocates), std::function<void()>(unchecked)}) {
        first_run_result const result = sandboxed_run(run, call.buffers, &call.reference, options);
        CHECK(std::get<failure>(result).stage == failure_stage::crash);
        if (is_skipped(address_sanitized || thread_sanitized,
                       "its malloc() ends the program before attune sees it"))
            continue;
        std::string const& reason = std::get<failure>(result).reason;
        CHECK(reason.find("needed more than 64 MiB of memory: raise "
                          "tuning_options::measuring.trial.memory_bytes") != std::string::npos);
    }
    options.memory_bytes = std::size_t{1} << 30;
    CHECK(std::holds_alternative<double>(
        sandboxed_run(allocates, call.buffers, &call.reference, options)));
    options.memory_bytes = 0; // by the machine
    CHECK(attune::detail::usual_child_memory() >= std::size_t{1} << 30);
    // Other crashes say nothing of memory.
    first_run_result const other = call.tried([] { throw std::runtime_error("no"); });
    CHECK(std::get<failure>(other).reason == "no");
}

TEST_CASE("fifty trials, good and bad, leave no descriptor open")
{
    doubling call;
    int const before = attune_test::open_descriptors();
    for (int i = 0; i < 50; ++i) {
        static_cast<void>(call.tried([&] {
            if (i % 3 == 0) std::abort();
            call.run();
        }));
    }
    CHECK(attune_test::open_descriptors() == before);
}

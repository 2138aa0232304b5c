// tests/tune/never_throws.cpp - calls where nothing can be tuned: what the kernel does is done.
// SPDX-License-Identifier: MIT
#include <attune/tune/tuned.hpp>

#include <doctest/doctest.h>
#include <stdexcept>
#include <string>
#include <vector>

#include "../support/accumulate.hpp"
#include "../support/recorded_progress.hpp"
#include "../support/texts.hpp"

using namespace attune_test;
using attune::decision;
using attune::progress_event;

namespace {

/// No compiler at all, or one that fails later.
struct missing_compiler {
    bool has_identity = false;
    bool compiles = false;

    attune::compile_result compile(attune::kernel_source const& k, attune::compile_request const& v)
    {
        if (compiles) return accumulate_compiler().compile(k, v);
        return attune::failure{attune::failure_stage::compile, "'omp.h' file not found"};
    }
    [[nodiscard]] std::string identity() const
    {
        if (!has_identity) throw attune::error("no compiler for kernels", "", "install one");
        return "missing";
    }
};

/// The program's own function: right, and counted.
int own_calls = 0;
void own(std::span<double const> x, std::span<double> y, double factor)
{
    ++own_calls;
    accumulate<fast>(x, y, factor);
}

auto kernel_with_own(std::string const& start = "0")
{
    auto kernel = accumulate_kernel(ways<usual, fast, crashing>(), accumulate_source(start));
    kernel.fallback(&own);
    return kernel;
}

} // namespace

TEST_CASE("without a compiler the function in the program serves, every call, with one notice")
{
    for (bool const has_identity : {false, true}) {
        recorded_progress heard;
        accumulate_data data;
        accumulate_data longer(2'003);
        own_calls = 0;
        attune::tuned call{kernel_with_own(), missing_compiler{has_identity},
                           attune::memory_store{}, quick_options(heard.sink())};
        for (int i = 0; i < 3; ++i)
            call(data.x, data.y, 3.0);
        call(longer.x, longer.y, 2.0);
        CHECK(data.called_times(3, 3.0));
        CHECK(longer.called_times(1, 2.0));
        CHECK(own_calls == 4);
        CHECK(heard.count(progress_event::notice) == 1);
        CHECK(call.report().how == decision::served_fallback);
        CHECK(has(call.report().reason, has_identity ? "omp.h" : "no compiler for kernels"));
        CHECK(has(call.report().summary(), "the function in the program serves"));
    }
}

TEST_CASE("a default that crashes in the trial gives way to the function in the program")
{
    accumulate_data data;
    own_calls = 0;
    attune::tuned call{kernel_with_own("3"), accumulate_compiler(), attune::memory_store{},
                       quick_options()};
    call(data.x, data.y, 3.0);
    CHECK(data.called_times(1, 3.0));
    CHECK(own_calls == 1);
    CHECK(call.report().how == decision::served_fallback);
}

TEST_CASE("without a function in the program, the compiled default serves if there is one")
{
    accumulate_data data;
    attune::tuned call{accumulate_kernel(ways<usual, fast>()),
                       missing_compiler{.has_identity = false, .compiles = true},
                       attune::memory_store{}, quick_options()};
    call(data.x, data.y, 3.0);
    call(data.x, data.y, 3.0);
    CHECK(data.called_times(2, 3.0));
    CHECK(call.report().how == decision::served_default);
    CHECK(call.report().configuration == "WAY=0");
}

TEST_CASE("where nothing can run the kernel the call throws, the data are as they were")
{
    accumulate_data data;
    attune::tuned call{accumulate_kernel(ways<usual, fast>()), missing_compiler{},
                       attune::memory_store{}, quick_options()};
    CHECK_THROWS_WITH_AS(call(data.x, data.y, 3.0), doctest::Contains("no compiler for kernels"),
                         attune::error);
    CHECK(data.called_times(0, 3.0));
    CHECK(call.report().how == decision::call_failed);
}

TEST_CASE("a store that throws is a notice, not the end of a call")
{
    struct broken_store {
        attune::lookup_result find(attune::record_key const&)
        {
            throw std::runtime_error("disk on fire");
        }
        void add(attune::record const&) {}
        std::vector<std::string> notices() { return {}; }
    };
    recorded_progress heard;
    accumulate_data data;
    attune::tuned call{accumulate_kernel(ways<usual, fast>()), accumulate_compiler(),
                       broken_store{}, quick_options(heard.sink())};
    call(data.x, data.y, 3.0);
    call(data.x, data.y, 3.0);
    CHECK(data.called_times(2, 3.0));
    CHECK(call.report().how == decision::served_default);
    CHECK(has(heard.texts(progress_event::notice), "disk on fire"));
    CHECK(heard.count(progress_event::notice) == 1);
}

namespace {

constexpr auto n = attune::input<"N", int>();
constexpr auto step = attune::ordinal<"STEP">(attune::powers_of_two(1, 8));

template <int Step>
void fill(std::span<int> out, int size)
{
    idle(Step == 4 ? 200'000 : 100'000);
    for (int& v : out)
        v = size;
}

} // namespace

TEST_CASE(
    "a default that breaks a constraint at some input: the nearest valid one serves as default")
{
    attune::kernel<void(std::span<int>, int)> kernel{
        "fill", attune::source_text("int step = ATTUNE_TUNABLE(STEP, 4);", "fill.kernel.cpp"),
        attune::space(step).where(n % step == 0)};
    kernel.bind<1>(n);
    scripted_compiler compiler{[](attune::compile_request const& v) -> scripted_compiler::answer {
        std::string const& chosen = v.macros.at(0).value;
        if (chosen == "1") return reinterpret_cast<void*>(&fill<1>);
        if (chosen == "2") return reinterpret_cast<void*>(&fill<2>);
        if (chosen == "4") return reinterpret_cast<void*>(&fill<4>);
        return attune::failure{attune::failure_stage::compile, "no step " + chosen};
    }};
    recorded_progress heard;
    attune::tuned call{kernel, compiler, attune::memory_store{}, quick_options(heard.sink())};
    std::vector<int> out(10);
    call(out, 6); // 4 does not divide it; 2 is nearest
    CHECK(out[9] == 6);
    CHECK(compiler.compiled().front() == "STEP=2");
    std::string const told = heard.texts(progress_event::notice);
    CHECK(has(told, "the nearest valid one serves as default: STEP=2"));
    call(out, 8);
    CHECK(out[9] == 8);
    CHECK(call.report().default_configuration == "STEP=4");
}

TEST_CASE("no evaluations, no tuning: the default serves, and nothing is remembered")
{
    recorded_progress heard;
    accumulate_data data;
    auto options = quick_options(heard.sink());
    options.limits.evaluations = 0;
    attune::memory_store store;
    auto compiler = accumulate_compiler();
    attune::tuned call{accumulate_kernel(ways<usual, fast>()), compiler, store, options};
    call(data.x, data.y, 3.0);
    CHECK(data.called_times(1, 3.0));
    CHECK(compiler.compiled() == std::vector<std::string>{"WAY=0"});
    CHECK(call.report().how == decision::served_default);
    CHECK(call.report().reason == "the limits allow no tuning");
    CHECK(heard.count(progress_event::notice) == 0); // that is what was asked for
}

TEST_CASE(
    "a total over all inputs: what is beyond it is served by the best of those tuned, verified")
{
    scripted_compiler compiler{[](attune::compile_request const& v) -> scripted_compiler::answer {
        return v.macros.at(0).value == "1" ? reinterpret_cast<void*>(&fill<4>)
                                           : reinterpret_cast<void*>(&fill<1>);
    }};
    constexpr auto one = attune::ordinal<"STEP">(attune::values(1, 2));
    attune::kernel<void(std::span<int>, int)> bound{
        "fill", attune::source_text("int step = ATTUNE_TUNABLE(STEP, 1);", "fill.kernel.cpp"),
        attune::space(one).where(n % one >= 0)};
    bound.bind<1>(n);
    recorded_progress heard;
    auto options = quick_options(heard.sink());
    options.limits.total = attune::search_limits::of_evaluations(2);
    attune::tuned call{bound, compiler, attune::memory_store{}, options};
    std::vector<int> out(10);
    call(out, 5);
    CHECK(call.report().how == decision::tuned);
    for (int size : {6, 7, 8}) {
        call(out, size);
        CAPTURE(call.report().summary());
        CHECK(out[9] == size);
        CHECK(call.report().how == decision::served_near);
        CHECK(call.report().shapes.verified == 1);
        CHECK(!call.is_tuned(out, size));
    }
    CHECK(has(heard.texts(progress_event::notice), "is spent"));
    CHECK(heard.count(progress_event::started) == 1);
}

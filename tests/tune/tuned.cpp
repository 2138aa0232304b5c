// tests/tune/tuned.cpp - a kernel that tunes itself when it is called.
// SPDX-License-Identifier: MIT
#include <attune/tune/tuned.hpp>

#include <attune/core/error.hpp>

#include <atomic>
#include <doctest/doctest.h>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "../off/call_site.hpp"
#include "../support/accumulate.hpp"
#include "../support/call_site_off.hpp"
#include "../support/scratch_directory.hpp"
#include "../support/shared_store.hpp"
#include "../support/texts.hpp"

using namespace attune_test;
using attune::decision;

TEST_CASE("the data is what exactly one call of the installed variant makes of it")
{
    accumulate_data data;
    auto compiler = accumulate_compiler();
    attune::tuned call{
        accumulate_kernel(
            ways<usual, wrong, crashing, endless, refused, overrunning, throwing, fast>()),
        compiler, attune::memory_store{}, quick_options()};
    CHECK(compiler.compiled().empty()); // nothing happens before the call
    call(data.x, data.y, 3.0);
    CHECK(data.called_times(1, 3.0));
    CHECK(call.report().how == decision::tuned);
    CHECK(call.report().configuration == "WAY=1");
    CHECK(attune::total(call.report().failures) == 6);
    std::size_t const compiled = compiler.compiled().size();
    call(data.x, data.y, 3.0);
    CHECK(data.called_times(2, 3.0));
    CHECK(compiler.compiled().size() == compiled);
}

TEST_CASE("the call that remembers is one call too")
{
    shared_store store;
    accumulate_data data;
    attune::tuned first{accumulate_kernel(ways<usual, fast>()), accumulate_compiler(), store,
                        quick_options()};
    first(data.x, data.y, 3.0);
    auto compiler = accumulate_compiler();
    attune::tuned second{accumulate_kernel(ways<usual, fast>()), compiler, store, quick_options()};
    second(data.x, data.y, 3.0);
    CHECK(data.called_times(2, 3.0));
    CHECK(compiler.compiled().size() == 1);
    CHECK(second.report().how == decision::remembered);
    CHECK(has(second.report().summary(), "remembered WAY=1"));
}

TEST_CASE("the default that is kept is called, with its own result")
{
    accumulate_data data;
    attune::tuned call{accumulate_kernel(ways<fast, crawling, wrong>(), accumulate_source("1")),
                       accumulate_compiler(), attune::memory_store{}, quick_options()};
    call(data.x, data.y, 2.0);
    CHECK(data.called_times(1, 2.0));
    CHECK(call.report().how == decision::kept_default);
}

TEST_CASE("a failing default throws at the call and leaves the data alone")
{
    for (std::string const start : {"3", "4", "5", "7", "8"}) {
        accumulate_data data;
        auto options = quick_options();
        options.limits.default_run_s = 0.2;
        attune::tuned call{
            accumulate_kernel(ways<fast, crashing, endless, refused, overrunning, throwing>(),
                              accumulate_source(start)),
            accumulate_compiler(), attune::memory_store{}, options};
        CHECK_THROWS_AS(call(data.x, data.y, 3.0), attune::error);
        CHECK(data.called_times(0, 3.0));
    }
}

TEST_CASE("a span that is too short for the kernel is an error that names it")
{
    accumulate_data data(1000);
    attune::tuned call{accumulate_kernel(ways<overreading>(), accumulate_source("12")),
                       accumulate_compiler(), attune::memory_store{}, quick_options()};
    std::string const text = error_of([&] { call(data.x, data.y, 3.0); });
    CHECK(has(text, "kernel 'accumulate'"));
    CHECK(has(text, "past the end of argument 0 (it has 8000 bytes)"));
    CHECK(has(text, "longer spans"));
}

TEST_CASE("two threads that call at once tune once")
{
    constexpr std::size_t threads = 4;
    std::vector<accumulate_data> data(threads);
    shared_store store;
    auto compiler = accumulate_compiler();
    attune::tuned call{accumulate_kernel(ways<usual, fast>()), compiler, store, quick_options()};
    std::atomic<bool> go{false};
    std::vector<std::thread> workers;
    for (std::size_t i = 0; i < threads; ++i)
        workers.emplace_back([&, i] {
            while (!go) {
            }
            call(data[i].x, data[i].y, 3.0);
        });
    go = true;
    for (std::thread& t : workers)
        t.join();
    for (accumulate_data const& d : data)
        CHECK(d.called_times(1, 3.0));
    CHECK(compiler.compiled().size() <= 3); // the others run the default, compiled once more
    CHECK(store.records->records().size() == 1);
}

namespace {

constexpr auto n = attune::input<"N", int>();
constexpr auto step = attune::ordinal<"STEP">(attune::powers_of_two(1, 8));
using fill_signature = void(std::span<int>, int);

template <int Step>
void fill(std::span<int> out, int size)
{
    idle(Step == 1 ? 2'000'000 : 100);
    for (int& v : out)
        v = size;
}

scripted_compiler fill_compiler()
{
    return scripted_compiler{[](attune::compile_request const& v) -> scripted_compiler::answer {
        std::string const& chosen = v.macros.at(0).value;
        if (chosen == "1") return reinterpret_cast<void*>(&fill<1>);
        if (chosen == "2") return reinterpret_cast<void*>(&fill<2>);
        return attune::failure{attune::failure_stage::compile, "no step " + chosen};
    }};
}

attune::kernel<fill_signature> fill_kernel()
{
    attune::kernel<fill_signature> k{
        "fill", attune::source_text("int step = ATTUNE_TUNABLE(STEP, 1);", "fill.kernel.cpp"),
        attune::space(step).where(n % step == 0)};
    k.bind<1>(n);
    return k;
}

} // namespace

TEST_CASE("another value of an input is another problem; a value seen before is not")
{
    shared_store store;
    auto compiler = fill_compiler();
    attune::tuned call{fill_kernel(), compiler, store, quick_options()};
    std::vector<int> out(10);
    call(out, 2);
    CHECK(out[9] == 2);
    CHECK(compiler.compiled() == std::vector<std::string>{"STEP=1", "STEP=2"});
    CHECK(call.report().configuration == "STEP=2");
    call(out, 3); // 3 is divisible by 1 only
    CHECK(out[9] == 3);
    CHECK(compiler.compiled().size() == 3);
    CHECK(call.report().configuration == "STEP=1");
    call(out, 2);
    call(out, 3);
    CHECK(out[9] == 3);
    CHECK(compiler.compiled().size() == 3);
    REQUIRE(store.records->records().size() == 2);
    CHECK(store.records->records()[1].key.inputs[0].second == "3");
    auto later = fill_compiler(); // another process: remembers each by its size
    attune::tuned again{fill_kernel(), later, store, quick_options()};
    again(out, 3);
    again(out, 2);
    CHECK(later.compiled() == std::vector<std::string>{"STEP=1", "STEP=2"});
    CHECK(again.report().how == decision::remembered);
}

TEST_CASE("a tuned kernel may be moved before and after its first call")
{
    accumulate_data data;
    attune::tuned call{accumulate_kernel(ways<usual, fast>()), accumulate_compiler(),
                       attune::memory_store{}, quick_options()};
    auto moved = std::move(call);
    moved(data.x, data.y, 3.0);
    auto again = std::move(moved);
    again(data.x, data.y, 3.0);
    CHECK(data.called_times(2, 3.0));
    CHECK(again.report().how == decision::tuned);
}

TEST_CASE("without a store the process remembers")
{
    attune::tuned call{accumulate_kernel(ways<fast>(), accumulate_source("1")),
                       accumulate_compiler()};
    static_assert(
        std::is_same_v<decltype(call), attune::tuned<accumulate_signature, scripted_compiler,
                                                     attune::memory_store>>);
}

TEST_CASE("a real compiler: the fastest right variant of a text is installed")
{
    constexpr auto way_of_text = attune::categorical<"WAY">(0, 1, 2, 3);
    attune::kernel<void(std::span<double const>, std::span<double>, double)> const kernel{
        "accumulate",
        attune::source_text(R"(
#include <attune/tunable.hpp>
#include <cstddef>
#include <span>
constexpr int way = ATTUNE_TUNABLE(WAY, 0);
static_assert(way != 2, "way 2 is closed");
void accumulate(std::span<double const> x, std::span<double> y, double factor)
{
    if (way == 0) for (int i = 0; i < 2000000; ++i) asm volatile("");
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += (way == 3 ? 2 : 1) * factor * x[i];
}
)",
                            "accumulate.kernel.cpp"),
        attune::space(way_of_text)};
    accumulate_data data;
    attune::tuned call{kernel, attune::system_compiler{}, attune::memory_store{}, quick_options()};
    call(data.x, data.y, 3.0);
    CHECK(data.called_times(1, 3.0));
    CHECK(call.report().configuration == "WAY=1");
    CHECK(call.report().how == decision::tuned);
    REQUIRE(call.report().first_failures.size() == 2);
    CHECK(has(call.report().first_failures[0].reason, "way 2 is closed"));
    CHECK(call.report().first_failures[1].stage == attune::failure_stage::verify);
}

TEST_CASE("one call site tunes, and calls the default where its unit has ATTUNE_OFF")
{
    support::scratch_directory const folder;
    CHECK(run_call_site_off() == "12 20, tuned 0");
    CHECK(call_site::run(folder.file("s.attune")) == "12 20, tuned 2");
    CHECK(run_call_site_off() == "12 20, tuned 0");
}

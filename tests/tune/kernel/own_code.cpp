// tests/tune/kernel/own_code.cpp - the user's own code beside what was found.
// SPDX-License-Identifier: MIT
#include <attune/tune/kernel/compile_point.hpp>
// and what the tests need besides
#include <attune/tune/kernel.hpp>
#include <attune/tune/loop/detail/session_report.hpp>
#include <attune/tune/loop/session.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <doctest/doctest.h>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "../../support/accumulate.hpp"
#include "../../support/notices.hpp"
#include "../../support/texts.hpp"
#include "../../support/timed_bench.hpp"

using namespace attune_test;
using attune::decision;

namespace {

/// Tunes over the ways given, the first of which is the default, beside a baseline.
template <way Start, way... Others>
struct bench {
    accumulate_data data{};
    scripted_compiler compiler = accumulate_compiler();
    attune::detail::any_compiler any = attune::detail::make_any_compiler(compiler);
    attune::kernel<accumulate_signature> kernel = accumulate_kernel(ways<Start, Others...>());
    attune::chain_of_trees space = attune::build(ways<Start, Others...>());

    template <class Baseline>
    attune::detail::session_result tune_beside(Baseline own, attune::tuning_options const& options)
    {
        kernel.baseline(own);
        auto const frame =
            attune::detail::make_call_frame<std::span<double const>, std::span<double>, double>(
                kernel.describe().tolerances, data.x, data.y, 3.0);
        attune::tuning_problem const problem{kernel.describe(), space, space.at(0), any, frame};
        return attune::detail::run_session(problem, options);
    }
};

} // namespace

TEST_CASE("the winner is compared with the user's own code, a function, and both are named")
{
    bench<crawling, usual, fast> b;
    recorded_progress heard;
    auto const r = b.tune_beside(&accumulate<usual>, quick_options(heard.sink()));
    CHECK(r.report.how == decision::tuned);
    CHECK(r.report.configuration == "WAY=1");
    REQUIRE(r.report.baseline);
    CHECK(r.report.baseline->speedup_low > 1);
    CHECK(r.report.baseline->speedup_low <= r.report.baseline->speedup);
    CHECK(r.report.baseline->speedup <= r.report.baseline->speedup_high);
    CHECK(r.report.baseline->time.value / r.report.best.value ==
          doctest::Approx(r.report.baseline->speedup).epsilon(1e-9));
    CHECK(r.report.baseline->speedup < r.report.speedup);
    CHECK(has(r.report.summary(), "x faster than your own, "));
    CHECK(has(r.report.summary(), "x than the default: "));
    CHECK(heard.events().back().baseline_value > 0);
    CHECK(b.data.called_times(0, 3.0));
}

TEST_CASE("own code that is faster than all that was found is said to be so, and is not installed")
{
    bench<crawling, usual> b;
    int calls = 0;
    auto const r = b.tune_beside(
        [&calls](std::span<double const> x, std::span<double> y, double factor) {
            ++calls;
            accumulate<fast>(x, y, factor);
        },
        quick_options());
    CHECK(calls > 10); // a lambda with what it captures
    CHECK(r.report.how == decision::tuned);
    CHECK(r.code.address == std::get<void*>(code_of<usual>()));
    REQUIRE(r.report.baseline);
    CHECK(r.report.baseline->speedup_high < 1);
    CHECK(r.report.summary().starts_with("your own is "));
    CHECK(has(all_notices(r.report), "faster than the installed configuration"));
}

TEST_CASE("where the default stays it is compared with the user's own code, too")
{
    bench<fast, usual> b;
    auto const r = b.tune_beside(&accumulate<usual>, quick_options());
    CHECK(r.report.how == decision::kept_default);
    REQUIRE(r.report.baseline);
    CHECK(r.report.baseline->speedup_low > 1);
    CHECK(has(r.report.summary(), "nothing was proven faster; "));
    CHECK(has(r.report.summary(), "x faster than your own, "));
}

TEST_CASE("how many times as fast as the user's own code, and as the default, the winner is")
{
    time_script times{
        {{std::get<void*>(code_of<crawling>()), 80e-3}, {std::get<void*>(code_of<usual>()), 2e-3}}};
    bench<crawling, usual> b;
    attune::tuning_options options = quick_options();
    options.measuring.make_bench = [&](attune::tuning_problem const& problem,
                                       attune::tuning_options const&) {
        times.seconds[attune::detail::baseline_code(problem.kernel).address] = 8e-3;
        return std::unique_ptr<attune::bench>(std::make_unique<timed_bench>(times));
    };
    auto const r = b.tune_beside(&accumulate<usual>, options);
    CHECK(r.report.speedup == doctest::Approx(40));
    REQUIRE(r.report.baseline);
    CHECK(r.report.baseline->speedup == doctest::Approx(4));
    CHECK(r.report.summary().starts_with("4.00x faster than your own, 40.00x than the default: "
                                         "2 ms, was 8 ms and 80 ms"));
}

TEST_CASE("own code that is wrong, or crashes, is a notice and is not timed")
{
    for (auto* const own : {&accumulate<wrong>, &accumulate<crashing>, &accumulate<overrunning>}) {
        bench<usual, fast> b;
        if (own == &accumulate<wrong>) b.kernel.reference(&accumulate<fast>); // says what is right
        auto const r = b.tune_beside(own, quick_options());
        CHECK(r.report.how == decision::tuned);
        CHECK(r.report.configuration == "WAY=1");
        CHECK(!r.report.baseline);
        CHECK(r.report.evaluations == 2);
        CHECK(attune::total(r.report.failures) == 0);
        CHECK(has(all_notices(r.report), "your own code (kernel.baseline) "));
        CHECK(has(all_notices(r.report), " and is not timed: "));
        CHECK(r.report.baseline_differs.empty());
        CHECK(!has(r.report.summary(), "your own"));
        CHECK(b.data.called_times(0, 3.0));
    }
}

TEST_CASE(
    "where own code and default differ in one element, both values are said and none is wrong")
{
    auto const own = [](std::span<double const> x, std::span<double> y, double factor) {
        accumulate<fast>(x, y, factor);
        y[17] += 0.5;
    };
    for (double const allowed : {0.0, 0.25, 1.0}) {
        CAPTURE(allowed);
        bench<usual, fast> b;
        b.kernel.tolerate<1>(attune::tolerance{.absolute = allowed});
        recorded_progress heard;
        auto const r = b.tune_beside(own, quick_options(heard.sink()));
        std::string const notices = all_notices(r.report);
        CHECK(r.report.configuration == "WAY=1");
        CHECK(attune::total(r.report.failures) == 0);
        CHECK(r.report.baseline.has_value() == (allowed == 1.0));
        CHECK(!has(notices, "wrong result"));
        CHECK(has(notices, "different results") == (allowed < 1.0));
        CHECK(r.report.summary().starts_with("your own code has another result than the default") ==
              (allowed < 1.0));
        if (allowed == 1.0) continue;
        CHECK(has(notices, "argument 1, element 17: got "));
        CHECK(has(notices, "got 154.5, reference 154; "));
        CHECK(r.report.notices.front().starts_with("your own code (kernel.baseline) and the "));
        CHECK(r.report.baseline_differs.starts_with("argument 1, element 17: got "));
        CHECK(has(heard.texts(attune::progress_event::notice), "different results"));
        CHECK(b.data.called_times(0, 3.0));
    }
}

TEST_CASE("own code that agrees with the default is the reference of variants")
{
    // Own code and variant are each within the tolerance of the default, but not of each other.
    for (bool const is_below : {false, true}) {
        CAPTURE(is_below);
        bench<usual, wrong> b;
        double const most = 3.0 * *std::max_element(b.data.x.begin(), b.data.x.end());
        b.kernel.tolerate<1>(attune::tolerance{.absolute = most + 0.5});
        auto const own = [is_below](std::span<double const> x, std::span<double> y, double factor) {
            accumulate<usual>(x, y, factor);
            for (double& v : y)
                v -= is_below ? 1.0 : 0.0;
        };
        auto const r = b.tune_beside(own, quick_options());
        CHECK(r.report.baseline.has_value());
        CHECK(r.report.baseline_differs.empty());
        CHECK(attune::total(r.report.failures) == (is_below ? 1 : 0));
    }
}

TEST_CASE("own code that fails in the final is left out of it")
{
    bench<usual, fast> b;
    recorded_progress heard(note_final);
    auto const r = b.tune_beside(&accumulate<breaking>, quick_options(heard.sink()));
    CHECK(heard.count(attune::progress_event::finals) == 1);
    CHECK(r.report.configuration == "WAY=1");
    CHECK(!r.report.baseline);
    CHECK(has(all_notices(r.report), "your own code (kernel.baseline) "));
    CHECK(b.data.called_times(0, 3.0));
}

TEST_CASE("the frame calls own code for its entry, and a variant for any other")
{
    accumulate_data data;
    auto kernel = accumulate_kernel(ways<usual>());
    int own_calls = 0;
    kernel.baseline([&](auto x, auto y, double factor) {
        ++own_calls;
        CHECK(x.size() == 1000);
        CHECK(y.size() == 1000);
        CHECK(factor == 3.0);
    });
    attune::kernel_description const& d = kernel.describe();
    attune::call_frame const frame = attune::detail::with_baseline(data.frame(), d);
    std::vector<std::byte*> addresses;
    for (attune::buffer const& b : frame.buffers)
        addresses.push_back(b.data);
    attune::callable const own = attune::detail::baseline_code(d);
    CHECK(attune::detail::is_baseline(d, own));
    frame.call(own.address, addresses);
    CHECK(own_calls == 1);
    CHECK(data.called_times(0, 3.0));
    void* const variant = std::get<void*>(code_of<fast>());
    frame.call(variant, addresses);
    CHECK(own_calls == 1);
    CHECK(data.called_times(1, 3.0));
    attune::callable other;
    other.address = variant;
    CHECK(!attune::detail::is_baseline(d, other));
}

TEST_CASE("where own code differs at other sizes, that is said first, and the variant serves")
{
    auto kernel = accumulate_kernel(ways<usual, fast>());
    kernel.baseline([](std::span<double const> x, std::span<double> y, double factor) {
        accumulate<usual>(x, y, factor);
        if (y.size() == 300) y[17] += 0.5;
    });
    recorded_progress heard;
    attune::tuned call{kernel, accumulate_compiler(), attune::memory_store(),
                       quick_options(heard.sink())};
    accumulate_data tuned_on;
    call(tuned_on.x, tuned_on.y, 3.0);
    REQUIRE(call.report().how == decision::tuned);
    call.wait(); // no proof runs beside the program
    accumulate_data other(300);
    for (int times = 1; times <= 2; ++times) {
        static_cast<void>(call.tune(other.x, other.y, 3.0)); // a requested shape is verified
        call(other.x, other.y, 3.0);
        CHECK(other.called_times(times, 3.0));
    }
    CHECK(has(call.report().baseline_differs, "argument 1, element 17: got "));
    CHECK(call.report().shapes.wrong == 0);
    CHECK(has(call.report().notices.front(), "have different results, and nothing says which"));
    CHECK(call.report().summary().starts_with("your own code has another result than the default"));
    CHECK(has(heard.texts(attune::progress_event::notice), "different results"));
}

TEST_CASE("own code that is slow at another size does not keep the variant from being verified")
{
    auto kernel = accumulate_kernel(ways<usual, fast>());
    kernel.baseline([](std::span<double const> x, std::span<double> y, double factor) {
        if (y.size() == 300) std::this_thread::sleep_for(std::chrono::seconds(1));
        accumulate<usual>(x, y, factor);
    });
    attune::tuned call{kernel, accumulate_compiler(), attune::memory_store(), quick_options()};
    accumulate_data tuned_on;
    call(tuned_on.x, tuned_on.y, 3.0);
    REQUIRE(call.report().how == decision::tuned);
    call.wait();
    accumulate_data other(300);
    static_cast<void>(call.tune(other.x, other.y, 3.0));
    CHECK(call.report().shapes.verified == 1);
    CHECK(call.report().shapes.unknown == 0);
}

namespace {

void above_at_300(std::span<double const> x, std::span<double> y, double factor)
{
    accumulate<fast>(x, y, factor);
    if (y.size() == 300) y[17] += 1;
}

} // namespace

TEST_CASE("a difference of a variant from own code is no difference of the default from it")
{
    // At one size, own code and variant are each within the tolerance of the default.
    auto kernel = accumulate_kernel(ways<usual, fast>());
    kernel.tolerate<1>(attune::tolerance{.absolute = 1.5});
    kernel.baseline([](std::span<double const> x, std::span<double> y, double factor) {
        accumulate<usual>(x, y, factor);
        if (y.size() == 300) y[17] -= 1;
    });
    scripted_compiler const compiler{[](attune::compile_request const& v) {
        return v.macros.front().value == "1"
                   ? scripted_compiler::answer(reinterpret_cast<void*>(&above_at_300))
                   : code_of<usual>();
    }};
    attune::tuned call{kernel, compiler, attune::memory_store(), quick_options()};
    accumulate_data tuned_on;
    call(tuned_on.x, tuned_on.y, 3.0);
    REQUIRE(call.report().how == decision::tuned);
    call.wait();
    accumulate_data other(300);
    static_cast<void>(call.tune(other.x, other.y, 3.0));
    CHECK(call.report().baseline_differs.empty());
    CHECK(call.report().shapes.wrong == 1);
}

TEST_CASE("a log of outcomes that were judged otherwise is not continued")
{
    bench<usual, fast> b;
    attune::call_frame const frame = b.data.frame();
    auto const key = [&](auto... contents) {
        attune::kernel<accumulate_signature> kernel = b.kernel;
        if constexpr (sizeof...(contents) > 0) kernel.contents(contents...);
        attune::tuning_problem const problem{kernel.describe(), b.space, b.space.at(0), b.any,
                                             frame};
        return attune::detail::session_key(problem, quick_options());
    };
    using attune::array_contents;
    std::string const before = key();
    CHECK(key() == before);
    CHECK(key(array_contents::zero) != before);
    CHECK(key(array_contents::zero, array_contents::equal) != key(array_contents::zero));
    CHECK(key(array_contents::zero, array_contents::equal) ==
          key(array_contents::equal, array_contents::zero));
    b.kernel.baseline(&accumulate<usual>);
    CHECK(key() != before);
}

// tests/tune/check_error.cpp - the fastest variant within a bound on the error of its result.
// SPDX-License-Identifier: MIT
#include <attune/compile/clang.hpp>
#include <attune/core/error.hpp>
#include <attune/core/evaluation.hpp>
#include <attune/declare/event.hpp>
#include <attune/remember/files/event_log.hpp>
#include <attune/remember/store.hpp>
#include <attune/tune/replay.hpp>
#include <attune/tune/tuned.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <doctest/doctest.h>
#include <limits>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "../support/notices.hpp"
#include "../support/scratch_directory.hpp"
#include "../support/texts.hpp"

using attune_test::failures_at;
using attune_test::has;

namespace {

inline constexpr auto terms = attune::ordinal<"TERMS">(attune::range(1, 24));
inline constexpr auto space = attune::space(terms);

using signature = void(std::span<double const>, std::span<double>);

double worst_error(std::span<double const> x, std::span<double> y)
{
    double worst = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
        worst = std::max(worst, std::abs(y[i] - std::exp(x[i])));
    return worst;
}

/// A series of the exponential function: fewer terms are faster, and less right.
attune::kernel<signature> series(double most, int default_terms = 20)
{
    attune::kernel<signature> out{
        "series",
        attune::source_text("#include <attune/tunable.hpp>\n#include <span>\n"
                            "constexpr int terms = ATTUNE_TUNABLE(TERMS, " +
                                std::to_string(default_terms) + R"();
void series(std::span<double const> x, std::span<double> y)
{
    for (unsigned i = 0; i < x.size(); ++i) {
        double term = 1, sum = 1;
        for (int k = 1; k < terms; ++k)
            sum += term = term * x[i] / k;
        y[i] = sum;
    }
}
)",
                            "series.kernel.cpp"),
        space};
    out.check_error(most, worst_error);
    return out;
}

std::vector<double> inputs()
{
    std::vector<double> out;
    for (int i = 0; i < 4096; ++i)
        out.push_back(i / 4096.0);
    return out;
}

double error_with(int count)
{
    std::vector<double> const x = inputs();
    std::vector<double> sums(x.size(), 1);
    for (std::size_t i = 0; i < x.size(); ++i) {
        double term = 1;
        for (int k = 1; k < count; ++k)
            sums[i] += term = term * x[i] / k;
    }
    return worst_error(x, sums);
}

/// Terms that keep an error of at most `most` for x below 1: the next term is the error, nearly.
int fewest_terms(double most)
{
    int count = 1;
    while (error_with(count) > most)
        ++count;
    return count;
}

} // namespace

TEST_CASE("check_error refuses what is above its bound, and NaN")
{
    attune::kernel<signature> const k = series(0.25);
    REQUIRE(k.describe().error);
    CHECK(k.describe().most_error == 0.25);
    std::vector<double> const x{0, 0};
    std::vector<double> y{1, 1.25};
    std::tuple<std::span<double const>, std::span<double>> const call{x, y};
    CHECK(k.describe().error(&call) == 0.25);
    CHECK(k.describe().check(&call).empty());
    y[0] = 2;
    CHECK(k.describe().check(&call) == "the error is 1, its bound at most 0.25");
    attune::kernel<signature> nan = series(1);
    nan.check_error(1, [](auto, auto) { return std::numeric_limits<double>::quiet_NaN(); });
    CHECK(nan.describe().check(&call) == "the error is NaN, its bound at most 1");
    nan.check([](auto, auto) { return true; }); // another check takes its place
    CHECK_FALSE(nan.describe().error);
    CHECK(nan.describe().check(&call).empty());
}

TEST_CASE("what is served keeps the bound, and each bound is a problem of its own")
{
    support::scratch_directory const folder;
    std::vector<double> const x = inputs();
    for (double const most : {1e-3, 1e-6}) {
        attune::tuning_options options;
        options.limits = {.evaluations = 24, .seconds = 300};
        options.search.seed = 1;
        options.event_log = folder.file("log_" + std::to_string(fewest_terms(most)));
        options.progress = attune::silent_progress();
        attune::tuned tuned{series(most), attune::clang_compiler{},
                            attune::store{folder.file("store.attune")}, options};
        std::vector<double> y(x.size());
        tuned(x, y);
        CHECK(worst_error(x, y) <= most);
        attune::tuning_report const report = tuned.report();
        CHECK(report.how != attune::decision::remembered); // nor from the other bound's record
        int const least = fewest_terms(most);
        // All that have fewer terms were tried, or would have been refused.
        int const served =
            std::stoi(report.configuration.substr(report.configuration.find('=') + 1));
        CHECK(served >= least);
        CHECK(failures_at(report, attune::failure_stage::verify) ==
              static_cast<unsigned>(least - 1));

        // The log has how far each variant is beyond the bound, and says which.
        std::string const text = support::read_file(options.event_log);
        std::size_t above = 0;
        std::size_t below = 0;
        for (attune::event const& e : attune::read_session(text).events) {
            if (e.kind != attune::event_kind::told) continue;
            if (e.numbers.empty()) continue; // equal code, or no result
            REQUIRE(e.numbers.size() == 1);
            CHECK((e.numbers[0] > 0) == !attune::succeeded(*e.result));
            ++(e.numbers[0] > 0 ? above : below);
        }
        CHECK(above == static_cast<std::size_t>(least - 1));
        CHECK(below >= 20 - above);
    }
}

TEST_CASE("the default has the error of its own result, not that of the reference")
{
    support::scratch_directory const folder;
    double const most = 1e-3;
    int const terms_of_default = fewest_terms(most);
    attune::kernel<signature> kernel = series(most, terms_of_default);
    kernel.reference([](std::span<double const> x, std::span<double> y) {
        for (std::size_t i = 0; i < x.size(); ++i)
            y[i] = std::exp(x[i]);
    });
    attune::tuning_options options;
    options.limits = {.evaluations = 2, .seconds = 300};
    options.event_log = folder.file("log");
    options.progress = attune::silent_progress();
    attune::tuned tuned{kernel, attune::clang_compiler{}, options};
    std::vector<double> const x = inputs();
    std::vector<double> y(x.size());
    tuned(x, y);
    double const excess =
        attune::detail::excess_over(attune::at_most("error", most), error_with(terms_of_default));
    std::string const text = support::read_file(options.event_log);
    bool is_there = false;
    for (attune::event const& e : attune::read_session(text).events)
        if (e.kind == attune::event_kind::told && !is_there) {
            is_there = true;
            REQUIRE(e.numbers.size() == 1);
            CHECK(e.numbers[0] == doctest::Approx(excess).epsilon(1e-6));
        }
    CHECK(is_there);
}

TEST_CASE("a default beyond the bound is an error that says so")
{
    attune::tuning_options options;
    options.limits = {.evaluations = 3, .seconds = 300};
    options.progress = attune::silent_progress();
    attune::tuned tuned{series(1e-30), attune::clang_compiler{}, options};
    std::vector<double> const x = inputs();
    std::vector<double> y(x.size());
    std::string said;
    try {
        tuned(x, y);
        for (std::string const& notice : tuned.report().notices)
            said += notice;
    } catch (attune::error const& e) {
        said = e.what();
    }
    CHECK(has(said, "its bound at most 1e-30"));
}

// tests/tune/report.cpp - one sentence on how a tuning ended.
// SPDX-License-Identifier: MIT
#include <attune/tune/report.hpp>

#include <attune/core/error.hpp>

#include <doctest/doctest.h>
#include <string>

#include "../support/texts.hpp"

using attune::decision;
using attune::measurement;
using attune_test::has;

namespace {

attune::tuning_report finished(decision how)
{
    attune::tuning_report out;
    out.how = how;
    out.configuration = "TILE=64";
    out.best = measurement::exact(1.2e-3);
    out.default_time = measurement::exact(3.6e-3);
    out.speedup = 3.0;
    out.evaluations = 60;
    out.elapsed_s = 12;
    return out;
}

} // namespace

TEST_CASE("the summary of a success tells the speedup, both times and the configuration")
{
    std::string const text = finished(decision::tuned).summary();
    CHECK(has(text, "3.00x faster than the default"));
    CHECK(has(text, "1.2 ms, was 3.6 ms (warm caches); TILE=64"));
    CHECK(has(text, "TILE=64"));
    CHECK(has(text, "60 evaluations in 12 s"));
    CHECK(!has(text, "interrupted"));
}

TEST_CASE("the summary says when the default is kept")
{
    std::string const text = finished(decision::kept_default).summary();
    CHECK(has(text, "keeps the default TILE=64, 3.6 ms (warm caches): nothing was proven faster"));
    CHECK(!has(text, "3.00x"));
}

TEST_CASE("the summary of a remembered configuration speaks of no evaluations")
{
    std::string const text = finished(decision::remembered).summary();
    CHECK(has(text, "remembered TILE=64"));
    CHECK(!has(text, "evaluations"));
}

TEST_CASE("failures and Ctrl-C are part of the summary")
{
    attune::tuning_report report = finished(decision::tuned);
    report.failures[static_cast<std::size_t>(attune::failure_stage::crash)] = 3;
    report.interrupted = true;
    std::string const text = report.summary();
    CHECK(has(text, "3 crashed"));
    CHECK(has(text, "interrupted"));
}

TEST_CASE("configurations that are as good are named, the first of them, and counted")
{
    attune::tuning_report report = finished(decision::tuned);
    CHECK(!has(report.summary(), "as good as"));
    report.ties = {"TILE=32"};
    CHECK(has(report.summary(), "; as good as TILE=32; 60"));
    report.ties = {"TILE=32", "TILE=16"};
    CHECK(has(report.summary(), "as good as TILE=32 and 1 other;"));
    report.ties.push_back("TILE=8");
    CHECK(has(report.summary(), "as good as TILE=32 and 2 others;"));
    report.how = decision::kept_default;
    CHECK(has(report.summary(), "nothing was proven faster; as good as TILE=32"));
}

TEST_CASE("the place under the roofline is told where it is known")
{
    attune::tuning_report report = finished(decision::tuned);
    CHECK(!has(report.summary(), "roofline"));
    report.roofline = attune::roofline{0.75e-3, 0.625, true};
    CHECK(has(report.summary(), "; TILE=64; 0.62 of the roofline (memory bound); 60 evaluations"));
    report.how = decision::remembered;
    CHECK(has(report.summary(), "; 0.62 of the roofline (memory bound); nothing to tune"));
}

TEST_CASE("a report of nothing says so, and no figures")
{
    attune::tuning_report const none;
    CHECK(none.how == decision::nothing_yet);
    CHECK(none.summary() == "nothing yet: no call has ended");
}

TEST_CASE("the summary of a call that failed is the text of its error, in one line")
{
    attune::error const thrown("no compiler for kernels", "PATH", "install one");
    CHECK(attune::detail::untuned_report("saxpy", decision::call_failed, thrown.what()).summary() ==
          "the call failed: no compiler for kernels; where: PATH; next: install one");
}

TEST_CASE("the summary of what serves without a tuning says what it is, and why")
{
    attune::tuning_report report = attune::detail::untuned_report("saxpy", decision::served_default,
                                                                  "this size has not been tried");
    CHECK(report.kernel == "saxpy");
    CHECK(report.summary() ==
          "not tuned, the default configuration serves: this size has not been tried");
    report.configuration = "TILE=16";
    CHECK(report.summary() ==
          "not tuned, the default TILE=16 serves: this size has not been tried");
    CHECK(attune::detail::untuned_report("saxpy", decision::served_fallback, "no compiler")
              .summary() == "not tuned, the function in the program serves: no compiler");
    CHECK(attune::detail::untuned_report("saxpy", decision::served_fallback, {}).summary() ==
          "not tuned, the function in the program serves");
}

TEST_CASE("cold caches are told, and nothing of caches where nothing ran")
{
    attune::tuning_report report = finished(decision::tuned);
    report.cache = attune::cache_state::cold;
    CHECK(has(report.summary(), "1.2 ms, was 3.6 ms (cold caches); TILE=64"));
    report.predicted = true;
    CHECK(!has(report.summary(), "caches"));
}

TEST_CASE("the user's own code is named with the default, and first where it is faster")
{
    attune::tuning_report report = finished(decision::tuned);
    report.baseline = attune::baseline_comparison{measurement::exact(1.8e-3), 1.5, 1.4, 1.6};
    CHECK(
        report.summary().starts_with("1.50x faster than your own, 3.00x than the default: 1.2 ms, "
                                     "was 1.8 ms and 3.6 ms (warm caches); TILE=64; "));
    report.baseline = attune::baseline_comparison{measurement::exact(1.2e-3), 1.01, 0.97, 1.04};
    CHECK(report.summary().starts_with("as fast as your own, 3.00x faster than the default: "));
    report.baseline = attune::baseline_comparison{measurement::exact(0.6e-3), 0.5, 0.48, 0.52};
    CHECK(report.summary().starts_with("your own is 2.00x faster, 600 us: 3.00x faster than the "
                                       "default: 1.2 ms, was 3.6 ms (warm caches); TILE=64; "));
    report.how = decision::kept_default;
    CHECK(report.summary().starts_with("your own is 2.00x faster, 600 us: keeps the default "));
    report.baseline = attune::baseline_comparison{measurement::exact(7.2e-3), 2, 1.9, 2.1};
    CHECK(has(report.summary(), "nothing was proven faster; 2.00x faster than your own, 7.2 ms; "));
    report.baseline = attune::baseline_comparison{measurement::exact(3.6e-3), 1, 0.9, 1.1};
    CHECK(has(report.summary(), "nothing was proven faster; as fast as your own; "));
}

TEST_CASE("a disturbed machine is part of the summary")
{
    attune::tuning_report report = finished(decision::tuned);
    CHECK(!has(report.summary(), "disturbed"));
    report.noise.is_disturbed = true;
    CHECK(report.summary().ends_with("; the machine was disturbed"));
}

// tests/tune/other_contents.cpp - a variant that is wrong on other contents only becomes nothing.
// SPDX-License-Identifier: MIT
#include <attune/remember/files/event_log.hpp>
#include <attune/tune/tuned.hpp>

#include <cstddef>
#include <doctest/doctest.h>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "../support/accumulate.hpp"
#include "../support/notices.hpp"
#include "../support/scratch_directory.hpp"
#include "../support/shared_store.hpp"

using namespace attune_test;
using attune::failure;
using attune::failure_stage;

namespace {

using lower_signature = void(std::span<double const>, std::span<double>);

/// y[i] = min(y[i], x[i]): where y holds the result already, one more call changes nothing.
enum lower_way : int {
    plain = 0,   ///< right, and slow
    quick = 1,   ///< right
    nothing = 2, ///< writes nothing: right where y holds the result, and the fastest
    partly = 3,  ///< leaves the last two elements out
    nobody = 4,  ///< as `nothing`, in other code
};

template <lower_way Way>
void lower_to(std::span<double const> x, std::span<double> y)
{
    if constexpr (Way == plain) idle(1'000'000);
    if constexpr (Way == quick) idle(100'000);
    if constexpr (Way == nobody) idle(10);
    if constexpr (Way == nothing || Way == nobody) return;
    double volatile* const out = y.data();
    for (std::size_t i = 0; i < y.size() - (Way == partly ? 2 : 0); ++i)
        if (x[i] < out[i]) out[i] = x[i];
}

lower_signature* const code_of_lower[] = {lower_to<plain>, lower_to<quick>, lower_to<nothing>,
                                          lower_to<partly>, lower_to<nobody>};

/// Equal code has an equal key here, so `nothing` asked for twice is known the second time.
scripted_compiler lower_compiler()
{
    return scripted_compiler{[](attune::compile_request const& v) -> scripted_compiler::answer {
        for (attune::macro_definition const& m : v.macros)
            if (m.name == "WAY")
                return reinterpret_cast<void*>(code_of_lower[std::stoul(m.value) % 10]);
        return failure{failure_stage::compile, "no WAY", ""};
    }};
}

/// Tunes on arrays that hold the result already, in the order of `Ways`; WAY modulo 10 is the way.
template <int... Ways>
struct lowering {
    double held; ///< 2: first runs are from perturbed contents alone; 1.5: from the caller's, too
    shared_store store{};
    scripted_compiler compiler = lower_compiler();
    std::vector<double> x = std::vector<double>(1000, 2.0);
    std::vector<double> y = std::vector<double>(1000, held);
    std::set<std::string> told_better{}; ///< configurations that were the best so far
    attune::tuning_options options = quick_options();

    attune::tuning_report tune()
    {
        auto const space = attune::space(attune::categorical<"WAY">(Ways...));
        attune::kernel<lower_signature> const kernel{
            "lower_to",
            attune::source_text("constexpr int way = ATTUNE_TUNABLE(WAY, 0);\n",
                                "lower_to.kernel.cpp"),
            space};
        options.progress = [this](attune::progress const& p) {
            if (p.event == attune::progress_event::evaluated && p.improved)
                told_better.insert(p.text);
        };
        attune::tuned lower{kernel, compiler, store, options};
        lower(x, y);
        CHECK(y == std::vector<double>(1000, held));
        // What was dispatched is right on other contents.
        std::vector<double> high(1000, 3.0);
        lower(x, high);
        CHECK(high == std::vector<double>(1000, 2.0));
        return lower.report();
    }
};

/// @return  the report, where nothing came of what is wrong
template <int... Ways>
attune::tuning_report checked(lowering<Ways...>& b)
{
    CAPTURE(b.held);
    attune::tuning_report const report = b.tune();
    CHECK(report.configuration == "WAY=1");
    for (std::string const& tie : report.ties)
        CHECK((tie == "WAY=0" || tie == "WAY=1"));
    for (std::string const& at : b.told_better)
        CHECK((at == "WAY=0" || at == "WAY=1"));
    REQUIRE(!b.store.records->records().empty());
    for (attune::record const& one : b.store.records->records())
        CHECK(one.configuration.front().second == "1");
    return report;
}

/// For both kinds of contents.
template <int... Ways>
void check_three_are_wrong(std::optional<std::size_t> same_code = {})
{
    for (double const held : {2.0, 1.5}) {
        lowering<Ways...> b{held};
        attune::tuning_report const report = checked(b);
        if (same_code) CHECK(report.same_code == *same_code);
        CHECK(failures_at(report, failure_stage::verify) == 3);
    }
}

} // namespace

TEST_CASE("a variant that is wrong on other contents only is neither best nor stored nor called")
{
    SUBCASE("though it comes first") { check_three_are_wrong<0, 2, 4, 3, 1>(); }
    SUBCASE("though it comes when a right one is the best")
    {
        check_three_are_wrong<0, 1, 3, 4, 2>();
    }
    SUBCASE("though its code was met before") { check_three_are_wrong<0, 2, 12, 22, 1>(2); }
    SUBCASE("though all runs are in this process")
    {
        for (double const held : {2.0, 1.5}) {
            lowering<0, 2, 3, 4, 1> b{held};
            b.options.measuring.protect = attune::isolation::guard;
            static_cast<void>(checked(b));
        }
    }
    SUBCASE("though there was no time for a final")
    {
        for (double const held : {2.0, 1.5}) {
            CAPTURE(held);
            lowering<0, 2, 4, 3, 1> b{held};
            b.options.limits.evaluations = 3; // the default and two that are wrong
            attune::tuning_report const report = b.tune();
            CHECK(report.configuration == "WAY=0");
            CHECK(failures_at(report, failure_stage::verify) == 2);
            for (std::string const& at : b.told_better)
                CHECK(at == "WAY=0");
        }
    }
}

TEST_CASE("and a log of it goes on with that")
{
    double const held = 1.5;
    support::scratch_directory const folder;
    lowering<0, 2, 4, 3, 1> b{held};
    b.options.event_log = folder.file("tuning.log");
    b.options.limits.evaluations = 3;
    CHECK(b.tune().configuration == "WAY=0");
    lowering<0, 2, 4, 3, 1> later{held};
    later.options.event_log = b.options.event_log;
    CHECK(failures_at(checked(later), failure_stage::verify) == 3);
}

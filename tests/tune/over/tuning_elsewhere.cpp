// tests/tune/over/tuning_elsewhere.cpp - single configurations, by the path of a session.
// SPDX-License-Identifier: MIT
#include <attune/tune/over/tuning_elsewhere.hpp>

#include <attune/tune/loop/session.hpp>

#include <doctest/doctest.h>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "../../support/accumulate.hpp"

using namespace attune_test;
using attune::failure_stage;

namespace {

struct subject {
    accumulate_data data{};
    scripted_compiler compiler = accumulate_compiler();
    attune::detail::any_compiler any = attune::detail::make_any_compiler(compiler);
    attune::kernel<accumulate_signature> kernel =
        accumulate_kernel(ways<usual, fast, wrong, crashing, refused, unloadable, throwing>());
    attune::chain_of_trees space =
        attune::build(ways<usual, fast, wrong, crashing, refused, unloadable, throwing>());
    attune::call_frame frame = data.frame();
    attune::tuning_problem problem{kernel.describe(), space, space.at(0), any, frame};
};

/// Stage and reason; "works" of a measurement.
std::string verdict(attune::outcome const& of)
{
    auto const* const why = std::get_if<attune::failure>(&of);
    return why == nullptr ? "works" : std::string(describe(why->stage)) + ": " + why->reason;
}

} // namespace

TEST_CASE("a worker judges every configuration as a session on one machine does")
{
    subject s;
    attune::tuning_options options = quick_options();
    options.compile_ahead = 0;
    std::map<std::string, std::string> at_home;
    attune::detail::session_memory memory;
    memory.keep = [&](attune::detail::known_outcome const& one) {
        at_home[attune::text_of(s.space.describe(), one.at)] = verdict(one.result);
    };
    static_cast<void>(attune::detail::run_session(s.problem, options, std::move(memory)));
    REQUIRE(at_home.size() == 7);

    std::vector<double> const before = s.data.y;
    attune::detail::trial_worker worker(s.problem, options);
    CHECK(worker.default_time().value > 0);
    for (std::uint64_t i = 0; i < 7; ++i) {
        attune::detail::tried_variant const one = worker.evaluate(s.space.at(i), 1e9);
        std::string const text = attune::text_of(s.space.describe(), one.at);
        CAPTURE(text);
        CHECK(!one.made.is_cut);
        CHECK(verdict(one.made.result) == at_home.at(text));
        CHECK((one.made.code.address != nullptr) == (text != "WAY=" + std::to_string(refused) &&
                                                     text != "WAY=" + std::to_string(unloadable)));
    }
    CHECK(s.data.y == before);
}

TEST_CASE("code that a worker has measured is not measured again")
{
    subject s;
    attune::tuning_options const options = quick_options();
    attune::detail::trial_worker worker(s.problem, options);
    auto const first = worker.evaluate(s.space.at(1), 1e9);
    auto const again = worker.evaluate(s.space.at(1), 1e9);
    CHECK(first.made.first_run_s > 0);
    CHECK(again.made.first_run_s == 0);
    CHECK(std::get<attune::measurement>(again.made.result).value ==
          std::get<attune::measurement>(first.made.result).value);
}

TEST_CASE("a worker whose default fails says so when it is made")
{
    subject s;
    s.problem.default_at = s.space.at(4); // does not compile
    CHECK_THROWS_AS(attune::detail::trial_worker(s.problem, quick_options()),
                    attune::detail::default_fails);
}

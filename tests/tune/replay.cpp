// tests/tune/replay.cpp - a tuning once more, from its log.
// SPDX-License-Identifier: MIT
#include <attune/tune/replay.hpp>

#include <attune/core/error.hpp>
#include <attune/tune/session.hpp>

#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "../remember/scratch_directory.hpp"
#include "../support/accumulate.hpp"

using namespace attune_test;
using support::scratch_directory;

namespace {

template <way... Ways>
struct bench {
    accumulate_data data{};
    scripted_compiler compiler = accumulate_compiler();
    attune::any_compiler any = attune::make_any_compiler(compiler);
    attune::kernel<accumulate_signature> kernel = accumulate_kernel(ways<Ways...>());
    attune::chain_of_trees space = attune::build(ways<Ways...>());

    attune::session_result tune(attune::tuning_options const& options)
    {
        auto const frame =
            attune::make_call_frame<std::span<double const>, std::span<double>, double>(
                {}, data.x, data.y, 3.0);
        attune::tuning_problem const problem{kernel.describe(), space, space.at(0), any, frame};
        return attune::run_session(problem, options);
    }
};

attune::tuning_options logging_to(std::string const& path)
{
    attune::tuning_options options = quick_options();
    options.event_log = path;
    return options;
}

} // namespace

TEST_CASE("a tuning is repeated exactly from its log, and nothing is run")
{
    scratch_directory const directory;
    std::string const path = directory.file("log");
    bench<usual, fast, wrong, crawling> b;
    attune::tuning_options const options = logging_to(path);
    auto const result = b.tune(options);
    std::size_t const compiled = b.compiler.compiled().size();
    attune::replayed_session const again = attune::replay(path, b.space, options.search);
    CHECK(b.compiler.compiled().size() == compiled);
    CHECK(again.evaluations.size() == result.report.evaluations);
    CHECK(again.evaluations.front().first == b.space.at(0));
    CHECK(again.chosen == result.at);
}

TEST_CASE("an interrupted tuning is continued: nothing is measured twice, and the result is one")
{
    scratch_directory const directory;
    std::string const path = directory.file("log");
    bench<usual, fast, wrong, crawling> b;
    attune::tuning_options options = logging_to(path);
    (void)b.tune(options);
    std::string text = support::read_file(path);
    text.erase(text.find("{\"chosen\"")); // killed after the last evaluation
    support::write_file(path, text);

    bench<usual, fast, wrong, crawling> later;
    auto const result = later.tune(options);
    CHECK(result.report.evaluations == 4);
    CHECK(result.report.configuration == "WAY=1");
    REQUIRE(result.report.notices.size() == 1);
    CHECK(result.report.notices[0] == "continued an interrupted tuning: 4 evaluations were known");
    // The default, for its output, and the best, to be installed.
    CHECK(later.compiler.compiled() == std::vector<std::string>{"WAY=0", "WAY=1"});
}

TEST_CASE("a continued tuning compiles the default and the best again, and no equal of the default")
{
    scratch_directory const directory;
    std::string const path = directory.file("log");
    attune::tuning_options options = logging_to(path);
    {
        bench<usual, same_as_usual, fast> b;
        (void)b.tune(options);
    }
    std::string text = support::read_file(path);
    text.erase(text.find("{\"chosen\""));
    support::write_file(path, text);
    bench<usual, same_as_usual, fast> later;
    auto const result = later.tune(options);
    CHECK(result.report.configuration == "WAY=1");
    // Code equal to the default's is no rival in the final, and is not compiled again.
    CHECK(later.compiler.compiled() == std::vector<std::string>{"WAY=0", "WAY=1"});
}

TEST_CASE("a damaged log is not repeated as if it were whole")
{
    scratch_directory const directory;
    std::string const path = directory.file("log");
    bench<usual, fast> b;
    attune::tuning_options const options = logging_to(path);
    (void)b.tune(options);
    std::string text = support::read_file(path);
    text[text.find("told")] = 'x';
    support::write_file(path, text);
    CHECK_THROWS_AS((void)attune::replay(path, b.space, options.search), attune::error);
}

TEST_CASE("a log that belongs to another search cannot be repeated, and the error names the event")
{
    scratch_directory const directory;
    std::string const path = directory.file("log");
    bench<usual, fast, wrong, crawling> b;
    (void)b.tune(logging_to(path));
    attune::search_factory const other = attune::search_with<attune::random_searcher>();
    std::string said;
    try {
        (void)attune::replay(path, b.space, other);
    } catch (attune::error const& e) {
        said = e.what();
    }
    CHECK(said.find("the log cannot be repeated: event ") != std::string::npos);
    CHECK(said.find(path) != std::string::npos);
}

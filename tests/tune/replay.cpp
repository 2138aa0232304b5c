// tests/tune/replay.cpp - a tuning once more, from its log.
// SPDX-License-Identifier: MIT
#include <attune/tune/replay.hpp>

#include <attune/compile/source/source.hpp>
#include <attune/core/error.hpp>
#include <attune/remember/files/event_log.hpp>
#include <attune/tune/loop/session.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <memory>
#include <numeric>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "../support/accumulate.hpp"
#include "../support/notices.hpp"
#include "../support/scratch_directory.hpp"
#include "../support/texts.hpp"

using namespace attune_test;
using support::scratch_directory;

namespace {

/// Its tunings try WAY=1.
struct guarding final : attune::detail::text_generator {
    std::string text_at(attune::description const&, attune::point const&) const override
    {
        return {};
    }
    std::optional<attune::detail::guard_configuration> guard() const override
    {
        return attune::detail::guard_configuration{"WAY", "1", "the guard wins"};
    }
};

template <way... Ways>
struct bench {
    accumulate_data data{};
    scripted_compiler compiler = accumulate_compiler();
    attune::detail::any_compiler any = attune::detail::make_any_compiler(compiler);
    attune::kernel<accumulate_signature> kernel = accumulate_kernel(ways<Ways...>());
    attune::chain_of_trees space = attune::build(ways<Ways...>());
    std::optional<attune::point> rival{};
    std::optional<attune::point> guard{};
    attune::named_texts sizes{};

    attune::detail::session_result tune(attune::tuning_options const& options)
    {
        auto const frame = data.frame();
        attune::kernel_description subject = kernel.describe();
        if (guard) {
            subject.source.generator = std::make_shared<guarding const>();
            subject.signature.function += "<WAY>"; // else WAY is no macro of a generated kernel
        }
        attune::tuning_problem problem{subject, space,   space.at(0), any,
                                       frame,   nullptr, false,       rival};
        problem.guard = guard;
        problem.sizes = sizes;
        return attune::detail::run_session(problem, options);
    }
};

/// A log of tunings, and options to write it.
struct tuning_log {
    scratch_directory directory{};
    std::string path = directory.file("log");
    attune::tuning_options options = quick_options();

    tuning_log() { options.event_log = path; }
    [[nodiscard]] std::string text() const { return support::read_file(path); }
    void write(std::string const& content) const { support::write_file(path, content); }
    /// As one whose tuning was killed after the last evaluation.
    void interrupt() const { write(text().erase(text().find("{\"chosen\""))); }
    [[nodiscard]] attune::replayed_session replay(attune::chain_of_trees const& space) const
    {
        return attune::replay(path, space, options.search.strategy);
    }
};

} // namespace

TEST_CASE("a tuning is repeated exactly from its log, and nothing is run")
{
    tuning_log log;
    bench<usual, fast, wrong, crawling> b;
    auto const result = b.tune(log.options);
    std::size_t const compiled = b.compiler.compiled().size();
    attune::replayed_session const again = log.replay(b.space);
    CHECK(b.compiler.compiled().size() == compiled);
    CHECK(again.evaluations.size() == result.report.evaluations);
    CHECK(again.evaluations.front().first == b.space.at(0));
    CHECK(again.chosen == result.at);
}

TEST_CASE("a continued tuning compiles the default and the best again, and no equal of the default")
{
    tuning_log log;
    {
        bench<usual, same_as_usual, fast> b;
        (void)b.tune(log.options);
    }
    log.interrupt();
    bench<usual, same_as_usual, fast> later;
    auto const result = later.tune(log.options);
    CHECK(result.report.configuration == "WAY=1");
    CHECK(result.report.evaluations == 3);
    CHECK(notices_but_noise(result.report) == continuing("an interrupted", 3));
    // Code equal to the default's is no rival in the final, and is not compiled again.
    CHECK(later.compiler.compiled() == std::vector<std::string>{"WAY=0", "WAY=1"});
}

TEST_CASE("a configuration to be beaten is in the log, and is not measured twice either")
{
    tuning_log log;
    log.options.limits = {.evaluations = 2};
    bench<usual, crawling, fast> b;
    b.rival = b.space.at(2);
    CHECK(b.tune(log.options).report.configuration == "WAY=1");
    attune::replayed_session const again = log.replay(b.space);
    REQUIRE(again.evaluations.size() == 2);
    CHECK(again.evaluations[1].first == b.rival);
    CHECK(again.chosen == b.rival);
    log.interrupt();
    bench<usual, crawling, fast> later;
    later.rival = b.rival;
    log.options.limits = {.evaluations = 4}; // there are three
    auto const result = later.tune(log.options);
    CHECK(result.report.evaluations == 3);
    CHECK(result.report.configuration == "WAY=1");
    CHECK(later.compiler.compiled() == std::vector<std::string>{"WAY=0", "WAY=10", "WAY=1"});
}

TEST_CASE("a configuration to be beaten is tried before a guard")
{
    tuning_log log;
    log.options.limits = {.evaluations = 2};
    bench<usual, crawling, fast> b;
    b.rival = b.space.at(2);
    b.guard = b.space.at(1);
    CHECK(b.tune(log.options).report.configuration == "WAY=1");
}

TEST_CASE("a guard is in each final, also a slow one, and the report has its sentence if it wins")
{
    auto const in_final = [](tuning_log const& log, std::string const& way) {
        std::string const text = log.text();
        std::size_t const last = text.rfind("\"sampled\"");
        REQUIRE(last != text.npos);
        return text.substr(last, text.find('\n', last) - last).find(way) != text.npos;
    };
    tuning_log log;
    bench<usual, fast, crawling> b;
    b.guard = b.space.at(2);
    auto const slow = b.tune(log.options).report;
    CHECK(slow.configuration == "WAY=1");
    CHECK(in_final(log, "2")); // the third point of the space
    CHECK(std::count(slow.notices.begin(), slow.notices.end(), "the guard wins") == 0);
    b.guard = b.space.at(1);
    auto const quick = b.tune(quick_options()).report;
    CHECK(quick.configuration == "WAY=1");
    CHECK(std::count(quick.notices.begin(), quick.notices.end(), "the guard wins") == 1);
}

TEST_CASE("tunings of two sizes have two sessions in a log")
{
    tuning_log log;
    bench<usual, fast> b;
    b.sizes = {{"n", "64"}};
    std::string const first = b.tune(log.options).logged_as;
    b.sizes = {{"n", "128"}};
    std::string const second = b.tune(log.options).logged_as;
    CHECK(!first.empty());
    CHECK(first != second);
}

TEST_CASE("a damaged log is not repeated as if it were whole")
{
    tuning_log log;
    bench<usual, fast> b;
    (void)b.tune(log.options);
    std::string text = log.text();
    text[text.find("told")] = 'x';
    log.write(text);
    CHECK_THROWS_AS((void)log.replay(b.space), attune::error);
}

TEST_CASE("a log that belongs to another search cannot be repeated, and the error names the event")
{
    tuning_log log;
    bench<usual, fast, wrong, crawling> b;
    (void)b.tune(log.options);
    attune::search_factory const other = attune::search_with<attune::random_searcher>();
    std::string const said = error_of([&] { (void)attune::replay(log.path, b.space, other); });
    CHECK(has(said, "the log cannot be repeated: event "));
    CHECK(has(said, log.path));
}

TEST_CASE("the times of every measurement are in the log, those of the final too, and are checked")
{
    tuning_log log;
    bench<usual, fast, same_as_usual, wrong> b;
    auto const result = b.tune(log.options);
    std::size_t timed = 0;
    std::vector<attune::point> finalists;
    attune::logged_session const session = attune::read_event_log(log.path).back();
    for (attune::event const& e : session.events) {
        if (e.kind != attune::event_kind::sampled) continue;
        REQUIRE(e.timing);
        CHECK(!e.timing->times.empty());
        if (e.text == "final")
            finalists.push_back(e.points.front());
        else
            ++timed;
    }
    CHECK(timed == 2); // the other two are equal code, and wrong
    CHECK(finalists == std::vector<attune::point>{b.space.at(0), result.at});
    std::string text = log.text();
    std::size_t const at = text.find("\"value\":") + 8;
    log.write(text.insert(at, "1"));
    CHECK_THROWS_WITH_AS((void)log.replay(b.space),
                         doctest::Contains("an outcome differs from the times before it"),
                         attune::error);
}

namespace {

/// The log of a tuning of four that was killed after its last evaluation.
std::string interrupted(tuning_log const& log)
{
    bench<usual, fast, wrong, crawling> b;
    (void)b.tune(log.options);
    log.interrupt();
    return log.text();
}

std::string with(std::string text, std::string const& what, std::string const& by)
{
    std::size_t const at = text.find(what);
    REQUIRE(at != std::string::npos);
    return text.replace(at, what.size(), by);
}

} // namespace

TEST_CASE("a configuration in a log that is none of the space is no past")
{
    tuning_log log;
    std::string const text = interrupted(log);
    struct row {
        char const* told;
        bool is_read; ///< else the line is damaged
    };
    std::string const known = continuing("an interrupted", 3).front();
    for (auto const& [told, is_read] : {row{R"({"told":[[7]],)", true},
                                        {R"({"told":[[4294967295]],)", true},
                                        {R"({"told":[[]],)", true},
                                        {R"({"told":[[1,0]],)", true},
                                        {R"({"told":[[[1,0.5]]],)", true},
                                        {R"({"told":[[4294967296]],)", false},
                                        {R"({"told":[[-1]],)", false},
                                        {R"({"told":{"a":[1]},)", false}}) {
        CAPTURE(told);
        log.write(with(text, R"({"told":[[1]],)", told));
        bench<usual, fast, wrong, crawling> later;
        auto const result = later.tune(log.options);
        CHECK(result.report.configuration == "WAY=1");
        CHECK(result.report.evaluations == 4);
        CHECK(later.compiler.compiled() == std::vector<std::string>{"WAY=0", "WAY=1"});
        std::vector<std::string> const said = notices_but_noise(result.report);
        REQUIRE(said.size() == 2);
        CHECK(said[is_read ? 1 : 0] == known);
        if (is_read) {
            CHECK(said[0].starts_with("the interrupted tuning cannot be repeated, and another one "
                                      "begins with its outcomes: event "));
            CHECK(said[0].ends_with("its configuration is not one of the space"));
        } else {
            CHECK(said[1].starts_with(log.path +
                                      ": the log of the interrupted tuning is damaged: line "));
        }
    }
}

TEST_CASE("a past in which the default configuration failed, or took no time, is none")
{
    tuning_log log;
    std::string const text = interrupted(log);
    std::size_t const at = text.find(R"({"told":[[0]],)");
    REQUIRE(at != std::string::npos);
    std::size_t const end = text.find('\n', at);
    for (char const* const line : {R"({"told":[[0]],"failed":3,"reason":"it crashed"})",
                                   R"({"told":[[0]],"value":"nan","low":1,"high":1,"samples":1})",
                                   R"({"told":[[0]],"value":0,"low":0,"high":0,"samples":1})",
                                   R"({"told":[[1]],"value":1,"low":1,"high":1,"samples":1})"}) {
        CAPTURE(line);
        log.write(text.substr(0, at) + line + text.substr(end));
        bench<usual, fast, wrong, crawling> later;
        auto const result = later.tune(log.options);
        CHECK(result.report.configuration == "WAY=1");
        std::vector<std::string> const said = notices_but_noise(result.report);
        REQUIRE(said.size() == 1);
        CHECK(said.front().starts_with("the interrupted tuning cannot be continued: "));
    }
}

TEST_CASE("a log that asks for more than fits into the memory is no past")
{
    tuning_log log;
    std::string text = interrupted(log);
    std::size_t const at = text.find("\"wanted\":") + 9;
    text.replace(at, text.find_first_of(",}", at) - at, "18446744073709551615");
    log.write(text);
    bench<usual, fast, wrong, crawling> later;
    auto const result = later.tune(log.options);
    CHECK(result.report.configuration == "WAY=1");
    REQUIRE(notices_but_noise(result.report).size() == 2);
    CHECK(notices_but_noise(result.report)[0].ends_with("too many configurations were asked for"));
    CHECK(later.compiler.compiled() == std::vector<std::string>{"WAY=0", "WAY=1"});
}

namespace {

/// The lines of a text, with their ends.
std::vector<std::string> lines_of(std::string const& text)
{
    std::vector<std::string> out;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);)
        out.push_back(line + '\n');
    return out;
}
/// 1 of {"told":[[1]],...}; nothing: it is another event.
std::optional<std::uint32_t> told_index(std::string const& line)
{
    std::string const begins = R"({"told":[[)";
    if (!line.starts_with(begins)) return {};
    return static_cast<std::uint32_t>(std::stoul(line.substr(begins.size())));
}

} // namespace

TEST_CASE(
    "whichever line of a log is torn, garbage or missing: one configuration is tried again at "
    "most")
{
    tuning_log log;
    std::vector<std::string> const lines = lines_of(interrupted(log));
    std::vector<std::string> const names{"WAY=0", "WAY=1", "WAY=2", "WAY=10"};
    for (std::size_t wrong = 1; wrong < lines.size(); ++wrong)
        for (std::string const& by :
             {lines[wrong].substr(0, lines[wrong].size() / 2) + '\n',
              std::string("\0\0\x1b[\xff\n", 6), lines[wrong].substr(0, lines[wrong].size() / 2)}) {
            CAPTURE(lines[wrong]);
            CAPTURE(by);
            bool const is_joined = by.back() != '\n';             // the next line is lost, too
            if (is_joined && wrong + 1 == lines.size()) continue; // not damaged: killed
            std::vector<std::string> damaged = lines;
            damaged[wrong] = by;
            log.write(std::accumulate(damaged.begin(), damaged.end(), std::string()));
            // What its own line says of an outcome is not known again; of the default its times
            // are.
            std::vector<std::string> expected{"WAY=0"};
            bool is_default_lost = false;
            std::size_t lost = 0;
            for (std::size_t const i : {wrong, wrong + 1}) {
                if (i >= lines.size() || (i > wrong && !is_joined)) continue;
                auto const at = told_index(lines[i]);
                if (!at) continue;
                if (*at == 0)
                    is_default_lost = i > wrong && lines[wrong].starts_with(R"({"sampled")");
                else
                    ++lost;
                if (*at > 1) expected.push_back(names[*at]);
            }
            expected.push_back("WAY=1"); // measured again, or installed
            bench<usual, fast, attune_test::wrong, crawling> later;
            auto const result = later.tune(log.options);
            CHECK(result.report.configuration == "WAY=1");
            CHECK(result.report.evaluations == 4);
            std::vector<std::string> const said = notices_but_noise(result.report);
            std::string const line = std::to_string(wrong + 1);
            CHECK(std::count_if(said.begin(), said.end(), [&](std::string const& one) {
                      return one.starts_with(
                          log.path + ": the log of the interrupted tuning is damaged: line " +
                          line + " cannot be read (");
                  }) == 1);
            if (is_default_lost) continue; // nothing can be compared with it
            CHECK(later.compiler.compiled() == expected);
            CHECK(std::find(said.begin(), said.end(),
                            continuing("an interrupted", 4 - lost).front()) != said.end());
            CHECK(log.replay(later.space).evaluations.size() == 4);
        }
}

TEST_CASE("a log of another kernel is no past, damaged or not")
{
    tuning_log log;
    std::string const text = interrupted(log);
    for (std::string const& content :
         {text, with(text, R"({"told":[[1]],)", R"({"tolt":[[1]],)")}) {
        log.write(content);
        bench<usual, fast, wrong> later; // another space
        auto const result = later.tune(log.options);
        CHECK(result.report.evaluations == 3);
        CHECK(notices_but_noise(result.report).empty());
        CHECK(later.compiler.compiled().size() == 3);
    }
}

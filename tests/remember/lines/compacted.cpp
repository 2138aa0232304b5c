// tests/remember/lines/compacted.cpp - a compacted store answers as the whole one does.
// SPDX-License-Identifier: MIT
#include <attune/remember/lines/compacted.hpp>

#include <attune/core/outcome.hpp>
#include <attune/core/random.hpp>
#include <attune/remember/detail/checksum.hpp>
#include <attune/remember/detail/line_sum.hpp>
#include <attune/remember/detail/line_text.hpp>
#include <attune/remember/lines/record_line.hpp>
#include <attune/remember/lines/record_table.hpp>
#include <attune/remember/problem/problem.hpp>
#include <attune/remember/record.hpp>

#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "../../laws/record_store.hpp"

using namespace attune::detail;
using laws::example_key;
using laws::example_record;

namespace {

/// All answers about some problems, as one text.
std::string answers_of(std::string const& text, std::vector<attune::record> const& about)
{
    line_text lines;
    lines.add(text);
    std::string out;
    auto const add_record = [&](attune::record const& r) {
        out += won_line(id_of(problem_of(r)), r) + '\n';
    };
    auto const add_history = [&](problem_history const& past) {
        out += std::to_string(past.open) + " of " + std::to_string(past.rows.size()) + '\n';
        for (tried_row const& row : past.rows)
            out += tried_line("", row) + '\n';
        if (past.best) add_record(*past.best);
    };
    for (attune::record const& r : about) {
        stored_problem const problem = problem_of(r);
        attune::lookup_result const found = lines.table().find(r.key, lines.source());
        out += describe(found.how);
        if (found.best) add_record(*found.best);
        add_history(lines.table().recall(problem, lines.source()));
        for (related_problem const& one : lines.table().related(problem, 9, lines.source())) {
            out += one.how.why;
            add_history(one.past);
        }
        for (std::string const code : {"c0", "c1"})
            for (proven_shape const& one : lines.table().proofs(problem, code, lines.source()))
                out += proven_line("", one) + '\n';
    }
    for (listed_problem const& one : lines.table().list(99, lines.source())) {
        out += one.problem.key.kernel + '\n';
        for (attune::record const& r : one.best)
            add_record(r);
    }
    return out;
}

struct random_store {
    attune::random_engine engine;
    std::vector<attune::record> about{};

    explicit random_store(std::uint64_t seed)
        : engine(seed)
    {
        for (std::string const n : {"1", "2", "4"}) {
            attune::record r = example_record(example_key(), 1);
            r.key.inputs = {{"N", n}};
            about.push_back(r);
        }
    }
    std::size_t below(std::size_t n)
    {
        return static_cast<std::size_t>(attune::uniform_below(engine, n));
    }
    std::string line()
    {
        attune::record r = about[below(about.size())];
        stored_problem const problem = problem_of(r);
        std::string const id = id_of(problem);
        std::string const code = below(2) == 0 ? "c0" : "c1";
        switch (below(12)) {
        case 0:
            return problem_line(id, problem);
        case 1:
            return over_line(id);
        case 2:
        case 3: {
            r.key.schema += std::to_string(below(2));
            r.evaluations = below(5);
            r.best_s = 1e-3 * static_cast<double>(1 + below(100));
            r.interrupted = below(3) == 0;
            r.disturbed = below(4) == 0;
            r.when = std::to_string(below(1000));
            for (auto& [name, value] : r.configuration)
                value = std::to_string(below(3));
            attune::value_texts met;
            for (std::size_t i = 0; i < r.configuration.size(); ++i)
                met.push_back(std::to_string(below(3)));
            if (below(4) == 0) r.replaces = {met};
            if (below(9) == 0) r.configuration.pop_back();
            return won_line(id, r);
        }
        case 4:
        case 5:
        case 6:
            return tried_line(
                id, {attune::value_texts(r.configuration.size(), std::to_string(below(1'000'000))),
                     attune::measurement::exact(1.0), code});
        case 7: {
            std::string cut = proven_line(id, {code, {1, 2, 3}, true});
            cut.resize(below(cut.size()));
            return cut;
        }
        case 8: {
            std::string const text = "{\"at\":\"" + id + "\",\"later\":1";
            auto const sum = digits_of(crc32_of(text));
            return text + ",\"sum\":\"" + std::string(sum.data(), sum.size()) + "\"}";
        }
        default:
            return proven_line(id, {code, {static_cast<std::int64_t>(below(9)), 7}, below(5) != 0});
        }
    }
};

} // namespace

TEST_CASE("of random lines, a compacted text answers as the whole one, and again is the same")
{
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        CAPTURE(seed);
        random_store lines(seed);
        std::string text = header_line() + '\n';
        std::size_t const count = 1 + lines.below(seed % 10 == 0 ? 400 : 60);
        for (std::size_t i = 0; i < count; ++i)
            text += lines.line() + '\n';
        if (lines.below(3) == 0) text += lines.line(); // its writer was killed
        std::string const less = compacted(text);
        CHECK(less.size() <= text.size());
        CHECK(answers_of(less, lines.about) == answers_of(text, lines.about));
        CHECK(compacted(less) == less);
        // What is written next is understood as it would have been.
        std::string more;
        for (int i = 0; i < 5; ++i)
            more += '\n' + lines.line() + '\n';
        CHECK(answers_of(less + more, lines.about) == answers_of(text + more, lines.about));
    }
}

TEST_CASE("of each kind only the latest lines are read, and the others need not stay")
{
    random_store lines(3);
    attune::record r = lines.about[0];
    stored_problem const problem = problem_of(r);
    std::string const id = id_of(problem);
    constexpr std::uint32_t most = record_table::most_read;
    std::string text = header_line() + '\n' + problem_line(id, problem) + '\n';
    text += proven_line(id, {"c0", {-1}, false}) + '\n';
    for (std::uint32_t i = 0; i < most + 500; ++i) {
        text += proven_line(id, {"c0", {i}, true}) + '\n';
        text += tried_line(id, {attune::value_texts(r.configuration.size(), std::to_string(i)),
                                attune::measurement::exact(1.0), ""}) +
                '\n';
        r.when = std::to_string(i);
        text += won_line(id, r) + '\n';
    }
    for (std::uint32_t i = 0; i < most + 10; ++i) // of a tuning that goes on: all of them
        text +=
            tried_line(id, {attune::value_texts(r.configuration.size(), "o" + std::to_string(i)),
                            attune::measurement::exact(1.0), ""}) +
            '\n';
    std::string const less = compacted(text);
    CHECK(answers_of(less, lines.about) == answers_of(text, lines.about));
    line_text now;
    now.add(less);
    auto const proofs = now.table().proofs(problem, "c0", now.source());
    REQUIRE(proofs.size() == most + 1);
    CHECK(!proofs.front().is_right); // however old it is
    CHECK(proofs.back().shape == std::vector<std::int64_t>{most + 499});
    problem_history const past = now.table().recall(problem, now.source());
    CHECK(past.rows.size() == 2 * most + 510);
    CHECK(past.open == most + 500);
    CHECK(past.best->when == std::to_string(most + 499));
}

TEST_CASE("a text that is no store, of format 1 or edited by a person stays as it is")
{
    random_store lines(5);
    std::string const id = id_of(problem_of(lines.about[0]));
    std::string const proof = proven_line(id, {"c0", {1}, true}) + '\n';
    std::string const repeated = proof + proof;
    for (std::string const& text :
         {std::string("no store\n") + repeated, "{\"attune_store\":3}\n" + repeated,
          header_line() + '\n' + repeated + "{\"at\":\"" + id +
              "\",\"try\":[\"1\"],\"s\":[1,1,1,1]}\n",
          std::string()}) {
        CAPTURE(text);
        bool const is_unreadable = text.starts_with("no store");
        if (!is_unreadable) CHECK(compacted(text) == text);
    }
    CHECK(compacted(header_line() + '\n' + repeated) == header_line() + '\n' + proof);
}

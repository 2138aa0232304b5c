// tests/remember/lines/store_lines.cpp - merging stores is commutative and loses nothing; pruning changes no answer.
// SPDX-License-Identifier: MIT
#include <attune/remember/lines/store_lines.hpp>

#include <attune/remember/detail/line_bytes.hpp>
#include <attune/remember/lines/record_line.hpp>
#include <attune/remember/lines/store_content.hpp>
#include <attune/remember/memory_store.hpp>
#include <attune/remember/store.hpp>

#include <array>
#include <cstdio>
#include <doctest/doctest.h>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "../../support/scratch_directory.hpp"
#include "../../support/texts.hpp"
#include "../store_lines.hpp"

using namespace attune::detail;
using attune_test::error_of;
using attune_test::has;

namespace {

std::string merged(std::vector<std::string> const& texts)
{
    store_lines out;
    for (std::string const& text : texts)
        out.add(text, "text");
    return out.text();
}

std::multiset<std::string> lines_of(std::string const& text)
{
    std::multiset<std::string> out;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);)
        if (line.find("attune_store") == line.npos) out.insert(line);
    return out;
}

attune::record_key key_of(int size)
{
    attune::record_key out = laws::example_key();
    out.inputs = {{"N", std::to_string(size)}, {"M", "512"}};
    return out;
}

/// A store that tunings left: some ended, some were interrupted, some go on.
std::string random_store(unsigned seed)
{
    std::mt19937 engine(seed);
    auto const draw = [&](int n) { return static_cast<int>(engine() % static_cast<unsigned>(n)); };
    std::string text = draw(3) == 0 ? support::old_header + support::old_line_of(engine() % 3) : "";
    attune::memory_store out;
    for (int tuning = draw(6); tuning >= 0; --tuning) {
        attune::record winner = laws::example_record(key_of(1 << draw(3)), engine() % 4);
        winner.evaluations = engine() % 3;
        winner.key.schema = draw(3) == 0 ? "other" : winner.key.schema;
        winner.interrupted = draw(4) == 0;
        winner.when = "2026-01-0" + std::to_string(1 + draw(9)) + "T00:00:00Z";
        winner.configuration[0].second = std::to_string(draw(3));
        stored_problem const problem = problem_of(winner);
        for (int i = draw(4); i > 0; --i)
            out.note(problem,
                     {{std::to_string(draw(3)), "x"},
                      draw(3) == 0
                          ? attune::outcome(attune::failure{attune::failure_stage::crash, "11"})
                          : attune::measurement::exact(1.0 + draw(3)),
                      ""});
        if (draw(3) == 0) out.prove(problem, {"c0de", {draw(2)}, true});
        switch (draw(4)) {
        case 0:
            break;
        case 1:
            out.end(problem);
            break;
        default:
            out.add(winner);
        }
    }
    text += out.text();
    for (int program = draw(4); program > 0; --program) {
        std::string const id = id_of(problem_of(laws::example_record(key_of(1 << draw(3)))));
        auto const from_s = static_cast<double>(draw(9));
        auto const calls = static_cast<std::uint64_t>(1 + draw(3));
        text += calls_line(id, {{.calls = calls}, from_s, from_s + 3}) + '\n';
    }
    return text;
}

/// Rows of each problem that no tuning has ended.
std::vector<std::size_t> open_rows(std::string const& text)
{
    std::vector<std::size_t> out;
    for (int const size : {1, 2, 4}) {
        attune::memory_store from = attune::memory_store::from_text(text);
        stored_problem wanted = problem_of(laws::example_record(key_of(size)));
        problem_history const past = from.recall(wanted);
        out.push_back(past.rows.size() - past.open);
    }
    return out;
}

} // namespace

TEST_CASE("merging is commutative, idempotent and loses no line")
{
    for (unsigned seed = 0; seed < 200; ++seed) {
        std::string const a = random_store(2 * seed), b = random_store(2 * seed + 1);
        std::string const both = merged({a, b});
        REQUIRE(both == merged({b, a}));
        REQUIRE(merged({both}) == both);
        REQUIRE(merged({both, a, b, both}) == both);
        REQUIRE(merged({a, a}) == merged({a}));
        std::multiset<std::string> const have = lines_of(both);
        for (std::string const& from : {a, b})
            for (std::string const& line : lines_of(from))
                REQUIRE(have.count(line) == 1);
        std::multiset<std::string> all = lines_of(a);
        all.merge(lines_of(b));
        for (std::string const& line : have)
            REQUIRE(all.contains(line));
    }
}

TEST_CASE("what a tuning ended with stays ended, and its store is answered as before")
{
    for (unsigned seed = 0; seed < 200; ++seed) {
        std::string const a = random_store(seed), again = merged({a});
        std::vector<std::size_t> const before = open_rows(a), after = open_rows(again);
        for (std::size_t i = 0; i < before.size(); ++i)
            REQUIRE((after[i] > 0) <= (before[i] > 0)); // equal rows become one
        std::vector<std::size_t> const both = open_rows(merged({a, random_store(seed + 1000)}));
        std::vector<std::size_t> const other = open_rows(random_store(seed + 1000));
        for (std::size_t i = 0; i < both.size(); ++i)
            REQUIRE(both[i] <= before[i] + other[i]);
    }
}

TEST_CASE("pruning leaves every answer as it was, and is done at once")
{
    for (unsigned seed = 0; seed < 200; ++seed) {
        std::string text = random_store(seed) + random_store(seed + 500);
        if (seed % 2 == 0) text = merged({text});
        store_lines lines;
        lines.add(text, "text");
        lines.remove_superseded();
        store_lines again;
        again.add(lines.text(), "text");
        again.remove_superseded();
        REQUIRE(again.text() == lines.text());
        REQUIRE(again.removed().winners == 0);
        REQUIRE(again.removed().calls == 0);
        store_content was = store_content::of_text(text, "was");
        store_content is = store_content::of_text(lines.text(), "is");
        for (int const size : {1, 2, 4})
            for (char const* schema : {"77c1", "other"}) {
                attune::record_key key = key_of(size);
                key.schema = schema;
                auto const x = was.find(key), y = is.find(key);
                REQUIRE(x.how == y.how);
                REQUIRE(x.distance == y.distance);
                if (x.how == attune::record_match::exact) REQUIRE(x.best == y.best);
            }
        auto const with_calls = was.problems(99, true), joined = is.problems(99, true);
        REQUIRE(with_calls.size() == joined.size());
        std::vector<std::size_t> const before = open_rows(text), after = open_rows(lines.text());
        for (std::size_t i = 0; i < before.size(); ++i)
            REQUIRE((after[i] > 0) <= (before[i] > 0));
    }
}

TEST_CASE("the calls of programs are merged, and pruning makes one line of them")
{
    std::string const id = id_of(problem_of(laws::example_record()));
    std::string const text = support::header + support::first_line_of(1);
    std::string const first = calls_line(id, {{.calls = 5, .by_winner = 5}, 1, 3}) + '\n';
    std::string const second = calls_line(id, {{.calls = 7, .by_winner = 1}, 2, 4}) + '\n';
    std::string const both = merged({text + first, text + second});
    CHECK(both == merged({text + second, text + first}));
    CHECK(has(both, first));
    CHECK(has(both, second));
    store_lines lines;
    lines.add(both, "both");
    CHECK(lines.kept().calls == 2);
    lines.remove_superseded();
    CHECK(lines.kept().calls == 1);
    CHECK(lines.removed().calls == 1);
    auto const listed = store_content::of_text(lines.text(), "text").problems();
    REQUIRE(listed.size() == 1);
    CHECK(listed[0].calls.coverage.calls == 12);
    CHECK(listed[0].calls.coverage.by_winner == 6);
    CHECK(listed[0].calls.from_s == 1);
    CHECK(listed[0].calls.to_s == 4);
}

TEST_CASE("whole problems and outcomes are removed and counted")
{
    attune::memory_store from;
    attune::record winner = laws::example_record();
    from.note(problem_of(winner), {{"1", "x"}, attune::measurement::exact(1), ""});
    from.add(winner);
    winner.key.kernel = "other";
    from.add(winner);
    store_lines lines;
    lines.add(from.text() + "damaged\n", "text");
    CHECK(lines.removed().damaged == 1);
    lines.remove_outcomes();
    CHECK(lines.removed().outcomes == 1);
    lines.remove_problems([](stored_problem const& p, std::string const& when) {
        return p.key.kernel == "other" && when.starts_with("20");
    });
    CHECK(lines.removed().problems == 1);
    CHECK(lines.kept().problems == 1);
    CHECK(lines.kept().winners == 1);
    CHECK(store_content::of_text(lines.text(), "text").problems().size() == 1);
}

TEST_CASE("a later release's lines are kept, a newer format and another file are refused")
{
    std::string later = "{\"at\":\"0123456789abcdef-01234567\",\"new\":1";
    std::array<char, 9> sum{};
    std::snprintf(sum.data(), sum.size(), "%08x", static_cast<unsigned>(crc32_of(later)));
    later += std::string(",\"sum\":\"") + sum.data() + "\"}\n";
    std::string const text = support::header + support::first_line_of(1) + later;
    store_lines lines;
    lines.add(text, "a");
    CHECK(has(lines.text(), later));
    CHECK(lines.kept().others == 1);
    CHECK(has(error_of([&] { lines.add("{\"attune_store\":9}\n", "b"); }), "newer attune"));
    CHECK(has(error_of([&] { lines.add("hello\n", "b"); }), "not an attune store"));
    CHECK(lines.text() == merged({text}));
}

TEST_CASE("a store is rewritten under its lock while a program appends to it")
{
    auto const [folder, path] = support::scratch_file("s.attune");
    attune::store writer(path);
    writer.add(laws::example_record(laws::example_key(), 1));
    rewrite_store(path, [&](std::string const& now) { return merged({now, now}); });
    writer.add(laws::example_record(laws::example_key(), 2));
    CHECK(support::seed_found(writer) == 2);
    CHECK(store_content::of_file(path).text().find("\"seed\":1") != std::string::npos);
    CHECK(writer.notices().empty());
    CHECK(has(error_of([&] {
                  rewrite_store(folder.file("none"), [](std::string const& now) { return now; });
              }),
              "no such store"));
}

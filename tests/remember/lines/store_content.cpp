// tests/remember/lines/store_content.cpp - all of a store's file at once; a compacted store answers as the whole one does.
// SPDX-License-Identifier: MIT
#include <attune/remember/lines/store_content.hpp>

#include <attune/core/outcome.hpp>
#include <attune/core/random.hpp>
#include <attune/remember/detail/json_fields.hpp>
#include <attune/remember/detail/line_bytes.hpp>
#include <attune/remember/detail/line_text.hpp>
#include <attune/remember/detail/store_file.hpp>
#include <attune/remember/lines/record_line.hpp>
#include <attune/remember/lines/record_table.hpp>
#include <attune/remember/memory_store.hpp>
#include <attune/remember/problem/problem.hpp>
#include <attune/remember/record.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "../../laws/record_store.hpp"
#include "../../support/scratch_directory.hpp"
#include "../../support/texts.hpp"
#include "../store_lines.hpp"

using namespace attune::detail;
using attune_test::error_of;
using attune_test::has;
using laws::example_key;
using laws::example_record;

TEST_CASE("problems are listed in the order of their last lines, with winners and counts")
{
    attune::memory_store from;
    attune::record first = laws::example_record(laws::example_key(), 1);
    attune::record second = first;
    second.key.inputs = {{"N", "7"}, {"M", "512"}};
    tried_row const row{{"64", "(0, 2, 1)"}, attune::measurement::exact(0.5), "c0de"};
    from.note(problem_of(first), row);
    from.add(second);
    from.add(first);
    from.prove(problem_of(second), {"c0de", {1, 2}, true}); // that makes it the latest
    store_content all = store_content::of_text(from.text(), "text");
    CHECK(all.damage().empty());
    auto const listed = all.problems();
    REQUIRE(listed.size() == 2);
    CHECK(listed[0].problem.key.inputs == first.key.inputs);
    CHECK(listed[0].tried == 1);
    CHECK(listed[0].proven == 0);
    REQUIRE(listed[0].best.size() == 1);
    CHECK(listed[0].best[0].configuration == first.configuration);
    CHECK(listed[1].proven == 1);
    CHECK(all.history(listed[0]).rows.size() == 1);
    CHECK(all.history(listed[1]).rows.empty());
    auto const latest = all.problems(1);
    REQUIRE(latest.size() == 1);
    CHECK(latest[0].problem.key.inputs == second.key.inputs);
    CHECK(all.proofs(problem_of(second), "c0de").size() == 1);
    CHECK(all.find(first.key).how == attune::record_match::exact);
    CHECK(all.related(problem_of(first), 9).size() == 2);
}

TEST_CASE("a file that is no store is refused with a sentence, damage is told")
{
    auto const [folder, path] = support::scratch_file("a.attune");
    auto const why = [&](std::string const& text) {
        support::write_file(path, text);
        return error_of([&] { static_cast<void>(store_content::of_file(path)); });
    };
    CHECK(has(error_of([&] { static_cast<void>(store_content::of_file(path)); }), "no such store"));
    CHECK(has(error_of([&] { static_cast<void>(store_content::of_file(folder.path())); }),
              "not a regular file"));
    CHECK(has(why("#include <cstdio>\nint main() {}\n"), "not an attune store"));
    CHECK(has(why("{\"attune_store\":3}\n"), "newer attune"));
    CHECK(why("").empty());
    CHECK(why(support::header).empty());
    CHECK(why(support::header + support::first_line_of(1)).empty());
    support::write_file(path, support::header + "what?\n" + support::first_line_of(1) + "{\n");
    store_content damaged = store_content::of_file(path);
    CHECK(has(damaged.damage(), "a.attune:2: this and 1 more damaged lines"));
    CHECK(damaged.problems().size() == 1);
    support::write_file(path, support::old_header + support::old_line_of(5));
    CHECK(store_content::of_file(path).problems().front().best.front().seed == 5);
}

TEST_CASE("a line that is being written is not damaged: its writer is waited for")
{
    auto const [folder, path] = support::scratch_file("a");
    attune::memory_store from;
    from.add(laws::example_record(laws::example_key(), 1));
    std::string const text = from.text(), half = text.substr(0, text.size() - 20);
    support::write_file(path, half);
    store_file writer = store_file::open_to_append(path);
    REQUIRE(writer.lock(store_file::sharing::exclusive));
    std::thread rest([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        CHECK(writer.append(std::string_view(text).substr(half.size())));
        writer.unlock();
    });
    store_content const read = store_content::of_file(path);
    rest.join();
    CHECK(read.damage().empty());
    CHECK(read.text() == text);
}

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
    for (listed_problem const& one : lines.table().list(99, lines.source(), true))
        out += calls_line(id_of(one.problem), one.calls) + '\n';
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
    /// The calls of a program.
    std::string calls()
    {
        auto const seconds = [&](std::size_t most) { return static_cast<double>(below(most)); };
        past_calls out{{.calls = 5 + below(9), .by_winner = below(5)}, seconds(50), 0};
        out.to_s = out.from_s + 1 + seconds(20);
        for (std::size_t i = below(12); i > 0; --i)
            out.coverage.rest.push_back({.shape = std::to_string(below(30)),
                                         .why = "why",
                                         .calls = 1 + below(3),
                                         .seconds = seconds(3)});
        return calls_line(id_of(problem_of(about[below(about.size())])), out);
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
        case 9:
            return calls();
        case 7: {
            std::string cut = proven_line(id, {code, {1, 2, 3}, true});
            cut.resize(below(cut.size()));
            return cut;
        }
        case 8: {
            std::string const text = "{\"at\":\"" + id + "\",\"later\":1";
            return text + ",\"sum\":\"" + digits_of(crc32_of(text)) + "\"}";
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

TEST_CASE("calls are listed with their problem, and change no other answer")
{
    random_store lines(7);
    std::vector<attune::record> const& about = lines.about;
    std::string const id = id_of(problem_of(about[0]));
    std::string const other = id_of(problem_of(about[1]));
    std::string const text = header_line() + '\n' + problem_line(id, problem_of(about[0])) + '\n' +
                             won_line(id, about[0]) + '\n' +
                             problem_line(other, problem_of(about[1])) + '\n' +
                             won_line(other, about[1]) + '\n';
    auto const program = [](double from_s, double to_s, std::uint64_t calls) {
        return past_calls{{.calls = calls, .by_winner = calls}, from_s, to_s};
    };
    std::string const untuned = id_of(problem_of(about[2]));
    std::string const more =
        calls_line(id, program(1, 3, 5)) + '\n' + calls_line(id, program(2, 4, 7)) + '\n' +
        problem_line(untuned, problem_of(about[2])) + '\n' + calls_line(untuned, program(1, 2, 9)) +
        '\n' + calls_line("0123456789abcdef-01234567", program(1, 2, 9)) + '\n';
    store_content whole = store_content::of_text(text + more, "text");
    auto const listed = whole.problems();
    REQUIRE(listed.size() == 2); // in the order of their tunings
    CHECK(listed[0].problem.key.inputs == about[0].key.inputs);
    CHECK(listed[0].calls.coverage.calls == 12);
    CHECK(listed[1].calls.coverage.calls == 0);
    auto const called = whole.problems(99, true);
    REQUIRE(called.size() == 3);
    CHECK(called[2].problem.key.inputs == about[2].key.inputs);
    CHECK(called[2].calls.coverage.calls == 9);
    CHECK(whole.damage().empty());
    for (attune::record const& r : about)
        CHECK(whole.related(problem_of(r), 9).size() == 2); // the untuned one helps no search
}

TEST_CASE("of many lines of calls one stays")
{
    random_store lines(9);
    std::string const id = id_of(problem_of(lines.about[0]));
    std::string text = header_line() + '\n' + problem_line(id, problem_of(lines.about[0])) + '\n' +
                       won_line(id, lines.about[0]) + '\n';
    std::string const before = text;
    constexpr std::uint32_t programs = record_table::most_read + 100;
    for (std::uint32_t i = 0; i < programs; ++i)
        text += calls_line(id, {{.calls = 1}, 0, 10}) + '\n';
    std::string const less = compacted(text);
    CHECK(less == before + calls_line(id, {{.calls = programs}, 0, 10}) + '\n');
    CHECK(answers_of(less, lines.about) == answers_of(text, lines.about));
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

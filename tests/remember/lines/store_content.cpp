// tests/remember/lines/store_content.cpp - all of a store's file at once; what is no store is refused.
// SPDX-License-Identifier: MIT
#include <attune/remember/lines/store_content.hpp>

#include <attune/remember/detail/store_file.hpp>
#include <attune/remember/memory_store.hpp>

#include <chrono>
#include <doctest/doctest.h>
#include <string>
#include <string_view>
#include <thread>

#include "../../support/scratch_directory.hpp"
#include "../../support/texts.hpp"
#include "../store_lines.hpp"

using namespace attune::detail;
using attune_test::error_of;
using attune_test::has;

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
    support::scratch_directory const folder;
    std::string const path = folder.file("a.attune");
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
    support::scratch_directory const folder;
    std::string const path = folder.file("a");
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

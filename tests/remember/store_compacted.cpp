// tests/remember/store_compacted.cpp - a store does not grow without end, and loses nothing meanwhile.
// SPDX-License-Identifier: MIT
#include <attune/core/random.hpp>
#include <attune/remember/lines/record_line.hpp>
#include <attune/remember/lines/record_table.hpp>
#include <attune/remember/lines/store_content.hpp>
#include <attune/remember/lines/store_lines.hpp>
#include <attune/remember/problem/problem.hpp>
#include <attune/remember/record.hpp>
#include <attune/remember/store.hpp>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <doctest/doctest.h>
#include <filesystem>
#include <set>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "../laws/record_store.hpp"
#include "../support/open_files.hpp"
#include "../support/scratch_directory.hpp"

using namespace attune::detail;
using attune::store;
using laws::example_record;

namespace {

stored_problem example_problem() { return problem_of(example_record()); }

std::size_t lines_in(std::string const& path)
{
    std::string const text = support::read_file(path);
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

/// A file in which most is past.
std::string long_text()
{
    std::string const id = id_of(example_problem());
    std::string out = header_line() + '\n' + problem_line(id, example_problem()) + '\n' +
                      won_line(id, example_record()) + '\n';
    for (std::int64_t i = 0; i < 3 * record_table::most_read; ++i)
        out += proven_line(id, {"c0", {i}, true}) + '\n';
    return out;
}

} // namespace

TEST_CASE("a shape that the store knows is not told again, unless the last word was another")
{
    auto const [folder, path] = support::scratch_file("s");
    store first(path), second(path);
    first.prove(example_problem(), {"c0", {1, 2}, true});
    std::size_t const lines = lines_in(path);
    first.prove(example_problem(), {"c0", {1, 2}, true});
    second.prove(example_problem(), {"c0", {1, 2}, true});
    store(path).prove(example_problem(), {"c0", {1, 2}, true});
    CHECK(lines_in(path) == lines);
    second.prove(example_problem(), {"c0", {1, 2}, false});
    first.prove(example_problem(), {"c0", {1, 2}, false});
    CHECK(lines_in(path) == lines + 2); // the problem of this writer, and the shape
    first.prove(example_problem(), {"c0", {1, 2}, true});
    second.prove(example_problem(), {"c0", {1, 2}, true});
    CHECK(lines_in(path) == lines + 3);
    auto const proofs = store(path).proofs(example_problem(), "c0");
    REQUIRE(proofs.size() == 2);
    CHECK(proofs.back().is_right);
    first.prove(example_problem(), {"c1", {1, 2}, true});
    first.prove(example_problem(), {"c0", {1, 3}, true});
    CHECK(lines_in(path) == lines + 5);
}

TEST_CASE("a writer compacts a long file of its own, and answers as before")
{
    support::scratch_directory const folder;
    std::string const path = folder.file("s"), link = folder.file("link");
    std::string const text = long_text();
    support::write_file(path, text);
    REQUIRE(::chmod(path.c_str(), 0600) == 0);
    std::filesystem::create_symlink("s", link);
    store reader(path);
    auto const before = reader.proofs(example_problem(), "c0");
    CHECK(before.size() == record_table::most_read);
    CHECK(support::read_file(path) == text); // who reads alone changes nothing
    store writer(link);
    static_cast<void>(writer.find(example_record().key));
    writer.prove(example_problem(), {"c0", {-1}, true});
    CHECK(lines_in(path) <= record_table::most_read + 4);
    CHECK(std::filesystem::is_symlink(link));
    struct ::stat status{};
    REQUIRE(::stat(path.c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0600);
    auto after = reader.proofs(example_problem(), "c0");
    REQUIRE(after.size() == record_table::most_read);
    CHECK(after.back().shape == std::vector<std::int64_t>{-1});
    CHECK(std::equal(before.begin() + 1, before.end(), after.begin()));
    CHECK(reader.find(example_record().key).how == attune::record_match::exact);
    CHECK(writer.notices().empty());
    CHECK(reader.notices().empty());
    CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 2);
}

TEST_CASE("a file of others, with a second name or in a folder without leave stays as it is")
{
    support::scratch_directory const folder;
    std::string const text = long_text();
    auto const grows = [&](std::string const& path) {
        store writer(path);
        static_cast<void>(writer.find(example_record().key));
        writer.prove(example_problem(), {"c0", {-1}, true});
        return support::read_file(path).starts_with(text);
    };
    std::string const shared = folder.file("shared"), twice = folder.file("twice");
    support::write_file(shared, text);
    REQUIRE(::chmod(shared.c_str(), 0666) == 0);
    CHECK(grows(shared));
    support::write_file(twice, text);
    REQUIRE(::chmod(twice.c_str(), 0644) == 0);
    std::filesystem::create_hard_link(twice, folder.file("second"));
    CHECK(grows(twice));
}

TEST_CASE("writers append while others compact and are killed: no line is lost")
{
    auto const [folder, path] = support::scratch_file("s", long_text());
    REQUIRE(::chmod(path.c_str(), 0644) == 0);
    constexpr int writers = 2, lines_each = 400;
    std::vector<::pid_t> children;
    auto const begin = [&](auto const& act) {
        ::pid_t const child = attune_test::fork_child([&] { act(); });
        children.push_back(child);
        return child;
    };
    for (int w = 0; w < writers; ++w)
        begin([&] {
            store subject(path);
            for (int i = 0; i < lines_each; ++i) {
                attune::value_texts const values{std::to_string(w), std::to_string(i)};
                subject.note(example_problem(), {values, attune::measurement::exact(1.0), ""});
            }
        });
    attune::random_engine engine(7);
    int killed = 0;
    for (int round = 0; round < 25; ++round) {
        ::pid_t const child = begin([&] {
            for (;;)
                rewrite_store(path, [&](std::string const& now) {
                    std::string const more = now + long_text().substr(header_line().size() + 1);
                    return compacted(round % 2 == 0 ? more : now);
                });
        });
        std::timespec const pause{
            0, static_cast<long>(attune::uniform_below(engine, 30'000'000) + 1'000'000)};
        ::nanosleep(&pause, nullptr);
        ::kill(child, SIGKILL);
        int status = 0;
        killed += ::waitpid(child, &status, 0) == child && WIFSIGNALED(status) ? 1 : 0;
        children.pop_back();
    }
    for (::pid_t const child : children) {
        CHECK(attune_test::status_of(child) == 0);
    }
    CHECK(killed == 25);
    store reader(path);
    problem_history const past = reader.recall(example_problem());
    std::set<attune::value_texts> seen;
    for (tried_row const& row : past.rows)
        CHECK(seen.insert(row.values).second);
    CHECK(seen.size() == writers * lines_each);
    CHECK(reader.find(example_record().key).how == attune::record_match::exact);
    CHECK(reader.notices().empty());
}

// tests/remember/store_calls.cpp - the calls of programs that end: nothing is lost, and no end is late or loud.
// SPDX-License-Identifier: MIT
#include <attune/remember/detail/store_file.hpp>
#include <attune/remember/layers.hpp>
#include <attune/remember/lines/record_line.hpp>
#include <attune/remember/lines/store_content.hpp>
#include <attune/remember/memory_store.hpp>
#include <attune/remember/shipped.hpp>
#include <attune/remember/store.hpp>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <filesystem>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "../laws/record_store.hpp"
#include "../support/open_files.hpp"
#include "../support/other_user.hpp"
#include "../support/scratch_directory.hpp"
#include "store_lines.hpp"

using namespace attune::detail;
using attune::store;
using attune_test::fork_child;
using attune_test::status_of;
using laws::example_record;
using support::read_file;

namespace {

stored_problem example_problem() { return problem_of(example_record()); }

/// A program that ran from second 1 to `to_s`.
std::vector<problem_calls> program(std::uint64_t calls, double to_s = 9)
{
    return {{example_problem(), {{.calls = calls, .by_winner = calls}, 1, to_s}}};
}

std::uint64_t calls_in(std::string const& path)
{
    auto const listed = store_content::of_file(path).problems();
    return listed.empty() ? 0 : listed.front().calls.coverage.calls;
}

std::size_t lines_in(std::string const& path)
{
    std::string const text = read_file(path);
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

/// A store with a winner.
std::string usual_text() { return support::header + support::first_line_of(1); }

} // namespace

TEST_CASE("the calls of a program are a line of its problem, which the file already introduces")
{
    auto const [folder, path] = support::scratch_file("s", usual_text());
    store subject(path);
    static_cast<void>(subject.find(laws::example_key()));
    subject.count(program(5));
    CHECK(read_file(path) ==
          usual_text() + calls_line(id_of(example_problem()), program(5)[0].calls) + '\n');
    store unread(path); // it does not know what the file has
    unread.count(program(6));
    CHECK(lines_in(path) == 6);
    CHECK(calls_in(path) == 11);
    CHECK(subject.find(laws::example_key()).how == attune::record_match::exact);
    subject.count({});
    CHECK(lines_in(path) == 6);
}

TEST_CASE("programs that end at once lose no call")
{
    auto const [folder, path] = support::scratch_file("s", usual_text());
    constexpr int programs = 12, problems = 3;
    std::vector<::pid_t> children;
    for (int i = 0; i < programs; ++i)
        children.push_back(fork_child([&] {
            for (int p = 0; p < problems; ++p) {
                store subject(path);
                subject.count(program(static_cast<std::uint64_t>(1 + i)));
            }
        }));
    for (::pid_t const child : children)
        CHECK(status_of(child) == 0);
    CHECK(calls_in(path) == problems * programs * (programs + 1) / 2);
    CHECK(store_content::of_file(path).damage().empty());
}

TEST_CASE("without a file, none is made")
{
    support::scratch_directory const folder;
    std::string const path = folder.file("deeper/s");
    store subject(path);
    subject.count(program(5));
    CHECK_FALSE(std::filesystem::exists(folder.file("deeper")));
    CHECK(subject.notices().empty());
}

TEST_CASE("a file that is full, no store, of a newer format or a folder stays as it is, silently")
{
    auto const [folder, path] = support::scratch_file("s", usual_text());
    ::pid_t const child = fork_child([&, file = path] {
        std::signal(SIGXFSZ, SIG_IGN);
        ::rlimit const limit{usual_text().size() + 50, usual_text().size() + 50};
        if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(2);
        {
            store subject(file);
            subject.count(program(5));
            if (!subject.notices().empty()) ::_exit(3);
        }
    });
    CHECK(status_of(child) == 0);
    CHECK(read_file(path) == usual_text());
    for (std::string const text : {"hello\nworld\n", "{\"attune_store\":3}\n"}) {
        support::write_file(path, text);
        store subject(path);
        subject.count(program(5));
        CHECK(read_file(path) == text);
        CHECK(subject.notices().empty());
    }
    store(folder.path()).count(program(5));
}

TEST_CASE("a file that this user may not write stays as it is, silently")
{
    auto const [folder, path] = support::scratch_file("s", usual_text());
    REQUIRE(::chmod(path.c_str(), 0444) == 0);
    REQUIRE(::chmod(folder.path().c_str(), 0755) == 0);
    auto const notices = [&, file = path] {
        store subject(file);
        subject.count(program(5));
        return static_cast<int>(subject.notices().size());
    };
    // Root may write every file.
    CHECK((::geteuid() == 0 ? attune_test::as_user(attune_test::other_user, notices) : notices()) ==
          0);
    CHECK(read_file(path) == usual_text());
}

TEST_CASE("a lock that stays held ends the wait, silently")
{
    auto const [folder, path] = support::scratch_file("s", usual_text());
    store_file held = store_file::open_to_append(path);
    REQUIRE(held.lock(store_file::sharing::exclusive));
    {
        store subject(path);
        subject.count(program(5));
        CHECK(subject.notices().empty());
    }
    CHECK(read_file(path) == usual_text());
}

TEST_CASE("the first of several stores takes the calls; a shipped one takes none")
{
    support::scratch_directory const folder;
    std::string const own = folder.file("own"), shipped = folder.file("shipped");
    for (std::string const& path : {own, shipped})
        support::write_file(path, usual_text());
    attune::layers both{store(own), attune::shipped(shipped)};
    both.count(program(5));
    attune::layers turned{attune::shipped(shipped), store(own)};
    turned.count(program(7));
    CHECK(calls_in(own) == 5);
    CHECK(read_file(shipped) == usual_text());
    attune::memory_store memory;
    CHECK_FALSE(make_any_store(memory).count);
    CHECK(make_any_store(both).count);
}

TEST_CASE("a store that programs only read does not grow without end")
{
    auto const [folder, path] = support::scratch_file("s", usual_text());
    REQUIRE(::chmod(path.c_str(), 0644) == 0);
    constexpr std::uint64_t programs = 2 * record_table::most_read + 200;
    std::size_t longest = 0;
    store subject(path);
    for (std::uint64_t i = 1; i <= programs; ++i) {
        static_cast<void>(subject.find(laws::example_key()));
        subject.count(program(i));
        if (i % 100 == 0) longest = std::max(longest, lines_in(path));
    }
    CHECK(longest <= record_table::most_read + 10);
    CHECK(calls_in(path) == programs * (programs + 1) / 2);
    CHECK(subject.find(laws::example_key()).how == attune::record_match::exact);
    CHECK(subject.notices().empty());
}

TEST_CASE("an end appends some hundred bytes to a store of 200,000 lines")
{
    std::string const id = id_of(example_problem());
    std::string text = usual_text();
    for (std::int64_t i = 0; i < 200'000; ++i)
        text +=
            tried_line(id, {{std::to_string(i), "x"}, attune::measurement::exact(1.0), ""}) + '\n';
    auto const [folder, path] = support::scratch_file("s", text);
    store subject(path);
    static_cast<void>(subject.find(laws::example_key()));
    subject.count(program(5));
    std::string const now = read_file(path);
    CHECK(now.size() - text.size() < 500);
    CHECK(now.starts_with(text));
    CHECK(calls_in(path) == 5);
}

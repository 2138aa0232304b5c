// tests/remember/files/sample_file.cpp - lines that many append to one file.
// SPDX-License-Identifier: MIT
#include <attune/remember/files/sample_file.hpp>

#include <csignal>
#include <doctest/doctest.h>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "../../support/scratch_directory.hpp"

using attune::detail::sample_file;
using support::scratch_directory;

TEST_CASE("lines read back in their order, those of another meaning do not")
{
    scratch_directory const folder;
    std::string const path = folder.file("deep/samples");
    sample_file ours(path, "ours");
    sample_file others(path, "others");
    CHECK(ours.last(9).empty());
    CHECK(ours.problem().empty()); // a missing file is none
    ours.add("a\t1 2\n");
    others.add("b\t3\n");
    ours.add("c\t\nd\t4\n");
    CHECK(ours.last(9) == "a\t1 2\nc\t\nd\t4\n");
    CHECK(ours.last(2) == "c\t\nd\t4\n");
    CHECK(ours.last(0).empty());
    CHECK(ours.last(2, "d\t") == "a\t1 2\nc\t\n"); // those left out do not count
    CHECK(ours.last(9, {}, 7) == "c\t\nd\t4\n");   // 3 and 4 bytes
    CHECK(ours.last(9, {}, 6) == "d\t4\n");
    CHECK(ours.last(9, {}, 3).empty());
    CHECK(ours.last(9, "d\t", 7) == "c\t\n"); // nothing older in place of a long line
    CHECK(others.last(9) == "b\t3\n");
    CHECK(ours.problem().empty());
}

TEST_CASE("wherever a writer was killed, all other lines are read, then and later")
{
    scratch_directory const folder;
    std::string const path = folder.file("samples");
    sample_file(path, "m").add("first 1\nsecond 2\n");
    std::string const whole = support::read_file(path);
    std::size_t const head = whole.find('\n') + 1;
    std::size_t const second = whole.find('\n', head) + 1;
    for (std::size_t cut = 0; cut < whole.size(); ++cut) {
        support::write_file(path, whole.substr(0, cut));
        sample_file file(path, "m");
        bool const has_first = cut >= second;
        CHECK(file.last(9) == (has_first ? "first 1\n" : ""));
        file.add("third 3\n");
        // A line that lacks its end alone is whole.
        bool const ends = cut == second - 1 || cut == whole.size() - 1;
        std::string want = has_first || ends ? "first 1\n" : "";
        if (cut == whole.size() - 1) want += "second 2\n";
        CHECK(file.last(9) == want + "third 3\n");
        CHECK(file.problem().empty());
    }
}

TEST_CASE("a changed byte costs its line alone")
{
    scratch_directory const folder;
    std::string const path = folder.file("samples");
    sample_file(path, "m").add("first 1\nsecond 2\nthird 3\n");
    std::string const whole = support::read_file(path);
    std::size_t const begin = whole.find('\n', whole.find('\n') + 1) + 1;
    std::size_t const end = whole.find('\n', begin);
    for (std::size_t at = begin; at < end; ++at) {
        std::string text = whole;
        text[at] = text[at] == 'x' ? 'y' : 'x';
        support::write_file(path, text);
        CHECK(sample_file(path, "m").last(9) == "first 1\nthird 3\n");
    }
}

TEST_CASE("a file of something else is neither read nor written")
{
    scratch_directory const folder;
    std::string const path = folder.file("store");
    for (std::string const text : {"{\"attune_store\":2}\n", "x"}) {
        support::write_file(path, text);
        sample_file file(path, "m");
        CHECK(file.last(9).empty());
        file.add("a\n");
        CHECK(!file.problem().empty());
        CHECK(support::read_file(path) == text);
    }
    sample_file nowhere(folder.path(), "m"); // a folder
    nowhere.add("a\n");
    CHECK(!nowhere.problem().empty());
}

TEST_CASE("what threads append at once is all there")
{
    scratch_directory const folder;
    std::string const path = folder.file("samples");
    std::vector<std::thread> all;
    for (int t = 0; t < 4; ++t)
        all.emplace_back([&path, t] {
            for (int i = 0; i < 25; ++i)
                sample_file(path, "m").add(std::to_string(100 * t + i) + '\n');
        });
    for (std::thread& one : all)
        one.join();
    std::string const text = sample_file(path, "m").last(1000);
    std::size_t lines = 0;
    for (char const c : text)
        lines += c == '\n' ? 1 : 0;
    CHECK(lines == 100);
    for (int t = 0; t < 4; ++t)
        for (int i = 0; i < 25; ++i)
            CHECK(('\n' + text).find('\n' + std::to_string(100 * t + i) + '\n') != text.npos);
}

TEST_CASE("a child that was forked while this process adds does not keep the lock")
{
    scratch_directory const folder;
    std::string const path = folder.file("samples");
    ::pid_t child = 0;
    sample_file(path, "m").add_beside([&](std::string_view) {
        child = ::fork();
        if (child == 0) {
            ::pause(); // until it is killed
            ::_exit(0);
        }
        return std::string("first\n");
    });
    REQUIRE(child > 0);
    sample_file next(path, "m");
    next.add("second\n");
    ::kill(child, SIGKILL);
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(next.problem().empty());
    CHECK(next.last(10) == "first\nsecond\n");
}

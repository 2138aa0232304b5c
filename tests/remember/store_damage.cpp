// tests/remember/store_damage.cpp - files that are cut, foreign, newer or cannot be written.
// SPDX-License-Identifier: MIT
#include <attune/remember/store.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <string>
#include <vector>

#include "../laws/record_store.hpp"
#include "../support/scratch_directory.hpp"
#include "store_lines.hpp"

using attune::record_match;
using attune::store;
using laws::example_key;
using laws::example_record;
using support::first_line_of;
using support::header;
using support::line_of;
using support::read_file;
using support::scratch_directory;
using support::seed_found;
using support::write_file;

TEST_CASE("lines that end as on Windows, and empty lines, are no damage")
{
    scratch_directory const directory;
    std::string text = "\r\n" + header + "\n  \n" + first_line_of(3);
    text.insert(text.size() - 1, "\r");
    text.insert(text.find("\n{\"at\""), " \r");
    write_file(directory.file("s"), text);
    store subject(directory.file("s"));
    CHECK(seed_found(subject) == 3);
    CHECK(subject.notices().empty());
}

TEST_CASE("damaged lines are skipped, reported once with the first of them, and stay in the file")
{
    auto const [directory, path] = support::scratch_file("s");
    std::string const text =
        header + first_line_of(1) + "{\"kernel\":\"sg\n" + line_of(2) + "[1]\n";
    write_file(path, text);
    store subject(path);
    CHECK(seed_found(subject) == 2);
    CHECK(subject.notices() ==
          std::vector<std::string>{
              path + ":4: this and 1 more damaged records skipped (not JSON (byte 14))"});
    CHECK(subject.notices().empty());
    subject.add(example_record(example_key(), 3));
    write_file(path, read_file(path) + line_of(4)); // changed: read again
    CHECK(seed_found(subject) == 4);
    CHECK(subject.notices().empty());
    CHECK(read_file(path) == text + first_line_of(3) + line_of(4));
}

TEST_CASE("a file cut at any byte loses nothing but the line that was cut")
{
    auto const [directory, path] = support::scratch_file("s");
    std::string const whole = header + first_line_of(1) + line_of(2);
    for (std::size_t length = 0; length < whole.size(); ++length) {
        std::string const cut = whole.substr(0, length);
        write_file(path, cut);
        store subject(path);
        std::size_t const introduced = header.size() + support::problem_line().size();
        std::size_t const first = introduced + line_of(1).size(); // with its newline
        std::uint64_t const expected = length == whole.size() - 1 ? 2 : length >= first - 1 ? 1 : 0;
        attune::lookup_result const got = subject.find(example_key());
        REQUIRE((got.best ? got.best->seed : 0) == expected);
        // Cut between lines, or with the whole text of a line there, nothing is damaged.
        bool const clean = length == 0 || length == header.size() - 1 || length == header.size() ||
                           length == introduced - 1 || length == introduced ||
                           length == first - 1 || length == first || length == whole.size() - 1;
        REQUIRE(subject.notices().size() == (clean ? 0 : 1));
        subject.add(example_record(example_key(), 7));
        REQUIRE(seed_found(subject) == 7);
        std::string const text = read_file(path);
        REQUIRE(text.starts_with(cut)); // the damaged line is preserved
        REQUIRE(text.ends_with("\n" + line_of(7)));
        REQUIRE(subject.notices().empty());
        store later(path);
        REQUIRE(seed_found(later) == 7);
        REQUIRE(later.notices().size() == (clean ? 0 : 1));
    }
}

TEST_CASE("a file whose every writer was killed in its first bytes is still a store")
{
    auto const [directory, path] = support::scratch_file("s");
    std::string const cut = header.substr(0, 5) + "\n" + header.substr(0, 9);
    write_file(path, cut);
    store subject(path);
    subject.add(example_record());
    CHECK(read_file(path) == cut + "\n" + header + first_line_of(1));
}

TEST_CASE("a file in a newer format is left as it is; nothing is found, nothing is kept")
{
    auto const [directory, path] = support::scratch_file("s");
    std::string const text = "{\"attune_store\":3}\n" + line_of(1) + "\x01\x02 no newline";
    write_file(path, text);
    store subject(path);
    for (int round = 0; round < 3; ++round) {
        CHECK(subject.find(example_key()).how == record_match::none);
        subject.add(example_record(example_key(), 2));
        CHECK(subject.find(example_key()).how == record_match::none);
    }
    CHECK(read_file(path) == text);
    std::vector<std::string> const said = subject.notices();
    REQUIRE(said.size() == 1);
    CHECK(said[0].find(path + ": written by a newer attune (store format 3") == 0);
    write_file(path, header); // it was replaced by one that is understood
    subject.add(example_record(example_key(), 3));
    CHECK(read_file(path) == header + first_line_of(3));
}

TEST_CASE("a newer release that continues a file keeps this one from it")
{
    auto const [directory, path] = support::scratch_file("s");
    store subject(path);
    subject.add(example_record(example_key(), 1));
    std::string const text = read_file(path) + "{\"attune_store\":3}\n";
    write_file(path, text);
    subject.add(example_record(example_key(), 2));
    CHECK(read_file(path) == text);
    CHECK(subject.find(example_key()).how == record_match::none);
    store another(path); // which has read nothing yet
    another.add(example_record(example_key(), 3));
    CHECK(read_file(path) == text);
}

TEST_CASE("a file that is no store is never written to, but the process remembers")
{
    auto const [directory, path] = support::scratch_file("kernel.cpp");
    std::string const text = "int main()\n{\n}";
    write_file(path, text);
    store subject(path);
    CHECK(subject.find(example_key()).how == record_match::none);
    subject.add(example_record(example_key(), 1));
    subject.add(example_record(example_key(), 2));
    CHECK(seed_found(subject) == 2);
    CHECK(read_file(path) == text);
    std::vector<std::string> const said = subject.notices();
    REQUIRE(said.size() == 1);
    CHECK(said[0].find(path + ": not an attune store: left untouched") == 0);
}

TEST_CASE("a file that cannot be written costs one notice, and the process remembers")
{
    scratch_directory const directory;
    write_file(directory.file("file"), "");
    for (auto const& [path, reason] :
         {std::pair{directory.file("file/store.attune"), "Not a directory"},
          std::pair{std::string("/proc/attune/store.attune"), "No such file"},
          std::pair{std::string("/dev/null"), "not a regular file"}}) {
        CAPTURE(path);
        store subject(path);
        subject.add(example_record(example_key(), 1));
        subject.add(example_record(example_key(), 2));
        CHECK(seed_found(subject) == 2);
        std::vector<std::string> const said = subject.notices();
        REQUIRE(said.size() == 1); // also where reading it fails too
        CHECK(said[0].find(path + ": cannot be written (" + reason) == 0);
    }
}

TEST_CASE("a directory or a named pipe in the file's place neither throws nor waits")
{
    auto const [directory, path] = support::scratch_file("place");
    SUBCASE("directory") { std::filesystem::create_directory(path); }
    SUBCASE("pipe") { REQUIRE(::system(("mkfifo '" + path + "'").c_str()) == 0); }
    store subject(path);
    CHECK(subject.find(example_key()).how == record_match::none);
    subject.add(example_record());
    CHECK(seed_found(subject) == 1);
    CHECK(subject.notices().size() == 1); // neither read nor written
    CHECK(subject.notices().empty());
}

TEST_CASE("what could not be written is written as soon as it can be")
{
    scratch_directory const directory;
    write_file(directory.file("place"), "");
    std::string const path = directory.file("place/s");
    store subject(path);
    subject.add(example_record(example_key(), 1));
    subject.add(example_record(example_key(), 2));
    std::filesystem::remove(directory.file("place"));
    subject.add(example_record(example_key(), 3));
    CHECK(read_file(path) == header + first_line_of(1) + line_of(2) + line_of(3));
}

TEST_CASE("a file of holes, larger than any store, is not read into the memory")
{
    auto const [directory, path] = support::scratch_file("s", header + first_line_of(1));
    std::filesystem::resize_file(path, std::uintmax_t{1} << 40);
    store subject(path);
    CHECK_FALSE(subject.find(laws::example_key()).best.has_value());
    CHECK(subject.notices().size() == 1);
}

TEST_CASE("a file that was no store is written to once it is one")
{
    auto const [directory, path] = support::scratch_file("s", "int main()\n");
    store subject(path);
    subject.add(example_record(example_key(), 1));
    CHECK(read_file(path) == "int main()\n");
    write_file(path, header + first_line_of(2)); // longer than before
    subject.add(example_record(example_key(), 3));
    CHECK(read_file(path) ==
          header + first_line_of(2) + line_of(1).insert(0, support::problem_line()) + line_of(3));
    CHECK(seed_found(subject) == 3);
}

TEST_CASE("what waits for a file is written when its store goes")
{
    scratch_directory const directory;
    write_file(directory.file("place"), "");
    std::string const path = directory.file("place/s");
    {
        store subject(path);
        subject.add(example_record(example_key(), 1));
        subject.add(example_record(example_key(), 2));
        CHECK(seed_found(subject) == 2);
        std::filesystem::remove(directory.file("place"));
    }
    CHECK(read_file(path) == header + first_line_of(1) + line_of(2));
}

// tests/remember/store.cpp - the file that many processes share.
// SPDX-License-Identifier: MIT
#include <attune/remember/store.hpp>

#include <attune/core/outcome.hpp>
#include <attune/remember/memory_store.hpp>
#include <attune/remember/problem/problem.hpp>
#include <attune/remember/record.hpp>

#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <filesystem>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "../laws/record_store.hpp"
#include "../support/scratch_directory.hpp"
#include "../support/source_folder.hpp"
#include "store_lines.hpp"

using attune::record_match;
using attune::store;
using laws::example_key;
using laws::example_record;
using support::first_line_of;
using support::header;
using support::line_of;
using support::old_header;
using support::old_line_of;
using support::read_file;
using support::scratch_directory;
using support::seed_found;
using support::write_file;

namespace {

struct store_subject {
    scratch_directory directory{};
    store subject{directory.file("laws.attune")};
    auto& get() { return subject; }
};

/// Every answer comes from the file: what the law adds and asks goes through two stores.
struct two_stores_on_one_file {
    scratch_directory directory{};
    struct pair {
        store writer, reader;
        attune::lookup_result find(attune::record_key const& key) { return reader.find(key); }
        void add(attune::record const& entry) { writer.add(entry); }
        void note(attune::detail::stored_problem const& p, attune::detail::tried_row const& r)
        {
            writer.note(p, r);
        }
        void end(attune::detail::stored_problem const& p) { writer.end(p); }
        void prove(attune::detail::stored_problem const& p, attune::detail::proven_shape const& s)
        {
            writer.prove(p, s);
        }
        auto recall(attune::detail::stored_problem const& p) { return reader.recall(p); }
        auto related(attune::detail::stored_problem const& p, std::size_t most)
        {
            return reader.related(p, most);
        }
        auto proofs(attune::detail::stored_problem const& p, std::string const& code)
        {
            return reader.proofs(p, code);
        }
        auto claim(attune::record_key const& k, double wait_s) { return writer.claim(k, wait_s); }
        std::vector<std::string> notices()
        {
            std::vector<std::string> all = writer.notices();
            for (std::string& text : reader.notices())
                all.push_back(std::move(text));
            return all;
        }
    } stores{store{directory.file("laws.attune")}, store{directory.file("laws.attune")}};
    auto& get() { return stores; }
};

} // namespace

TEST_CASE_TEMPLATE_INVOKE(record_store_laws, store_subject, two_stores_on_one_file);
TEST_CASE_TEMPLATE_INVOKE(near_match_laws, store_subject, two_stores_on_one_file);
TEST_CASE_TEMPLATE_INVOKE(row_laws, store_subject, two_stores_on_one_file);

TEST_CASE("a store touches nothing until it is used, and only add() makes a file")
{
    auto const [directory, path] = support::scratch_file("a/b/c/store.attune");
    store subject(path);
    CHECK(subject.path() == path);
    CHECK(subject.find(example_key()).how == record_match::none);
    CHECK_FALSE(std::filesystem::exists(directory.file("a")));
    subject.add(example_record());
    CHECK(read_file(path) == header + first_line_of(1));
    CHECK(subject.notices().empty());
}

TEST_CASE("a relative path keeps its meaning when the current directory changes")
{
    scratch_directory const directory;
    auto const before = std::filesystem::current_path();
    std::filesystem::current_path(directory.path());
    store subject("here.attune");
    std::filesystem::current_path(before);
    subject.add(example_record());
    CHECK(subject.path() == "here.attune");
    CHECK(read_file(directory.file("here.attune")) == header + first_line_of(1));
}

TEST_CASE("a store moves, with what it knows")
{
    static_assert(!std::is_copy_constructible_v<store>);
    static_assert(std::is_nothrow_move_constructible_v<store>);
    scratch_directory const directory;
    store first(directory.file("s"));
    first.add(example_record(example_key(), 5));
    store second(std::move(first));
    CHECK(seed_found(second) == 5);
    store third("elsewhere");
    third = std::move(second);
    CHECK(seed_found(third) == 5);
}

TEST_CASE("what another store writes is seen by the next find")
{
    scratch_directory const directory;
    store one(directory.file("s")), other(directory.file("s"));
    CHECK(one.find(example_key()).how == record_match::none);
    for (std::uint64_t seed = 1; seed < 6; ++seed) {
        (seed % 2 == 0 ? one : other).add(example_record(example_key(), seed));
        CHECK(seed_found(one) == seed);
        CHECK(seed_found(other) == seed);
    }
    std::filesystem::remove(directory.file("s"));
    CHECK(one.find(example_key()).how == record_match::none);
    other.add(example_record(example_key(), 9));
    CHECK(seed_found(one) == 9);
    CHECK(read_file(directory.file("s")) == header + first_line_of(9));
}

TEST_CASE("a file that was replaced by another of the same length is read again")
{
    scratch_directory const directory;
    store subject(directory.file("s"));
    subject.add(example_record(example_key(), 1));
    write_file(directory.file("new"), header + first_line_of(2));
    std::filesystem::rename(directory.file("new"), directory.file("s"));
    CHECK(seed_found(subject) == 2);
}

TEST_CASE("an empty file and one without a last newline are completed by add()")
{
    std::string const one = header + first_line_of(1);
    for (auto const& [before, after] : std::vector<std::pair<std::string, std::string>>{
             {"", header + first_line_of(2)},
             {"\n\n", "\n\n" + header + first_line_of(2)},
             {header.substr(0, header.size() - 1), header + first_line_of(2)},
             {one.substr(0, one.size() - 1), one + first_line_of(2)}}) {
        CAPTURE(before);
        auto const [directory, path] = support::scratch_file("s", before);
        store subject(path);
        bool const has_record = before.find("won") != std::string::npos;
        CHECK((subject.find(example_key()).how == record_match::exact) == has_record);
        subject.add(example_record(example_key(), 2));
        CHECK(read_file(path) == after);
        CHECK(seed_found(subject) == 2);
        CHECK(subject.notices().empty());
    }
}

TEST_CASE("a file of format 1 is read, stays exact, and is continued in format 2")
{
    auto const [directory, path] = support::scratch_file("s");
    std::string line = old_line_of(1);
    line.insert(1, R"("energy_j":1.25,"host":{"cores":[0,1]},)");
    std::string const text = "{\"attune_store\":1,\"made_by\":\"0.9\"}\n" + line;
    write_file(path, text);
    store subject(path);
    CHECK(seed_found(subject) == 1);
    CHECK(*subject.find(example_key()).best == example_record());
    attune::record_key key = example_key();
    key.signature = "9a"; // of which format 1 knows nothing
    CHECK(subject.find(key).how == record_match::exact);
    key.setting = {{"cache", "cold"}}; // format 1 was timed in the default way
    CHECK(subject.find(key).how == record_match::none);
    subject.add(example_record(example_key(), 2));
    CHECK(read_file(path) == text + header + first_line_of(2));
    CHECK(seed_found(subject) == 2);
    store other(path);
    other.add(example_record(example_key(), 3)); // the header is there
    CHECK(read_file(path) == text + header + first_line_of(2) + first_line_of(3));
    CHECK(seed_found(other) == 3);
    CHECK(subject.notices().empty());
    CHECK(other.notices().empty());
}

TEST_CASE("the file of a release is found exactly by what the release looked for")
{
    scratch_directory const directory;
    write_file(directory.file("s"),
               read_file(support::source_folder() + "tests/remember/files/store_0.4.attune"));
    store subject(directory.file("s"));
    attune::record_key const key{
        "sgemm",
        "16ecc804738743cf2725dfd40a262831",
        "4cf5000115215e637d800baee58f37e6",
        "c++ (Debian 12.2.0-14+deb12u1) 12.2.0 -O3 -march=native -std=c++20 cpu=AMD EPYC "
        "target=03edc9ff50fb",
        "AMD EPYC (25.17.1)",
        {}};
    attune::lookup_result const got = subject.find(key);
    REQUIRE(got.how == record_match::exact);
    CHECK(got.best->configuration[4] == std::pair<std::string, std::string>{"ORDER", "{2, 1, 0}"});
    CHECK(got.best->best_s == 0.0029228529999998365);
    CHECK(got.best->disturbed);
    CHECK(got.best->shape == "262144 262144 262144 512 66576");
    CHECK(subject.notices().empty());
}

TEST_CASE("a file of format 2, with every kind of line, says to later releases what 0.4 wrote")
{
    scratch_directory const directory;
    std::string const text =
        read_file(support::source_folder() + "tests/remember/files/store_2_of_0.4.attune");
    write_file(directory.file("s"), text);
    store subject(directory.file("s"));
    attune::record expected;
    expected.key = {.kernel = "scale",
                    .source = "16ecc804738743cf2725dfd40a262831",
                    .schema = "4cf5000115215e637d800baee58f37e6",
                    .compiler = "clang 19.1.7 -O3",
                    .device = "AMD EPYC (25.17.1)",
                    .inputs = {{"N", "1024"}},
                    .signature = "5da228ba8410dd5b14fd5960602d07c7",
                    .setting = {{"cache", "cold"}}};
    expected.configuration = {{"TILE", "128"}, {"ORDER", "{2, 1, 0}"}};
    expected.best_s = 0.25;
    expected.default_s = 0.5;
    expected.evaluations = 3;
    expected.failures = 1;
    expected.seed = 7;
    expected.when = "2026-11-23T12:00:00Z";
    expected.attune = "0.4.0";
    expected.disturbed = true;
    expected.least_s = 0.125;
    expected.memory_bound = true;
    expected.shape = "1024 0";
    expected.best_interval = {0.24, 0.26, 14};
    expected.default_interval = {0.49, 0.51, 12};
    expected.code = "c0de0128";
    expected.default_code = "c0de0064";
    expected.ties = {{"64", "{2, 1, 0}"}};
    expected.ended = "budget";
    expected.asked = {3, 60};
    expected.threads = 1;
    expected.replaces = {{"32", "{0, 1, 2}"}};
    expected.spent = {3, 2, 0.5};
    expected.roof = {2'048, 8'192, 1e9, 1e10};
    attune::lookup_result const got = subject.find(expected.key);
    REQUIRE(got.how == record_match::exact);
    CHECK(*got.best == expected);

    attune::detail::stored_problem const problem = attune::detail::problem_of(expected);
    attune::detail::problem_history const past = subject.recall(problem);
    REQUIRE(past.rows.size() == 3);
    CHECK(past.open == 3); // a winner ended the tuning
    CHECK(past.rows[1].values == attune::value_texts{"256", "{0, 1, 2}"});
    auto const* const crash = std::get_if<attune::failure>(&past.rows[1].result);
    REQUIRE(crash != nullptr);
    CHECK(crash->stage == attune::failure_stage::crash);
    CHECK(crash->reason == "SIGSEGV");
    auto const* const time = std::get_if<attune::measurement>(&past.rows[2].result);
    REQUIRE(time != nullptr);
    CHECK(time->low == 0.24);
    CHECK(past.rows[2].code == "c0de0128");
    using attune::detail::proven_shape;
    CHECK(subject.proofs(problem, "c0de0128") ==
          std::vector<proven_shape>{{"c0de0128", {689101621614844362, 1024, 0}, true},
                                    {"c0de0128", {689101621614844362, 1023, 4}, false}});

    attune::record other = expected;
    other.key.inputs = {{"N", "512"}};
    attune::detail::problem_history const ended = subject.recall(attune::detail::problem_of(other));
    CHECK(ended.rows.size() == 1);
    CHECK(ended.open == 1); // the tuning ended without a winner
    auto const related = subject.related(attune::detail::problem_of(other), 4);
    REQUIRE(related.size() == 2);
    for (attune::detail::related_problem const& one : related)
        if (one.past.problem.key.inputs == expected.key.inputs)
            CHECK(one.past.problem.facts == attune::named_texts{{"isa", "x86-64-v4"},
                                                                {"vendor", "AuthenticAMD"},
                                                                {"cores", "2"}});
    CHECK(subject.find(other.key).how == record_match::other_size);
    subject.add(other);
    CHECK(read_file(directory.file("s")).starts_with(text));
    CHECK(subject.notices().empty());
}

TEST_CASE("fields that a later writer added are understood and left in the file")
{
    auto const [directory, path] = support::scratch_file("s");
    std::string line = line_of(1);
    line.replace(line.rfind(",\"sum\""), std::string::npos, R"(,"energy_j":{"cores":[0,1]}})");
    std::string const text =
        "{\"attune_store\":2,\"made_by\":\"0.9\"}\n" + support::problem_line() + line + "\n";
    write_file(path, text);
    store subject(path);
    CHECK(seed_found(subject) == 1);
    subject.add(example_record(example_key(), 2));
    CHECK(read_file(path) == text + first_line_of(2));
    CHECK(subject.notices().empty());
}

TEST_CASE("a file of 100000 sizes in format 1 loads and grows")
{
    auto const [directory, path] = support::scratch_file("s");
    std::string text = old_header;
    std::string const line = old_line_of(1), inputs = R"({"N":"1024","M":"512"})";
    std::size_t const at = line.find(inputs);
    for (std::uint64_t i = 0; i < 100000; ++i) {
        text.append(line, 0, at).append(R"({"N":")").append(std::to_string(i)).append(R"("})");
        text.append(line, at + inputs.size());
    }
    write_file(path, text);
    store subject(path);
    attune::record_key key = example_key();
    key.inputs = {{"N", "77777"}};
    attune::lookup_result const got = subject.find(key);
    CHECK(got.how == record_match::exact);
    CHECK(got.best->key == key);
    key.inputs = {{"N", "123456789"}};
    CHECK(subject.find(key).how == record_match::other_size);
    CHECK(subject.find(key).best->key.inputs[0].second == "99999");
    subject.add(example_record());
    CHECK(std::filesystem::file_size(path) ==
          text.size() + header.size() + first_line_of(1).size());
    CHECK(subject.notices().empty());
}

TEST_CASE("what was changed in the middle of a file is read anew")
{
    auto const [directory, path] =
        support::scratch_file("s", header + first_line_of(1) + line_of(2));
    store subject(path);
    CHECK(seed_found(subject) == 2);
    write_file(path, header + first_line_of(3) + line_of(4) + line_of(5));
    CHECK(seed_found(subject) == 5);
    write_file(path, header + first_line_of(6) + line_of(7) + line_of(8)); // as long
    CHECK(seed_found(subject) == 8);
    CHECK(subject.notices().empty());
}

TEST_CASE("a store as text says in memory what it says as a file")
{
    auto const [directory, path] = support::scratch_file("s", old_header + old_line_of(1));
    store subject(path);
    attune::record_key cold = example_key();
    cold.setting = {{"cache", "cold"}};
    subject.add(example_record(cold, 5));
    auto copy = attune::memory_store::from_text(subject.text());
    for (attune::record_key const& key : {example_key(), cold}) {
        CHECK(copy.find(key).how == record_match::exact);
        CHECK(*copy.find(key).best == *subject.find(key).best);
    }
    CHECK(copy.notices().empty());
    CHECK(store(directory.file("none")).text().empty());
}

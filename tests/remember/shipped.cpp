// tests/remember/shipped.cpp - stores that came with the program are read and never written.
// SPDX-License-Identifier: MIT
#include <attune/remember/shipped.hpp>

#include <attune/core/embedded_file.hpp>
#include <attune/core/error.hpp>
#include <attune/remember/layers.hpp>
#include <attune/remember/store.hpp>

#include <doctest/doctest.h>
#include <filesystem>
#include <string>

#include "../laws/record_store.hpp"
#include "../support/scratch_directory.hpp"

using attune::record_match;
using attune::shipped;
using laws::example_key;
using laws::example_record;
using support::scratch_directory;

namespace {

struct shipped_subject {
    scratch_directory folder{};
    shipped store = [this] {
        support::write_file(folder.file("s"), attune::memory_store{}.text());
        return shipped{folder.file("s")};
    }();
    auto& get() { return store; }
};

std::string text_with(attune::record const& entry)
{
    attune::memory_store out;
    out.add(entry);
    return out.text();
}

constexpr unsigned char garbage[] = "{\"attune_store\":2}\n{\"won\":";
constexpr attune::detail::embedded_file damaged{"damaged.attune", "/nowhere/damaged.attune",
                                                garbage, sizeof garbage - 1};
ATTUNE_EMBED(attune_stores, damaged)

} // namespace

TEST_CASE_TEMPLATE_INVOKE(record_store_laws, shipped_subject);
TEST_CASE_TEMPLATE_INVOKE(near_match_laws, shipped_subject);
TEST_CASE_TEMPLATE_INVOKE(row_laws, shipped_subject);

TEST_CASE("a shipped file is found, and is as before whatever is added")
{
    scratch_directory const folder;
    std::string const text = text_with(example_record(example_key(), 7));
    support::write_file(folder.file("s"), text);
    shipped subject{folder.file("s")};
    CHECK(subject.find(example_key()).best->seed == 7);
    attune::record harder = example_record(example_key(), 8);
    harder.evaluations = 1'000;
    subject.add(harder);
    CHECK(subject.find(example_key()).best->seed == 8);
    CHECK(subject.notices().empty());
    CHECK(support::read_file(folder.file("s")) == text);
}

TEST_CASE("a program's own result wins over a shipped one of equal effort, not over a harder one")
{
    scratch_directory const folder;
    support::write_file(folder.file("s"), text_with(example_record(example_key(), 7)));
    attune::layers subject{attune::store{folder.file("own")}, shipped{folder.file("s")}};
    CHECK(subject.find(example_key()).best->seed == 7);
    CHECK_FALSE(std::filesystem::exists(folder.file("own")));
    attune::record weaker = example_record(example_key(), 8);
    weaker.evaluations = 10;
    subject.add(weaker);
    CHECK(subject.find(example_key()).best->seed == 7);
    subject.add(example_record(example_key(), 9));
    CHECK(subject.find(example_key()).best->seed == 9);
}

TEST_CASE("a relative path is that of a file beside the program, else in the current folder")
{
    std::filesystem::path const beside =
        std::filesystem::read_symlink("/proc/self/exe").parent_path() / "attune_test_shipped";
    support::write_file(beside.string(), text_with(example_record(example_key(), 7)));
    CHECK(shipped{"attune_test_shipped"}.find(example_key()).best->seed == 7);
    std::filesystem::remove(beside);
    CHECK(shipped{"attune_test_shipped"}.find(example_key()).how == record_match::none);
}

TEST_CASE("what is missing, damaged or newer is one notice, and nothing is found")
{
    scratch_directory const folder;
    auto const said = [&](std::string const& path) {
        shipped subject{path};
        CHECK(subject.find(example_key()).how == record_match::none);
        std::vector<std::string> const notices = subject.notices();
        CHECK(subject.notices().empty());
        REQUIRE(notices.size() == 1);
        return notices.front();
    };
    CHECK(said(folder.file("none")).find("cannot be read") != std::string::npos);
    CHECK(said(folder.path()).find("cannot be read") != std::string::npos);
    support::write_file(folder.file("new"), "{\"attune_store\":99}\n");
    CHECK(said(folder.file("new")).find("newer attune") != std::string::npos);
    support::write_file(folder.file("bad"), "{\"attune_store\":2}\nnonsense\n");
    CHECK(said(folder.file("bad")).find("line 2") != std::string::npos);
}

TEST_CASE(
    "an embedded store is found by its name; another name gets a sentence with those there are")
{
    attune::memory_store subject = attune::embedded_store("remember/files/store_0.4.attune");
    CHECK(subject.notices().empty());
    CHECK_FALSE(subject.records().empty());
    CHECK(attune::embedded_store("damaged.attune").notices().size() == 1);
    CHECK_THROWS_WITH_AS(static_cast<void>(attune::embedded_store("other")),
                         doctest::Contains("no store 'other' is embedded in this program"),
                         attune::error);
    CHECK_THROWS_WITH_AS(static_cast<void>(attune::embedded_store("other")),
                         doctest::Contains("damaged.attune"), attune::error);
}

// tests/remember/store_believed.cpp - stores that another user could have written are not believed.
// SPDX-License-Identifier: MIT
#include <attune/core/outcome.hpp>
#include <attune/remember/files/event_log.hpp>
#include <attune/remember/files/sample_file.hpp>
#include <attune/remember/layers.hpp>
#include <attune/remember/problem/problem.hpp>
#include <attune/remember/record.hpp>
#include <attune/remember/shipped.hpp>
#include <attune/remember/store.hpp>

#include <doctest/doctest.h>
#include <filesystem>
#include <functional>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "../laws/record_store.hpp"
#include "../support/other_user.hpp"
#include "../support/scratch_directory.hpp"
#include "../support/texts.hpp"

using attune::record_match;
using attune::store;
using attune_test::can_act_as_others;
using attune_test::give_to;
using attune_test::has;
using attune_test::other_user;
using laws::example_record;

namespace {

attune::detail::stored_problem example_problem()
{
    return attune::detail::problem_of(example_record());
}

void fill(store to)
{
    attune::record r = example_record();
    r.code = "c0";
    to.add(r);
    to.prove(example_problem(), {"c0", {1, 2}, true});
    to.note(example_problem(), {attune::value_texts(r.configuration.size(), "1"),
                                attune::failure{attune::failure_stage::launch, "planted"}, ""});
}

/// How much of it counts: "exact 1 1 1" is all of what fill() adds.
template <class Store>
std::string belief_in(Store& s)
{
    auto const found = s.find(example_record().key);
    auto const related = s.related(example_problem(), 9);
    return std::string(describe(found.how)) + ' ' +
           std::to_string(s.proofs(example_problem(), "c0").size()) + ' ' +
           std::to_string(s.recall(example_problem()).rows.size()) + ' ' +
           std::to_string(related.size() == 1 && related[0].is_believed ? 1 : 0);
}
std::string belief_in_file(std::string const& path)
{
    store s(path);
    return belief_in(s);
}

constexpr char const* all = "exact 1 1 1";
constexpr char const* nothing = "exact, unverified 0 0 0";

} // namespace

TEST_CASE("a new store is believed, whatever the umask, and one that others may write is not")
{
    support::scratch_directory const folder;
    for (mode_t const mask : {0u, 002u, 022u, 077u}) {
        std::string const path = folder.file("new/" + std::to_string(mask) + "/s.attune");
        mode_t const before = ::umask(mask);
        fill(store(path));
        ::umask(before);
        CHECK(belief_in_file(path) == all);
        for (mode_t const mode : {0646u, 0666u, 0622u}) {
            REQUIRE(::chmod(path.c_str(), mode) == 0);
            store s(path);
            CHECK(belief_in(s) == nothing);
            CHECK(s.text().find("planted") == std::string::npos);
            std::vector<std::string> const told = s.notices();
            REQUIRE(told.size() == 1);
            CHECK(has(told[0], path + ": another user may write it: "));
            CHECK(has(told[0], "chmod go-w"));
            CHECK(belief_in(s) == nothing);
            CHECK(s.notices().empty());
            // It can be mended while it is open, and spoilt.
            REQUIRE(::chmod(path.c_str(), 0644) == 0);
            CHECK(belief_in(s) == all);
            REQUIRE(::chmod(path.c_str(), 0666) == 0);
            CHECK(belief_in(s) == nothing);
        }
    }
}

TEST_CASE("a store of another user, or where another one may replace it, is not believed")
{
    if (!can_act_as_others()) return;
    support::scratch_directory const folder;
    std::string const path = folder.file("f/s.attune"), own = folder.file("own.attune");
    fill(store(path));
    CHECK(belief_in_file(path) == all);
    auto const doubtful = [&](std::function<void()> const& spoil, std::function<void()> const& mend,
                              std::string const& by) {
        spoil();
        CHECK(belief_in_file(by) == nothing);
        mend();
        CHECK(belief_in_file(path) == all);
    };
    auto const mode = [](std::string const& of, mode_t to) {
        return [=] { REQUIRE(::chmod(of.c_str(), to) == 0); };
    };
    auto const owner = [](std::string const& of, uid_t user) {
        return [=] { REQUIRE(give_to(user, of)); };
    };
    doubtful(owner(path, other_user), owner(path, 0), path);
    doubtful(mode(path, 0664), mode(path, 0644), path); // the group of root is not root alone
    doubtful(mode(folder.file("f"), 0777), mode(folder.file("f"), 0755), path);
    doubtful(mode(folder.path(), 0770), mode(folder.path(), 0700), path);
    doubtful(owner(folder.file("f"), other_user), owner(folder.file("f"), 0), path);
    doubtful(owner(folder.path(), other_user), owner(folder.path(), 0), path);
    std::filesystem::create_symlink(path, folder.file("link"));
    CHECK(belief_in_file(folder.file("link")) == all);
    doubtful(owner(folder.file("link"), other_user), owner(folder.file("link"), 0),
             folder.file("link"));
    // A sticky folder such as /tmp is nobody's way in.
    REQUIRE(::chmod(folder.file("f").c_str(), 01777) == 0);
    CHECK(belief_in_file(path) == all);
    // What root wrote and others may only read is believed by all.
    REQUIRE(::chmod(folder.path().c_str(), 0755) == 0);
    REQUIRE(::chmod(path.c_str(), 0444) == 0);
    CHECK(attune_test::as_user(other_user, [&] { return belief_in_file(path) == all ? 7 : 8; }) ==
          7);
    CHECK(attune_test::as_user(other_user, [&] {
              attune::shipped s(path);
              return belief_in(s) == all && s.notices().empty() ? 7 : 8;
          }) == 7);
    // The doubt about one layer is none about another.
    REQUIRE(give_to(other_user, path));
    {
        attune::layers both{store(own), store(path)};
        CHECK(belief_in(both) == nothing);
        CHECK(both.notices().size() == 1);
        fill(store(own));
        CHECK(has(belief_in(both), "exact 1 1 "));
    }
    attune::shipped given(path);
    CHECK(belief_in(given) == nothing);
    std::vector<std::string> const told = given.notices();
    REQUIRE(told.size() == 1);
    CHECK(has(told[0], "uid 65534 owns"));
}

TEST_CASE("a store is not made at the end of a link, nor written through that of another user")
{
    auto const [folder, link] = support::scratch_file("link");
    std::filesystem::create_symlink("none", link);
    {
        store s(link);
        fill(std::move(s));
        store again(link);
        again.add(example_record());
        std::vector<std::string> const told = again.notices();
        REQUIRE(told.size() == 1);
        CHECK(has(told[0], "which is not there (create that file, or remove the link)"));
    }
    CHECK(!std::filesystem::exists(folder.file("none")));
    support::write_file(folder.file("none"), "");
    fill(store(link));
    CHECK(belief_in_file(link) == all);
    if (!can_act_as_others()) return;
    std::string const before = support::read_file(folder.file("none"));
    REQUIRE(give_to(other_user, link));
    {
        store s(link);
        s.add(example_record());
        CHECK(has(s.notices().at(0), "symbolic link of uid 65534"));
    }
    CHECK(support::read_file(folder.file("none")) == before);
    std::filesystem::create_directory(folder.file("f"));
    std::filesystem::create_symlink(folder.file("f"), folder.file("way"));
    REQUIRE(give_to(other_user, folder.file("way")));
    {
        store s(folder.file("way/s.attune"));
        CHECK(s.claim(example_record().key, 0).state() == attune::detail::lock_state::unavailable);
        s.add(example_record());
        CHECK(has(s.notices().at(0), "symbolic link of uid 65534"));
    }
    CHECK(std::filesystem::is_empty(folder.file("f")));
}

TEST_CASE("what is no regular file is no store, and nothing waits for it")
{
    auto const [folder, fifo] = support::scratch_file("fifo");
    REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
    for (std::string const& path :
         {fifo, folder.path(), std::string("/dev/zero"), std::string("/dev/full")}) {
        CAPTURE(path);
        store s(path);
        s.add(example_record());
        CHECK(s.find(example_record().key).how == record_match::exact); // in memory
        CHECK(!s.notices().empty());
    }
}

TEST_CASE("samples and logs that another user may write are not used")
{
    support::scratch_directory const folder;
    std::string const samples = folder.file("samples"), log = folder.file("log");
    {
        attune::detail::sample_file file(samples, "meaning");
        file.add("a\n");
        attune::event_log begun(log, "key", 1);
        begun.begin_anew();
    }
    CHECK(attune::detail::sample_file(samples, "meaning").last(9) == "a\n");
    for (std::string const& path : {samples, log})
        REQUIRE(::chmod(path.c_str(), 0666) == 0);
    attune::detail::sample_file file(samples, "meaning");
    CHECK(file.last(9).empty());
    CHECK(has(file.problem(), "another user may write the file"));
    file.add("b\n");
    CHECK(support::read_file(samples).find("\tb\n") == std::string::npos);
    attune::event_log doubtful(log, "key", 1);
    CHECK(has(doubtful.notices().at(0), "no tuning goes on from it"));
    CHECK(doubtful.past().empty());
}

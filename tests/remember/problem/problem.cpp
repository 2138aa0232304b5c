// tests/remember/problem/problem.cpp - how far two problems are apart, and what is said of it; one process tunes one.
// SPDX-License-Identifier: MIT
#include <attune/remember/problem/problem.hpp>

#include <attune/remember/store.hpp>

#include <cmath>
#include <doctest/doctest.h>
#include <filesystem>
#include <set>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include "../../laws/record_store.hpp"
#include "../../support/open_files.hpp"
#include "../../support/scratch_directory.hpp"

using namespace attune::detail;
using attune::detail::lock_state;
using attune::detail::problem_claim;
using laws::example_key;
using support::scratch_directory;

namespace {

stored_problem example()
{
    stored_problem out = problem_of(laws::example_record());
    out.facts = {{"isa", "x86-64-v4"}, {"vendor", "AMD"}, {"cores", "16"}};
    return out;
}

} // namespace

TEST_CASE("a problem is itself, whatever the order of its inputs and the schema of a record")
{
    CHECK(relate(example(), example()).how == problem_difference::none);
    CHECK(relate(example(), example()).distance == 0);
    CHECK(relate(example(), example()).why.empty());
    stored_problem other = example();
    std::swap(other.key.inputs[0], other.key.inputs[1]);
    CHECK(identity_of(other.key) == identity_of(example().key));
    attune::record r = laws::example_record();
    r.key.schema = "wider";
    CHECK(id_of(problem_of(r)) == id_of(example()));
}

TEST_CASE(
    "each part of the identity changes it; parameters and signature change the rest of the id")
{
    std::set<std::string> seen{identity_of(example().key)};
    for (auto const member : {&attune::record_key::kernel, &attune::record_key::source,
                              &attune::record_key::compiler, &attune::record_key::device}) {
        stored_problem other = example();
        other.key.*member += "x";
        CHECK(seen.insert(identity_of(other.key)).second);
    }
    stored_problem other = example();
    other.key.inputs[0].second = "1025";
    CHECK(seen.insert(identity_of(other.key)).second);
    other = example();
    other.key.setting = other.key.inputs;
    other.key.inputs.clear(); // the same texts, but the way of measuring
    CHECK(seen.insert(identity_of(other.key)).second);
    std::set<std::string> ids{id_of(example())};
    other = example();
    other.parameters.push_back("UNROLL");
    CHECK(identity_of(other.key) == identity_of(example().key));
    CHECK(ids.insert(id_of(other)).second);
    other = example();
    other.key.signature = "9a";
    CHECK(ids.insert(id_of(other)).second);
}

TEST_CASE("source and compiler are near, a size by its ratio, a device by its kind")
{
    stored_problem const want = example();
    stored_problem have = want;
    have.key.compiler = "clang 18";
    CHECK(relate(have, want).how == problem_difference::code);
    CHECK(relate(have, want).distance == doctest::Approx(0.1));
    CHECK(relate(have, want).why == "clang 18");
    have = want;
    have.key.inputs = {{"N", "2048"}, {"M", "row"}};
    CHECK(relate(have, want).how == problem_difference::size);
    CHECK(relate(have, want).distance == doctest::Approx(std::log(2.0) + 1));
    CHECK(relate(have, want).why == "for N=2048 M=row, not N=1024 M=512");
    have.key.inputs = {{"N", "1024"}};
    CHECK(relate(have, want).distance == 1.0);
    CHECK(relate(want, have).distance == 1.0);
    have = want;
    have.key.device = "cpu zen5";
    CHECK(relate(have, want).how == problem_difference::device);
    CHECK(relate(have, want).distance == 1.0);
    have.facts[1].second = "Intel";
    CHECK(relate(have, want).distance == 2.0);
    have.facts[0].second = "aarch64";
    CHECK(relate(have, want).distance == 3.0);
    have.facts.clear(); // format 1 says nothing of it
    CHECK(relate(have, want).distance == 3.0);
    have = want;
    have.key.setting = {{"cache", "cold"}};
    CHECK(relate(have, want).how == problem_difference::setting);
    CHECK(relate(have, want).distance == 0.5);
    CHECK(relate(have, want).why == "timed in another way");
    have = want;
    have.parameters = {"TILE_M", "UNROLL"};
    CHECK(relate(have, want).how == problem_difference::setting);
    CHECK(relate(have, want).distance == 1.0);
}

TEST_CASE("the number of cores counts where calls use several")
{
    stored_problem want = example();
    want.key.setting = {{"threads", "16"}};
    stored_problem have = want;
    have.key.device = "cpu zen5";
    have.facts[2].second = "4";
    CHECK(relate(have, want).distance == doctest::Approx(1 + std::log(4.0)));
}

TEST_CASE("of two objects and two processes one may tune a problem, and both may tune two")
{
    scratch_directory const directory;
    attune::store one(directory.file("deep/s")), other(directory.file("deep/s"));
    problem_claim mine = one.claim(example_key(), 0.0);
    CHECK(mine.state() == lock_state::mine);
    CHECK(other.claim(example_key(), 0.0).state() == lock_state::busy);
    CHECK_FALSE(other.claim(example_key(), 0.0).may_tune());
    ::pid_t const child = attune_test::fork_child([&] {
        attune::store third(directory.file("deep/s"));
        attune::record_key next = example_key();
        next.inputs[0].second = "4096";
        bool const right = !third.claim(example_key(), 0.0).may_tune() &&
                           third.claim(next, 0.0).state() == lock_state::mine;
        ::_exit(right ? 0 : 1);
    });
    CHECK(attune_test::status_of(child) == 0);
    attune::record_key added_value = example_key();
    added_value.schema = "wider";
    CHECK_FALSE(other.claim(added_value, 0.0).may_tune()); // its rows are the same
    mine.release();
    CHECK(other.claim(example_key(), 0.0).state() == lock_state::mine);
    CHECK_FALSE(std::filesystem::exists(directory.file("deep/s"))); // nothing was added
}

TEST_CASE("where no lock file can be made everybody may tune")
{
    attune::store nowhere("/proc/attune/s");
    problem_claim const claim = nowhere.claim(example_key(), 5.0);
    CHECK(claim.state() == lock_state::unavailable);
    CHECK(claim.may_tune());
    CHECK(problem_claim().may_tune());
}

// tests/remember/problem/relation.cpp - how far two problems are apart, and what is said of it.
// SPDX-License-Identifier: MIT
#include <attune/remember/problem/relation.hpp>

#include <cmath>
#include <doctest/doctest.h>
#include <set>
#include <string>

#include "../../laws/record_store.hpp"

using namespace attune::detail;

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

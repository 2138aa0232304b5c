// tests/tune/over/process_identity.cpp - who may tune one kernel together.
// SPDX-License-Identifier: MIT
#include <attune/tune/over/process_identity.hpp>

#include <attune/core/error.hpp>
#include <attune/declare/parameters.hpp>
#include <attune/space/build_pack.hpp>
#include <attune/tune/over/mpi/rank_messages.hpp>

#include <doctest/doctest.h>
#include <stdexcept>
#include <string>
#include <vector>

#include "../../support/texts.hpp"

using attune_test::has;
using namespace attune::detail;

namespace {

constexpr auto tile = attune::ordinal<"TILE">(attune::range(1, 8));

process_identity one(int rank, std::string const& machine = "Fast 1")
{
    attune::record_key key{.kernel = "gemm",
                           .source = "a1",
                           .schema = "b2",
                           .compiler = "clang 19",
                           .device = machine,
                           .signature = "c3",
                           .setting = {{"cache", "cold"}}};
    return identity_of(key, attune::build(attune::space(tile)).describe(),
                       "rank " + std::to_string(rank) + " on node" + std::to_string(rank / 2));
}

std::string refusal(std::vector<process_identity> const& all)
{
    try {
        refuse_unlike(all);
    } catch (attune::error const& thrown) {
        return thrown.what();
    }
    return "";
}

} // namespace

TEST_CASE("processes that are alike are not refused, also as text")
{
    std::vector<process_identity> all;
    for (int i = 0; i < 4; ++i)
        all.push_back(read_identity(text_of_identity(one(i))));
    CHECK(all[3].name == "rank 3 on node1");
    CHECK(all[3].machine == "Fast 1");
    CHECK(all[3].facts == one(0).facts);
    CHECK(all[3].space == one(0).space);
    CHECK(refusal(all).empty());
    CHECK_THROWS_AS(static_cast<void>(read_identity("nonsense")), std::runtime_error);
    CHECK_THROWS_AS(static_cast<void>(read_identity("")), std::runtime_error);
}

TEST_CASE("unlike machines are refused with a line for each, and who is on it")
{
    std::vector<process_identity> const all{one(0), one(1, "Slow 2"), one(2), one(3, "Slow 2")};
    std::string const said = refusal(all);
    CAPTURE(said);
    CHECK(has(said, "the ranks are on unlike machines"));
    CHECK(has(said, "Fast 1: rank 0 on node0, rank 2 on node1\n"));
    CHECK(has(said, "Slow 2: rank 1 on node0, rank 3 on node1"));
    std::vector<process_identity> many;
    for (int i = 0; i < 100; ++i)
        many.push_back(one(i, i == 99 ? "Odd" : "Fast 1"));
    CHECK(has(refusal(many), "rank 7 on node3 and 91 more"));
    CHECK(has(refusal(many), "Odd: rank 99 on node49"));
}

TEST_CASE("a process that differs in anything but its machine is named, with both values")
{
    process_identity other = one(1);
    other.facts[1].second = "clang 18";
    CHECK(has(refusal({one(0), other}),
              "rank 1 on node0: its compiler is not that of rank 0 on node0: clang 18, not clang "
              "19"));
    other = one(1);
    other.facts.pop_back(); // warm
    CHECK(has(refusal({one(0), other}), "its cache is not that of rank 0 on node0: nothing, not "
                                        "cold"));
    CHECK(has(refusal({other, one(0)}), "its options are not those of rank 1 on node0"));
    other = one(1);
    other.space = space_of_rank(
        attune::build(attune::space(attune::ordinal<"TILE">(attune::range(1, 9)))).describe());
    CHECK(has(refusal({one(0), other}), "rank 1 on node0: its space is not that of rank 0"));
    other = one(1, "Slow 2");
    other.problem = "no compiler";
    CHECK(has(refusal({one(0), other}), "rank 1 on node0: no compiler"));
}

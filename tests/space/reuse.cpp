// tests/space/reuse.cpp : mirrors include/attune/space/reuse.hpp, which it includes first
// SPDX-License-Identifier: MIT
#include <attune/space/reuse.hpp>

#include <doctest/doctest.h>
#include <vector>

#include "space_writer.hpp"

using attune::number;
using attune::op;
using attune::detail::conditions_of;
using attune_tests::space_writer;
using marks = std::vector<bool>;

namespace {

struct fixture {
    space_writer w;
    std::uint32_t a, b, c, d;

    /// a < b, c < N, d alone; N = 4 and an input M = 1 that nothing reads.
    fixture()
        : a(w.range("a", 0, 7))
        , b(w.range("b", 0, 7))
        , c(w.range("c", 0, 7))
        , d(w.range("d", 0, 7))
    {
        w.out.inputs.push_back({"N", attune::value_kind::integer, number::of(std::int64_t{4})});
        w.out.inputs.push_back({"M", attune::value_kind::integer, number::of(std::int64_t{1})});
        w.require(w.join(op::less, w.read(a), w.read(b)), "a < b");
        w.require(w.join(op::less, w.read(c), w.read(0, op::input)), "c < N");
    }
    [[nodiscard]] marks against(attune::description const& now) const
    {
        return attune::detail::parameters_to_rebuild(w.out, now, conditions_of(now));
    }
};

} // namespace

TEST_CASE("what reads a changed input is built anew, the rest is not")
{
    fixture const f;
    attune::description now = f.w.out;
    CHECK(f.against(now) == marks{false, false, false, false});
    now.inputs[1].value = number::of(std::int64_t{2});
    CHECK(f.against(now) == marks{false, false, false, false});
    now.inputs[0].value = number::of(std::int64_t{5});
    CHECK(f.against(now) == marks{false, false, true, false});
}

TEST_CASE("a changed table spreads along the conditions")
{
    fixture const f;
    attune::description now = f.w.out;
    now.parameters[f.b].integers.push_back(8);
    CHECK(f.against(now) == marks{true, true, false, false});
    now = f.w.out;
    now.parameters[f.d].integers.pop_back();
    CHECK(f.against(now) == marks{false, false, false, true});
}

TEST_CASE("an opaque condition may read anything")
{
    fixture f;
    f.w.require_opaque({f.d}, [](auto const&, auto) { return true; }, "opaque");
    CHECK(f.against(f.w.out) == marks{false, false, false, true});
}

TEST_CASE("other expressions or parameters share nothing")
{
    fixture const f;
    attune::description now = f.w.out;
    now.nodes.back().code = op::greater;
    CHECK(f.against(now) == marks{true, true, true, true});
    now = f.w.out;
    now.constraints.pop_back();
    CHECK(f.against(now) == marks{true, true, true, true});
    now = f.w.out;
    now.parameters.push_back(now.parameters.back());
    CHECK(f.against(now) == marks(5, true));
}

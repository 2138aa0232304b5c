// tests/space/tree/build.cpp : mirrors include/attune/space/tree/build.hpp, which it includes first
// SPDX-License-Identifier: MIT
#include <attune/space/tree/build.hpp>

#include <attune/space/chain_of_trees.hpp>
#include <attune/space/diagram/diagram_tree.hpp>
#include <attune/space/order/order.hpp>
#include <attune/space/tree/tree.hpp>

#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "../../support/texts.hpp"
#include "../space_generator.hpp"
#include "../space_writer.hpp"

using attune::op;
using attune_test::error_of;
using attune_test::has;
using attune_tests::space_writer;

namespace {

/// The tree of one group, as chain_of_trees makes it.
std::optional<attune::detail::tree> tree_of(attune::description const& space,
                                            attune::detail::parameter_group const& group,
                                            std::vector<attune::detail::domain> const& domains,
                                            attune::build_options const& options = {})
{
    std::uint64_t visits = options.max_visits;
    attune::detail::grown_tree made =
        attune::detail::grow_tree(space, group, domains, options, visits);
    if (made.is_wide)
        attune::detail::too_wide(space, group, attune::detail::limits_sentence(options));
    return std::move(made.made);
}

std::optional<attune::detail::tree> only_tree(attune::description const& space,
                                              attune::build_options const& options = {})
{
    auto const g = attune::detail::make_groups(space, attune::detail::conditions_of(space),
                                               options.enumeration);
    REQUIRE(g.groups.size() == 1);
    return tree_of(space, g.groups[0], g.domains, options);
}

/// x0 <= x1 <= ... : `count` parameters of 1 .. `last`.
attune::description ascending(int count, std::int64_t last)
{
    space_writer w;
    for (int i = 0; i < count; ++i)
        w.range("x" + std::to_string(10 + i), 1, last);
    for (std::uint32_t i = 1; i < w.out.parameters.size(); ++i)
        w.require(w.join(op::less_equal, w.read(i - 1), w.read(i)),
                  w.out.parameters[i - 1].name + " <= " + w.out.parameters[i].name);
    return w.out;
}

std::string message(attune::description const& space, attune::build_options const& options)
{
    return error_of([&] { static_cast<void>(only_tree(space, options)); });
}

} // namespace

TEST_CASE("the example of BaCO Sec. 4.2 has the trees of its Fig. 4")
{
    space_writer w;
    auto const p1 = w.numbers("p1", {2, 4});
    auto const p2 = w.numbers("p2", {2, 4});
    auto const p3 = w.numbers("p3", {1, 4});
    auto const p4 = w.numbers("p4", {1, 2, 4});
    auto const p5 = w.numbers("p5", {2, 4, 8});
    w.require(w.join(op::greater_equal, w.read(p1), w.read(p2)), "p1 >= p2");
    w.require(w.join(op::greater_equal, w.read(p4), w.read(p3)), "p4 >= p3");
    auto const twice = w.join(op::multiply, w.literal(std::int64_t{2}), w.read(p4));
    w.require(w.join(op::greater_equal, w.read(p5), twice), "p5 >= 2 * p4");
    auto const g = attune::detail::make_groups(w.out, attune::detail::conditions_of(w.out));
    REQUIRE(g.groups.size() == 2);
    auto const left = tree_of(w.out, g.groups[0], g.domains);
    auto const right = tree_of(w.out, g.groups[1], g.domains);
    REQUIRE((left && right));
    CHECK(left->leaves() == 3);  // (2,2) (4,2) (4,4)
    CHECK(right->leaves() == 7); // p3 = 1: 3 + 2 + 1; p3 = 4: 1
    CHECK(right->leaf_of(attune::point{{0, 0}, {0, 0}, {1, 0}, {2, 0}, {2, 0}}));
    CHECK_FALSE(right->leaf_of(attune::point{{0, 0}, {0, 0}, {1, 0}, {1, 0}, {2, 0}}));
}

TEST_CASE(
    "equal subtrees are stored once: ascending sequences take quadratic, not exponential, room")
{
    auto const t = only_tree(ascending(12, 8));
    REQUIRE(t);
    CHECK(t->leaves() == 50388); // multisets of size 12 from 8: C(19, 7)
    CHECK(t->node_count() <= 12 * 8);
}

TEST_CASE("more leaves than 64 bits can count are counted")
{
    auto const t = only_tree(ascending(60, 60));
    REQUIRE(t);
    // C(119, 60) by Pascal's rule modulo 2^128; it is about 4.8e34 and fits.
    std::vector<attune::leaf_count> row{1};
    for (int n = 1; n <= 119; ++n) {
        row.push_back(1);
        for (std::size_t k = row.size() - 2; k > 0; --k)
            row[k] += row[k - 1];
    }
    CHECK(t->leaves() == row[60]);
    attune::point p(60);
    t->place(t->leaves() / 3, p);
    CHECK(t->leaf_of(p) == t->leaves() / 3);
}

TEST_CASE("a group without valid settings has no tree")
{
    // Three different values out of two: each pair alone is possible.
    space_writer w;
    for (char const* name : {"a", "b", "c"})
        w.boolean(name);
    for (std::uint32_t i = 0; i < 3; ++i)
        w.require(w.join(op::not_equal, w.read(i), w.read((i + 1) % 3)), "differ");
    CHECK_FALSE(only_tree(w.out));
}

TEST_CASE("a limit that is reached names parameters, constraints and what to do")
{
    attune::build_options options;
    options.max_visits = 100;
    std::string const visits = message(ascending(6, 9), options);
    CHECK(has(visits, "its share of 100 visits"));
    for (int i = 10; i < 16; ++i)
        CHECK(has(visits, "x" + std::to_string(i)));
    CHECK(has(visits, "x12 <= x13"));
    CHECK(has(visits, "build_options"));

    options = {};
    options.max_bytes = 1000;
    CHECK(has(message(ascending(6, 9), options), "more than 1000 bytes"));
}

TEST_CASE("a predicate over too many settings is left to the search depth first")
{
    space_writer w;
    w.range("a", 0, 19);
    w.range("b", 0, 19);
    w.require_opaque(
        {0, 1},
        [](auto const&, std::span<attune::coordinate const> at) {
            return at[0].index == at[1].index;
        },
        "a == b");
    attune::build_options options;
    options.enumeration.settings = 1;
    for (std::uint64_t const most : {std::uint64_t{400}, std::uint64_t{399}}) {
        options.enumeration.wide_settings = most;
        auto const g = attune::detail::make_groups(w.out, attune::detail::conditions_of(w.out),
                                                   options.enumeration);
        CHECK(attune::detail::has_wide_call(g.groups[0], g.domains, options.enumeration) ==
              (most < 400));
        CHECK(tree_of(w.out, g.groups[0], g.domains, options)->leaves() == 20);
    }
}

TEST_CASE("what one group uses of the visits is not there for the next one")
{
    attune::description const space = ascending(6, 9);
    auto const g = attune::detail::make_groups(space, attune::detail::conditions_of(space));
    attune::build_options const options;
    std::uint64_t visits = options.max_visits;
    attune::detail::grown_tree const first =
        attune::detail::grow_tree(space, g.groups[0], g.domains, options, visits);
    CHECK_FALSE(first.is_wide);
    REQUIRE(first.made);
    CHECK(visits < options.max_visits);
    visits = 0; // even then a share of max_visits is left for every group
    CHECK_FALSE(attune::detail::grow_tree(space, g.groups[0], g.domains, options, visits).is_wide);
    CHECK(visits == 0);
}

TEST_CASE(
    "a tree with 2^128 leaves or more is drawn and counted as a wide group, or refused by name")
{
    space_writer w;
    for (int i = 0; i < 44; ++i)
        w.range("x" + std::to_string(i), 0, 7);
    for (std::uint32_t i = 1; i < 44; ++i) {
        // true but for one of 64 pairs: 44 parameters of about 8 values each
        auto const sum = w.join(op::add, w.read(i - 1), w.read(i));
        w.require(w.join(op::less, sum, w.literal(std::int64_t{14})), "sum");
    }
    attune::build_options refuse;
    refuse.wide = attune::when_wide::refuse;
    CHECK(has(message(w.out, refuse), "2^128"));
    attune::chain_of_trees const all(w.out);
    CHECK_FALSE(all.is_exact());
    CHECK(all.log2_size() > 128);
    CHECK(all.log2_size() < 132);
    attune::random_engine engine(3);
    for (int i = 0; i < 20; ++i)
        CHECK(all.contains(all.sample(engine)));
}

TEST_CASE("an opaque predicate gets its coordinates in call order")
{
    space_writer w;
    auto const a = w.range("a", 0, 9);
    auto const b = w.range("b", 0, 3);
    w.require_opaque(
        {b, a},
        [](attune::description const& space, std::span<attune::coordinate const> at) {
            auto const& low = space.parameters[1].integers[at[0].index];
            auto const& high = space.parameters[0].integers[at[1].index];
            return low == high * high;
        },
        "b is the square of a");
    auto const t = only_tree(w.out);
    REQUIRE(t);
    CHECK(t->leaves() == 2); // (0, 0) and (1, 1)
}

TEST_CASE("tiles of 1 to 512 and domains of 1 to 64 values are counted exactly")
{
    space_writer w;
    auto const mwg = w.range("MWG", 1, 512);
    auto const nwg = w.range("NWG", 1, 512);
    std::uint32_t const mdimc = w.range("MDIMC", 1, 64);
    std::uint32_t const ndimc = w.range("NDIMC", 1, 64);
    std::uint32_t const mdima = w.range("MDIMA", 1, 64);
    std::uint32_t const ndimb = w.range("NDIMB", 1, 64);
    auto const vwm = w.numbers("VWM", {1, 2, 4, 8});
    auto const vwn = w.numbers("VWN", {1, 2, 4, 8});
    auto const number = [&](std::int64_t v) { return w.literal(v); };
    auto const times = [&](std::uint32_t a, std::uint32_t b) { return w.join(op::multiply, a, b); };
    auto const divides = [&](std::uint32_t whole, std::uint32_t part, std::string const& text) {
        w.require(w.join(op::equal, w.join(op::modulo, whole, part), number(0)), text);
    };
    auto const r = [&](std::uint32_t p) { return w.read(p); };
    divides(r(mwg), times(r(mdimc), r(vwm)), "MWG % (MDIMC * VWM) == 0");
    divides(r(mwg), times(r(mdima), r(vwm)), "MWG % (MDIMA * VWM) == 0");
    divides(r(nwg), times(r(ndimc), r(vwn)), "NWG % (NDIMC * VWN) == 0");
    divides(r(nwg), times(r(ndimb), r(vwn)), "NWG % (NDIMB * VWN) == 0");
    auto const threads = times(r(mdimc), r(ndimc));
    divides(times(number(32), r(mdima)), threads, "32 * MDIMA % (MDIMC * NDIMC) == 0");
    divides(times(number(32), r(ndimb)), threads, "32 * NDIMB % (MDIMC * NDIMC) == 0");
    auto const differs = [&](std::uint32_t p, std::int64_t v) {
        return w.join(op::not_equal, r(p), number(v));
    };
    w.require(w.join(op::logical_or, w.join(op::logical_or, differs(mwg, 128), differs(nwg, 128)),
                     w.join(op::logical_or, differs(mdimc, 8), differs(ndimc, 8))),
              "not 128 x 128 by 8 x 8");

    // By loops: the two sides meet only in the number of threads and in what is excluded.
    auto const sides = [](int c, int a, bool only_128) {
        std::uint64_t count = 0;
        for (int v : {1, 2, 4, 8})
            for (int whole = only_128 ? 128 : 1; whole <= (only_128 ? 128 : 512); ++whole)
                count += whole % (c * v) == 0 && whole % (a * v) == 0 ? 1U : 0U;
        return count;
    };
    std::vector<std::vector<std::uint64_t>> all(65, std::vector<std::uint64_t>(65));
    for (int c = 1; c <= 64; ++c)
        for (int a = 1; a <= 64; ++a)
            all[static_cast<std::size_t>(c)][static_cast<std::size_t>(a)] = sides(c, a, false);
    std::uint64_t valid = 0;
    for (int mc = 1; mc <= 64; ++mc)
        for (int nc = 1; nc <= 64; ++nc)
            for (int ma = 1; ma <= 64; ++ma) {
                if (32 * ma % (mc * nc) != 0) continue;
                for (int nb = 1; nb <= 64; ++nb) {
                    if (32 * nb % (mc * nc) != 0) continue;
                    valid += all[static_cast<std::size_t>(mc)][static_cast<std::size_t>(ma)] *
                             all[static_cast<std::size_t>(nc)][static_cast<std::size_t>(nb)];
                    if (mc == 8 && nc == 8) valid -= sides(8, ma, true) * sides(8, nb, true);
                }
            }
    auto const t = only_tree(w.out);
    REQUIRE(t);
    CHECK(t->leaves() == valid);
    CHECK(t->node_count() < 5000);
}

using attune::detail::tree_of_runs;

TEST_CASE("a whole table is one run, however short or long")
{
    for (std::uint32_t const count : {1U, 5U, 4'000'000'000U}) {
        auto const made = tree_of_runs(3, attune::detail::domain(count));
        REQUIRE(made);
        CHECK(made->leaves() == count);
        CHECK(made->node_count() == 0);
        CHECK(made->parameters()[0] == 3);
        CHECK(made->run_value(count - 1) == count - 1);
    }
}

TEST_CASE("many values of a table are kept as runs, few are left to nodes")
{
    attune::detail::domain left(1'000'000);
    std::vector<bool> keep(1'000'000);
    for (std::size_t v = 0; v < keep.size(); ++v)
        keep[v] = v % 10 < 7;
    left.filter(keep);
    auto const made = tree_of_runs(0, left);
    REQUIRE(made);
    CHECK(made->leaves() == 700'000);
    for (std::uint32_t leaf = 0; leaf < 700'000; leaf += 333) {
        CHECK(made->run_value(leaf) == leaf / 7 * 10 + leaf % 7);
        CHECK(made->leaf_of(attune::point{{left.value(leaf), 0}}) == attune::leaf_count{leaf});
    }
    CHECK_FALSE(made->leaf_of(attune::point{{17, 0}}));
    attune::detail::domain few(100);
    std::vector<bool> odd(100);
    for (std::size_t v = 1; v < odd.size(); v += 2)
        odd[v] = true;
    few.filter(odd);
    CHECK_FALSE(tree_of_runs(0, few));
}

using attune::detail::effort;
using attune::detail::tree_grower;

namespace {

/// x0 != x1 != ... pairwise, of 1 .. `last`.
attune::description different(std::uint32_t count, std::int64_t last)
{
    attune_tests::space_writer w;
    for (std::uint32_t i = 0; i < count; ++i)
        w.range("x" + std::to_string(i), 1, last);
    for (std::uint32_t i = 0; i < count; ++i)
        for (std::uint32_t j = 0; j < i; ++j)
            w.require(w.join(op::not_equal, w.read(i), w.read(j)), "differ");
    return w.out;
}

} // namespace

TEST_CASE("a tree grown depth first has every valid setting; one is found without growing all")
{
    attune::description const space = different(4, 6);
    auto const parts = attune::detail::make_groups(space, attune::detail::conditions_of(space));
    auto const order = attune::detail::level_order(space, parts.groups[0], parts.domains);
    effort budget;
    tree_grower grower(space, parts.groups[0], parts.domains, order, budget);
    REQUIRE(grower.grow_all());
    CHECK(std::move(grower).take().leaves() == 6 * 5 * 4 * 3);
    effort few{20, effort::unlimited, false};
    CHECK(tree_grower(space, parts.groups[0], parts.domains, order, few).find_one());
    CHECK_FALSE(few.is_spent);
    attune::description const none = different(4, 3);
    auto const no_parts = attune::detail::make_groups(none, attune::detail::conditions_of(none));
    CHECK_FALSE(tree_grower(none, no_parts.groups[0], no_parts.domains, order, budget).grow_all());
}

TEST_CASE("visits and bytes end the search")
{
    attune::description const space = different(4, 6);
    auto const parts = attune::detail::make_groups(space, attune::detail::conditions_of(space));
    for (effort budget : {effort{20, effort::unlimited, false}, effort{1000, 500, false}}) {
        tree_grower(space, parts.groups[0], parts.domains, {0, 1, 2, 3}, budget).grow_all();
        CHECK(budget.is_spent);
    }
}

TEST_CASE("the tree from diagrams has the leaves of the tree grown depth first")
{
    attune_tests::space_generator generator(123);
    int trees = 0;
    for (int i = 0; i < 400; ++i) {
        attune::description const space = generator.draw();
        attune::enumeration_limits const none{.settings = 1, .wide_settings = 1};
        auto const parts =
            attune::detail::make_groups(space, attune::detail::conditions_of(space), none);
        if (parts.is_empty) continue;
        for (auto const& group : parts.groups) {
            auto const order = attune::detail::level_order(space, group, parts.domains);
            effort budget;
            auto const made =
                attune::detail::tree_by_diagrams(space, group, parts.domains, order, budget);
            attune::detail::tree_grower grower(space, group, parts.domains, order, budget);
            bool const any = grower.grow_all();
            REQUIRE(any == made.has_value());
            if (!any) continue;
            attune::detail::tree const other = std::move(grower).take();
            CHECK(made->leaves() == other.leaves());
            CHECK(made->node_count() == other.node_count());
            ++trees;
        }
    }
    CHECK(trees > 500);
}

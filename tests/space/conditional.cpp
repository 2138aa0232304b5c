// tests/space/conditional.cpp - spaces with conditional parameters, against a second implementation on thousands drawn at random
// SPDX-License-Identifier: MIT
#include <attune/declare/activity.hpp>
#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/text.hpp>
#include <attune/space/build_pack.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/files/read_json.hpp>
#include <attune/space/files/t1.hpp>
#include <attune/space/files/write_json.hpp>
#include <attune/space/files/write_smtlib.hpp>
#include <attune/space/query/configurations.hpp>
#include <attune/space/query/distance.hpp>
#include <attune/space/query/explanation.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../laws/tree.hpp"
#include "space_generator.hpp"
#include "space_oracle.hpp"

using attune::chain_of_trees;
using attune::description;
using attune::no_index;
using attune::op;
using attune::point;
using attune_tests::for_each_setting;

namespace {

/// Three truth values, read from the expression as the user wrote it.
class three_valued {
public:
    explicit three_valued(description const& space)
        : space_(space)
    {
    }

    bool is_active(std::uint32_t parameter, point const& p) const
    {
        std::uint32_t const root = space_.parameters[parameter].active.root;
        return root == no_index || truth(root, p) == std::optional(true);
    }
    point settled(point p) const
    {
        point out = p;
        for (std::uint32_t i = 0; i < p.size(); ++i)
            if (!is_active(i, p)) out[i] = attune::detail::default_of(space_.parameters[i]);
        return out;
    }

private:
    using unknown_or = std::optional<bool>;

    unknown_or truth(std::uint32_t node, point const& p) const
    {
        attune::expression_node const& n = space_.nodes[node];
        if (n.code == op::logical_not) {
            unknown_or const inner = truth(n.first, p);
            return inner ? unknown_or(!*inner) : inner;
        }
        if (n.code == op::logical_and || n.code == op::logical_or) {
            bool const deciding = n.code == op::logical_or;
            unknown_or const a = truth(n.first, p), b = truth(n.second, p);
            if (a == unknown_or(deciding) || b == unknown_or(deciding)) return deciding;
            return a && b ? unknown_or(!deciding) : unknown_or();
        }
        for (std::uint32_t const read : attune::detail::parameters_read(space_, node))
            if (!is_active(read, p)) return {};
        auto const v = attune::detail::evaluator{space_}.value(node, p);
        return v.value().as_real() != 0; // these conditions have a value
    }

    description const& space_;
};

/// The different configurations that the combinations of all values are, if valid.
std::vector<point> valid_forms(description const& space)
{
    three_valued const read(space);
    attune_tests::point_set seen;
    std::vector<point> out;
    for_each_setting(space, [&](point const& p) {
        point const form = read.settled(p);
        if (attune_tests::all_hold(space, form) && seen.insert(form).second) out.push_back(form);
    });
    return out;
}

using costs = std::vector<std::pair<std::size_t, double>>;

/// Changes and distance of each of `valid` other than `p`: by the words of nearest_valid().
costs costs_from(description const& space, point const& p, std::vector<point> const& valid)
{
    three_valued const read(space);
    point const from = read.settled(p);
    costs out;
    for (point const& q : valid) {
        if (q == p) continue;
        std::size_t changes = 0;
        double sum = 0;
        for (std::uint32_t i = 0; i < p.size(); ++i) {
            bool const a = read.is_active(i, from), b = read.is_active(i, q);
            changes += b && q[i] != from[i] ? 1U : 0U;
            double const d = a && b ? attune::parameter_distance(space.parameters[i], from[i], q[i])
                                    : (a == b ? 0.0 : 1.0);
            sum += d * d;
        }
        out.emplace_back(changes, std::sqrt(sum));
    }
    std::sort(out.begin(), out.end());
    return out;
}

/// What the neighbours of `p` must have, by brute force: each step of an active parameter.
attune_tests::point_set steps_from(description const& space, attune_tests::point_set const& all,
                                   point const& p)
{
    three_valued const read(space);
    attune_tests::point_set out;
    for (std::uint32_t i = 0; i < p.size(); ++i) {
        if (!read.is_active(i, p)) continue;
        attune::detail::for_each_step(space.parameters[i], p[i], [&](attune::coordinate step) {
            point to = p;
            to[i] = step;
            to = read.settled(to);
            if (!all.contains(to)) return false;
            out.insert(to);
            return true;
        });
    }
    return out;
}

/// The first thing that is wrong; empty when all is right.
std::string disagreement(description const& drawn, attune::build_options const& options = {})
{
    std::vector<point> const valid = valid_forms(drawn);
    std::optional<chain_of_trees> made;
    try {
        made.emplace(drawn, options);
    } catch (attune::error const& e) {
        bool const says = std::string(e.what()).find("the space is empty") != std::string::npos;
        return says && valid.empty() ? "" : "refused: " + std::string(e.what());
    }
    chain_of_trees const& chain = *made;
    if (!chain.size() || *chain.size() != valid.size()) return "size";
    attune_tests::point_set const all(valid.begin(), valid.end());
    three_valued const read(drawn);
    std::string wrong;
    std::size_t setting = 0;
    for_each_setting(drawn, [&](point const& p) {
        bool const is_valid = all.contains(p);
        if (chain.contains(p) != is_valid || chain.index_of(p).has_value() != is_valid)
            wrong = "contains";
        if (setting++ % 8 != 0) return;
        if (attune::explain(chain.describe(), p).empty() != is_valid) wrong = "explain";
        if (chain.settled(p) != read.settled(p)) wrong = "settled";
        for (std::uint32_t i = 0; i < p.size(); ++i)
            if (chain.is_active(i, p) != read.is_active(i, p)) wrong = "is_active";
    });
    if (!wrong.empty()) return wrong;
    attune_tests::point_set numbered;
    for (point const& p : attune::configurations(chain))
        numbered.insert(p);
    for (std::uint64_t i = 0; i < valid.size(); ++i)
        if (!numbered.contains(chain.at(i))) return "at";
    if (numbered != all) return "iteration";
    if (std::string const bad = attune_tests::oracle::counts(chain, valid); !bad.empty())
        return bad;
    for (std::size_t i = 0; i < valid.size(); i += 1 + valid.size() / 3) {
        std::vector<point> const near = chain.neighbours(valid[i]);
        attune_tests::point_set const got(near.begin(), near.end());
        if (got.size() != near.size() || got.contains(valid[i])) return "neighbours repeat";
        for (point const& q : near)
            if (!all.contains(q)) return "an invalid neighbour";
        for (point const& q : steps_from(drawn, all, valid[i]))
            if (!got.contains(q)) return "a neighbour is missing";
    }
    // A parameter that constraints leave one value belongs to no condition: it is not counted.
    attune::marginals const counted(chain);
    for (std::uint32_t i = 0; i < drawn.parameters.size(); ++i) {
        auto const& of = counted.leaves(i);
        bool const is_pinned =
            std::count_if(of.begin(), of.end(), [](auto n) { return n > 0; }) == 1;
        if (is_pinned && drawn.parameters[i].is_conditional()) return "";
    }
    setting = 0;
    for_each_setting(drawn, [&](point const& p) {
        if (setting++ % 61 != 0) return;
        costs want = costs_from(drawn, p, valid);
        std::vector<point> const near = attune::nearest_valid(chain, p, {.count = 4});
        want.resize(std::min<std::size_t>(want.size(), 4));
        if (!attune_tests::same_costs(costs_from(drawn, p, near), want)) wrong = "nearest";
    });
    return wrong;
}

void hold_to_brute_force(std::uint64_t seed, int count, attune::build_options const& options = {})
{
    attune_tests::space_generator generator(seed);
    for (int i = 0; i < count; ++i) {
        description const space = generator.draw_conditional();
        std::string const wrong = disagreement(space, options);
        if (wrong.empty()) continue;
        std::string conditions;
        for (auto const& p : space.parameters)
            if (p.is_conditional())
                conditions += p.name + " is " + attune::text_of(p, attune::detail::default_of(p)) +
                              " unless " + attune::write_expression(space, p.active.root) + '\n';
        FAIL("space " << i << " of seed " << seed << ": " << wrong << '\n'
                      << attune_tests::to_text(space) << conditions);
    }
}

constexpr auto design = attune::categorical<"DESIGN">("plain", "packed");
constexpr auto width = attune::ordinal<"WIDTH">(attune::values(4, 8, 16));
constexpr auto size = attune::input<"SIZE", int>();

} // namespace

TEST_CASE("1000 random spaces with conditional parameters are what brute force says they are")
{
    hold_to_brute_force(41, 1000);
}

TEST_CASE("so are 150 whose domains nothing filters before the trees are built")
{
    attune::build_options options;
    options.enumeration.settings = 1;
    options.enumeration.wide_settings = 1;
    hold_to_brute_force(42, 150, options);
}

TEST_CASE("samples count an inactive value once, one by one and without repetition")
{
    auto const space = attune::space(design, width.active_if(design == "packed"));
    chain_of_trees const chain = attune::build(space);
    REQUIRE(chain.size() == attune::leaf_count{4});
    attune::random_engine engine(3);
    std::vector<int> drawn(4, 0);
    for (int i = 0; i < 4000; ++i)
        ++drawn[static_cast<std::size_t>(chain.index_of(chain.sample(engine))->leaf[0])];
    for (int const n : drawn)
        CHECK(std::abs(n - 1000) < 6 * 28);
    CHECK(attune::sample_distinct(chain, 100, engine).size() == 4);
}

TEST_CASE("many parameters of one design cost a few nodes, not their product")
{
    attune_tests::space_writer w;
    auto const d = w.labels("DESIGN", {"a", "b", "c", "d"});
    auto const read = w.read(d);
    double combinations = 0;
    for (char const* const label : {"a", "b", "c"}) {
        std::uint32_t const is_chosen = w.join(op::equal, read, w.text(label));
        for (int k = 0; k < 20; ++k) {
            auto const p = w.range(label + std::to_string(k), 0, 29);
            w.out.parameters[p].active = {.root = is_chosen, .text = "DESIGN"};
        }
        combinations += std::pow(30.0, 20);
    }
    chain_of_trees const chain(w.out);
    REQUIRE(chain.is_exact());
    CHECK(chain.log2_size() == doctest::Approx(std::log2(combinations + 1)));
    REQUIRE(chain.tree_count() == 1);
    CHECK(chain.tree_at(0).node_count() < 400);
}

TEST_CASE("the nearest configuration is found among many parameters of one design")
{
    attune_tests::space_writer w;
    auto const d = w.labels("DESIGN", {"a", "b"});
    std::uint32_t const is_b = w.join(op::equal, w.read(d), w.text("b"));
    for (int k = 0; k < 24; ++k) {
        auto const p = w.range("P" + std::to_string(k), 0, 9);
        w.out.parameters[p].active.root = is_b;
    }
    std::uint32_t const first = w.read(1), second = w.read(2);
    w.require(w.join(op::not_equal, first, second), "P0 != P1");
    w.out.parameters[2].default_text = "1";
    chain_of_trees const chain(w.out);
    point p(25, {7, 0});
    p[0].index = 1;
    std::vector<point> const near = attune::nearest_valid(chain, p);
    REQUIRE(near.size() == attune::detail::most_nearest);
    for (point const& q : near) {
        CHECK(q[0].index == 1);
        CHECK(q[1].index != q[2].index);
        CHECK(std::count(q.begin(), q.end(), attune::coordinate{7, 0}) == 23);
    }
}

TEST_CASE("a space that only the default of an inactive parameter empties says so")
{
    CHECK_THROWS_WITH_AS(
        (void)attune::build(
            attune::space(design, width.with_default(16).active_if(design == "packed"))
                .where(design == "plain", width < 16)),
        doctest::Contains("WIDTH is 16 unless DESIGN == \"packed\""), attune::error);
}

TEST_CASE("real parameters may be conditional, and conditions may read them")
{
    constexpr auto share = attune::real<"SHARE">(0.0, 1.0);
    auto const space = attune::space(design, share.with_default(0.25).active_if(design == "packed"),
                                     width.with_default(8).active_if(share > 0.5));
    chain_of_trees const chain = attune::build(space);
    attune::random_engine engine(5);
    int plain = 0, low = 0;
    for (int i = 0; i < 600; ++i) {
        point const p = chain.sample(engine);
        REQUIRE(chain.contains(p));
        REQUIRE(chain.settled(p) == p);
        bool const is_plain = p[0].index == 0;
        plain += is_plain ? 1 : 0;
        if (is_plain) CHECK(p[1].real == 0.25);
        low += !is_plain && p[1].real <= 0.5 ? 1 : 0;
        if (is_plain || p[1].real <= 0.5) CHECK(p[2].index == 1);
        for (point const& q : chain.neighbours(p)) {
            CHECK(chain.contains(q));
            CHECK(q != p);
        }
        for (point const& q : attune::nearest_valid(chain, p, {.count = 3}))
            CHECK(chain.contains(q));
    }
    CHECK(plain > 200);
    CHECK(low > 60);
    for (point const& p : attune::configurations(chain))
        CHECK(p[1].real == (p[0].index == 0 ? 0.25 : 0.5));
    CHECK(chain.at(std::uint64_t{0})[1].real == 0.25);
}

TEST_CASE("another input or default settles parameters anew")
{
    auto const space = attune::space(design, width.active_if(design == "packed" && size > 64));
    chain_of_trees const small = attune::build(space, {size(8)});
    CHECK(small.size() == attune::leaf_count{2});
    chain_of_trees const large = small.rebuilt(attune::bind_inputs(small.describe(), {size(100)}));
    CHECK(large.size() == attune::leaf_count{4});
    description other = large.describe();
    other.parameters[1].default_text = "16";
    chain_of_trees const moved = large.rebuilt(other);
    CHECK(moved.contains({{0, 0}, {2, 0}}));
    CHECK_FALSE(moved.contains({{0, 0}, {0, 0}}));
    CHECK(moved.size() == attune::leaf_count{4});
}

TEST_CASE("files keep the conditions, and other readers of T1 get the same configurations")
{
    attune_tests::space_generator generator(43);
    int written = 0, as_t1 = 0;
    while (written < 200) {
        attune::named_space s{"random", generator.draw_conditional(), "", ""};
        std::vector<point> const valid = valid_forms(s.space);
        bool const has_opaque = std::any_of(s.space.constraints.begin(), s.space.constraints.end(),
                                            [](auto const& c) { return bool(c.test); });
        if (valid.empty() || has_opaque) continue;
        ++written;
        for (auto& p : s.space.parameters) // a file without kinds has them ascending
            if (p.kind == attune::parameter_kind::tile || p.kind == attune::parameter_kind::integer)
                p.active = {};
        chain_of_trees const before(s.space);
        attune::named_space const built{"random", before.describe(), "", ""};
        bool const has_tile =
            std::any_of(s.space.parameters.begin(), s.space.parameters.end(), [](auto const& p) {
                return p.kind == attune::parameter_kind::tile; // without a rule here
            });
        if (!has_tile) {
            auto const back = attune::read_spaces_json(attune::write_space_json(built));
            chain_of_trees const after(attune::bind_inputs(back.front().space));
            CHECK(after.size() == before.size());
            std::size_t conditional = 0;
            for (std::size_t i = 0; i < s.space.parameters.size(); ++i) {
                CHECK(after.describe().parameters[i].is_conditional() ==
                      s.space.parameters[i].is_conditional());
                conditional += s.space.parameters[i].is_conditional() ? 1U : 0U;
            }
            CHECK(after.describe().constraints.size() == s.space.constraints.size() + conditional);
            CHECK(attune::write_space_json({"random", after.describe(), "", ""}) ==
                  attune::write_space_json(built));
        }
        bool const has_list =
            std::any_of(s.space.parameters.begin(), s.space.parameters.end(), [](auto const& p) {
                return p.type == attune::value_kind::list ||
                       p.kind == attune::parameter_kind::categorical; // T1 sorts numbers
            });
        if (has_list) continue;
        ++as_t1;
        std::string const text = attune::write_t1(built);
        chain_of_trees const t1(attune::bind_inputs(attune::read_t1(text).space));
        CHECK(t1.size() == before.size());
        for (std::size_t i = 0; i < s.space.parameters.size(); ++i)
            CHECK(t1.describe().parameters[i].is_conditional() ==
                  s.space.parameters[i].is_conditional());
        CHECK(attune::write_t1({"random", t1.describe(), "", ""}) == text);
        std::string foreign = text; // a reader that does not know our members
        for (std::string const member : {"\"ActiveIf\"", "\"Settles\""})
            for (std::size_t at = 0; (at = foreign.find(member, at)) != foreign.npos;)
                foreign.replace(at, member.size(), "\"Unknown\"");
        CHECK(chain_of_trees(attune::bind_inputs(attune::read_t1(foreign).space)).size() ==
              before.size());
    }
    CHECK(as_t1 > 10);
}

TEST_CASE(
    "a script for solvers states where an inactive parameter stands, also before a tree is built")
{
    auto const typed = attune::space(design, width.active_if(design == "packed"));
    description const bound = attune::bind_inputs(attune::lower(typed));
    std::string const script = attune::write_smtlib(bound);
    CHECK(script.find("; WIDTH is 4 unless DESIGN == \"packed\"\n(assert ") != script.npos);
    CHECK(script == attune::write_smtlib(chain_of_trees(bound).describe()));
}

TEST_CASE("a file whose conditions cannot be decided is refused where they stand")
{
    CHECK_THROWS_WITH_AS((void)attune::read_spaces_json(R"({"name": "x", "params": [
          {"name": "A", "values": [1, 2], "active_if": "B == 1"},
          {"name": "B", "values": [1, 2], "active_if": "A == 1"}]})"),
                         doctest::Contains("expected a condition that does not lead back to B"),
                         attune::error);
    CHECK_THROWS_WITH_AS(
        (void)attune::read_spaces_json(
            R"({"params": [{"name": "A", "values": [1, 2], "active_if": "C == 1"}]})"),
        doctest::Contains("C"), attune::error);
}

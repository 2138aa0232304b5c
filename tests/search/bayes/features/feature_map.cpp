// tests/search/bayes/features/feature_map.cpp - what a model sees of a space.
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/features/feature_map.hpp>

#include <attune/core/error.hpp>
#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/group.hpp>
#include <attune/declare/lower.hpp>
#include <attune/space/build_pack.hpp>
#include <attune/space/query/configurations.hpp>
#include <attune/space/query/distance.hpp>

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../../../laws/tree.hpp"
#include "../../../space/space_generator.hpp"
#include "../../../support/search_spaces.hpp"

using attune::feature_map;
using attune::feature_table;
using texts = std::vector<std::string>;

namespace {

constexpr auto m = attune::ordinal<"M">(attune::powers_of_two(16, 128));
constexpr auto n = attune::ordinal<"N">(attune::powers_of_two(16, 128));
constexpr auto wide = attune::ordinal<"WIDE">(attune::values(16, 24, 32, 40, 48));
constexpr auto on = attune::boolean<"ON">();
constexpr auto fixed = attune::ordinal<"FIXED">(attune::values(7));
constexpr auto size = attune::input<"SIZE", int>();

template <class Pack>
attune::chain_of_trees chain(Pack const& pack, std::vector<attune::input_value> const& inputs = {})
{
    return attune::chain_of_trees(attune::bind_inputs(attune::lower(pack), inputs));
}
texts names(feature_map const& map)
{
    texts out;
    for (std::size_t f = 0; f < map.count(); ++f)
        out.push_back(map.name(f));
    return out;
}
texts derived(feature_map const& map)
{
    texts out;
    for (std::size_t f = 0; f < map.count(); ++f)
        if (map.is_derived(f)) out.push_back(map.name(f));
    return out;
}

} // namespace

TEST_CASE("parameters that vary come first, what their constraints say follows")
{
    feature_map const map(chain(attune::space(m, n, fixed, wide, on)
                                    .where(m * n * 4 <= 8192, on || wide % 32 == 0, wide <= m)));
    CHECK(names(map) ==
          texts{"M", "N", "WIDE", "ON", "M * N * 4", "WIDE % 32 != 0", "alignment of WIDE"});
    CHECK_FALSE(map.is_derived(3));
    CHECK(map.is_derived(4));
    CHECK(map.is_nominal(3));
    CHECK(map.levels(0) == 4);
    // 16 * 16 * 4 = 1024 .. 8192, by twos
    CHECK(map.levels(4) == 4);
    CHECK(map.dimensions(4) == 1);
    CHECK(map.place(4, 1)[0] == doctest::Approx(1.0 / 3));
}

TEST_CASE("what says nothing new is no feature")
{
    SUBCASE("constant over the space")
    {
        CHECK(derived(feature_map(chain(attune::space(m, n).where(m * n == 1024)))).empty());
    }
    SUBCASE("affine in a parameter, or a reversal of it")
    {
        CHECK(derived(feature_map(chain(attune::space(m, n).where(2 * m + 1 <= 2 * n)))).empty());
        CHECK(derived(feature_map(chain(attune::space(m, n).features(1 - m, 4096 / n)))).empty());
    }
    SUBCASE("a flag of two levels of one parameter")
    {
        constexpr auto two = attune::ordinal<"TWO">(attune::values(32, 48));
        CHECK(
            derived(feature_map(chain(attune::space(two, on).where(on || two % 32 == 0)))).empty());
    }
    SUBCASE("equal to an earlier one up to a factor")
    {
        CHECK(derived(feature_map(chain(attune::space(m, n).where(
                  m * n <= 8192, 4 * n * m <= 32768)))) == texts{"M * N"});
    }
}

TEST_CASE("a feature of the user stands before those of the constraints and can be left out")
{
    auto const space =
        chain(attune::space(m, n, wide).where(m * n <= 8192).features(m + n, wide == 40));
    CHECK(derived(feature_map(space)) ==
          texts{"M + N", "WIDE == 40", "M * N", "alignment of WIDE"});
    CHECK(derived(feature_map(space, {.from_user = false})) == texts{"M * N", "alignment of WIDE"});
    CHECK(derived(feature_map(space, {.from_constraints = false, .from_alignment = false})) ==
          texts{"M + N", "WIDE == 40"});
    CHECK(derived(feature_map(space, {.max_derived = 1})) == texts{"M + N"});
}

TEST_CASE("inputs are constants in formulas")
{
    auto const space =
        chain(attune::space(m, n, on).where(on || size % m == 0, m * n < size), {size(96 * 128)});
    // every M divides 96 * 128, so the flag is constant
    CHECK(derived(feature_map(space)) == texts{"M * N"});
}

TEST_CASE("rows of a table are the levels and positions of their points")
{
    constexpr auto rate = attune::real<"RATE">(0.0, 4.0);
    constexpr auto order = attune::permutation<"ORDER", 3>();
    auto const space = chain(attune::space(m, on, rate, order).where(rate * m <= 256));
    feature_map const map(space);
    REQUIRE(names(map) == texts{"M", "ON", "RATE", "ORDER", "RATE * M"});
    feature_table table;
    map.append({{2, 0}, {1, 0}, {0, 1.0}, {5, 0}}, table);
    map.append({{0, 0}, {0, 0}, {0, 4.0}, {0, 0}}, table);
    CHECK(table.points == 2);
    CHECK(table.level[0] == std::vector<std::uint32_t>{2, 0});
    CHECK(table.level[1] == std::vector<std::uint32_t>{1, 0});
    CHECK(table.level[2].empty());
    CHECK(table.real[2] == std::vector<double>{0.25, 1});
    CHECK(table.real[0].empty());
    CHECK(table.level[3] == std::vector<std::uint32_t>{5, 0});
    CHECK(map.levels(2) == 0);
    CHECK(map.dimensions(2) == 1);
    CHECK(map.position(0, table, 0) == doctest::Approx(2.0 / 3));
    CHECK(map.position(2, table, 0) == 0.25);
    // 64 and 64, so the same level of the sixty into which 0 .. 256 is cut
    CHECK(map.levels(4) <= 60);
    CHECK(table.level[4][0] == table.level[4][1]);
}

TEST_CASE("distances are symmetric, in [0, 1], zero for equal levels, and those of the parameter")
{
    constexpr auto order =
        attune::permutation<"ORDER", 4>().metric(attune::order_distance::hamming);
    constexpr auto split = attune::tile<"SPLIT", 2>(48);
    constexpr auto mode = attune::categorical<"MODE">("x", "y", "z");
    auto const space = chain(attune::space(m, order, split, mode));
    feature_map const map(space);
    REQUIRE(map.count() == 4);
    std::size_t wrong = 0;
    for (std::size_t f = 0; f < map.count(); ++f)
        for (std::uint32_t a = 0; a < map.levels(f); ++a)
            for (std::uint32_t b = 0; b < map.levels(f); ++b) {
                double const d = map.distance(f, a, b);
                auto const& p = space.describe().parameters[f];
                wrong += d != map.distance(f, b, a) || d < 0 || d > 1 || (a == b) != (d == 0);
                wrong +=
                    std::abs(d - attune::parameter_distance(p, {a, 0}, {b, 0})) > 1e-7 ? 1U : 0U;
            }
    CHECK(wrong == 0);
}

TEST_CASE("a sampled space has the same features as an enumerated one")
{
    auto const space = chain(attune::space(m, n, wide, on)
                                 .where(m * n <= 8192, on || wide % 32 == 0)
                                 .features(m + n + wide));
    feature_map const whole(space);
    feature_map const sampled(space, {.enumerate = 10, .sample = 2000});
    CHECK(names(whole) == names(sampled));
    for (std::size_t f = 0; f < whole.count(); ++f)
        CHECK(whole.levels(f) == sampled.levels(f));
    feature_table a;
    feature_table b;
    for (attune::point const& p : attune::configurations(space)) {
        whole.append(p, a);
        sampled.append(p, b);
    }
    CHECK(a.level == b.level);
}

TEST_CASE("division by zero and predicates are survived")
{
    constexpr auto zero = attune::ordinal<"ZERO">(attune::values(0, 1, 2, 3));
    auto const space = chain(
        attune::space(m, zero, on)
            .where(zero == 0 || m % zero == 0 || on,
                   attune::predicate(m, zero, [](int a, int b) { return a != 16 || b != 2; })));
    feature_map const map(space);
    CHECK(derived(map) == texts{"M / ZERO"});
    feature_table table;
    for (attune::point const& p : attune::configurations(space))
        map.append(p, table);
    for (std::size_t row = 0; row < table.points; ++row)
        CHECK(std::isfinite(map.position(map.count() - 1, table, row)));
}

TEST_CASE("a space of 1e12 configurations has features in no time")
{
    constexpr auto a = attune::integer<"A">(1, 10000);
    constexpr auto b = attune::integer<"B">(1, 10000);
    constexpr auto c = attune::integer<"C">(1, 10000);
    feature_map const map(chain(attune::space(a, b, c).where(a % 7 == 0 || a % 8 == 0)));
    CHECK(map.levels(0) == 2500); // multiples of 7 or 8 are 1428 + 1250 - 178
    CHECK(map.levels(1) == 0);
    CHECK(derived(map) ==
          texts{"A % 7 != 0", "A % 8 != 0", "alignment of A", "alignment of B", "alignment of C"});
}

TEST_CASE("one valid configuration has no features, but rows")
{
    feature_map const map(chain(attune::space(fixed)));
    CHECK(map.count() == 0);
    feature_table table;
    map.append({{0, 0}}, table);
    CHECK(table.points == 1);
}

TEST_CASE("a copy shares and outlives")
{
    feature_map const copy = [] {
        feature_map const original(chain(attune::space(m, n).where(m * n <= 8192)));
        return original;
    }();
    feature_table table;
    copy.append({{0, 0}, {3, 0}}, table);
    CHECK(table.level[2][0] == 3);
    CHECK(copy.space().describe().parameters.size() == 2);
}

namespace {

/// The least eigenvalue of exp(-distance^2) of the points that occur in one feature.
double least_eigenvalue(feature_map const& map, feature_table const& table, std::size_t f)
{
    auto const rows = static_cast<Eigen::Index>(table.points);
    Eigen::MatrixXd gram(rows, rows);
    for (Eigen::Index i = 0; i < rows; ++i)
        for (Eigen::Index j = 0; j < rows; ++j) {
            auto const a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
            double const d = map.levels(f) == 0
                                 ? table.real[f][a] - table.real[f][b]
                                 : map.distance(f, table.level[f][a], table.level[f][b]);
            gram(i, j) = std::exp(-3 * d * d);
        }
    return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(gram).eigenvalues().minCoeff();
}

} // namespace

TEST_CASE("an inactive parameter is one level, about equally far from every value")
{
    constexpr auto choice = attune::categorical<"DESIGN">("plain", "packed");
    auto const packed = choice == "packed";
    feature_map const map(
        chain(attune::space(choice, wide.with_default(48).active_if(packed), on.active_if(packed),
                            attune::tile<"TILE", 3>(64).active_if(packed),
                            attune::permutation<"ORDER", 4>().active_if(packed)),
              {}),
        {.from_alignment = false});
    REQUIRE(names(map) == texts{"DESIGN", "WIDE", "ON", "TILE", "ORDER"});
    CHECK(map.levels(1) == 6);
    CHECK(map.dimensions(1) == 2);
    CHECK(map.is_nominal(2));
    CHECK(map.levels(2) == 3);
    for (std::size_t f = 1; f < map.count(); ++f) {
        CAPTURE(map.name(f));
        double farthest = 0;
        for (std::uint32_t v = 0; v + 1 < map.levels(f); ++v) {
            double const d = map.distance(f, v, map.levels(f) - 1);
            CHECK(d > 0.7);
            farthest = std::max(farthest, d);
        }
        CHECK(farthest == doctest::Approx(1.0));
    }
    CHECK(map.distance(1, 0, 4) == doctest::Approx(1.0)); // as without a condition
    feature_table table;
    map.append(map.space().settled({{0, 0}, {1, 0}, {1, 0}, {3, 0}, {5, 0}}), table);
    map.append({{1, 0}, {4, 0}, {0, 0}, {0, 0}, {0, 0}}, table);
    for (std::size_t f = 1; f < map.count(); ++f) {
        CHECK(table.level[f][0] == map.levels(f) - 1);
        CHECK(table.level[f][1] < map.levels(f) - 1);
    }
}

TEST_CASE("distances between configurations of random conditional spaces give definite matrices")
{
    attune_tests::space_generator generator(19);
    attune::random_engine engine(20);
    int tried = 0;
    while (tried < 150) {
        attune::description const drawn = generator.draw_conditional();
        if (attune_tests::valid_settings(drawn).empty()) continue;
        std::optional<attune::chain_of_trees> made;
        try {
            made.emplace(drawn);
        } catch (attune::error const&) { // a default makes it empty
            continue;
        }
        ++tried;
        feature_map const map(*made);
        feature_table table;
        for (attune::point const& p : attune::sample_distinct(*made, 24, engine))
            map.append(p, table);
        for (std::size_t f = 0; f < map.count(); ++f) {
            CAPTURE(map.name(f));
            CHECK(least_eigenvalue(map, table, f) > -1e-12);
        }
    }
}

TEST_CASE("values stand by logarithm, by difference, or one step of the longest table apart")
{
    attune::chain_of_trees const space = chain(attune::space(
        attune::ordinal<"P">(attune::values(1, 10, 100)),
        attune::ordinal<"LONG">(attune::values(1, 2, 3, 4, 5)),
        attune::categorical<"C">("x", "y", "z"), attune::real<"R">(1.0, 100.0).log_scale()));
    auto const middle = [&](attune::value_places how) {
        feature_map const map(space, {.places = how});
        return map.dimensions(0) == 0 ? -1.0 : map.place(0, 1).front();
    };
    CHECK(middle(attune::value_places::logarithmic) == doctest::Approx(0.5));
    CHECK(middle(attune::value_places::linear) == doctest::Approx(9.0 / 99));
    CHECK(middle(attune::value_places::ranked) == doctest::Approx(1.0 / 5));

    feature_map const ranked(space, {.places = attune::value_places::ranked});
    CHECK(ranked.distance(2, 0, 2) == doctest::Approx(2.0 / 5)); // choices are ranked as well
    CHECK(ranked.distance(1, 0, 4) == doctest::Approx(4.0 / 5));
    feature_map const linear(space, {.places = attune::value_places::linear});
    CHECK(linear.is_nominal(2));
    attune::point at(4);
    at[3].real = 10;
    for (auto const& [map, want] : {std::pair(&linear, 9.0 / 99), std::pair(&ranked, 9.0 / 99)}) {
        feature_table table;
        map->append(at, table);
        CHECK(map->position(3, table, 0) == doctest::Approx(want));
    }
    feature_map const usual(space);
    feature_table table;
    usual.append(at, table);
    CHECK(usual.position(3, table, 0) == doctest::Approx(0.5));
}

TEST_CASE("another metric of orders replaces that of every permutation")
{
    attune::chain_of_trees const space =
        chain(attune::space(attune::permutation<"A", 3>(), attune::permutation<"B", 4>()));
    for (attune::order_distance const metric :
         {attune::order_distance::kendall, attune::order_distance::hamming,
          attune::order_distance::naive}) {
        attune::chain_of_trees const declared =
            chain(attune::space(attune::permutation<"A", 3>().metric(metric),
                                attune::permutation<"B", 4>().metric(metric)));
        feature_map const given(space, {.orders = metric});
        feature_map const want(declared);
        for (std::size_t f = 0; f < 2; ++f)
            for (std::uint32_t v = 0; v < want.levels(f); ++v)
                CHECK(given.distance(f, 0, v) == want.distance(f, 0, v));
        CHECK(given.dimensions(1) != feature_map(space).dimensions(1));
    }
}

TEST_CASE("a long order has a feature per item, its place; an array one per element")
{
    constexpr auto cut = attune::array_of<2>(attune::integer<"CUT">(0, 4));
    constexpr auto order = attune::permutation<"ORDER", 14>();
    attune::chain_of_trees const space = attune::build(attune::space(on, order, cut));
    feature_map const map(space);
    REQUIRE(map.count() == 1 + 14 + 2);
    CHECK(map.name(1) == "ORDER.position(0)");
    CHECK(map.name(14) == "ORDER.position(13)");
    CHECK(map.name(15) == "CUT[0]");
    CHECK(map.levels(1) == 14);
    CHECK(map.dimensions(1) == 1);
    attune::random_engine engine(2);
    feature_table table;
    for (std::size_t row = 0; row < 20; ++row) {
        attune::point const p = space.sample(engine);
        map.append(p, table);
        std::vector<std::uint16_t> const items = attune::detail::order_of(space.describe(), 1, p);
        for (std::uint32_t place = 0; place < 14; ++place) {
            CHECK(table.level[1U + items[place]][row] == place);
            CHECK(map.position(1U + items[place], table, row) == doctest::Approx(place / 13.0));
        }
    }
}

TEST_CASE("features of parameters with very many values need no list of these")
{
    // 12! orders would be 7 GB of counts, 2^31 numbers 34 GB.
    constexpr auto order = attune::permutation<"ORDER", 12>();
    constexpr auto vast = attune::integer<"VAST">(1, 2'000'000'000);
    attune::chain_of_trees const space = attune::build(attune::space(order, vast));
    feature_map const map(space);
    REQUIRE(map.count() == 12 + 1);
    CHECK(map.name(3) == "ORDER.position(3)");
    CHECK(map.levels(12) == 0);
    feature_table table;
    attune::point p(2);
    p[0].index = 479'001'599; // the last order
    for (std::uint32_t const number : {0U, 44'720U, 1'999'999'999U}) {
        p[1].index = number;
        map.append(p, table);
    }
    CHECK(table.level[0][0] == 11);
    CHECK(table.level[11][0] == 0);
    CHECK(map.position(12, table, 0) == 0);
    CHECK(map.position(12, table, 1) == doctest::Approx(0.5).epsilon(1e-3)); // by logarithm
    CHECK(map.position(12, table, 2) == 1);
}

using attune::detail::code_metric_columns;

namespace {

/// Says of every point the index of its first parameter over 11, and knows those of the diagonal.
struct first_index final : code_metric_columns {
    std::string called = "first";

    std::size_t count() const override { return 1; }
    std::string const& name(std::size_t) const override { return called; }
    bool has_metrics_of(attune::point const& p) const override { return p[0].index == p[1].index; }
    void append(attune::point const& p, attune::feature_table& table) const override
    {
        table.level.back().push_back(level(p[0].index / 11.0, has_metrics_of(p) ? 0 : 0.125));
    }
};

} // namespace

TEST_CASE("a level stands at the nearest number and deviation")
{
    for (double const at : {0.0, 0.013, 0.5, 0.77, 1.0})
        for (double const deviation : {0.0, 0.06, 0.2, 0.43}) {
            std::uint32_t const level = code_metric_columns::level(at, deviation);
            REQUIRE(level < code_metric_columns::levels);
            double const* const place = &code_metric_columns::places()[2 * level];
            CHECK(std::abs(place[0] - at) <= 0.5 / (code_metric_columns::steps - 1) + 1e-12);
            CHECK(std::abs(place[1] - deviation) <= code_metric_columns::doubt_step / 2 + 1e-12);
        }
    CHECK(code_metric_columns::level(-3) == code_metric_columns::level(0));
    CHECK(code_metric_columns::level(7, 9) == code_metric_columns::levels - 1);
}

TEST_CASE("the squared distance of a guess from what is known is the one that is expected of it")
{
    attune::feature_map const map =
        attune::feature_map(search_spaces::grid(12)).with(std::make_shared<first_index>());
    std::uint32_t const known = code_metric_columns::level(0.0);
    std::uint32_t const guess = code_metric_columns::level(1.0, 0.25);
    std::size_t const f = map.count() - 1;
    CHECK(map.distance(f, known, guess) == 1.0); // features are never further apart
    CHECK(map.distance(f, known, code_metric_columns::level(0.0, 0.25)) == doctest::Approx(0.25));
}

TEST_CASE("a map has the further features behind its own, and is the same without them")
{
    attune::chain_of_trees const space = search_spaces::grid(12);
    attune::feature_map const own(space);
    attune::feature_map const map = own.with(std::make_shared<first_index>());
    REQUIRE(map.count() == own.count() + 1);
    std::size_t const f = own.count();
    CHECK(map.name(f) == "first");
    CHECK(map.is_derived(f));
    CHECK_FALSE(map.is_nominal(f));
    CHECK(map.levels(f) == code_metric_columns::levels);
    CHECK(map.dimensions(f) == 2);
    attune::feature_table with;
    attune::feature_table without;
    for (std::uint64_t i = 0; i < 144; ++i) {
        map.append(space.at(i), with);
        own.append(space.at(i), without);
        CHECK(map.has_metrics_of(space.at(i)) == (i % 13 == 0));
        CHECK_FALSE(own.has_metrics_of(space.at(i)));
    }
    CHECK(with.points == 144);
    for (std::size_t own_feature = 0; own_feature < own.count(); ++own_feature)
        CHECK(with.level[own_feature] == without.level[own_feature]);
    for (std::uint64_t i = 0; i < 144; ++i)
        CHECK(map.place(f, with.level[f][i])[0] ==
              doctest::Approx(space.at(i)[0].index / 11.0).epsilon(0.02));
}

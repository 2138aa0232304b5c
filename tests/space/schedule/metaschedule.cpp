// tests/space/schedule/metaschedule.cpp - the designs and counts are those of MetaSchedule's traces.
// SPDX-License-Identifier: MIT
#include <attune/space/schedule/metaschedule.hpp>

#include <attune/core/error.hpp>
#include <attune/core/random.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/schedule/derived_space.hpp>
#include <attune/space/schedule/loop_tree.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "../../support/nest_examples.hpp"

namespace {

/// The loops of some items, outermost first: "i 4 { j 2 { C } }", with | where threads share one
/// and = where it is lanes; statements by their arrays.
std::string tree_of(attune::loop_program const& p, std::vector<attune::program_item> const& items)
{
    std::string out;
    for (attune::program_item const item : items) {
        if (item.kind == attune::item_kind::copy) continue;
        if (!out.empty()) out += ' ';
        if (item.kind == attune::item_kind::block) {
            std::uint32_t const s = p.blocks[item.index].statement;
            out += p.nest.arrays[p.nest.statements[s].target.array].name;
            continue;
        }
        attune::program_loop const& loop = p.loops[item.index];
        std::string axes;
        for (attune::loop_range const& range : loop.over)
            axes += (axes.empty() ? "" : "*") + p.nest.axes[range.axis].name;
        char const* const sign = loop.kind == attune::loop_kind::parallel     ? " |"
                                 : loop.kind == attune::loop_kind::vectorized ? " ="
                                                                              : " ";
        out += axes + sign + std::to_string(*attune::iterations_of(p, item.index)) + " { " +
               tree_of(p, loop.body) + " }";
    }
    return out;
}

/// Of each design of a program, with these values.
std::vector<std::string> trees_of(attune::nest_description const& nest,
                                  std::vector<attune::schedule_choices::choice> const& chosen)
{
    attune::processor_shape many;
    many.cores = 64; // no parts of sums
    std::vector<std::string> out;
    for (attune::metaschedule_design const& design : attune::metaschedule_designs(nest, many)) {
        attune::loop_program const p = design.schedule({chosen}).program;
        out.push_back(tree_of(p, p.body));
    }
    return out;
}

/// C[i][j] = sum_k A[i][k] * B[k][j], then Y[i][j] = C[i][j] + R[j][i] where `is_turned`, else
/// C[i][j] + C[i][j - 1].
attune::nest_description matmul_and_reader(bool is_turned)
{
    support::nest_builder b("product_and_reader");
    b.out = support::matmul(32, 32, 32);
    b.out.arrays[2].role = attune::nest_role::temporary;
    auto const Y = b.array("Y", attune::nest_role::written, {b.of(0), b.of(1)});
    auto const c = b.read(2, {b.at(0), b.at(1)});
    std::uint32_t other = 0;
    if (is_turned) {
        auto const R = b.array("R", attune::nest_role::read, {b.of(1), b.of(0)});
        other = b.read(R, {b.at(1), b.at(0)});
    } else {
        other = b.read(2, {b.at(0), {{{1, 1}}, -1}}, true);
    }
    b.statement(Y, {0, 1}, {}, attune::reduction::none, b.op(attune::nest_op::add, c, other));
    return b.out;
}

double size_of(attune::description const& space)
{
    return static_cast<double>(*attune::chain_of_trees(space).size());
}

/// The values of one parameter in the space of all.
std::uint64_t values_of(std::int64_t extent, std::uint32_t parts)
{
    attune::space_builder space;
    space.tile("T", extent, parts);
    space.where(space.node(attune::op::less_equal, space.factor("T", parts - 1), space.number(64)));
    return static_cast<std::uint64_t>(*attune::chain_of_trees(space.made()).size());
}

struct counted {
    std::size_t designs;
    double all; ///< configurations of all designs together
};
counted count(attune::nest_description const& nest)
{
    attune::processor_shape const one{.cores = 1};
    auto const designs = attune::metaschedule_designs(nest, one);
    counted out{designs.size(), 0};
    for (auto const& design : designs)
        out.all += size_of(design.space);
    return out;
}

} // namespace

TEST_CASE("tiles have as many values as the pictures of the traces show")
{
    CHECK(values_of(64, 4) == 84);
    CHECK(values_of(512, 5) == 700);
}

TEST_CASE("products and convolutions have three designs each, of the sizes that MetaSchedule has")
{
    // log10 of all configurations, compute locations left out (8 each in what was recorded)
    struct recorded {
        attune::nest_description nest;
        double log10_size;
    };
    for (recorded const& of : {
             recorded{support::matmul(512, 512, 512), 6.6},
             recorded{support::matmul(1024, 1024, 1024), 6.8},
             recorded{support::dense_gelu(128, 3072, 768), 7.2},
             recorded{support::batched_int8(12, 128, 128, 64), 7.7},
             recorded{support::convolution(56, 64, 64, 3, 1, 1), 9.2 - std::log10(8)},
             recorded{support::convolution(28, 128, 128, 3, 1, 1), 8.7 - std::log10(8)},
             recorded{support::convolution(14, 256, 1024, 1, 1, 0), 6.8},
             recorded{support::convolution(224, 3, 64, 7, 2, 3), 9.1 - std::log10(8)},
             recorded{support::depthwise(112, 32), 8.6 - std::log10(8)},
         }) {
        counted const got = count(of.nest);
        CHECK(got.designs == 3);
        CHECK(std::fabs(std::log10(got.all) - of.log10_size) < 0.0501);
    }
    // Exactly: 512 into 4 with at most 64 innermost twice, 512 into 2, four unroll limits.
    CHECK(count(support::matmul(512, 512, 512)).all == 3.0 * 210 * 210 * 7 * 4);
    CHECK(count(support::convolution(56, 64, 64, 3, 1, 1)).all ==
          3.0 * 80 * 80 * 84 * 2 * 2 * 7 * 4);
}

TEST_CASE("the reader of a product is a pass of its own, or lies in the product's tiles")
{
    // TVM's own test of this case, test_cpu_matmul_relu: a product of 512 x 512 x 512 whose tiles
    // are 256 1 1 2 of i, 4 4 32 1 of j, 64 8 of k. It has three sketches: the reader is a nest of
    // 512 x 512; in the four outer loops over a tile of 2 x 32; in the two outermost ones over a
    // tile of 2 x 128. Then ParallelizeVectorizeUnroll: the outermost spatial loops are one
    // parallel loop; of the product's innermost loop 1 iteration is left, no lanes; 32 of the
    // reader are lanes, 128 are not, and in a nest by itself 512 are 8 times 64.
    std::vector<std::string> const trees = trees_of(
        support::with_bias_and_relu(support::matmul(512, 512, 512)), {{"TILE_i", "{256, 1, 1, 2}"},
                                                                      {"TILE_j", "{4, 4, 32, 1}"},
                                                                      {"TILE_k", "{64, 8}"},
                                                                      {"UNROLL", "0"}});
    std::string const inside = "k 64 { i 1 { j 32 { k 8 { i 2 { j 1 { C } } } } } }";
    REQUIRE(trees.size() == 3);
    CHECK(trees[0] ==
          "i*j |1024 { i 1 { j 4 { " + inside + " } } } i |512 { j 8 { j =64 { relu } } }");
    CHECK(trees[1] == "i*j |1024 { i 1 { j 4 { " + inside + " } } i 2 { j 128 { relu } } }");
    CHECK(trees[2] == "i*j |1024 { i 1 { j 4 { " + inside + " i 2 { j =32 { relu } } } } }");
}

TEST_CASE("what a plain statement reads is computed in its loops, or in a nest of its own")
{
    // Of softmax, TVM's test_cpu_sfm has such locations: -1 is the root. Here AT is how many loops
    // of the last reader are shared, 0 for none. e has two readers: where the sum is not in the
    // loops of Y, e cannot be either. Inside of Y's rows the maximum needs e there.
    auto const tree = [](char const* top, char const* e, char const* total) {
        return trees_of(support::softmax(6, 80),
                        {{"top_AT", top}, {"e_AT", e}, {"total_AT", total}})[0];
    };
    std::string const plain_e = "i |6 { j 2 { j =64 { e } } }";
    std::string const plain_y = "i |6 { j 2 { j =64 { Y } } }";
    std::string const plain_top = "i |6 { j 80 { top } }";
    std::string const plain_total = "i |6 { j 80 { total } }";
    std::string const in_top = "i 1 { j 80 { top } }";
    std::string const in_e = "i 1 { j 80 { e } }";
    std::string const in_total = "i 1 { j 80 { total } }";
    CHECK(tree("0", "0", "0") == plain_top + ' ' + plain_e + ' ' + plain_total + ' ' + plain_y);
    CHECK(tree("1", "0", "0") ==
          "i |6 { " + in_top + " j 80 { e } } " + plain_total + ' ' + plain_y);
    CHECK(tree("0", "0", "1") ==
          plain_top + ' ' + plain_e + " i |6 { " + in_total + " j 80 { Y } }");
    CHECK(tree("1", "0", "1") ==
          "i |6 { " + in_top + " j 80 { e } } i |6 { " + in_total + " j 80 { Y } }");
    CHECK(tree("0", "1", "1") == plain_top + " i |6 { " + in_e + ' ' + in_total + " j 80 { Y } }");
    CHECK(tree("1", "1", "1") ==
          "i |6 { " + in_top + ' ' + in_e + ' ' + in_total + " j 80 { Y } }");
    // These are all, and there are none where a statement would sum over a loop around it, or where
    // there is one row.
    attune::processor_shape many{.cores = 64};
    auto const size = [&many](attune::nest_description const& nest) {
        return size_of(attune::derived_space(nest, many, attune::metaschedule_rules()).describe());
    };
    CHECK(size(support::softmax(6, 80)) == 6);
    CHECK(size(support::softmax(1, 80)) == 1);
    CHECK(size(support::shares(4, 5)) == 1);
}

TEST_CASE("a reader of other elements, or of an array in another order, is no write cache")
{
    attune::processor_shape const one{.cores = 1};
    for (bool const is_turned : {true, false}) {
        auto const designs = attune::metaschedule_designs(matmul_and_reader(is_turned), one);
        REQUIRE(designs.size() == 3); // the product's, with a cache of its own
        for (auto const& design : designs) {
            REQUIRE(design.parts.size() == 2);
            CHECK(design.parts[0].reader == attune::no_index);
        }
    }
    auto const fused = attune::metaschedule_designs(support::dense_gelu(32, 32, 32), one);
    REQUIRE(fused.size() == 3);
    for (auto const& design : fused) {
        REQUIRE(design.parts.size() == 1);
        CHECK(design.parts[0].reader == 1);
    }
}

TEST_CASE("each long reduction without reuse has three designs")
{
    CHECK(count(support::softmax(1536, 128)).designs == 9);
    attune::processor_shape many;
    many.cores = 64; // 128 steps are no more than 16 for each
    CHECK(attune::metaschedule_designs(support::softmax(1536, 128), many).size() == 1);
}

TEST_CASE("as a rule the designs of a statement are one space, of the size of all of them")
{
    attune::processor_shape const one{.cores = 1};
    for (attune::nest_description const& nest :
         {support::matmul(512, 512, 512), support::convolution(56, 64, 64, 3, 1, 1),
          support::depthwise(112, 32), support::dense_gelu(128, 3072, 768),
          support::with_bias_and_relu(support::convolution(56, 64, 64, 3, 1, 1))}) {
        attune::derived_space const whole(nest, one, attune::metaschedule_rules());
        CHECK(size_of(whole.describe()) == count(nest).all);
    }
    // 128 into 2 with at most 64 innermost are 7, in two ways, or the reduction stays as it is:
    // twice. The other two statements have one way. What is as it was may be in the row of what
    // reads it: both 6 ways (below), the maximum alone 2, the sum alone 3 (itself, or with e).
    attune::derived_space const rows(support::softmax(1536, 128), one,
                                     attune::metaschedule_rules());
    CHECK(size_of(rows.describe()) == 6 + 14 * 2 + 14 * 3 + 14 * 14);
}

TEST_CASE("only tiled statements have a limit of copies: without one there may be no parameter")
{
    attune::processor_shape const one{.cores = 1};
    attune::derived_space const one_way(support::argmax(1536, 128), one,
                                        attune::metaschedule_rules());
    CHECK(one_way.describe().parameters.empty());
    CHECK(size_of(one_way.describe()) == 1);
    CHECK(count(support::softmax(1536, 128)).all == 6 + 14 * 2 + 14 * 3 + 14 * 14);
    auto const designs = attune::metaschedule_designs(support::argmax(8, 8), one);
    REQUIRE(designs.size() == 1);
    CHECK(designs.front().space.parameters.empty());
    CHECK_FALSE(designs.front().schedule(attune::point{}).program.body.empty());
}

TEST_CASE("as a rule a configuration has the steps of the same one in its design")
{
    attune::processor_shape const one{.cores = 1};
    char const* const words[] = {"plain", "tiled", "tiled_cache1", "tiled_cache2"};
    attune::random_engine random(3);
    for (attune::nest_description const& nest :
         {support::matmul(64, 96, 32), support::convolution(14, 16, 32, 3, 1, 1),
          support::with_bias_and_relu(support::depthwise(14, 32))}) {
        attune::derived_space const whole(nest, one, attune::metaschedule_rules());
        for (attune::metaschedule_design const& design : attune::metaschedule_designs(nest, one))
            for (int again = 0; again < 5; ++again) {
                auto const at = attune::chain_of_trees(design.space).sample(random);
                attune::schedule_choices chosen = attune::choices_of(design.space, at);
                std::string const want = text_of(design.schedule(chosen).trace);
                auto const which = static_cast<std::size_t>(design.parts.front().choice);
                chosen.all.push_back({"DESIGN", words[which]});
                CHECK(text_of(whole.schedule(chosen).trace) == want);
            }
    }
}

TEST_CASE("the rule schedules all statements of a group, and constant extents alone")
{
    attune::derived_space const rows(support::softmax(12, 100), {}, attune::metaschedule_rules());
    CHECK(rows.rule_names() == std::vector<std::string>{"metaschedule"});
    attune::nest_description inputs = support::matmul(64, 64, 64);
    inputs.inputs.push_back({"rows"});
    inputs.axes.front().extent = {0, 0};
    CHECK_THROWS_AS(attune::derived_space(inputs, {}, attune::metaschedule_rules()), attune::error);
}

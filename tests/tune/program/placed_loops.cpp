// tests/tune/program/placed_loops.cpp - bytes of loops against the elements that a run of the loops names.
// SPDX-License-Identifier: MIT
#include <attune/core/element.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/schedule/derived_space.hpp>
#include <attune/space/schedule/loop_tree.hpp>
#include <attune/tune/program/nest.hpp>
#include <attune/tune/program/program_facts.hpp>

#include <algorithm>
#include <cstdint>
#include <doctest/doctest.h>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace {

using attune::array;
using attune::detail::placed_loops;

constexpr auto n = attune::input<"n", int>();
auto const [i, j, k] = attune::axes<"i", "j", "k">();
constexpr auto A = array<"A", float, 24, 20>();
constexpr auto B = array<"B", float, 20, 32>();
constexpr auto C = array<"C", float, 24, 32>();
constexpr auto gemm = attune::nest<"gemm">(C[i][j] = attune::sum(k)(A[i][k] * B[k][j]));
constexpr auto in = array<"in", double, 40>();
constexpr auto w = array<"w", double, 5>();
constexpr auto out = array<"out", double, 36>();
constexpr auto filter = attune::nest<"filter">(out[i] = attune::sum(k)(in[i + k] * w[k]));
constexpr auto X = array<"X", float, n, 20>();
constexpr auto Y = array<"Y", float, n, 32>();
constexpr auto rows = attune::nest<"rows">(Y[i][j] = attune::sum(k)(X[i][k] * B[k][j]));

/// Goes through all iterations, and notes which elements each run of a loop names.
class runner {
public:
    explicit runner(attune::loop_program const& program)
        : p_(program)
    {
        for (attune::nest_axis const& axis : p_.nest.axes)
            at_.push_back({0, axis.extent.constant});
        run(p_.body);
    }

    /// The most bytes of one run, by name.
    std::map<std::uint32_t, std::map<std::string, std::int64_t>> most{};

private:
    struct place {
        std::int64_t first;
        std::int64_t count;
    };
    using names = std::map<std::string, std::set<std::vector<std::int64_t>>>;

    void run(std::vector<attune::program_item> const& items)
    {
        for (attune::program_item const item : items)
            if (item.kind == attune::item_kind::loop) {
                open_.emplace_back();
                iterate(item.index, 0);
                for (auto const& [name, elements] : open_.back())
                    most[item.index][name] =
                        std::max(most[item.index][name],
                                 static_cast<std::int64_t>(elements.size()) * bytes_.at(name));
                open_.pop_back();
            } else if (item.kind == attune::item_kind::block) {
                attune::program_block const& block = p_.blocks[item.index];
                attune::nest_statement const& statement = p_.nest.statements[block.statement];
                if (block.target == attune::no_index)
                    name_element(statement.target);
                else
                    name_copied(block.target);
                for (std::uint32_t const access : attune::detail::accesses_of(p_.nest, statement)) {
                    std::uint32_t buffer = attune::no_index;
                    for (attune::buffer_use const& use : block.reads)
                        if (use.access == access) buffer = use.buffer;
                    if (buffer == attune::no_index)
                        name_element(p_.nest.accesses[access]);
                    else
                        name_copied(buffer);
                }
            } else {
                attune::program_copy const& copy = p_.copies[item.index];
                each_value(0, [&] {
                    name_copied(copy.buffer);
                    if (copy.kind == attune::copy_kind::load)
                        name_element(p_.nest.accesses[copy.access]);
                    if (copy.kind == attune::copy_kind::store)
                        name_element(p_.nest.statements[p_.blocks[copy.block].statement].target);
                });
            }
    }
    void iterate(std::uint32_t loop, std::size_t range)
    {
        attune::program_loop const& of = p_.loops[loop];
        if (range == of.over.size()) {
            std::vector<place> const before = begun_[loop];
            begun_[loop] = at_;
            run(of.body);
            begun_[loop] = before;
            return;
        }
        auto const [axis, step] = of.over[range];
        place const all = at_[axis];
        for (std::int64_t v = 0; v < all.count; v += step) {
            at_[axis] = {all.first + v, std::min(step, all.count - v)};
            iterate(loop, range + 1);
        }
        at_[axis] = all;
    }
    /// All values of all axes that are left.
    void each_value(std::size_t axis, std::function<void()> const& act)
    {
        if (axis == at_.size()) return act();
        place const all = at_[axis];
        for (std::int64_t v = 0; v < all.count; ++v) {
            at_[axis] = {all.first + v, 1};
            each_value(axis + 1, act);
        }
        at_[axis] = all;
    }
    std::vector<std::int64_t> values(std::vector<attune::affine_index> const& of,
                                     std::vector<place> const* from)
    {
        std::vector<std::int64_t> all;
        for (attune::affine_index const& one : of) {
            std::int64_t value = one.offset;
            for (attune::affine_term const& term : one.terms)
                value += term.factor *
                         (at_[term.axis].first - (from != nullptr ? (*from)[term.axis].first : 0));
            all.push_back(value);
        }
        return all;
    }
    void name_element(attune::nest_access const& access)
    {
        attune::nest_array const& of = p_.nest.arrays[access.array];
        bytes_[of.name] = static_cast<std::int64_t>(attune::detail::element_bytes(of.element));
        for (names& each : open_)
            each[of.name].insert(values(access.at, nullptr));
    }
    void name_copied(std::uint32_t b)
    {
        attune::program_buffer const& of = p_.buffers[b];
        bytes_[of.name] = static_cast<std::int64_t>(attune::detail::element_bytes(of.element));
        std::vector<place> const* const from =
            of.loop == attune::no_index ? nullptr : &begun_[of.loop];
        for (names& each : open_)
            each[of.name].insert(values(of.coordinates, from));
    }

    attune::loop_program const& p_;
    std::vector<place> at_{};
    std::map<std::uint32_t, std::vector<place>> begun_{}; ///< by loop: its iteration
    std::vector<names> open_{};
    std::map<std::string, std::int64_t> bytes_{};
};

/// In the order of placed_loops().
void list_loops(attune::loop_program const& of, std::vector<attune::program_item> const& items,
                std::vector<std::uint32_t>& to)
{
    for (attune::program_item const item : items)
        if (item.kind == attune::item_kind::loop) {
            to.push_back(item.index);
            list_loops(of, of.loops[item.index].body, to);
        }
}

void check_schedules(attune::nest_description const& nest, std::uint64_t count)
{
    attune::derived_space const derived(nest, attune::processor_shape{});
    attune::chain_of_trees const space(derived.describe());
    std::uint64_t const all = static_cast<std::uint64_t>(*space.size());
    std::size_t copies = 0;
    for (std::uint64_t nth = 0; nth < count; ++nth) {
        attune::point const at = space.at(nth * (all / count));
        CAPTURE(text_of(space.describe(), at));
        attune::loop_program const program = derived.schedule(at).program;
        copies += program.copies.size();
        std::vector<std::uint32_t> order;
        list_loops(program, program.body, order);
        std::vector<attune::placed_loop> const placed = placed_loops(program, {});
        runner const ran(program);
        REQUIRE(placed.size() == order.size());
        for (std::size_t l = 0; l < placed.size(); ++l) {
            CAPTURE(placed[l].name);
            std::map<std::string, std::int64_t> const said(placed[l].bytes.begin(),
                                                           placed[l].bytes.end());
            CHECK(said == ran.most.at(order[l]));
        }
    }
    CHECK(copies > 0);
}

} // namespace

TEST_CASE("the bytes of a loop are those of the elements that its iterations name")
{
    check_schedules(gemm.describe(), 12);
    check_schedules(filter.describe(), 8);
}

TEST_CASE("inputs that are known are sizes; of others nothing is said")
{
    attune::loop_program const plain = attune::plain_program(rows.describe());
    auto const known = placed_loops(
        plain, {{"n", attune::value_kind::integer, attune::number::of(std::int64_t{8})}});
    REQUIRE(known.size() == 3);
    CHECK(known[0].name == "i_0");
    CHECK(known[0].times == 8);
    CHECK(known[0].how == "serial");
    CHECK(known[2].depth == 2);
    using bytes = std::vector<std::pair<std::string, std::int64_t>>;
    CHECK(known[0].bytes == bytes{{"X", 8 * 20 * 4}, {"B", 20 * 32 * 4}, {"Y", 8 * 32 * 4}});
    CHECK(known[2].bytes == bytes{{"X", 20 * 4}, {"B", 20 * 4}, {"Y", 4}});
    auto const unknown = placed_loops(plain, {});
    CHECK(unknown[0].times == 0);
    CHECK(unknown[0].bytes.empty());
    CHECK(unknown[1].times == 32);
    CHECK(unknown[2].bytes == known[2].bytes);
}

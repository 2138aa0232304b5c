// tests/ship/tool/rows.cpp - configurations as lines of a table, by one thread or several.
// SPDX-License-Identifier: MIT
#include <attune/ship/tool/detail/rows.hpp>

#include <attune/declare/activity.hpp>
#include <attune/declare/parameters.hpp>
#include <attune/space/build_pack.hpp>

#include <cstddef>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "../../space/space_generator.hpp"
#include "../../support/texts.hpp"

using attune::chain_of_trees;
using attune::configuration_range;
using attune::leaf_count;
using attune::part_of;
using attune::point;
using attune::whole_range;
using attune::detail::tool::row_blocks;
using attune::detail::tool::row_format;
using attune::detail::tool::row_writer;

namespace {

namespace tool = attune::detail::tool;

/// The rows of a range, written one by one from the number of each.
std::string rows_of(chain_of_trees const& space, configuration_range const& range,
                    row_format format)
{
    row_writer writer(space.describe(), format);
    tool::row_text out;
    for (leaf_count i = range.first; i < range.last; ++i)
        writer.append(space.at(attune::index_of_number(space, i)), out);
    return std::string(out.view());
}

std::string by_threads(chain_of_trees const& space, configuration_range const& range,
                       row_format format, unsigned threads)
{
    std::string out;
    leaf_count rows = 0;
    row_blocks(space, range, format, threads).run([&](std::string_view text, leaf_count more) {
        out += text;
        rows += more;
        return true;
    });
    CHECK(rows == range.size());
    return out;
}

/// The number of configurations whose row, read back, has other values than group.hpp tells.
std::size_t wrong_rows(chain_of_trees const& space)
{
    attune::description const& d = space.describe();
    configuration_range const all = whole_range(space);
    auto const names = attune::detail::named_values(d);
    std::string const csv =
        row_writer(d, row_format::csv).head() + rows_of(space, all, row_format::csv);
    std::vector<tool::csv_row> const table = tool::read_csv(csv, "rows");
    std::string const lines = rows_of(space, all, row_format::jsonl);
    REQUIRE(table.size() == 1 + static_cast<std::size_t>(all.last));
    REQUIRE(table[0].size() == names.size());
    std::size_t wrong = 0, line = 0;
    for (std::size_t v = 0; v < names.size(); ++v)
        wrong += table[0][v].text != names[v].name ? 1U : 0U;
    for (std::size_t i = 0; i < all.last; ++i) {
        point const at = space.at(std::uint64_t{i});
        for (std::size_t v = 0; v < names.size(); ++v)
            wrong += table[i + 1][v].text != attune::detail::text_at(d, names[v], at) ? 1U : 0U;
        std::size_t const end = lines.find('\n', line);
        auto const json = tool::tool_json::parse(lines.substr(line, end - line));
        wrong += json != tool::json_of(d, at) ? 1U : 0U;
        wrong += tool::point_of(d, json) != at ? 1U : 0U;
        line = end + 1;
    }
    return wrong + (line != lines.size() ? 1U : 0U);
}

std::vector<std::uint32_t> all_constraints(attune::description const& d)
{
    std::vector<std::uint32_t> out;
    for (std::uint32_t c = 0; c < d.constraints.size(); ++c)
        out.push_back(c);
    return out;
}

} // namespace

TEST_CASE("a row has the values of its configuration, as a table and as JSON")
{
    attune_tests::space_generator generator(51);
    for (int tried = 0; tried < 60;) {
        attune::description space =
            tried % 2 == 0 ? generator.draw(300) : generator.draw_conditional();
        attune::detail::settle_conditions(space);
        CAPTURE(tried);
        if (!attune_tests::any_setting(space, all_constraints(space))) continue;
        CHECK(wrong_rows(chain_of_trees(space)) == 0);
        ++tried;
    }
}

TEST_CASE("rows have arrays, orders of any length, conditional parameters and texts of any kind")
{
    constexpr auto cuts = attune::array_of<3>(attune::ordinal<"CUT">(attune::values(1, 2, 4)));
    constexpr auto order = attune::permutation<"ORDER", 3>();
    constexpr auto design =
        attune::categorical<"DESIGN">("plain", "packed, \"twice\"", " at end\n");
    constexpr auto pack =
        attune::ordinal<"PACK">(attune::values(4, 8)).active_if(design != "plain");
    chain_of_trees const space =
        attune::build(attune::space(cuts, order, design, pack).where(cuts[0] <= cuts[1]));
    CHECK(space.size() == leaf_count{18 * 6 * 5});
    CHECK(wrong_rows(space) == 0);

    constexpr auto longer = attune::permutation<"LONG", 14>();
    constexpr auto flag = attune::boolean<"FLAG">();
    chain_of_trees const wide = attune::build(attune::space(flag, longer));
    configuration_range const some{5'000'000'000, 5'000'000'100};
    std::string const text = rows_of(wide, some, row_format::csv);
    std::vector<tool::csv_row> const table = tool::read_csv(text, "rows");
    REQUIRE(table.size() == 100);
    for (std::size_t i = 0; i < table.size(); ++i)
        CHECK(table[i][1].text ==
              attune::detail::text_at(wide.describe(),
                                      attune::detail::named_values(wide.describe())[1],
                                      wide.at(std::uint64_t{5'000'000'000 + i})));
    CHECK(by_threads(wide, some, row_format::csv, 2) == text);
}

TEST_CASE("a parameter of two million values has rows without a text for each of them")
{
    constexpr auto many = attune::integer<"N">(1, 2'000'000);
    constexpr auto flag = attune::boolean<"FLAG">();
    chain_of_trees const space = attune::build(attune::space(many, flag));
    CHECK(rows_of(space, {3'999'998, 4'000'000}, row_format::csv) ==
          "2000000,false\n2000000,true\n");
    std::string const whole = by_threads(space, {0, 300'001}, row_format::jsonl, 2);
    CHECK(whole == rows_of(space, {0, 300'001}, row_format::jsonl));
}

TEST_CASE("any number of threads, and parts one after the other, give the rows of one")
{
    constexpr auto a = attune::integer<"A">(1, 90);
    constexpr auto b = attune::integer<"B">(1, 90);
    constexpr auto c = attune::integer<"C">(1, 60);
    chain_of_trees const space = attune::build(attune::space(a, b, c).where(a * b <= 2000));
    configuration_range const all = whole_range(space);
    std::string const expected = rows_of(space, all, row_format::csv);
    for (unsigned const threads : {1U, 2U, 5U})
        CHECK(by_threads(space, all, row_format::csv, threads) == expected);
    for (std::uint64_t const parts : {2U, 16U}) {
        std::string joined;
        for (std::uint64_t part = 1; part <= parts; ++part)
            joined += by_threads(space, part_of(all, part, parts), row_format::csv, 2);
        CHECK(joined == expected);
    }
    CHECK(by_threads(space, {7, 7}, row_format::csv, 2).empty());
}

TEST_CASE("rows end where the sink has enough, and where it throws")
{
    constexpr auto a = attune::integer<"A">(1, 3000);
    constexpr auto b = attune::integer<"B">(1, 3000);
    chain_of_trees const space = attune::build(attune::space(a, b));
    int blocks = 0;
    row_blocks(space, whole_range(space), row_format::csv, 2)
        .run([&](std::string_view, leaf_count) { return ++blocks < 3; });
    CHECK(blocks == 3);
    CHECK(attune_test::has(attune_test::error_of([&] {
                               row_blocks(space, whole_range(space), row_format::csv, 2)
                                   .run([](std::string_view, leaf_count) -> bool {
                                       throw attune::error("full", "disk", "buy one");
                                   });
                           }),
                           "full"));
}

TEST_CASE("the one row of a space without parameters is an empty one")
{
    chain_of_trees const none{attune::description{}};
    CHECK(rows_of(none, {0, 1}, row_format::jsonl) == "{}\n");
    CHECK(rows_of(none, {0, 1}, row_format::csv) == "\n");
}

// attune/space/schedule/detail/product_space.hpp - the parameters of a product: tiles, order, copies of operands.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/element.hpp>
#include <attune/core/version.hpp>
#include <attune/space/schedule/detail/product_axes.hpp>
#include <attune/space/schedule/detail/read_form.hpp>
#include <attune/space/schedule/rule.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

inline std::vector<std::int64_t> up_to(std::vector<std::int64_t> const& values,
                                       std::optional<std::int64_t> most)
{
    std::vector<std::int64_t> out;
    for (std::int64_t const v : values)
        if (!most || v <= *most) out.push_back(v);
    if (out.empty()) out.push_back(values.front());
    return out;
}

/// The order of the loops over cache tiles: r rows, c columns, d depth.
inline constexpr std::string_view tile_orders[] = {"cdr", "crd", "dcr", "drc", "rcd", "rdc"};

inline void declare_product(rule_subject const& subject, space_builder& space)
{
    product_axes const axes = *find_product_axes(subject);
    nest_description const& nest = *subject.nest;
    nest_statement const& of = nest.statements[axes.product];
    std::string const& p = subject.prefix;
    std::int64_t const registers = subject.processor.vector_registers;
    auto const width = known_extent(nest, axes.columns);
    auto const height =
        axes.rows == no_index ? std::optional<std::int64_t>(1) : known_extent(nest, axes.rows);
    std::optional<std::int64_t> vectors_most;
    if (width) vectors_most = (*width + axes.lanes - 1) / axes.lanes;
    std::vector<std::int64_t> const rows =
        up_to({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 20, 24, 28}, height);
    std::vector<std::int64_t> const vectors = up_to({1, 2, 3, 4, 5, 6, 8}, vectors_most);
    // Tiles of few accumulators wait for the multiply-add; more than the registers go to memory.
    std::int64_t most = 0;
    std::int64_t best_rows = 1;
    std::int64_t best_vectors = 1;
    for (std::int64_t const r : rows)
        for (std::int64_t const v : vectors) {
            if ((r + 1) * v > registers) continue;
            bool const is_better = r * v > most || (r * v == most && v > best_vectors && v <= 4);
            if (!is_better) continue;
            most = r * v;
            best_rows = r;
            best_vectors = v;
        }
    space.ordinal(p + "ROWS", rows, best_rows);
    space.ordinal(p + "VECTORS", vectors, best_vectors);
    std::uint32_t const r = space.value(p + "ROWS");
    std::uint32_t const v = space.value(p + "VECTORS");
    std::uint32_t const accumulators = space.node(op::multiply, r, v);
    space.where(
        space.node(op::less_equal, space.node(op::add, accumulators, v), space.number(registers)));
    std::int64_t const least = std::min<std::int64_t>(most, registers >= 32 ? 10 : 6);
    if (least > 1) space.where(space.node(op::greater_equal, accumulators, space.number(least)));

    auto const depth = known_extent(nest, axes.depth);
    bool const splits_depth = axes.host == axes.product;
    std::vector<std::int64_t> depths;
    for (std::int64_t d = 64; splits_depth && d <= 1024; d *= 2)
        if (!depth || d < *depth) depths.push_back(d);
    if (depth) depths.push_back(std::max<std::int64_t>(*depth, 1));
    if (depths.empty()) depths.push_back(1 << 20); // the whole axis
    std::int64_t const usual_depth = depth && *depth <= 512
                                         ? depths.back()
                                         : depths[std::min<std::size_t>(2, depths.size() - 1)];
    space.ordinal(p + "DEPTH", depths, usual_depth);

    std::vector<std::int64_t> const counts{1, 2, 4, 8, 16, 32, 64};
    auto const tiles = [&](std::string const& name,
                           std::uint32_t unit,
                           std::optional<std::int64_t> extent,
                           std::int64_t least_unit,
                           std::int64_t wish) {
        std::optional<std::int64_t> most_count;
        if (extent) most_count = std::max<std::int64_t>(1, 2 * *extent / least_unit);
        std::vector<std::int64_t> const values = up_to(counts, most_count);
        std::int64_t preferred = values.front();
        for (std::int64_t const value : values)
            if (value <= wish) preferred = value;
        space.ordinal(name, values, preferred);
        if (extent && values.size() > 1) {
            // At most one size that covers the whole axis: a tile of half the size does not.
            std::uint32_t const size = space.node(op::multiply, unit, space.value(name));
            space.where(space.node(op::logical_or,
                                   space.node(op::less_equal, space.value(name), space.number(1)),
                                   space.node(op::less, size, space.number(2 * *extent))));
        }
    };
    std::int64_t wish_rows = 8;
    while (height && wish_rows > 1 && best_rows * wish_rows >= 2 * *height)
        wish_rows /= 2;
    std::int64_t wish_columns = 64;
    while (width && wish_columns > 1 && best_vectors * axes.lanes * wish_columns >= 2 * *width)
        wish_columns /= 2;
    std::uint32_t const columns = space.node(op::multiply, v, space.number(axes.lanes));
    tiles(p + "ROW_TILES", r, height, 1, wish_rows);
    tiles(p + "COLUMN_TILES", columns, width, axes.lanes, wish_columns);

    std::vector<std::string> orders;
    for (std::string_view const order : tile_orders)
        if (depths.size() > 1 || order.back() == 'd') orders.emplace_back(order);
    space.categorical(p + "ORDER", orders, depths.size() > 1 ? "cdr" : "crd");
    space.categorical(p + "INNER", {"rows", "columns"}, "rows");
    if (!axes.others.empty()) space.categorical(p + "OTHERS", {"outside", "inside"}, "outside");
    std::vector<std::uint32_t> const reads = accesses_of(nest, of);
    for (std::uint32_t const a : reads) {
        std::vector<read_form> const forms = forms_of(axes, nest.accesses[a]);
        if (forms.size() < 2) continue;
        std::vector<std::string> labels;
        for (read_form const form : forms)
            labels.emplace_back(name_of(form));
        space.categorical(read_name(subject, reads, a), labels, labels.front());
    }
    space.ordinal(p + "UNROLL", {1, 2, 4, 8}, 2);
    if (subject.processor.cores > 1) space.categorical(p + "THREADS", {"outer", "one"}, "outer");

    // Features: accumulators, multiply-adds per load, working sets of the three caches.
    auto const bytes = static_cast<std::int64_t>(element_bytes(of.accumulator));
    std::uint32_t const d = space.value(p + "DEPTH");
    auto const product = [&space](std::uint32_t x, std::uint32_t y) {
        return space.node(op::multiply, x, y);
    };
    std::int64_t inner = bytes;
    for (std::uint32_t const axis : axes.inner)
        inner *= known_extent(nest, axis).value_or(1);
    std::uint32_t const column_panel = product(product(columns, d), space.number(inner));
    std::uint32_t const row_panel = product(product(r, d), space.number(inner));
    space.feature(accumulators);
    space.feature(
        space.node(op::divide, product(accumulators, space.real(1)), space.node(op::add, r, v)));
    space.feature(space.node(op::add, column_panel, row_panel));
    space.feature(product(row_panel, space.value(p + "ROW_TILES")));
    space.feature(product(column_panel, space.value(p + "COLUMN_TILES")));
    space.feature(product(accumulators, space.value(p + "UNROLL"))); // size of the inner code
}

} // namespace attune::inline ATTUNE_ABI::detail

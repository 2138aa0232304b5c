// attune/space/schedule/detail/product_rule.hpp - register tiles, packing and cache tiles of a reduction.
// SPDX-License-Identifier: MIT
// Source   Goto & van de Geijn 2008 (loops around a micro-kernel, packed panels), for any affine
//          reduction: matrix products, convolutions (strided, padded, depthwise), and a statement
//          that reads their result element by element
#pragma once

#include <attune/core/element.hpp>
#include <attune/core/version.hpp>
#include <attune/space/schedule/loop_tree.hpp>
#include <attune/space/schedule/rule.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

inline bool has_axis(affine_index const& index, std::uint32_t axis)
{
    for (affine_term const& term : index.terms)
        if (term.axis == axis) return true;
    return false;
}
inline bool has_axis(nest_access const& access, std::uint32_t axis)
{
    for (affine_index const& index : access.at)
        if (has_axis(index, axis)) return true;
    return false;
}
/// Whether neighbours along `axis` are neighbours in memory.
inline bool is_contiguous(nest_access const& access, std::uint32_t axis)
{
    for (std::size_t d = 0; d < access.at.size(); ++d)
        for (affine_term const& term : access.at[d].terms)
            if (term.axis == axis && (d + 1 != access.at.size() || term.factor != 1)) return false;
    return has_axis(access, axis);
}

/// How an access may be read.
enum class read_form : std::uint8_t {
    direct,
    panels,     ///< copied inside the cache tile's loops, as wide as the register tile
    all_panels, ///< the same, copied at the beginning
    padded,     ///< the array itself, copied at the beginning, with its zeros
};

/// The axes of a reduction by what they do in a register tile.
struct product_axes {
    std::uint32_t product = no_index;  ///< statement
    std::uint32_t host = no_index;     ///< statement whose loops are tiled: the last one
    std::uint32_t columns = no_index;  ///< along vectors
    std::uint32_t rows = no_index;     ///< no_index: none
    std::uint32_t depth = no_index;    ///< the longest reduction axis
    std::vector<std::uint32_t> others; ///< further spatial axes
    std::vector<std::uint32_t> inner;  ///< further reduction axes
    std::int64_t lanes = 0;
};

inline std::optional<std::int64_t> known_extent(nest_description const& nest, std::uint32_t axis)
{
    nest_extent const& extent = nest.axes[axis].extent;
    if (extent.input != no_index) return {};
    return extent.constant;
}

/// Nothing where the statements are not of this kind.
inline std::optional<product_axes> find_product_axes(rule_subject const& subject)
{
    nest_description const& nest = *subject.nest;
    product_axes out;
    if (subject.statements.empty() || subject.statements.size() > 2) return {};
    out.product = subject.statements.front();
    out.host = subject.statements.back();
    nest_statement const& of = nest.statements[out.product];
    bool const combines = of.combine == reduction::sum || of.combine == reduction::product ||
                          of.combine == reduction::maximum || of.combine == reduction::minimum;
    if (!combines || of.spatial_count == 0 || of.axes.size() == of.spatial_count) return {};
    out.columns = of.axes[of.spatial_count - 1];
    out.lanes = std::max<std::int64_t>(subject.processor.vector_bytes /
                                           static_cast<std::int64_t>(element_bytes(of.accumulator)),
                                       2);
    auto const width = known_extent(nest, out.columns);
    if (width && *width < 2) return {};
    while (width && out.lanes > 2 && out.lanes / 2 >= *width)
        out.lanes /= 2;
    std::vector<std::uint32_t> const reads = accesses_of(nest, of);
    bool has_lanes = false;
    bool reuses = false;
    for (std::uint32_t const a : reads) {
        nest_access const& access = nest.accesses[a];
        has_lanes = has_lanes || is_contiguous(access, out.columns);
        for (std::uint32_t s = 0; s < of.spatial_count; ++s)
            reuses = reuses || !has_axis(access, of.axes[s]);
    }
    if (!has_lanes && !(reuses && reads.size() > 1)) return {};
    if (out.host != out.product) { // one element of the host for each of the product, same axes
        nest_statement const& host = nest.statements[out.host];
        if (host.combine != reduction::none || host.spatial_count != of.spatial_count) return {};
        for (std::uint32_t const a : accesses_of(nest, host)) {
            nest_access const& access = nest.accesses[a];
            if (access.array != of.target.array) continue;
            if (access.is_padded || access.at != host.target.at) return {};
        }
        if (of.continues) return {};
        for (std::uint32_t s = 0; s < of.spatial_count; ++s)
            if (nest.axes[host.axes[s]].extent != nest.axes[of.axes[s]].extent) return {};
    }
    // Rows: of the spatial axes that let a vector of columns be used again, the last one.
    for (std::uint32_t s = of.spatial_count - 1; s-- > 0 && out.rows == no_index;) {
        auto const extent = known_extent(nest, of.axes[s]);
        if (extent && *extent < 2) continue;
        for (std::uint32_t const a : reads)
            if (has_axis(nest.accesses[a], out.columns) && !has_axis(nest.accesses[a], of.axes[s]))
                out.rows = of.axes[s];
    }
    for (std::uint32_t s = 0; s + 1 < of.spatial_count; ++s)
        if (of.axes[s] != out.rows) out.others.push_back(of.axes[s]);
    std::int64_t longest = -1;
    for (std::size_t i = of.spatial_count; i < of.axes.size(); ++i) {
        std::int64_t const extent = known_extent(nest, of.axes[i]).value_or(1 << 30);
        if (extent >= longest) {
            longest = extent;
            out.depth = of.axes[i];
        }
    }
    for (std::size_t i = of.spatial_count; i < of.axes.size(); ++i)
        if (of.axes[i] != out.depth) out.inner.push_back(of.axes[i]);
    return out;
}

/// The forms that make sense for an access, the preferred one first.
inline std::vector<read_form> forms_of(product_axes const& axes, nest_access const& access)
{
    for (affine_index const& index : access.at)
        for (affine_term const& term : index.terms)
            if (term.factor < 0) return {read_form::direct};
    bool const in_columns = has_axis(access, axes.columns);
    bool const in_rows = axes.rows != no_index && has_axis(access, axes.rows);
    bool const is_contiguous_there = is_contiguous(access, axes.columns);
    if (in_columns && in_rows) { // depthwise: used once, but for the windows that overlap
        if (access.is_padded) return {read_form::padded, read_form::direct};
        return is_contiguous_there ? std::vector<read_form>{read_form::direct}
                                   : std::vector<read_form>{read_form::panels};
    }
    if (in_columns && !is_contiguous_there) return {read_form::panels, read_form::all_panels};
    if (in_columns) return {read_form::direct, read_form::panels, read_form::all_panels};
    if (access.is_padded) return {read_form::padded, read_form::panels};
    if (in_rows) return {read_form::direct, read_form::panels};
    return {read_form::direct};
}

inline std::string_view name_of(read_form form)
{
    switch (form) {
    case read_form::direct:
        return "direct";
    case read_form::panels:
        return "panels";
    case read_form::all_panels:
        return "all_panels";
    case read_form::padded:
        break;
    }
    return "padded";
}

inline std::vector<std::int64_t> up_to(std::vector<std::int64_t> const& values,
                                       std::optional<std::int64_t> most)
{
    std::vector<std::int64_t> out;
    for (std::int64_t const v : values)
        if (!most || v <= *most) out.push_back(v);
    if (out.empty()) out.push_back(values.front());
    return out;
}

/// The parameter of an access: READ_B, or READ_B_1 for the second one of the array.
inline std::string read_name(rule_subject const& subject,
                             std::vector<std::uint32_t> const& reads,
                             std::uint32_t access)
{
    nest_description const& nest = *subject.nest;
    int same = 0;
    for (std::uint32_t const a : reads) {
        if (a == access) break;
        same += nest.accesses[a].array == nest.accesses[access].array ? 1 : 0;
    }
    std::string const name =
        subject.prefix + "READ_" + nest.arrays[nest.accesses[access].array].name;
    return same == 0 ? name : name + '_' + std::to_string(same);
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

/// Copies one access in the chosen form.
inline void apply_form(product_axes const& axes,
                       nest_access const& access,
                       std::uint32_t access_index,
                       read_form form,
                       std::int64_t tile_rows,
                       std::int64_t tile_columns,
                       std::vector<std::uint32_t> const& tile_loops,
                       traced_program& p)
{
    if (form == read_form::direct) return;
    auto const block = static_cast<std::int64_t>(axes.product);
    if (form == read_form::padded) {
        p.apply(schedule_action::cache_read, {block, access_index, -1, 0});
        return;
    }
    // Coordinates are the axes in the order of the access.
    std::vector<std::uint32_t> coordinates;
    for (affine_index const& index : access.at)
        for (affine_term const& term : index.terms)
            if (std::find(coordinates.begin(), coordinates.end(), term.axis) == coordinates.end())
                coordinates.push_back(term.axis);
    bool const in_columns = has_axis(access, axes.columns);
    std::uint32_t const along = in_columns ? axes.columns : axes.rows;
    std::int64_t const width = in_columns ? tile_columns : tile_rows;
    std::vector<std::int64_t> outer;
    std::vector<std::int64_t> middle;
    std::vector<std::int64_t> last;
    for (std::size_t c = 0; c < coordinates.size(); ++c) {
        auto const at = static_cast<std::int64_t>(c);
        std::uint32_t const axis = coordinates[c];
        bool const is_other =
            std::find(axes.others.begin(), axes.others.end(), axis) != axes.others.end();
        if (axis == along) {
            if (width > 1) outer.insert(outer.end(), {at, width});
            last.insert(last.end(), {at, 1});
        } else if (is_other || axis == axes.rows) {
            outer.insert(outer.begin(), {at, 1});
        } else {
            middle.insert(middle.end(), {at, 1});
        }
    }
    // The innermost of the cache tiles' loops that it depends on.
    std::int64_t at = -1;
    if (form == read_form::panels)
        for (std::uint32_t const loop : tile_loops)
            for (loop_range const& range : p.program.loops[loop].over)
                if (has_axis(access, range.axis)) at = loop;
    std::vector<std::int64_t> numbers{block, access_index, at, 1};
    for (std::vector<std::int64_t> const& part : {outer, middle, last})
        numbers.insert(numbers.end(), part.begin(), part.end());
    p.apply(schedule_action::cache_read, std::move(numbers));
}

/// The loop over an axis that is around a block inside of `tile`.
inline std::uint32_t loop_over_range(loop_program const& program,
                                     std::uint32_t block,
                                     std::uint32_t tile,
                                     std::uint32_t axis)
{
    std::vector<std::uint32_t> const path = loops_around(program, {item_kind::block, block});
    bool is_inside = false;
    for (std::uint32_t const loop : path) {
        if (is_inside && program.loops[loop].over.front().axis == axis) return loop;
        is_inside = is_inside || loop == tile;
    }
    return no_index;
}

inline void
schedule_product(rule_subject const& subject, schedule_choices const& chosen, traced_program& p)
{
    using enum schedule_action;
    product_axes const axes = *find_product_axes(subject);
    std::string const& prefix = subject.prefix;
    std::int64_t const rows = chosen.number(prefix + "ROWS");
    std::int64_t const columns = chosen.number(prefix + "VECTORS") * axes.lanes;
    std::int64_t const depth = chosen.number(prefix + "DEPTH");
    std::int64_t const row_tile = rows * chosen.number(prefix + "ROW_TILES");
    std::int64_t const column_tile = columns * chosen.number(prefix + "COLUMN_TILES");
    std::uint32_t const block = axes.product;
    bool const is_alone = axes.host == axes.product;
    // Axes of the host: the same places in its target.
    nest_description const& nest = *subject.nest;
    nest_statement const& of = nest.statements[axes.product];
    nest_statement const& host = nest.statements[axes.host];
    auto const host_axis = [&](std::uint32_t axis) {
        for (std::uint32_t s = 0; s < of.spatial_count; ++s)
            if (of.axes[s] == axis) return host.axes[s];
        return axis;
    };
    auto const loop_over = [&p](std::uint32_t of_block, std::uint32_t axis) {
        for (std::uint32_t const loop : loops_around(p.program, {item_kind::block, of_block}))
            if (p.program.loops[loop].over.front().axis == axis) return loop;
        return no_index;
    };
    auto const split_by = [&p](std::uint32_t loop, std::int64_t factor) {
        return p.apply(split, {loop, factor});
    };
    std::vector<std::int64_t> outer;
    std::vector<std::int64_t> others;
    for (std::uint32_t const axis : axes.others)
        others.push_back(loop_over(axes.host, host_axis(axis)));
    std::uint32_t r0 = no_index, r1 = no_index, r2 = no_index;
    if (axes.rows != no_index) {
        r0 = loop_over(axes.host, host_axis(axes.rows));
        r1 = split_by(r0, row_tile);
        r2 = split_by(r1, rows);
    }
    std::uint32_t const c0 = loop_over(axes.host, host_axis(axes.columns));
    std::uint32_t const c1 = split_by(c0, column_tile);
    std::uint32_t const c2 = split_by(c1, columns);
    std::uint32_t const c3 = split_by(c2, axes.lanes);
    std::uint32_t d0 = no_index;
    std::uint32_t d1 = no_index;
    if (is_alone) {
        d1 = loop_over(block, axes.depth);
        auto const extent = known_extent(nest, axes.depth);
        if (!extent || depth < *extent) {
            d0 = d1;
            d1 = split_by(d0, depth);
        }
    }
    std::vector<std::uint32_t> tile_loops;
    for (char const which : chosen.text(prefix + "ORDER")) {
        std::uint32_t const loop = which == 'r' ? r0 : which == 'c' ? c0 : d0;
        if (loop != no_index) tile_loops.push_back(loop);
    }
    bool const is_outside = others.empty() || chosen.text(prefix + "OTHERS") == "outside";
    std::vector<std::int64_t> order;
    if (is_outside) order = others;
    order.insert(order.end(), tile_loops.begin(), tile_loops.end());
    if (!is_outside) order.insert(order.end(), others.begin(), others.end());
    std::uint32_t tile = c1;
    if (r1 == no_index) {
        order.push_back(c1);
    } else if (chosen.text(prefix + "INNER") == "rows") {
        order.insert(order.end(), {c1, r1});
        tile = r1;
    } else {
        order.insert(order.end(), {r1, c1});
    }
    if (is_alone) {
        for (std::uint32_t const axis : axes.inner)
            order.push_back(loop_over(block, axis));
        order.push_back(d1);
    }
    if (r2 != no_index) order.push_back(r2);
    order.insert(order.end(), {c2, c3});
    p.apply(reorder, order);
    // The product's own loops inside the tile.
    std::uint32_t own_r = r2, own_c = c2, own_lanes = c3;
    if (!is_alone) {
        p.apply(compute_at, {block, tile});
        std::vector<std::int64_t> own;
        for (std::uint32_t const axis : axes.others)
            own.push_back(loop_over_range(p.program, block, tile, host_axis(axis)));
        for (std::uint32_t const axis : axes.inner)
            own.push_back(loop_over_range(p.program, block, tile, axis));
        d1 = loop_over_range(p.program, block, tile, axes.depth);
        own.push_back(d1);
        if (axes.rows != no_index) {
            own_r = loop_over_range(p.program, block, tile, host_axis(axes.rows));
            own.push_back(own_r);
        }
        own_c = loop_over_range(p.program, block, tile, host_axis(axes.columns));
        own_lanes = split_by(own_c, axes.lanes);
        own.insert(own.end(), {own_c, own_lanes});
        p.apply(reorder, own);
    }
    p.apply(cache_write, {block, tile, 1});
    std::vector<std::uint32_t> copy_loops;
    if (is_outside)
        for (std::int64_t const loop : others)
            copy_loops.push_back(static_cast<std::uint32_t>(loop));
    copy_loops.insert(copy_loops.end(), tile_loops.begin(), tile_loops.end());
    if (!is_outside)
        for (std::int64_t const loop : others)
            copy_loops.push_back(static_cast<std::uint32_t>(loop));
    // compute_at() may have given the product's accesses the host's axes.
    std::vector<std::uint32_t> const reads = accesses_of(nest, of);
    std::vector<std::uint32_t> const now =
        accesses_of(p.program.nest, p.program.nest.statements[p.program.blocks[block].statement]);
    product_axes renamed = axes;
    renamed.columns = host_axis(axes.columns);
    if (axes.rows != no_index) renamed.rows = host_axis(axes.rows);
    for (std::uint32_t& axis : renamed.others)
        axis = host_axis(axis);
    for (std::size_t i = 0; i < reads.size(); ++i) {
        std::vector<read_form> const forms = forms_of(axes, nest.accesses[reads[i]]);
        read_form form = forms.front();
        if (forms.size() > 1)
            for (read_form const other : forms)
                if (chosen.text(read_name(subject, reads, reads[i])) == name_of(other))
                    form = other;
        nest_access const access = p.program.nest.accesses[now[i]];
        apply_form(renamed, access, now[i], form, rows, columns, copy_loops, p);
    }
    for (std::uint32_t const loop : {r2, c2})
        if (loop != no_index) p.apply(unroll, {loop, 0});
    p.apply(vectorize, {c3});
    if (!is_alone) {
        if (own_r != no_index) p.apply(unroll, {own_r, 0});
        p.apply(unroll, {own_c, 0});
        p.apply(vectorize, {own_lanes});
    }
    std::int64_t const copies = chosen.number(prefix + "UNROLL");
    if (copies > 1) p.apply(unroll, {d1, copies});
    if (subject.processor.cores > 1 && chosen.text(prefix + "THREADS") == "outer")
        for (std::int64_t const loop : order) {
            auto const at = static_cast<std::uint32_t>(loop);
            if (at == d0 || iterations_of(p.program, at) == 1) continue;
            p.apply(parallelize, {at});
            break;
        }
}

[[nodiscard]] inline schedule_rule product_rule()
{
    return {"product",
            [](rule_subject const& subject) { return find_product_axes(subject).has_value(); },
            declare_product,
            schedule_product};
}

} // namespace attune::inline ATTUNE_ABI::detail

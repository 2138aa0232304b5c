// attune/space/schedule/detail/product_schedule.hpp - the steps of one configuration of a product.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/space/schedule/detail/product_axes.hpp>
#include <attune/space/schedule/detail/product_parameters.hpp>
#include <attune/space/schedule/detail/read_form.hpp>
#include <attune/space/schedule/loop_tree.hpp>
#include <attune/space/schedule/rule.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The loop over an axis that is around a block inside of `tile`.
inline std::uint32_t loop_over_range(loop_program const& program, std::uint32_t block,
                                     std::uint32_t tile, std::uint32_t axis)
{
    std::vector<std::uint32_t> const path = loops_around(program, {item_kind::block, block});
    bool is_inside = false;
    for (std::uint32_t const loop : path) {
        if (is_inside && program.loops[loop].over.front().axis == axis) return loop;
        is_inside = is_inside || loop == tile;
    }
    return no_index;
}

inline void schedule_product(rule_subject const& subject, schedule_choices const& chosen,
                             traced_program& p)
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
        if (may_split_depth(nest, axes) && (!extent || depth < *extent)) {
            d0 = d1;
            d1 = split_by(d0, depth);
        }
    }
    std::vector<std::uint32_t> tile_loops;
    std::string const depth_place =
        d0 == no_index ? std::string(depth_places[0]) : chosen.text(prefix + "DEPTH_LOOP");
    for (char const which : tile_loop_order(chosen.text(prefix + "ORDER"), depth_place)) {
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
        std::vector<read_form> const forms = forms_of(axes, nest, nest.accesses[reads[i]]);
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
            std::uint32_t const axis = p.program.loops[at].over.front().axis;
            bool const is_in_tile = p.program.loops[at].kind != loop_kind::serial;
            if (is_in_tile || (at != d0 && is_reduced(of, axis))) break; // no threads in a tile
            if (at == d0 || iterations_of(p.program, at) == 1) continue;
            p.apply(parallelize, {at});
            break;
        }
}

} // namespace attune::inline ATTUNE_ABI::detail

// attune/space/schedule/detail/product_rule.hpp - register tiles, packing and cache tiles of a reduction: their parameters, and the steps of each configuration.
// SPDX-License-Identifier: MIT
// Source   Goto & van de Geijn 2008 (loops around a micro-kernel, packed panels), for any affine
//          reduction: matrix products, convolutions (strided, padded, depthwise), and a statement
//          that reads their result element by element
#pragma once

#include <attune/core/version.hpp>
#include <attune/space/schedule/derived_space.hpp>
#include <attune/space/schedule/detail/product_axes.hpp>
#include <attune/space/schedule/detail/product_parameters.hpp>
#include <attune/space/schedule/loop_tree.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
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
    // An axis of the host is the axis at the same place in its target.
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
    std::string const* const place = chosen.find(prefix + "OTHERS"); // null: each slice is one step
    bool const is_outside = place == nullptr || *place == "outside";
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
    // The loops of the product inside the tile.
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
    // compute_at() may have replaced axes in the accesses of the product by those of the host.
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
        if (std::string const* const text = chosen.find(read_name(subject, reads, reads[i])))
            for (read_form const other : forms)
                if (*text == name_of(other)) form = other;
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

/// Declares the parameters with the model's choice as default, the constraints and the features.
inline void declare_product(rule_subject const& subject, space_builder& space)
{
    auto const known = std::make_shared<product_parameters const>(subject);
    product_axes const& axes = known->axes();
    std::string const& p = subject.prefix;
    std::vector<std::uint32_t> const preferred = known->preferred();
    for (std::size_t i = 0; i < known->all().size(); ++i) {
        product_parameter const& of = known->all()[i];
        if (of.labels.empty())
            space.ordinal(of.name, of.numbers, of.numbers[preferred[i]]);
        else
            space.categorical(of.name, of.labels, of.labels[preferred[i]]);
    }
    // The values of these parameters are loops in which copies are computed.
    for (product_parameter const& of : known->all())
        if (of.decides == product_decision::depth_place || of.decides == product_decision::others)
            space.location(of.name);
    // Parameters without effect on the loops are inactive.
    auto const above = [&space](std::string const& name, std::int64_t value) {
        return space.node(op::greater, space.value(name), space.number(value));
    };
    for (product_parameter const& of : known->all()) {
        if (of.decides == product_decision::depth_place && known->depth())
            space.active_if(of.name, space.node(op::less, space.value(p + "DEPTH"),
                                                space.number(*known->depth())));
        if (of.decides == product_decision::inner)
            space.active_if(of.name, space.node(op::logical_and, above(p + "ROW_TILES", 1),
                                                above(p + "COLUMN_TILES", 1)));
    }
    std::uint32_t const r = space.value(p + "ROWS");
    std::uint32_t const v = space.value(p + "VECTORS");
    auto const product = [&space](std::uint32_t x, std::uint32_t y) {
        return space.node(op::multiply, x, y);
    };
    auto const number = [&space](std::int64_t value) { return space.number(value); };
    std::uint32_t const accumulators = product(r, v);
    space.where(space.node(op::less_equal, space.node(op::add, accumulators, v),
                           number(known->most_registers())));
    if (known->least_accumulators() > 1)
        space.where(
            space.node(op::greater_equal, accumulators, number(known->least_accumulators())));
    // At most one size covers the whole axis: half of a tile must not cover it.
    auto const covers_once = [&](std::string const& name, std::uint32_t unit,
                                 std::optional<std::int64_t> extent) {
        if (!extent) return;
        std::uint32_t const count = space.value(name);
        space.where(space.node(op::logical_or, space.node(op::less_equal, count, number(1)),
                               space.node(op::less, product(unit, count), number(2 * *extent))));
    };
    std::uint32_t const columns = product(v, number(axes.lanes));
    covers_once(p + "ROW_TILES", r, known->height());
    covers_once(p + "COLUMN_TILES", columns, known->width());
    // Rows are packed if the first cache does not keep them from one step of the depth to the next.
    for (product_parameter const& of : known->all()) {
        if (of.decides != product_decision::read) continue;
        std::int64_t const most = known->model().most_direct_rows(of.read);
        bool const may_be_direct =
            std::find(of.forms.begin(), of.forms.end(), read_form::direct) != of.forms.end();
        if (!may_be_direct || known->all().front().numbers.back() <= most) continue;
        space.where(space.node(op::logical_or, space.node(op::less_equal, r, number(most)),
                               space.node(op::not_equal, space.value(of.name),
                                          space.word(std::string(name_of(read_form::direct))))));
    }
    std::vector<std::uint32_t> places;
    for (product_parameter const& of : known->all())
        places.push_back(space.parameter(of.name));
    space.expect([known, places](std::span<coordinate const> at) {
        constexpr double cycles_per_second = 3.5e9;
        std::vector<std::uint32_t> chosen;
        for (std::uint32_t const place : places)
            chosen.push_back(at[place].index);
        return known->model().cycles(known->choice(chosen)) / cycles_per_second;
    });
    if (subject.processor.cores > 1) space.categorical(p + "THREADS", {"outer", "one"}, "outer");

    // Features: accumulators, multiply-adds per load, working sets of the three caches.
    std::uint32_t const d = space.value(p + "DEPTH");
    std::uint32_t const column_panel = product(product(columns, d), number(known->step_bytes()));
    std::uint32_t const row_panel = product(product(r, d), number(known->step_bytes()));
    space.feature(accumulators);
    space.feature(
        space.node(op::divide, product(accumulators, space.real(1)), space.node(op::add, r, v)));
    space.feature(space.node(op::add, column_panel, row_panel));
    std::uint32_t const row_tile = product(row_panel, space.value(p + "ROW_TILES"));
    std::uint32_t const column_tile = product(column_panel, space.value(p + "COLUMN_TILES"));
    space.feature(row_tile);
    space.feature(column_tile);
    // See product_parameters::keeps_tiles().
    auto const either = [&](std::uint32_t x, std::uint32_t y) {
        return space.node(op::logical_or, x, y);
    };
    auto const fits = [&](std::uint32_t bytes, std::int64_t most) {
        return space.node(op::less_equal, bytes, number(most));
    };
    std::int64_t const l2 = known->most_tile_bytes(subject.processor.l2_bytes);
    std::int64_t const l3 = known->most_tile_bytes(subject.processor.l3_bytes);
    std::uint32_t const rows_once = fits(space.value(p + "ROW_TILES"), 1);
    std::uint32_t const columns_once = fits(space.value(p + "COLUMN_TILES"), 1);
    space.where(either(rows_once, fits(row_tile, l3)));
    space.where(either(columns_once, fits(column_tile, l3)));
    space.where(
        either(either(rows_once, columns_once), either(fits(row_tile, l2), fits(column_tile, l2))));
    space.feature(product(accumulators, space.value(p + "UNROLL"))); // size of the inner code
}

inline constexpr std::string_view product_rule_name = "product";

[[nodiscard]] inline schedule_rule product_rule()
{
    return {std::string(product_rule_name),
            [](rule_subject const& subject) { return find_product_axes(subject).has_value(); },
            declare_product, schedule_product};
}

} // namespace attune::inline ATTUNE_ABI::detail

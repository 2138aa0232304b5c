// attune/space/schedule/detail/product_space.hpp - the parameters of a product: tiles, order, copies of operands.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/element.hpp>
#include <attune/core/version.hpp>
#include <attune/space/schedule/detail/product_axes.hpp>
#include <attune/space/schedule/detail/product_parameters.hpp>
#include <attune/space/schedule/detail/read_form.hpp>
#include <attune/space/schedule/rule.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

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
    // Where the sums' loop and the loops of other axes are, their copies are computed.
    for (product_parameter const& of : known->all())
        if (of.decides == product_decision::depth_place || of.decides == product_decision::others)
            space.location(of.name);
    // What makes no difference to the loops does not count.
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
    // At most one size that covers the whole axis: a tile of half the size does not.
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
    // Rows that the first cache does not keep from one step of the depth to the next are packed.
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

} // namespace attune::inline ATTUNE_ABI::detail

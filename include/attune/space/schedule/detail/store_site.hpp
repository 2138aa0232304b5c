// attune/space/schedule/detail/store_site.hpp - each place where a program stores, with its loops and accesses.
// SPDX-License-Identifier: MIT
// tested by space/schedule/program_features.cpp
#pragma once

#include <attune/core/element.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/nest/loop_program.hpp>
#include <attune/space/schedule/loop_tree.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// factor * variable; a variable counts from 0.
struct site_term {
    std::int64_t factor = 1;
    std::uint32_t variable = 0;
};

/// One dimension of an array, or one digit of a buffer.
struct site_dimension {
    std::vector<site_term> terms;
    std::int64_t step = 1;   ///< the sum of the terms over it, rounded down
    std::int64_t size = 1;   ///< number of values
    std::int64_t stride = 1; ///< elements from one value to the next
};

struct site_access {
    std::uint32_t storage = 0; ///< an array, or the number of arrays plus a buffer
    std::int64_t element_bytes = 1;
    bool reads = false;
    bool writes = false;
    std::vector<site_dimension> dimensions; ///< outermost first
};

struct site_loop {
    std::uint32_t loop = no_index; ///< of the program; no_index: a loop of a copy, or of slices
    loop_kind kind{};
    std::uint32_t unroll = 0;
    bool is_reduced = false;
    std::int64_t trips = 1; ///< the most iterations of one entry
    std::vector<std::uint32_t> variables;
};

/// A block, or a copy with its own loops.
struct store_site {
    program_item item{};
    std::vector<site_loop> loops;
    /// counts[l][v]: number of values of variable v inside the first l loops; 1 if these are all
    /// loops.
    std::vector<std::vector<std::int64_t>> counts;
    double trips = 1;                  ///< exact number of stores, with tails
    double full_trips = 1;             ///< number of stores if no loop had a tail
    std::vector<site_access> accesses; ///< first the written access
};

[[nodiscard]] constexpr std::int64_t ceil_quotient(std::int64_t a, std::int64_t b) noexcept
{
    return (a + b - 1) / b;
}

/// Total iterations of the innermost of several loops over one axis.
/// @param steps  of the loops, outermost first
[[nodiscard]] inline double trips_of_steps(std::int64_t extent, std::span<std::int64_t const> steps)
{
    if (steps.empty()) return 1;
    std::int64_t const whole = extent / steps.front();
    std::int64_t const rest = extent % steps.front();
    double out = 0;
    if (whole > 0)
        out += static_cast<double>(whole) * trips_of_steps(steps.front(), steps.subspan(1));
    if (rest > 0) out += trips_of_steps(rest, steps.subspan(1));
    return out;
}

/// Walks a program once and lists its stores.
class store_sites {
public:
    /// @param extents  steps of each axis
    /// @param sizes    elements along each dimension of each array
    /// @param sliced   for each slice, steps of its axis in a call
    store_sites(loop_program const& program, std::vector<std::int64_t> extents,
                std::vector<std::vector<std::int64_t>> sizes,
                std::vector<std::int64_t> const& sliced = {})
        : program_(program)
        , extents_(std::move(extents))
        , in_call_(extents_)
        , sizes_(std::move(sizes))
        , inside_(program.buffers.size())
    {
        for (std::size_t s = 0; s < sliced.size(); ++s)
            in_call_[program.slices[s].axis] = sliced[s];
        enter(program.body, no_index, extents_);
        visit(program.body);
    }

    std::vector<store_site> sites;

    /// Values of a coordinate of a buffer.
    [[nodiscard]] std::int64_t values_of(std::uint32_t b, std::size_t coordinate) const
    {
        std::int64_t out = 1;
        for (affine_term const& term : program_.buffers[b].coordinates[coordinate].terms)
            out += std::abs(term.factor) * (inside_[b][term.axis] - 1);
        return std::max<std::int64_t>(out, 1);
    }
    /// Number of elements of a buffer, with those that its layout adds.
    [[nodiscard]] std::int64_t elements_of(std::uint32_t b) const
    {
        std::int64_t out = 1;
        for (std::size_t i = 0; i < program_.buffers[b].layout.size(); ++i)
            out *= digit_values(b, i);
        return out;
    }

private:
    /// Stores the remaining steps of each axis inside the loop of each buffer.
    void enter(std::vector<program_item> const& items, std::uint32_t loop,
               std::vector<std::int64_t> const& left)
    {
        for (std::size_t b = 0; b < program_.buffers.size(); ++b)
            if (program_.buffers[b].loop == loop) inside_[b] = left;
        for (program_item const item : items) {
            if (item.kind != item_kind::loop) continue;
            std::vector<std::int64_t> deeper = left;
            for (loop_range const& range : program_.loops[item.index].over)
                deeper[range.axis] = std::min(deeper[range.axis], range.step);
            enter(program_.loops[item.index].body, item.index, deeper);
        }
    }

    void visit(std::vector<program_item> const& items)
    {
        for (program_item const item : items) {
            if (item.kind == item_kind::loop) {
                path_.push_back(item.index);
                visit(program_.loops[item.index].body);
                path_.pop_back();
            } else if (item.kind == item_kind::block ||
                       !keeps_form(program_, program_.copies[item.index].buffer)) {
                add(item); // no call fills a kept form
            }
        }
    }

    [[nodiscard]] std::uint32_t block_of(program_item item) const
    {
        return item.kind == item_kind::block ? item.index : program_.copies[item.index].block;
    }

    void add(program_item item)
    {
        std::uint32_t const block = block_of(item);
        nest_statement const* const statement =
            block == no_index ? nullptr
                              : &program_.nest.statements[program_.blocks[block].statement];
        store_site site;
        site.item = item;
        std::vector<std::vector<std::int64_t>> steps(extents_.size());
        std::vector<std::vector<std::int64_t>> left{in_call_};
        for (program_slice const& slice : program_.slices) {
            std::vector<std::int64_t> deeper = left.back();
            std::int64_t& inner = deeper[slice.axis];
            site.loops.push_back({no_index,
                                  slice.is_parallel ? loop_kind::parallel : loop_kind::serial,
                                  0,
                                  false,
                                  ceil_quotient(inner, slice.step),
                                  {slice.axis}});
            site.full_trips *= static_cast<double>(site.loops.back().trips);
            inner = std::min(inner, slice.step);
            steps[slice.axis].push_back(slice.step);
            left.push_back(std::move(deeper));
        }
        for (std::uint32_t const index : path_) {
            program_loop const& loop = program_.loops[index];
            site_loop made{index, loop.kind, loop.unroll, false, 1, {}};
            std::vector<std::int64_t> deeper = left.back();
            for (loop_range const& range : loop.over) {
                std::int64_t& inner = deeper[range.axis];
                made.trips *= ceil_quotient(std::max<std::int64_t>(inner, 1), range.step);
                inner = std::min(inner, range.step);
                made.variables.push_back(range.axis);
                steps[range.axis].push_back(range.step);
                made.is_reduced =
                    made.is_reduced || (statement != nullptr && is_reduced(*statement, range.axis));
            }
            left.push_back(std::move(deeper));
            site.full_trips *= static_cast<double>(made.trips);
            site.loops.push_back(std::move(made));
        }
        units_ = left.back();
        for (std::vector<std::int64_t> const& at : left) {
            std::vector<std::int64_t>& counts = site.counts.emplace_back();
            for (std::size_t axis = 0; axis < at.size(); ++axis)
                counts.push_back(ceil_quotient(at[axis], std::max<std::int64_t>(units_[axis], 1)));
        }
        for (std::size_t axis = 0; axis < steps.size(); ++axis)
            site.trips *= trips_of_steps(in_call_[axis], steps[axis]);
        if (item.kind == item_kind::block)
            add_block(site, *statement);
        else
            add_copy(site, program_.copies[item.index]);
        sites.push_back(std::move(site));
    }

    void add_block(store_site& site, nest_statement const& statement) const
    {
        program_block const& block = program_.blocks[site.item.index];
        bool const is_combined = statement.combine != reduction::none || statement.continues;
        site_access target = block.target == no_index
                                 ? of_array(statement.target.array, statement.target.at)
                                 : of_buffer(block.target);
        target.writes = true;
        target.reads = is_combined;
        site.accesses.push_back(std::move(target));
        for (std::uint32_t const access : accesses_of(program_.nest, statement)) {
            auto const use = std::find_if(block.reads.begin(), block.reads.end(),
                                          [&](auto const& u) { return u.access == access; });
            nest_access const& from = program_.nest.accesses[access];
            site_access made =
                use == block.reads.end() ? of_array(from.array, from.at) : of_buffer(use->buffer);
            made.reads = true;
            site.accesses.push_back(std::move(made));
        }
    }

    /// Adds loops along the digits of the buffer.
    void add_copy(store_site& site, program_copy const& copy) const
    {
        program_buffer const& buffer = program_.buffers[copy.buffer];
        auto const first = static_cast<std::uint32_t>(extents_.size()); // variable of coordinate 0
        std::vector<std::int64_t> now;
        for (std::size_t c = 0; c < buffer.coordinates.size(); ++c) {
            now.push_back(values_of(copy.buffer, c));
            site.trips *= static_cast<double>(now.back());
        }
        for (std::vector<std::int64_t>& counts : site.counts)
            counts.insert(counts.end(), now.begin(), now.end());
        std::int64_t const lanes = copy.kind == copy_kind::load ? 0 : lanes_of(copy);
        auto const add_loop = [&](std::uint32_t coordinate, std::int64_t step, loop_kind kind) {
            std::int64_t& inner = now[coordinate];
            if (inner <= step) return;
            site_loop made{
                no_index, kind, 0, false, ceil_quotient(inner, step), {first + coordinate}};
            inner = step;
            site.full_trips *= static_cast<double>(made.trips);
            site.loops.push_back(std::move(made));
            std::vector<std::int64_t>& counts = site.counts.emplace_back(extents_.size(), 1);
            counts.insert(counts.end(), now.begin(), now.end());
        };
        loop_kind const plain = buffer.is_register ? loop_kind::unrolled : loop_kind::serial;
        for (std::size_t i = 0; i < buffer.layout.size(); ++i) {
            layout_digit const& digit = buffer.layout[i];
            bool const has_lanes = i + 1 == buffer.layout.size() && lanes > 1;
            if (has_lanes) add_loop(digit.coordinate, lanes, plain);
            add_loop(digit.coordinate, digit.step, has_lanes ? loop_kind::vectorized : plain);
        }
        site_access in_buffer = of_buffer(copy.buffer);
        for (std::size_t d = 0; d < in_buffer.dimensions.size(); ++d)
            in_buffer.dimensions[d].terms = {{1, first + buffer.layout[d].coordinate}};
        site_access in_array = of_array(buffer.array, {});
        for (std::size_t d = 0; d < buffer.source.size(); ++d)
            for (affine_term const& term : buffer.source[d].terms) {
                auto& terms = in_array.dimensions[d].terms;
                terms.push_back({term.factor, first + term.axis});
                for (affine_term const& base : buffer.coordinates[term.axis].terms)
                    terms.push_back({term.factor * base.factor * units_[base.axis], base.axis});
            }
        bool const is_store = copy.kind == copy_kind::store;
        in_buffer.reads = is_store;
        in_buffer.writes = !is_store;
        in_array.writes = is_store;
        in_array.reads = !is_store;
        site.accesses.push_back(is_store ? in_array : in_buffer);
        if (copy.kind == copy_kind::begin && !reads_array(site, copy)) return;
        site.accesses.push_back(is_store ? in_buffer : in_array);
    }

    /// Returns true if a reduction has begun before the buffer is filled.
    [[nodiscard]] bool reads_array(store_site const& site, program_copy const& copy) const
    {
        if (program_.nest.statements[program_.blocks[copy.block].statement].continues) return true;
        return std::any_of(site.loops.begin(), site.loops.end(),
                           [](site_loop const& loop) { return loop.is_reduced && loop.trips > 1; });
    }

    /// Lanes of the vector loop around the block; 0: there is none.
    [[nodiscard]] std::int64_t lanes_of(program_copy const& copy) const
    {
        auto const path = loops_around(program_, {item_kind::block, copy.block});
        if (path.empty() || program_.loops[path.back()].kind != loop_kind::vectorized) return 0;
        std::uint32_t const axis = program_.loops[path.back()].over.front().axis;
        std::int64_t out = extents_[axis];
        for (std::size_t i = 0; i + 1 < path.size(); ++i)
            for (loop_range const& range : program_.loops[path[i]].over)
                if (range.axis == axis) out = std::min(out, range.step);
        return out;
    }

    [[nodiscard]] site_access of_array(std::uint32_t array,
                                       std::vector<affine_index> const& at) const
    {
        std::vector<std::int64_t> const& sizes = sizes_[array];
        site_access out;
        out.storage = array;
        out.element_bytes =
            static_cast<std::int64_t>(element_bytes(program_.nest.arrays[array].element));
        out.dimensions.resize(sizes.size());
        std::int64_t stride = 1;
        for (std::size_t d = sizes.size(); d-- > 0;) {
            site_dimension& dimension = out.dimensions[d];
            dimension.size = std::max<std::int64_t>(sizes[d], 1);
            dimension.stride = stride;
            stride *= dimension.size;
            if (d < at.size())
                for (affine_term const& term : at[d].terms)
                    dimension.terms.push_back({term.factor * units_[term.axis], term.axis});
        }
        return out;
    }

    [[nodiscard]] std::int64_t digit_values(std::uint32_t b, std::size_t digit) const
    {
        program_buffer const& buffer = program_.buffers[b];
        layout_digit const& own = buffer.layout[digit];
        for (std::size_t i = digit; i-- > 0;)
            if (buffer.layout[i].coordinate == own.coordinate)
                return buffer.layout[i].step / own.step;
        return ceil_quotient(values_of(b, own.coordinate), own.step);
    }

    [[nodiscard]] site_access of_buffer(std::uint32_t b) const
    {
        program_buffer const& buffer = program_.buffers[b];
        site_access out;
        out.storage = static_cast<std::uint32_t>(program_.nest.arrays.size()) + b;
        out.element_bytes = static_cast<std::int64_t>(element_bytes(buffer.element));
        out.dimensions.resize(buffer.layout.size());
        std::int64_t stride = 1;
        for (std::size_t d = buffer.layout.size(); d-- > 0;) {
            site_dimension& dimension = out.dimensions[d];
            dimension.step = buffer.layout[d].step;
            dimension.size = digit_values(b, d);
            dimension.stride = stride;
            stride *= dimension.size;
            for (affine_term const& term : buffer.coordinates[buffer.layout[d].coordinate].terms)
                dimension.terms.push_back({term.factor * units_[term.axis], term.axis});
        }
        return out;
    }

    loop_program const& program_;
    std::vector<std::int64_t> extents_; // of a slice
    std::vector<std::int64_t> in_call_;
    std::vector<std::vector<std::int64_t>> sizes_;
    std::vector<std::vector<std::int64_t>> inside_; // by buffer: remaining steps of each axis
    std::vector<std::int64_t> units_;               // by axis: steps of one iteration at the site
    std::vector<std::uint32_t> path_;
};

} // namespace attune::inline ATTUNE_ABI::detail

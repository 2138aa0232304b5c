// attune/space/schedule/program_features.ipp - the groups of features, one function each.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/sort_stably.hpp>
#include <attune/declare/nest/nest_description.hpp>
#include <attune/space/schedule/detail/feature_row.hpp>
#include <attune/space/schedule/detail/store_site.hpp>
#include <attune/space/schedule/program_features.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// Data that all stores of a program touch inside each loop.
struct loop_touches {
    struct storage_touch {
        std::uint32_t loop;
        std::uint32_t storage;
        double least = 0; ///< elements of the access that touches the fewest
        int accesses = 0;
    };
    std::vector<storage_touch> all;
    std::vector<double> bytes; // by loop

    void add(std::uint32_t loop, std::uint32_t storage, double elements, double element_bytes)
    {
        bytes[loop] += elements * element_bytes;
        for (storage_touch& one : all)
            if (one.loop == loop && one.storage == storage) {
                one.least = std::min(one.least, elements);
                ++one.accesses;
                return;
            }
        all.push_back({loop, storage, elements, 1});
    }
    [[nodiscard]] storage_touch const* find(std::uint32_t loop, std::uint32_t storage) const
    {
        for (storage_touch const& one : all)
            if (one.loop == loop && one.storage == storage) return &one;
        return nullptr;
    }
};

/// The numbers of one access.
struct access_numbers {
    bool reads = false;
    bool writes = false;
    double bytes = 0;
    double unique_bytes = 0;
    double lines = 0;
    double unique_lines = 0;
    int reuse = 0; ///< 0: none, 1: by a loop without effect on the access, 2: by another access
    double distance = 0; ///< in iterations
    double distance_bytes = 0;
    double reuse_count = 0;
    double stride = 0;
};

/// A store, with the data that it touches by level.
struct measured_site {
    store_site const* site = nullptr;
    std::vector<std::vector<touched>> touches; // by access, by level
    std::vector<double> bytes;                 // by level: of all accesses
    std::vector<double> lines;

    measured_site(store_site const& of, loop_touches& by_loop)
        : site(&of)
        , bytes(of.counts.size(), 0.0)
        , lines(of.counts.size(), 0.0)
    {
        for (site_access const& access : of.accesses) {
            std::vector<touched>& levels = touches.emplace_back();
            auto const width = static_cast<double>(access.element_bytes);
            for (std::size_t l = 0; l < of.counts.size(); ++l) {
                levels.push_back(touched_by(of, access, l));
                bytes[l] += levels[l].elements * width;
                lines[l] += levels[l].lines;
                if (l < of.loops.size() && of.loops[l].loop != no_index)
                    by_loop.add(of.loops[l].loop, access.storage, levels[l].elements, width);
            }
        }
    }

    [[nodiscard]] access_numbers numbers(std::size_t a, loop_touches const& by_loop) const
    {
        site_access const& access = site->accesses[a];
        std::vector<site_loop> const& loops = site->loops;
        auto const width = static_cast<double>(access.element_bytes);
        access_numbers out{.reads = access.reads, .writes = access.writes};
        out.bytes = width * site->trips;
        out.unique_bytes = width * touches[a].front().elements;
        out.unique_lines = touches[a].front().lines;
        double still = 1; // iterations of the loops inside the innermost one that moves
        double least = 0; // stride of that one
        for (std::size_t l = loops.size(); l-- > 0;) {
            least = static_cast<double>(stride_of_loop(*site, access, l));
            if (least != 0) {
                out.stride = l + 1 == loops.size() ? least : 0;
                break;
            }
            still *= static_cast<double>(loops[l].trips);
        }
        out.lines =
            std::max(site->trips / still * std::min(1.0, least * width / line_bytes_of_cache), 1.0);
        double inner = 1;
        for (std::size_t l = loops.size(); l-- > 0;) {
            auto const trips = static_cast<double>(loops[l].trips);
            if (!moves_with(access, loops[l])) {
                out.reuse = 1;
                out.reuse_count = trips;
                out.distance = inner;
                out.distance_bytes = bytes[l + 1];
                break;
            }
            if (loops[l].loop != no_index)
                if (auto const* const shared = by_loop.find(loops[l].loop, access.storage);
                    shared != nullptr && shared->accesses > 1) {
                    out.reuse = 2;
                    out.reuse_count = shared->accesses - 1;
                    out.distance = shared->least;
                    out.distance_bytes = by_loop.bytes[loops[l].loop];
                    break;
                }
            inner *= trips;
        }
        return out;
    }

    /// Lines from beyond a cache of `capacity` bytes: those of the outermost loops whose data the
    /// cache holds, once per entry of these loops.
    [[nodiscard]] double lines_beyond(double capacity) const
    {
        double entered = 1;
        for (std::size_t l = 0; l < bytes.size(); ++l) {
            if (bytes[l] <= capacity || l + 1 == bytes.size()) return entered * lines[l];
            entered *= static_cast<double>(site->loops[l].trips);
        }
        return 0;
    }
};

/// Adds loops of one kind: vectors, unrolled or parallel.
inline void add_loops_of_kind(feature_row& row, store_site const& site, loop_kind kind)
{
    double number = 0;
    double product = 1;
    double length = 0;
    std::size_t place = 0; // index of `names` below
    for (std::size_t l = 0; l < site.loops.size(); ++l) {
        site_loop const& loop = site.loops[l];
        bool const is_partly =
            kind == loop_kind::unrolled && loop.kind == loop_kind::serial && loop.unroll > 1;
        if (loop.kind != kind && !is_partly) continue;
        auto const trips = static_cast<double>(
            is_partly ? std::min<std::int64_t>(loop.unroll, loop.trips) : loop.trips);
        ++number;
        product *= trips;
        length = trips;
        std::size_t const depth = l + 1 == site.loops.size() ? 0U : l == 0 ? 2U : 1U;
        std::size_t const here = 1 + depth + (loop.is_reduced ? 3U : 0U);
        place = place == 0 || place == here ? here : 7;
    }
    row.number("number", number);
    row.number("product", number > 0 ? product : 0);
    row.number("length", length);
    static constexpr std::array names{"nowhere",       "inner_spatial", "middle_spatial",
                                      "outer_spatial", "inner_reduced", "middle_reduced",
                                      "outer_reduced", "mixed"};
    for (std::size_t p = 0; p < names.size(); ++p)
        row.truth(names[p], p == place);
}

inline void add_access(feature_row& row, access_numbers const& of)
{
    row.truth("read", of.reads && !of.writes);
    row.truth("write", of.writes && !of.reads);
    row.truth("read_write", of.reads && of.writes);
    row.number("bytes", of.bytes);
    row.number("unique_bytes", of.unique_bytes);
    row.number("lines", of.lines);
    row.number("unique_lines", of.unique_lines);
    row.truth("reused_by_loop", of.reuse == 1);
    row.truth("reused_by_access", of.reuse == 2);
    row.truth("not_reused", of.reuse == 0);
    row.number("reuse_distance", of.distance);
    row.number("reuse_distance_bytes", of.distance_bytes);
    row.number("reuse_count", of.reuse_count);
    double const reuse = of.reuse_count > 0 ? of.reuse_count : 0.5;
    row.number("bytes_per_reuse", of.bytes / reuse);
    row.number("unique_bytes_per_reuse", of.unique_bytes / reuse);
    row.number("lines_per_reuse", of.lines / reuse);
    row.number("unique_lines_per_reuse", of.unique_lines / reuse);
    row.number("stride", of.stride);
}

/// Adds the operations per byte of the innermost loop, of the two innermost loops, and so on. The
/// columns are ten points of this curve, at equal distances in operations; all are logarithms.
inline void add_intensity(feature_row& row, measured_site const& of, double done_inside)
{
    constexpr std::size_t points = 10;
    std::vector<site_loop> const& loops = of.site->loops;
    std::vector<double> done;      // log2 of done_inside, by loop from inside
    std::vector<double> intensity; // over log2 of bytes
    for (std::size_t l = loops.size(); l-- > 0;) {
        done_inside *= static_cast<double>(loops[l].trips);
        done.push_back(std::log2(std::max(done_inside, 1.0)));
        intensity.push_back(done.back() / std::log2(std::max(of.bytes[l], 2.0)));
    }
    double const all = done.empty() ? 0 : done.back();
    std::size_t p = 0;
    for (std::size_t i = 0; i < points; ++i) {
        double value = 0;
        if (all > 0) {
            double const wanted = static_cast<double>(i + 1) / points * all;
            while (p + 1 < done.size() && done[p] < wanted - 1e-4)
                ++p;
            value = intensity[p];
            if (p > 0 && done[p] > done[p - 1])
                value = intensity[p - 1] + (intensity[p] - intensity[p - 1]) *
                                               (wanted - done[p - 1]) / (done[p] - done[p - 1]);
        }
        row.plain(("intensity_" + std::to_string(i)).c_str(), value);
    }
}

/// All columns of one store.
inline void add_features(feature_row& row, loop_program const& program, store_sites const& all,
                         measured_site const& of, loop_touches const& by_loop,
                         processor_shape const& processor)
{
    constexpr std::size_t most_accesses = 5;
    store_site const& site = *of.site;
    bool const is_block = site.item.kind == item_kind::block;
    operation_counts const counts =
        is_block ? operations_of(program.nest,
                                 program.nest.statements[program.blocks[site.item.index].statement])
                 : operation_counts{};
    add_operations(row, counts, site.trips);
    for (auto const& [kind, name] :
         {std::pair{loop_kind::vectorized, "vector_"}, std::pair{loop_kind::unrolled, "unrolled_"},
          std::pair{loop_kind::parallel, "parallel_"}}) {
        row.group = name;
        add_loops_of_kind(row, site, kind);
    }
    std::vector<access_numbers> accesses;
    for (std::size_t a = 0; a < site.accesses.size(); ++a)
        accesses.push_back(of.numbers(a, by_loop));
    sort_stably(accesses, [](auto const& a, auto const& b) {
        return a.lines != b.lines ? a.lines > b.lines : a.bytes > b.bytes;
    });
    for (std::size_t a = 0; a < most_accesses; ++a) {
        row.group = "access" + std::to_string(a) + '_';
        add_access(row, a < accesses.size() ? accesses[a] : access_numbers{});
    }
    row.group = "";
    add_intensity(row, of, counts.total());

    // The written array or buffer.
    std::uint32_t const storage = site.accesses.front().storage;
    auto const arrays = static_cast<std::uint32_t>(program.nest.arrays.size());
    double elements = 0;
    double outer = 1;
    bool is_register = false;
    if (storage >= arrays) {
        program_buffer const& buffer = program.buffers[storage - arrays];
        elements = static_cast<double>(all.elements_of(storage - arrays));
        is_register = buffer.is_register;
        for (std::size_t l = 0; l < site.loops.size(); ++l) {
            site_loop const& loop = site.loops[l];
            bool const is_of_slices = l < program.slices.size();
            if (!is_of_slices && (loop.loop == no_index || buffer.loop == no_index)) break;
            outer *= static_cast<double>(loop.trips);
            if (!is_of_slices && loop.loop == buffer.loop) break;
        }
    } else {
        elements = 1;
        for (site_dimension const& d : site.accesses.front().dimensions)
            elements *= static_cast<double>(d.size);
    }
    double const bytes = elements * static_cast<double>(site.accesses.front().element_bytes);
    row.group = "allocated_";
    row.number("bytes", bytes);
    row.number("bytes_of_all", bytes * outer);
    row.number("outside", outer);
    row.number("inside", site.trips / outer);
    row.group = "";

    double unrolled = 1;
    double lanes = 1;
    double copies = 0;
    for (site_loop const& loop : site.loops) {
        if (loop.kind == loop_kind::unrolled) unrolled *= static_cast<double>(loop.trips);
        if (loop.kind == loop_kind::vectorized) lanes = static_cast<double>(loop.trips);
        copies = std::max<double>(copies, loop.unroll);
    }
    row.number("trips", site.trips);
    row.number("loops", static_cast<double>(site.loops.size()));
    row.number("auto_unroll", copies);

    // Features that TVM does not have.
    row.truth("is_block", is_block);
    row.truth("is_load", !is_block && program.copies[site.item.index].kind == copy_kind::load);
    row.truth("is_store", !is_block && program.copies[site.item.index].kind == copy_kind::store);
    row.truth("in_registers", is_register);
    row.number("unrolled_copies", unrolled);
    row.number("vector_trips", site.full_trips / lanes);
    row.ratio("tails", site.full_trips / std::max(site.trips, 1.0));
    double const registers = bytes / static_cast<double>(processor.vector_bytes);
    row.ratio("registers",
              is_register ? registers / static_cast<double>(processor.vector_registers) : 0);
    for (auto const& [capacity, name] :
         {std::pair{processor.l1_bytes, "beyond_l1"}, std::pair{processor.l2_bytes, "beyond_l2"},
          std::pair{processor.l3_bytes, "beyond_l3"}}) {
        double const lines = of.lines_beyond(static_cast<double>(capacity));
        row.number(name, lines);
        row.ratio((std::string(name) + "_per_trip").c_str(), lines / std::max(site.trips, 1.0));
    }
}

[[nodiscard]] inline program_rows features_and_names(loop_program const& program,
                                                     processor_shape const& processor,
                                                     std::span<std::int64_t const> inputs,
                                                     std::vector<std::string>* names)
{
    constexpr std::int64_t unknown = 1024;
    auto const known = [&](nest_extent const& extent) {
        if (extent.input == no_index) return extent.constant;
        bool const is_given = extent.input < inputs.size() && inputs[extent.input] > 0;
        return is_given ? inputs[extent.input] : unknown;
    };
    std::vector<std::int64_t> extents;
    for (nest_axis const& axis : program.nest.axes)
        extents.push_back(known(axis.extent));
    std::vector<std::vector<std::int64_t>> sizes;
    for (nest_array const& array : program.nest.arrays) {
        std::vector<std::int64_t>& size = sizes.emplace_back();
        for (nest_extent const& extent : array.extents)
            size.push_back(known(extent));
    }
    std::vector<std::int64_t> sliced;
    for (program_slice const& slice : program.slices) {
        sliced.push_back(known(slice.extent));
        for (std::size_t a = 0; a < sizes.size(); ++a)
            if (slice.dimensions[a] != no_index &&
                program.nest.arrays[a].role != nest_role::temporary)
                sizes[a][slice.dimensions[a]] = sliced.back();
    }
    store_sites const all(program, std::move(extents), std::move(sizes), sliced);
    loop_touches by_loop;
    by_loop.bytes.assign(program.loops.size(), 0.0);
    std::vector<measured_site> measured;
    for (store_site const& site : all.sites)
        measured.emplace_back(site, by_loop);
    program_rows out;
    for (measured_site const& one : measured) {
        std::size_t const before = out.values.size();
        feature_row row(&out.values, names);
        add_features(row, program, all, one, by_loop, processor);
        out.width = out.values.size() - before;
        names = nullptr;
    }
    return out;
}

} // namespace detail

ATTUNE_INLINE program_rows features_of(loop_program const& program,
                                       processor_shape const& processor,
                                       std::span<std::int64_t const> inputs)
{
    return detail::features_and_names(program, processor, inputs, nullptr);
}

ATTUNE_INLINE std::vector<std::string> program_feature_names()
{
    nest_description nest; // X[i] = 0, i < 1
    nest.axes = {{"i", {1, no_index}}};
    nest.arrays = {{"X", element_type::f32, nest_role::written, {{1, no_index}}, false}};
    nest.nodes.push_back({nest_op::literal, element_type::f32});
    nest_statement zero;
    zero.target = {0, {{{{0, 1}}, 0}}, false};
    zero.axes = {0};
    zero.spatial_count = 1;
    zero.accumulator = element_type::f32;
    zero.value = 0;
    nest.statements = {zero};
    std::vector<std::string> out;
    (void)detail::features_and_names(plain_program(nest), {}, {}, &out);
    return out;
}

ATTUNE_INLINE std::vector<std::int64_t> inputs_of_nest(nest_description const& nest,
                                                       description const& in)
{
    std::vector<std::int64_t> out(nest.inputs.size(), 0);
    for (std::size_t i = 0; i < out.size(); ++i) {
        std::uint32_t const at = in.find_input(nest.inputs[i].name);
        if (at == no_index || !in.inputs[at].value || in.inputs[at].value->is_real) continue;
        out[i] = in.inputs[at].value->integer;
    }
    return out;
}

} // namespace attune::inline ATTUNE_ABI

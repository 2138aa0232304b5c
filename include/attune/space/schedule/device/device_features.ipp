// attune/space/schedule/device/device_features.ipp - the groups of features, one function each.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/element.hpp>
#include <attune/core/sort_stably.hpp>
#include <attune/declare/nest/nest_description.hpp>
#include <attune/space/schedule/detail/device_axes.hpp>
#include <attune/space/schedule/detail/feature_row.hpp>
#include <attune/space/schedule/device/device_features.hpp>
#include <attune/space/schedule/loop_tree.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// Figures of compute capability 8.0. Source: CUDA C++ programming guide, technical specifications.
struct multiprocessor_limits {
    static constexpr double multiprocessors = 108; ///< of an A100
    static constexpr double threads = 2048;
    static constexpr double blocks = 32;
    static constexpr double registers = 65536;
    static constexpr double shared_bytes = 164 * 1024;
    static constexpr double reserved_bytes = 1024; ///< of each block
};

/// Reads of one array by threads, or writes to it.
struct device_access_numbers {
    double memory_bytes = 0; ///< of all threads together
    double shared_bytes = 0; ///< to or from shared memory, without copies into tiles
    double array_bytes = 0;
    double load_bytes = 0;       ///< of one load or store in memory
    double line_bytes = 0;       ///< distance of lines in its tile
    double tile_load_bytes = 0;  ///< of one load of a thread from the tile
    bool is_of_rows = false;     ///< its tile is of rows, not columns
    bool is_along_depth = false; ///< neighbours along the depth are neighbours in memory
    bool is_copied = false;      ///< asynchronously, not through registers
    bool is_write = false;
};

/// A program with numbers for all extents.
class measured_device_program {
public:
    measured_device_program(device_program const& program, std::span<std::int64_t const> inputs)
        : p(program)
        , inputs_(inputs)
    {
        is_tiles_ = p.form == device_form::tiles;
        auto const parts = [](double steps, std::int64_t of) {
            return std::ceil(steps / static_cast<double>(of));
        };
        if (is_tiles_) {
            row_blocks_ = parts(steps(p.rows), p.block_rows);
            column_blocks_ = parts(steps(p.columns), p.block_columns);
            blocks = steps(p.batch) * row_blocks_ * column_blocks_;
            depth_parts = parts(steps(p.depth), p.block_depth);
            auto const ahead = static_cast<double>(std::max<std::int64_t>(p.stages - 1, 1));
            double const tiles = std::clamp(depth_parts - 1, 0.0, ahead);
            for (device_operand const& operand : p.operands) {
                std::int64_t const of_tile =
                    p.block_depth * p.across(operand) * p.element_bytes_of(operand);
                shared_bytes += static_cast<double>(p.tile_bytes(operand));
                bytes_on_the_way += tiles * static_cast<double>(of_tile);
            }
        } else {
            blocks = p.rows.empty() ? static_cast<double>(p.blocks)
                                    : parts(steps(p.rows), p.groups * p.passes);
            shared_bytes = bytes_of_rows();
        }
        blocks = std::max(blocks, 1.0);
        threads = static_cast<double>(p.threads());
        registers = static_cast<double>(device_registers(p));
    }

    [[nodiscard]] double steps(nest_extent const& e) const
    {
        constexpr std::int64_t unknown = 1024;
        if (e.input == no_index) return static_cast<double>(e.constant);
        bool const is_given = e.input < inputs_.size() && inputs_[e.input] > 0;
        return static_cast<double>(is_given ? inputs_[e.input] : unknown);
    }
    [[nodiscard]] double steps(std::span<std::uint32_t const> axes) const
    {
        double out = 1;
        for (std::uint32_t const axis : axes)
            out *= steps(p.nest.axes[axis].extent);
        return out;
    }
    [[nodiscard]] static double bytes_of(element_type type)
    {
        return static_cast<double>(element_bytes(type));
    }
    [[nodiscard]] double bytes_of_array(std::uint32_t array) const
    {
        double out = bytes_of(p.nest.arrays[array].element);
        for (nest_extent const& e : p.nest.arrays[array].extents)
            out *= steps(e);
        return out;
    }
    [[nodiscard]] bool is_product(std::size_t statement) const
    {
        return is_tiles_ && statement == 0;
    }
    [[nodiscard]] bool is_temporary(std::uint32_t array) const
    {
        return p.nest.arrays[array].role == nest_role::temporary;
    }
    /// Returns true if lanes keep an array's numbers in registers.
    [[nodiscard]] bool is_line(std::uint32_t array) const
    {
        return std::any_of(p.lines.begin(), p.lines.end(),
                           [array](nest_access const& line) { return line.array == array; });
    }

    /// Number of times that the launch computes a statement: each block that shares a row computes
    /// all temporaries.
    [[nodiscard]] double repeats(nest_statement const& s) const
    {
        return !is_tiles_ && p.rows.empty() && is_temporary(s.target.array) ? blocks : 1;
    }
    /// Iterations of a statement.
    [[nodiscard]] double trips(nest_statement const& s) const { return steps(s.axes) * repeats(s); }
    /// Iterations of a statement, and iterations beyond the ends of tiles and rows.
    [[nodiscard]] double computed_trips(std::size_t statement) const
    {
        nest_statement const& s = p.nest.statements[statement];
        if (!is_product(statement)) return trips(s) * computed_rows();
        return blocks * static_cast<double>(p.block_rows * p.block_columns) * computed_depth();
    }

    [[nodiscard]] std::vector<device_access_numbers> accesses(std::size_t statement) const
    {
        nest_statement const& s = p.nest.statements[statement];
        std::vector<device_access_numbers> out;
        if (is_product(statement))
            for (device_operand const& operand : p.operands)
                out.push_back(of_operand(operand));
        else
            for (std::uint32_t const a : accesses_of(p.nest, s)) {
                nest_access const& access = p.nest.accesses[a];
                if (is_line(access.array)) {
                    if (is_loaded_for(access.array, statement))
                        out.push_back(of_line(access.array, computed_rows()));
                } else if (!is_register(access.array, statement)) {
                    out.push_back(of_element(access, trips(s) * computed_rows()));
                }
            }
        double const written = steps(std::span(s.axes).first(s.spatial_count)) * repeats(s);
        if (s.continues) out.push_back(of_element(s.target, written));
        out.push_back(is_line(s.target.array) ? of_line(s.target.array, 1)
                                              : of_element(s.target, written));
        out.back().is_write = true;
        if (is_tiles_ && statement + 1 == p.nest.statements.size())
            out.back().load_bytes *= static_cast<double>(p.store_width());
        return out;
    }

    device_program const& p;
    double blocks = 1;
    double threads = 1;
    double depth_parts = 0;      ///< tiles of the sum
    double shared_bytes = 0;     ///< of a block
    double bytes_on_the_way = 0; ///< the most bytes copied to tiles while a block multiplies
    double registers = 0;        ///< of a thread, predicted; 0: unknown

private:
    /// Returns true if a statement of tiles reads an earlier result from a register of its thread.
    [[nodiscard]] bool is_register(std::uint32_t array, std::size_t statement) const
    {
        for (std::size_t earlier = 0; is_tiles_ && earlier < statement; ++earlier)
            if (p.nest.statements[earlier].target.array == array) return true;
        return false;
    }
    [[nodiscard]] double computed_depth() const
    {
        return p.has_exact_depth ? steps(p.depth)
                                 : depth_parts * static_cast<double>(p.block_depth);
    }
    /// Number of computed rows / number of rows. In the form of lines, groups beyond the end
    /// compute the last row again.
    [[nodiscard]] double computed_rows() const
    {
        if (p.line == 0) return 1;
        return blocks * static_cast<double>(p.groups * p.passes) / std::max(steps(p.rows), 1.0);
    }
    /// Returns true if this statement loads a line from memory: it is the first statement that
    /// reads the line, and no statement writes the line.
    [[nodiscard]] bool is_loaded_for(std::uint32_t array, std::size_t statement) const
    {
        auto const reads = [this, array](nest_statement const& s) {
            return reads_array(p.nest, s, array);
        };
        auto const first = std::find_if(p.nest.statements.begin(), p.nest.statements.end(), reads);
        return p.nest.arrays[array].role == nest_role::read &&
               first - p.nest.statements.begin() == static_cast<std::ptrdiff_t>(statement);
    }
    /// Bytes of temporaries that lanes do not keep, each array at a multiple of 8 bytes, and bytes
    /// that the warps of a group exchange.
    [[nodiscard]] double bytes_of_rows() const
    {
        double out = 0;
        for (nest_statement const& s : p.nest.statements) {
            nest_array const& array = p.nest.arrays[s.target.array];
            if (p.line > 0 || !p.is_temporary(s) || is_one_for_a_row(p, s)) continue;
            double one = bytes_of(array.element);
            for (std::size_t d = 0; d < array.extents.size(); ++d)
                if (!has_axis(p.rows, s.target.at[d].terms.front().axis))
                    one *= steps(array.extents[d]);
            out += std::ceil(one / 8) * 8;
        }
        constexpr double exchanged = 512;
        return out * static_cast<double>(p.groups) + (p.lanes > 32 ? exchanged : 0);
    }

    /// Each block loads its part of the operand. Threads then read lines of a tile; with matrix
    /// instructions, the threads of a warp share them.
    [[nodiscard]] device_access_numbers of_operand(device_operand const& operand) const
    {
        double const bytes = bytes_of(p.element_of(operand));
        double const across = steps(operand.is_of_rows ? p.rows : p.columns);
        double const times = operand.is_of_rows ? column_blocks_ : row_blocks_;
        double const mine = static_cast<double>(
            p.uses_tensor_cores  ? (operand.is_of_rows ? 8 * p.thread_rows : 4 * p.thread_columns)
            : operand.is_of_rows ? p.thread_rows
                                 : p.thread_columns);
        double const readers = p.uses_tensor_cores ? threads / 32 : threads;
        device_access_numbers out;
        out.memory_bytes = steps(p.batch) * times * across * steps(p.depth) * bytes;
        out.shared_bytes = blocks * readers * mine * computed_depth() * bytes;
        out.array_bytes = bytes_of_array(p.nest.accesses[operand.access].array);
        std::int64_t width = p.load_width(operand);
        for (nest_extent const& e : p.running_extents(operand))
            if (std::fmod(steps(e), static_cast<double>(width)) != 0) width = 1;
        out.load_bytes = static_cast<double>(width) * bytes;
        out.line_bytes = static_cast<double>(p.tile_line(operand)) * bytes;
        constexpr double of_a_matrix_line = 16;
        out.tile_load_bytes = p.uses_tensor_cores
                                  ? of_a_matrix_line
                                  : static_cast<double>(p.tile_run(operand.is_of_rows)) * bytes;
        out.is_copied = p.copies_asynchronously() && out.load_bytes >= 4;
        out.is_of_rows = operand.is_of_rows;
        out.is_along_depth = operand.runs_along_depth;
        return out;
    }

    /// Accesses element by element. Temporaries of tiles, and single numbers of a row, are in
    /// registers.
    [[nodiscard]] device_access_numbers of_element(nest_access const& access, double times) const
    {
        double const bytes = bytes_of(p.nest.arrays[access.array].element);
        device_access_numbers out;
        out.array_bytes = bytes_of_array(access.array);
        if (!is_temporary(access.array)) {
            out.memory_bytes = times * bytes;
            out.load_bytes = bytes;
        } else if (!is_tiles_) {
            for (nest_statement const& s : p.nest.statements)
                if (s.target.array == access.array && !is_one_for_a_row(p, s))
                    out.shared_bytes = times * bytes;
        }
        return out;
    }

    /// Accesses to a line: each lane has its numbers in packs.
    /// @param times  number of uses of each number
    [[nodiscard]] device_access_numbers of_line(std::uint32_t array, double times) const
    {
        device_access_numbers out;
        out.array_bytes = bytes_of_array(array);
        if (is_temporary(array)) return out;
        double const bytes = bytes_of(p.nest.arrays[array].element);
        out.memory_bytes = steps(p.rows) * static_cast<double>(p.line) * times * bytes;
        out.load_bytes = p.has_wide_lines(array) ? static_cast<double>(p.vector) * bytes : bytes;
        return out;
    }

    std::span<std::int64_t const> inputs_;
    bool is_tiles_ = false;
    double row_blocks_ = 1;
    double column_blocks_ = 1;
};

inline void add_launch(feature_row& row, measured_device_program const& of)
{
    device_program const& p = of.p;
    bool const is_tiles = p.form == device_form::tiles;
    row.number("blocks", of.blocks);
    row.number("threads", of.threads);
    row.truth("is_tiles", is_tiles);
    for (auto const& [name, value] :
         {std::pair{"block_rows", p.block_rows}, std::pair{"block_columns", p.block_columns},
          std::pair{"block_depth", p.block_depth}, std::pair{"thread_rows", p.thread_rows},
          std::pair{"thread_columns", p.thread_columns}, std::pair{"padding", p.padding}})
        row.number(name, is_tiles ? static_cast<double>(value) : 0);
    row.number("depth_parts", of.depth_parts);
    row.number("stages", is_tiles ? static_cast<double>(p.stages) : 0);
    row.truth("asynchronous", is_tiles && p.copies_asynchronously());
    row.number("bytes_on_the_way", of.bytes_on_the_way);
    row.truth("tensor_cores", is_tiles && p.uses_tensor_cores);
    for (auto const& [name, value] : {std::pair{"lanes", p.lanes}, std::pair{"groups", p.groups},
                                      std::pair{"passes", p.passes}})
        row.number(name, is_tiles ? 0 : static_cast<double>(value));
    row.number("kept_by_lane", p.line > 0 ? static_cast<double>(p.kept_by_lane()) : 0);

    using limits = multiprocessor_limits;
    double const by_threads = std::floor(limits::threads / of.threads);
    double const by_registers = of.registers > 0
                                    ? std::floor(limits::registers / (of.registers * of.threads))
                                    : limits::blocks;
    double const by_shared =
        std::floor(limits::shared_bytes / (of.shared_bytes + limits::reserved_bytes));
    double const resident =
        std::max(1.0, std::min({limits::blocks, by_threads, by_registers, by_shared}));
    double const waves = of.blocks / (resident * limits::multiprocessors);
    row.number("shared_bytes", of.shared_bytes);
    row.number("registers", of.registers);
    row.number("resident_by_threads", by_threads);
    row.number("resident_by_registers", by_registers);
    row.number("resident_by_shared", by_shared);
    row.number("resident", resident);
    row.ratio("occupancy", resident * of.threads / limits::threads);
    row.ratio("waves", waves);
    row.ratio("idle_in_waves", std::ceil(waves) / waves);
}

inline void add_device_access(feature_row& row, device_access_numbers const& of)
{
    row.number("memory_bytes", of.memory_bytes);
    row.number("shared_bytes", of.shared_bytes);
    row.number("array_bytes", of.array_bytes);
    row.ratio("reread", of.array_bytes > 0 ? of.memory_bytes / of.array_bytes : 0);
    row.number("load_bytes", of.load_bytes);
    row.number("line_bytes", of.line_bytes);
    row.number("tile_load_bytes", of.tile_load_bytes);
    row.truth("of_rows", of.is_of_rows);
    row.truth("along_depth", of.is_along_depth);
    row.truth("copied", of.is_copied);
    row.truth("write", of.is_write);
}

inline void add_device_features(feature_row& row, measured_device_program const& of,
                                std::size_t statement)
{
    constexpr std::size_t most_accesses = 5;
    nest_statement const& s = of.p.nest.statements[statement];
    operation_counts const counts = operations_of(of.p.nest, s);
    add_operations(row, counts, of.trips(s));
    add_launch(row, of);
    row.number("trips", of.trips(s));
    row.ratio("tails", of.computed_trips(statement) / std::max(of.trips(s), 1.0));
    row.number("trips_of_a_thread", of.computed_trips(statement) / (of.blocks * of.threads));
    row.truth("is_product", of.is_product(statement));
    std::vector<device_access_numbers> accesses = of.accesses(statement);
    double memory = 0;
    double shared = 0;
    for (device_access_numbers const& one : accesses) {
        memory += one.memory_bytes;
        shared += one.shared_bytes;
    }
    sort_stably(accesses, [](auto const& a, auto const& b) {
        return a.memory_bytes != b.memory_bytes ? a.memory_bytes > b.memory_bytes
                                                : a.shared_bytes > b.shared_bytes;
    });
    double const work = counts.total() * of.trips(s);
    row.number("memory_bytes", memory);
    row.number("shared_bytes_moved", shared);
    row.ratio("operations_per_memory_byte", work / std::max(memory, 1.0));
    row.ratio("operations_per_shared_byte", work / std::max(shared, 1.0));
    for (std::size_t a = 0; a < most_accesses; ++a) {
        row.group = "access" + std::to_string(a) + '_';
        add_device_access(row, a < accesses.size() ? accesses[a] : device_access_numbers{});
    }
    row.group = "";
}

} // namespace detail

ATTUNE_INLINE program_rows device_features_of(device_program const& program,
                                              std::span<std::int64_t const> inputs)
{
    detail::measured_device_program const measured(program, inputs);
    program_rows out;
    for (std::size_t s = 0; s < program.nest.statements.size(); ++s) {
        std::size_t const before = out.values.size();
        detail::feature_row row(&out.values, nullptr);
        detail::add_device_features(row, measured, s);
        out.width = out.values.size() - before;
    }
    return out;
}

ATTUNE_INLINE std::vector<std::string> device_feature_names()
{
    device_program one; // X[0] = 0
    one.form = device_form::rows;
    one.nest.arrays = {{"X", element_type::f32, nest_role::written, {}, false}};
    one.nest.nodes.push_back({nest_op::literal, element_type::f32});
    nest_statement zero;
    zero.target.array = 0;
    zero.accumulator = element_type::f32;
    zero.value = 0;
    one.nest.statements = {zero};
    std::vector<std::string> out;
    detail::feature_row row(nullptr, &out);
    detail::add_device_features(row, detail::measured_device_program(one, {}), 0);
    return out;
}

} // namespace attune::inline ATTUNE_ABI

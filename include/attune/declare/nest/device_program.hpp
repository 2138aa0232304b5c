// attune/declare/nest/device_program.hpp - a tensor program as one launch of a GPU.
// SPDX-License-Identifier: MIT
// tested by compile/nest/device/write_device_program.cpp
//
// space/schedule/device/ makes them, compile/nest/device/ writes them as CUDA text.
#pragma once

#include <attune/core/element.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/kinds.hpp>
#include <attune/declare/nest/nest_description.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// What a block of threads has of the program.
enum class device_form : std::uint8_t {
    tiles, ///< a tile of a product's result; operands pass through shared memory
    rows,  ///< some values of the axes that all statements share; lanes share the other axes.
           ///< Where no axis is shared, there is one row, which several blocks may share
};

/// An array that a product reads through shared memory, a tile after the other.
struct device_operand {
    std::uint32_t access = no_index; ///< index into the nest's accesses
    bool is_of_rows = false;         ///< its tile is depth x rows, else depth x columns
    /// Neighbours in memory are neighbours along the depth (true), or along rows or columns.
    bool runs_along_depth = false;
    bool may_be_wide = false; ///< the axis that runs in memory is the last one of its group
};

/// The axes of a program by what the threads do with them, and the numbers of a configuration.
/// Axes of one group are counted through together, the last one fastest.
struct device_program {
    nest_description nest{};
    device_form form{};
    std::vector<std::uint32_t> batch{};   ///< tiles: axes that all operands have
    std::vector<std::uint32_t> rows{};    ///< tiles: axes of some operands; rows: shared axes
    std::vector<std::uint32_t> columns{}; ///< tiles: axes of the other operands
    std::vector<std::uint32_t> depth{};   ///< tiles: axes that are summed over
    std::vector<device_operand> operands{};
    /// A term of the sum is not 0 where operands are read as 0: the depth ends exactly.
    bool has_exact_depth = false;

    // of tiles
    std::int64_t block_rows = 16;
    std::int64_t block_columns = 16;
    std::int64_t block_depth = 8;
    std::int64_t thread_rows = 1; ///< a thread's register block; divides that of the block
    std::int64_t thread_columns = 1;
    std::int64_t vector = 1;  ///< elements of one load from memory, where they lie so; of rows, too
    std::int64_t padding = 0; ///< elements behind each line of a tile in shared memory
    /// Tiles of the depth that shared memory has room for. 1, 2: a tile is on its way in registers
    /// while the one before is multiplied. More: stages - 1 tiles are on their way, copied
    /// asynchronously.
    std::int64_t stages = 1;
    /// Warps multiply by matrix instructions. A warp then has a tile of 8 * thread_rows times
    /// 4 * thread_columns numbers, and each of its threads the thread_rows * thread_columns of them
    /// that the instruction leaves with it. See tensor_depth.
    bool uses_tensor_cores = false;
    /// Steps of the sum that one matrix instruction takes; 0: there is none for these types.
    std::int64_t tensor_depth = 0;

    // of rows
    std::int64_t lanes = 1;  ///< threads that share a row: a power of 2
    std::int64_t groups = 1; ///< rows of a block at the same time
    std::int64_t passes = 1; ///< rows of a group, one after the other
    /// Numbers of a row, which lanes keep in registers, `vector` neighbours in each; 0: they read
    /// and write arrays element by element, and have temporaries in shared memory.
    std::int64_t line = 0;
    std::vector<nest_access> lines{}; ///< an access to each array that lanes keep so
    /// Of rows without an axis: blocks. They share the elements of arrays that are no temporaries;
    /// each of them computes all temporaries for itself.
    std::int64_t blocks = 1;

    [[nodiscard]] element_type element_of(device_operand const& of) const
    {
        return nest.arrays[nest.accesses[of.access].array].element;
    }
    [[nodiscard]] std::int64_t element_bytes_of(device_operand const& of) const
    {
        return static_cast<std::int64_t>(detail::element_bytes(element_of(of)));
    }
    [[nodiscard]] bool is_temporary(nest_statement const& of) const
    {
        return nest.arrays[of.target.array].role == nest_role::temporary;
    }
    /// Rows or columns of an operand's tile.
    [[nodiscard]] std::int64_t across(device_operand const& of) const
    {
        return of.is_of_rows ? block_rows : block_columns;
    }
    /// Whether an operand's tile in shared memory has a line per step of the depth; else one per
    /// row or column. Matrix instructions take both for numbers of 16 bits, for bytes the second
    /// alone.
    [[nodiscard]] bool has_lines_by_depth(device_operand const& of) const
    {
        return !uses_tensor_cores || (!of.runs_along_depth && element_bytes_of(of) == 2);
    }
    [[nodiscard]] bool copies_asynchronously() const { return stages > 2; }
    /// Whether neighbours in memory are no neighbours in an operand's tile.
    [[nodiscard]] bool is_transposed(device_operand const& of) const
    {
        return of.runs_along_depth == has_lines_by_depth(of);
    }
    /// Elements from line to line of an operand's tile.
    [[nodiscard]] std::int64_t tile_line(device_operand const& of) const
    {
        return (has_lines_by_depth(of) ? across(of) : block_depth) + padding;
    }
    /// Bytes of shared memory that an operand's tiles have, up to where the next may begin: a
    /// multiple of 16.
    [[nodiscard]] std::int64_t tile_bytes(device_operand const& of) const
    {
        std::int64_t const bytes = stages * (has_lines_by_depth(of) ? block_depth : across(of)) *
                                   tile_line(of) * element_bytes_of(of);
        return (bytes + 15) / 16 * 16;
    }
    /// The axis of an operand that runs in memory, and the last dimension of its array: a load of
    /// several elements needs that its width divides both.
    [[nodiscard]] std::array<nest_extent, 2> running_extents(device_operand const& of) const
    {
        std::vector<std::uint32_t> const& group = of.runs_along_depth ? depth
                                                  : of.is_of_rows     ? rows
                                                                      : columns;
        return {nest.axes[group.back()].extent,
                nest.arrays[nest.accesses[of.access].array].extents.back()};
    }
    /// Elements of one load of an operand from memory, a power of 2: no more than a block has of a
    /// line, and a divisor of the running_extents() that are constant; 1 where elements never lie
    /// so. Where it does not divide one that is an input, elements are loaded one by one.
    [[nodiscard]] std::int64_t load_width(device_operand const& of) const
    {
        std::int64_t width = of.may_be_wide ? vector : 1;
        std::int64_t const bytes = element_bytes_of(of);
        while (width > 1 && width * bytes > 16)
            width /= 2;
        // Blocks have 16 rows and columns or more, but may be 4 steps deep.
        if (of.runs_along_depth && width > block_depth) width = block_depth;
        for (nest_extent const& e : running_extents(of))
            if (e.input == no_index)
                while (width > 1 && e.constant % width != 0)
                    width /= 2;
        if (copies_asynchronously()) {
            // What is copied lies in shared memory as in memory, and begins at a multiple of its
            // size, which is 4 bytes or more.
            while (padding % width != 0)
                width /= 2;
            if (is_transposed(of) || width * bytes < 4) width = 1;
        }
        return width;
    }
    /// Neighbouring elements that a thread reads at once from tiles of rows, or of columns, where
    /// it does not multiply by matrix instructions: a power of 2.
    [[nodiscard]] std::int64_t tile_run(bool of_rows) const
    {
        std::int64_t const mine = of_rows ? thread_rows : thread_columns;
        std::int64_t run = 4;
        for (device_operand const& o : operands)
            if (o.is_of_rows == of_rows)
                while (run > 1 && run * element_bytes_of(o) > 16)
                    run /= 2;
        while (mine % run != 0 || padding % run != 0)
            run /= 2;
        return run;
    }
    /// Neighbouring numbers of a product's result that a thread has, and stores at once; 1: stores
    /// are one by one.
    [[nodiscard]] std::int64_t store_width() const
    {
        nest_statement const& last = nest.statements.back();
        nest_array const& array = nest.arrays[last.target.array];
        affine_index const& index = last.target.at.back();
        bool const runs = index.terms.size() == 1 && index.terms.front().axis == columns.back() &&
                          index.terms.front().factor == 1 && index.offset == 0;
        if (!runs || is_temporary(last) || last.continues) return 1;
        for (std::size_t s = 0; s + 1 < nest.statements.size(); ++s)
            if (!is_temporary(nest.statements[s])) return 1;
        std::int64_t run = uses_tensor_cores ? 2 : tile_run(false);
        for (nest_extent const& e : {nest.axes[columns.back()].extent, array.extents.back()})
            while (run > 1 && (e.input != no_index || e.constant % run != 0))
                run /= 2;
        while (run > 1 &&
               run * static_cast<std::int64_t>(detail::element_bytes(array.element)) > 16)
            run /= 2;
        return run;
    }
    /// Numbers of a line that a lane keeps.
    [[nodiscard]] std::int64_t kept_by_lane() const
    {
        return (line / vector + lanes - 1) / lanes * vector;
    }
    /// Whether packs of an array that is one of `lines` begin at multiples of their size where the
    /// array does: they are loaded and stored at once.
    [[nodiscard]] bool has_wide_lines(std::uint32_t array) const
    {
        nest_array const& of = nest.arrays[array];
        return vector > 1 && of.role != nest_role::temporary &&
               of.extents.back().constant % vector == 0;
    }
    [[nodiscard]] std::int64_t threads() const
    {
        return form == device_form::tiles
                   ? (block_rows / thread_rows) * (block_columns / thread_columns)
                   : lanes * groups;
    }
};

} // namespace attune::inline ATTUNE_ABI

// attune/declare/nest/loop_program.hpp - a tensor program with its loops: order, tiles, vectors, copies; or as one launch of a GPU.
// SPDX-License-Identifier: MIT
//
// The value of an axis is the sum of the variables of the loops over it, so a split needs no new
// index arithmetic. The folder space/schedule/ changes loop programs; compile/nest/ writes them as
// text. The folder space/schedule/device/ makes device programs; compile/nest/device/ writes them
// as CUDA text.
#pragma once

#include <attune/core/element.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/kinds.hpp>
#include <attune/declare/nest/nest_description.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// The way in which the iterations of a loop run.
enum class loop_kind : std::uint8_t { serial, parallel, vectorized, unrolled };

/// One axis of a loop. The variable takes the values 0, step, 2 step, ... below the step of the
/// enclosing loop over the same axis. At the end of the axis the variable takes fewer values.
struct loop_range {
    std::uint32_t axis = no_index;
    std::int64_t step = 1; ///< >= 1

    [[nodiscard]] friend bool operator==(loop_range const&, loop_range const&) = default;
};

enum class item_kind : std::uint8_t { loop, block, copy };

/// An item at one place of a program: an index into `loops`, `blocks` or `copies`.
struct program_item {
    item_kind kind{};
    std::uint32_t index = no_index;

    [[nodiscard]] friend bool operator==(program_item const&, program_item const&) = default;
};

struct program_loop {
    std::vector<loop_range> over; ///< fused loops have several; the last one runs fastest
    loop_kind kind{};
    std::uint32_t unroll = 0; ///< copies of the body of a serial loop; 0: the compiler decides
    std::vector<program_item> body; ///< in order; empty: the program does not have the loop
};

/// A buffer that replaces an array in one access.
struct buffer_use {
    std::uint32_t access = no_index; ///< index into the nest's accesses
    std::uint32_t buffer = no_index;

    [[nodiscard]] friend bool operator==(buffer_use const&, buffer_use const&) = default;
};

/// One statement, for one value of its axes. A reduction begins where its reduction axes are at 0.
struct program_block {
    std::uint32_t statement = no_index;
    std::uint32_t target = no_index; ///< buffer of the result; no_index: the array itself
    std::vector<buffer_use> reads;   ///< accesses that are not listed read arrays
    bool is_streamed = false;        ///< stores of its vectors bypass the caches
};

/// A digit of the position in a buffer: coordinate / step, without the part that outer digits hold.
struct layout_digit {
    std::uint32_t coordinate = no_index;
    std::int64_t step = 1;

    [[nodiscard]] friend bool operator==(layout_digit const&, layout_digit const&) = default;
};

/// The part of an array that the iterations inside one loop need, in its own order.
struct program_buffer {
    std::string name; ///< a C++ identifier
    element_type element{};
    std::uint32_t array = no_index;
    std::uint32_t loop = no_index;         ///< one buffer per iteration; no_index: one per program
    std::vector<affine_index> coordinates; ///< functions of the axes
    /// The array's element, as functions of coordinates: a term's `axis` is a coordinate.
    std::vector<affine_index> source;
    std::vector<layout_digit> layout; ///< outermost first; each step of a coordinate is a multiple
                                      ///< of the coordinate's next step, and the last is 1
    bool is_register = false;         ///< small: loops over it are unrolled
};

enum class copy_kind : std::uint8_t {
    load,  ///< array to buffer; 0 if the access is padded and the element is outside
    begin, ///< of a reduction: the neutral value, or the array if an outer loop began it
    store, ///< buffer to array
};

struct program_copy {
    copy_kind kind{};
    std::uint32_t buffer = no_index;
    std::uint32_t access = no_index; ///< of a load: the access that reads the buffer
    std::uint32_t block = no_index; ///< of begin and store: the block that combines into the buffer
};

/// A loop around the whole program: each iteration computes `step` values of an axis. The nest is
/// that of one iteration: along this axis, the extent of the axis and of arrays is `step`.
struct program_slice {
    std::uint32_t axis = no_index;
    nest_extent extent{}; ///< of the axis in a call; a multiple of `step`
    std::int64_t step = 1;
    bool is_parallel = false; ///< iterations run in threads
    /// By array: the dimension along the axis; no_index: the array has the same elements in all
    /// iterations.
    std::vector<std::uint32_t> dimensions;
};

/// A program with explicit loops. Changes keep the indices of loops, blocks and buffers.
struct loop_program {
    nest_description nest; ///< the computation; inline, rfactor and slice change its statements
    std::vector<program_slice> slices{}; ///< outermost first
    std::vector<program_loop> loops;
    std::vector<program_block> blocks;
    std::vector<program_buffer> buffers;
    std::vector<program_copy> copies;
    std::vector<program_item> body; ///< in order
};

/// The program with one loop per axis of each statement, spatial ones outermost. Loop 0 is the
/// outermost one of the first statement. Blocks have the indices of their statements.
/// Errors   attune::error: a description that is not consistent, such as an axis that does not
/// exist
[[nodiscard]] loop_program plain_program(nest_description nest);

namespace detail {

/// Returns true if the program fills a buffer once for all calls: it holds a whole constant array.
[[nodiscard]] bool keeps_form(loop_program const& program, std::uint32_t buffer);

/// Returns true if the array of a reduction can hold partial results without a loss: it has the
/// type of the accumulator or wider reals, or holds sums or products of whole numbers, which wrap
/// around.
[[nodiscard]] bool holds_parts(nest_description const& nest, nest_statement const& statement);

/// Appends to `path` the loops of `items` that are around `wanted`, outermost first.
/// @return  false, and `path` unchanged, if `wanted` is not inside `items`
bool append_path(loop_program const& program, std::vector<program_item> const& items,
                 program_item wanted, std::vector<std::uint32_t>& path);

} // namespace detail

/// The part of a program that a block of threads computes.
enum class device_form : std::uint8_t {
    tiles, ///< a tile of a product's result; operands pass through shared memory
    rows,  ///< some values of the axes that all statements share; lanes share the other axes.
           ///< Without a shared axis there is a single row, which several blocks may share
};

/// An array that a product reads through shared memory, one tile after the other.
struct device_operand {
    std::uint32_t access = no_index; ///< index into the nest's accesses
    bool is_of_rows = false;         ///< its tile is depth x rows, else depth x columns
    /// true: neighbours in memory are neighbours along the depth; false: along rows or columns.
    bool runs_along_depth = false;
    bool may_be_wide = false; ///< its contiguous axis is the last axis of its group
};

/// The axes of a program, grouped by how threads use them, and the numbers of a configuration.
/// Threads count the axes of a group as one number, in which the last axis runs fastest.
struct device_program {
    nest_description nest{};
    device_form form{};
    std::vector<std::uint32_t> batch{};   ///< tiles: axes of all operands
    std::vector<std::uint32_t> rows{};    ///< tiles: axes of some operands; rows: shared axes
    std::vector<std::uint32_t> columns{}; ///< tiles: axes of the other operands
    std::vector<std::uint32_t> depth{};   ///< tiles: axes of the sum
    std::vector<device_operand> operands{};
    /// Terms of the sum are not 0 beyond the end of the depth, where operands read as 0. So the
    /// loop must end exactly at the end.
    bool has_exact_depth = false;

    // numbers of the form `tiles`
    std::int64_t block_rows = 16;
    std::int64_t block_columns = 16;
    std::int64_t block_depth = 8;
    std::int64_t thread_rows = 1; ///< register block of a thread; divides block_rows
    std::int64_t thread_columns = 1;
    std::int64_t vector = 1;  ///< elements of one load, if contiguous; also in the form `rows`
    std::int64_t padding = 0; ///< unused elements after each line of a tile in shared memory
    /// Number of tiles of the depth in shared memory. 1 or 2: registers hold the next tile while
    /// the threads multiply the present one. More: stages - 1 tiles are copied asynchronously.
    std::int64_t stages = 1;
    /// Warps multiply by matrix instructions. A warp then has a tile of 8 * thread_rows times 4 *
    /// thread_columns numbers. Each of its threads holds thread_rows * thread_columns numbers of
    /// the tile, at the places that the instruction defines. See tensor_depth.
    bool uses_tensor_cores = false;
    /// Steps of the sum in one matrix instruction; 0: these types have no such instruction.
    std::int64_t tensor_depth = 0;

    // numbers of the form `rows`
    std::int64_t lanes = 1;  ///< threads that share a row: a power of 2
    std::int64_t groups = 1; ///< rows of a block at the same time
    std::int64_t passes = 1; ///< rows that a group computes, one after the other
    /// Numbers of a row that lanes keep in registers, `vector` neighbours per lane and pack. 0:
    /// lanes access arrays element by element, and keep temporaries in shared memory.
    std::int64_t line = 0;
    std::vector<nest_access> lines{}; ///< an access to each array that lanes keep in registers
    /// Number of blocks, if the form `rows` has no axis. Blocks divide the elements of arrays that
    /// are no temporaries; each block computes all temporaries.
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
    /// Returns true if an operand's tile in shared memory has one line per step of the depth; false
    /// if it has one per row or column. Matrix instructions read both forms of 16-bit numbers, but
    /// of bytes only the second form.
    [[nodiscard]] bool has_lines_by_depth(device_operand const& of) const
    {
        return !uses_tensor_cores || (!of.runs_along_depth && element_bytes_of(of) == 2);
    }
    [[nodiscard]] bool copies_asynchronously() const { return stages > 2; }
    /// Returns true if neighbours in memory are not neighbours in an operand's tile.
    [[nodiscard]] bool is_transposed(device_operand const& of) const
    {
        return of.runs_along_depth == has_lines_by_depth(of);
    }
    /// Elements from line to line of an operand's tile.
    [[nodiscard]] std::int64_t tile_line(device_operand const& of) const
    {
        return (has_lines_by_depth(of) ? across(of) : block_depth) + padding;
    }
    /// Bytes of shared memory of an operand's tiles, rounded up to a multiple of 16. The tiles of
    /// the next operand begin there.
    [[nodiscard]] std::int64_t tile_bytes(device_operand const& of) const
    {
        std::int64_t const bytes = stages * (has_lines_by_depth(of) ? block_depth : across(of)) *
                                   tile_line(of) * element_bytes_of(of);
        return (bytes + 15) / 16 * 16;
    }
    /// The extent of the axis of an operand that is contiguous in memory, and the last extent of
    /// its array. The width of a load divides both.
    [[nodiscard]] std::array<nest_extent, 2> running_extents(device_operand const& of) const
    {
        std::vector<std::uint32_t> const& group = of.runs_along_depth ? depth
                                                  : of.is_of_rows     ? rows
                                                                      : columns;
        return {nest.axes[group.back()].extent,
                nest.arrays[nest.accesses[of.access].array].extents.back()};
    }
    /// Elements of one load of an operand from memory: a power of 2, at most 16 bytes and at most a
    /// line of the block. It divides those running_extents() that are constant; 1 if no elements
    /// are contiguous. If it does not divide an extent that is an input, the code loads single
    /// elements.
    [[nodiscard]] std::int64_t load_width(device_operand const& of) const
    {
        std::int64_t width = of.may_be_wide ? vector : 1;
        std::int64_t const bytes = element_bytes_of(of);
        while (width > 1 && width * bytes > 16)
            width /= 2;
        // block_depth may be 4; blocks have at least 16 rows and columns.
        if (of.runs_along_depth && width > block_depth) width = block_depth;
        for (nest_extent const& e : running_extents(of))
            if (e.input == no_index)
                while (width > 1 && e.constant % width != 0)
                    width /= 2;
        if (copies_asynchronously()) {
            // An asynchronous copy keeps the order of elements, and starts at a multiple of its
            // size, which is 4 bytes or more.
            while (padding % width != 0)
                width /= 2;
            if (is_transposed(of) || width * bytes < 4) width = 1;
        }
        return width;
    }
    /// Neighbouring elements that a thread without matrix instructions reads at once from tiles of
    /// rows, or of columns: a power of 2.
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
    /// The number of neighbouring numbers of the result that a thread stores at once.
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
    /// Returns true if packs of an array in `lines` begin at multiples of their size, if the array
    /// begins at such a multiple. The code then loads and stores a pack at once.
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

#ifdef ATTUNE_HEADER_ONLY
#include <attune/declare/nest/loop_program.ipp>
#endif

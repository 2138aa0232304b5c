// attune/space/schedule/device/device_space.ipp - the definitions of device_space.hpp.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/element.hpp>
#include <attune/core/error.hpp>
#include <attune/space/schedule/derived_space.hpp>
#include <attune/space/schedule/detail/device_axes.hpp>
#include <attune/space/schedule/device/device_features.hpp>
#include <attune/space/schedule/device/device_space.hpp>
#include <attune/space/schedule/program_features.hpp>

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace attune::inline ATTUNE_ABI {

namespace detail {

inline constexpr int first_matrix_architecture = 80;

/// Returns true if the device has matrix instructions, or is unknown.
[[nodiscard]] inline bool may_have_matrices(std::optional<device_limits> const& device)
{
    return !device || device->architecture == 0 ||
           device->architecture >= first_matrix_architecture;
}

/// The statements that remain after the readers of cheap temporaries compute these.
[[nodiscard]] inline nest_description merged_statements(nest_description nest)
{
    traced_program p{plain_program(std::move(nest)), {}};
    inline_cheap(p);
    std::vector<std::uint32_t> blocks = blocks_inside(p.program, no_index);
    std::sort(blocks.begin(), blocks.end());
    nest_description out = p.program.nest;
    out.statements.clear();
    for (std::uint32_t const block : blocks)
        out.statements.push_back(p.program.nest.statements[p.program.blocks[block].statement]);
    return out;
}

inline void require_device_arrays(nest_description const& nest)
{
    for (nest_array const& array : nest.arrays) {
        element_type const e = array.element;
        if (e == element_type::extended || e == element_type::opaque)
            throw error("a program for a GPU has an element type that a GPU does not have",
                        array.name,
                        "use float, double, _Float16, __bf16 or whole numbers, or write the kernel "
                        "in CUDA");
        if (array.has_row_stride)
            throw error("a program for a GPU has an array with a row stride", array.name,
                        "declare the array without one");
    }
}

/// Formulas over the extents of a nest and the parameters of the space.
class device_formulas {
public:
    device_formulas(nest_description const& nest, space_builder& space)
        : nest_(nest)
        , space_(space)
    {
    }

    [[nodiscard]] std::uint32_t extent(nest_extent const& e)
    {
        return e.input == no_index ? space_.number(e.constant)
                                   : space_.input(nest_.inputs[e.input].name);
    }
    [[nodiscard]] std::uint32_t extent(std::vector<std::uint32_t> const& axes)
    {
        std::uint32_t out = space_.number(1);
        for (std::uint32_t const axis : axes)
            out = times(out, extent(nest_.axes[axis].extent));
        return out;
    }
    [[nodiscard]] std::uint32_t times(std::uint32_t a, std::uint32_t b)
    {
        return space_.node(op::multiply, a, b);
    }
    [[nodiscard]] std::uint32_t plus(std::uint32_t a, std::uint32_t b)
    {
        return space_.node(op::add, a, b);
    }
    [[nodiscard]] std::uint32_t over(std::uint32_t a, std::uint32_t b)
    {
        return space_.node(op::divide, a, b);
    }
    [[nodiscard]] std::uint32_t parts(std::uint32_t a, std::uint32_t b)
    {
        return space_.node(op::ceil_divide, a, b);
    }
    /// At least one block, for a launch.
    [[nodiscard]] std::uint32_t one_at_least(std::uint32_t a)
    {
        return space_.node(op::maximum, a, space_.number(1));
    }
    void at_most(std::uint32_t a, std::int64_t most, std::string const& what = {},
                 std::string const& advice = {})
    {
        std::uint32_t const root = space_.node(op::less_equal, a, space_.number(most));
        std::string const limit = " <= " + std::to_string(most);
        space_.where(root, what.empty() ? what : what + limit, advice);
    }
    void at_least(std::uint32_t a, std::int64_t least)
    {
        space_.where(space_.node(op::less_equal, space_.number(least), a));
    }
    void multiple(std::uint32_t a, std::uint32_t of)
    {
        space_.where(space_.node(op::equal, space_.node(op::modulo, a, of), space_.number(0)));
    }

private:
    nest_description const& nest_;
    space_builder& space_;
};

[[nodiscard]] inline std::vector<std::int64_t> powers_between(std::int64_t first, std::int64_t last)
{
    std::vector<std::int64_t> out;
    for (std::int64_t p = first; p <= last; p *= 2)
        out.push_back(p);
    return out;
}

/// The steps of a group of axes; `otherwise` if they are unknown.
[[nodiscard]] inline std::int64_t steps_of_group(nest_description const& nest,
                                                 std::vector<std::uint32_t> const& axes,
                                                 std::int64_t otherwise)
{
    std::int64_t out = 1;
    for (std::uint32_t const axis : axes) {
        if (nest.axes[axis].extent.input != no_index) return otherwise;
        out = std::min<std::int64_t>(
            out * std::max<std::int64_t>(nest.axes[axis].extent.constant, 1), otherwise);
    }
    return out;
}

[[nodiscard]] inline std::int64_t power_at_least(std::int64_t n)
{
    std::int64_t out = 1;
    while (out < n)
        out *= 2;
    return out;
}

/// The most elements of one load of any operand; 1: no operand has neighbours in memory.
[[nodiscard]] inline std::int64_t most_vector(device_program const& p)
{
    std::int64_t out = 1;
    for (device_operand const& operand : p.operands)
        if (operand.may_be_wide) out = std::max(out, 16 / p.element_bytes_of(operand));
    return out;
}

struct device_nodes {
    std::uint32_t blocks = no_index;
    std::uint32_t threads = no_index;
    std::uint32_t shared = no_index;
};

/// Declares TENSOR with its constraints: whole instructions in the tile of a warp, whole warps in a
/// block, and lines in shared memory at multiples of 16 bytes. With TENSOR=0 only the sizes of
/// blocks vary, so most configurations use matrix instructions. Spaces for devices before sm_80
/// have no TENSOR.
inline void declare_tensor_cores(device_program const& p, device_formulas& f, space_builder& space)
{
    std::uint32_t const is_on = space.value("TENSOR");
    for (char const* const name : {"VECTOR", "PADDING", "STAGES"})
        space.active_if(name, space.node(op::equal, is_on, space.number(1)));
    auto const asked = [&](char const* name) { return f.times(is_on, space.value(name)); };
    auto const times = [&](char const* name, std::int64_t factor) {
        return f.times(space.value(name), space.number(factor));
    };
    auto const is_least = [&](std::int64_t least, char const* name) {
        space.where(
            space.node(op::less_equal, f.times(is_on, space.number(least)), space.value(name)));
    };
    is_least(2, "THREAD_ROWS");
    is_least(4, "THREAD_COLUMNS");
    f.multiple(asked("BLOCK_ROWS"), times("THREAD_ROWS", 8));
    f.multiple(asked("BLOCK_COLUMNS"), times("THREAD_COLUMNS", 4));
    f.multiple(asked("BLOCK_DEPTH"), space.number(p.tensor_depth));
    f.multiple(asked("PADDING"), space.number(p.tensor_depth / 2));
}

/// Returns true if blocks of `side` x `side` divide a result into at least one block per
/// multiprocessor. An extent that is an input counts as long enough.
[[nodiscard]] inline bool occupies_all(device_program const& p, std::int64_t side,
                                       device_limits const& device)
{
    constexpr std::int64_t is_long = 1 << 20;
    auto const parts = [&](std::vector<std::uint32_t> const& axes) {
        return (steps_of_group(p.nest, axes, is_long) + side - 1) / side;
    };
    return steps_of_group(p.nest, p.batch, is_long) * parts(p.rows) * parts(p.columns) >=
           device.multiprocessors;
}

/// Bytes of shared memory of a block of tiles.
[[nodiscard]] inline std::int64_t bytes_of_tiles(device_program const& p)
{
    std::int64_t out = 0;
    for (device_operand const& operand : p.operands)
        out += p.tile_bytes(operand);
    return out;
}

/// The default configuration, which runs on every device. If the device is known to have matrix
/// instructions for this product, the default uses them, with asynchronous copies if shared memory
/// has room. The 3 stages and warps of 64 rows are those of CUTLASS's default for sm_80
/// (default_gemm_configuration.h). Its blocks of 128 x 128 and 2 steps have half of CUTLASS's
/// columns and depth, so that a thread has half of the sums.
[[nodiscard]] inline device_program default_tiles(device_program of, device_program const& largest,
                                                  std::optional<device_limits> const& device)
{
    of.vector = largest.vector;
    auto const cut = [&](std::int64_t side) {
        of.block_rows = std::min(largest.block_rows, side);
        of.block_columns = std::min(largest.block_columns, side);
    };
    if (of.tensor_depth == 0 || !device || device->architecture < first_matrix_architecture) {
        cut(64);
        of.block_depth = std::min<std::int64_t>(largest.block_depth, 8);
        of.thread_rows = of.block_rows / 16;
        of.thread_columns = of.block_columns / 16;
        of.padding = 4;
        return of;
    }
    of.uses_tensor_cores = true;
    of.block_depth = std::min(largest.block_depth, 2 * of.tensor_depth);
    of.padding = of.tensor_depth / 2;
    for (std::int64_t side = occupies_all(of, 128, *device) ? 128 : 64; side >= 16; side /= 2) {
        cut(side);
        of.thread_rows = std::clamp<std::int64_t>(of.block_rows / 16, 2, 8);
        of.thread_columns = std::clamp<std::int64_t>(of.block_columns / 16, 4, 8);
        for (of.stages = 3; of.stages > 1; --of.stages)
            if (bytes_of_tiles(of) <= device->shared_bytes_opt_in) return of;
    }
    return of;
}

[[nodiscard]] inline device_nodes declare_device_tiles(device_program const& p,
                                                       std::optional<device_limits> const& device,
                                                       space_builder& space)
{
    device_limits const limits = device.value_or(device_limits{});
    device_formulas f(p.nest, space);
    auto const block_list = [&](std::vector<std::uint32_t> const& axes) {
        return powers_between(
            16, std::max<std::int64_t>(16, power_at_least(steps_of_group(p.nest, axes, 256))));
    };
    std::vector<std::int64_t> const rows = block_list(p.rows);
    std::vector<std::int64_t> const columns = block_list(p.columns);
    std::int64_t const most_deep = std::max<std::int64_t>(32, 4 * p.tensor_depth);
    std::int64_t const deep =
        std::max({std::int64_t{4}, p.tensor_depth,
                  power_at_least(steps_of_group(p.nest, p.depth, most_deep))});
    // The number of elements in 16 bytes: 8 of 16 bits, or 16 of 8 bits.
    std::int64_t const wide = std::max<std::int64_t>(4, p.tensor_depth / 2);
    device_program largest = p;
    largest.block_rows = rows.back();
    largest.block_columns = columns.back();
    largest.block_depth = deep;
    largest.vector = std::min(wide, most_vector(p));
    device_program const start = default_tiles(p, largest, device);
    if (p.tensor_depth > 0) space.ordinal("TENSOR", {0, 1}, start.uses_tensor_cores ? 1 : 0);
    space.ordinal("BLOCK_ROWS", rows, start.block_rows);
    space.ordinal("BLOCK_COLUMNS", columns, start.block_columns);
    space.ordinal("BLOCK_DEPTH", powers_between(4, deep), start.block_depth);
    space.ordinal("THREAD_ROWS", powers_between(1, 16), start.thread_rows);
    space.ordinal("THREAD_COLUMNS", powers_between(1, 16), start.thread_columns);
    space.ordinal("VECTOR", powers_between(1, largest.vector), start.vector);
    space.ordinal("PADDING",
                  p.tensor_depth > 0 ? std::vector<std::int64_t>{0, 4, wide}
                                     : std::vector<std::int64_t>{0, 1, 4},
                  start.padding);
    space.ordinal("STAGES", {1, 2, 3, 4}, start.stages);
    auto const v = [&space](char const* name) { return space.value(name); };
    if (p.tensor_depth > 0) declare_tensor_cores(p, f, space);
    f.multiple(v("BLOCK_ROWS"), v("THREAD_ROWS"));
    f.multiple(v("BLOCK_COLUMNS"), v("THREAD_COLUMNS"));
    device_nodes out;
    out.threads = f.times(f.over(v("BLOCK_ROWS"), v("THREAD_ROWS")),
                          f.over(v("BLOCK_COLUMNS"), v("THREAD_COLUMNS")));
    f.at_least(out.threads, 32);
    f.at_most(out.threads, limits.threads_per_block);
    std::uint32_t shared = space.number(0);        // see device_program::tile_bytes
    std::uint32_t line_elements = space.number(0); // of one step of the depth
    std::uint32_t fragments = space.number(0);
    for (device_operand const& operand : p.operands) {
        std::int64_t const bytes = p.element_bytes_of(operand);
        std::uint32_t const across = v(operand.is_of_rows ? "BLOCK_ROWS" : "BLOCK_COLUMNS");
        std::uint32_t lines = v("BLOCK_DEPTH");
        device_program of_matrices = p;
        of_matrices.uses_tensor_cores = true;
        if (p.tensor_depth > 0 && !of_matrices.has_lines_by_depth(operand))
            lines = f.plus(
                lines, f.times(v("TENSOR"), space.node(op::subtract, across, v("BLOCK_DEPTH"))));
        std::uint32_t const elements =
            f.plus(f.times(v("BLOCK_DEPTH"), across), f.times(lines, v("PADDING")));
        std::uint32_t const staged = f.times(v("STAGES"), f.times(elements, space.number(bytes)));
        shared = f.plus(shared, f.times(f.parts(staged, space.number(16)), space.number(16)));
        line_elements = f.plus(line_elements, across);
        fragments = f.plus(fragments, v(operand.is_of_rows ? "THREAD_ROWS" : "THREAD_COLUMNS"));
    }
    // With odd padding, lines do not begin where a pack may begin, so no load is wide.
    std::uint32_t const is_async = space.node(op::floor_divide, v("STAGES"), space.number(3));
    f.multiple(f.times(is_async, v("PADDING")), space.number(2));
    out.shared = shared;
    std::uint32_t most_shared = space.number(limits.shared_bytes_opt_in);
    // Devices with asynchronous copies have at least twice the shared memory.
    if (!device) most_shared = f.times(most_shared, f.plus(is_async, space.number(1)));
    space.where(space.node(op::less_equal, out.shared, most_shared));
    if (p.tensor_depth > 0) {
        fragments = f.plus(fragments, f.times(v("TENSOR"), v("THREAD_ROWS")));
        fragments = f.times(fragments, f.plus(space.number(1), f.times(v("TENSOR"), is_async)));
    }
    std::uint32_t const on_the_way =
        f.parts(f.times(f.times(v("BLOCK_DEPTH"), line_elements), space.number(operand_bytes(p))),
                f.times(out.threads, space.number(4 * device_words(p))));
    std::uint32_t const held =
        f.times(on_the_way, space.node(op::subtract, space.number(1), is_async));
    std::uint32_t const numbers =
        f.plus(f.plus(f.times(v("THREAD_ROWS"), v("THREAD_COLUMNS")), fragments), held);
    std::uint32_t const registers =
        f.plus(f.times(numbers, space.number(device_words(p))), space.number(32));
    // See device_registers(); the compiler may need a few more.
    f.at_most(registers, limits.registers_per_thread - 15);
    f.at_most(f.times(registers, out.threads), limits.registers_per_block);
    f.at_most(on_the_way, 64);
    out.blocks = f.one_at_least(
        f.times(f.extent(p.batch), f.times(f.parts(f.extent(p.rows), v("BLOCK_ROWS")),
                                           f.parts(f.extent(p.columns), v("BLOCK_COLUMNS")))));
    return out;
}

/// Bytes of shared memory for the temporaries of one row.
[[nodiscard]] inline std::uint32_t bytes_of_a_row(device_program const& p, device_formulas& f,
                                                  space_builder& space, bool& has_any)
{
    std::uint32_t total = space.number(0);
    for (nest_statement const& s : p.nest.statements) {
        nest_array const& array = p.nest.arrays[s.target.array];
        if (array.role != nest_role::temporary || is_one_for_a_row(p, s)) continue;
        std::uint32_t one = space.number(static_cast<std::int64_t>(element_bytes(array.element)));
        for (std::size_t d = 0; d < array.extents.size(); ++d)
            if (!has_axis(p.rows, s.target.at[d].terms.front().axis))
                one = f.times(one, f.extent(array.extents[d]));
        // Each array begins at a multiple of 8 bytes.
        total = f.plus(total, f.times(f.parts(one, space.number(8)), space.number(8)));
        has_any = true;
    }
    return total;
}

/// Limits shared memory: the temporaries of a block, then the numbers that lanes of several warps
/// exchange, 32 of 16 bytes for each group.
inline void at_most_shared(device_formulas& f, std::uint32_t bytes, device_limits const& limits,
                           std::string const& what)
{
    f.at_most(bytes, limits.shared_bytes_opt_in - 32 * 16, what,
              "these sizes are too large for one launch: divide the statements between several "
              "programs, and pass the arrays between them as arguments");
}

/// The most blocks that have an element for each thread of a warp.
[[nodiscard]] inline std::int64_t most_shared_blocks(device_program const& p)
{
    std::int64_t elements = 1;
    for (nest_statement const& s : p.nest.statements)
        if (p.nest.arrays[s.target.array].role != nest_role::temporary)
            elements = std::max(
                elements, steps_of_group(p.nest, {s.axes.begin(), s.axes.begin() + s.spatial_count},
                                         1024 * 32));
    return std::clamp<std::int64_t>(power_at_least(elements / 32), 1, 1024);
}

[[nodiscard]] inline device_nodes
declare_device_rows(device_program const& p, device_limits const& limits, space_builder& space)
{
    device_formulas f(p.nest, space);
    bool shares_work = false; // of a row
    bool has_any = false;
    for (nest_statement const& s : p.nest.statements)
        shares_work = shares_work || s.axes.size() > p.rows.size();
    std::uint32_t const bytes = bytes_of_a_row(p, f, space, has_any);
    auto const v = [&space](char const* name) { return space.value(name); };
    device_nodes out;
    if (p.rows.empty()) {
        space.ordinal("LANES", powers_between(32, limits.threads_per_block),
                      shares_work ? 256 : 32);
        out.threads = v("LANES");
        out.blocks = space.number(1);
        if (may_share_row(p)) {
            std::int64_t const most = most_shared_blocks(p);
            space.ordinal("BLOCKS", powers_between(1, most), std::min<std::int64_t>(most, 128));
            out.blocks = v("BLOCKS");
        }
        if (has_any) {
            out.shared = bytes;
            at_most_shared(f, bytes, limits, "bytes of shared memory for temporaries,");
        }
        return out;
    }
    if (shares_work)
        space.ordinal("LANES", powers_between(1, 1024), 32);
    else
        space.ordinal("LANES", {1}, 1);
    space.ordinal("GROUPS", powers_between(1, 1024), has_any ? 1 : shares_work ? 4 : 256);
    space.ordinal("PASSES", {1, 2, 4, 8}, 1);
    std::uint32_t is_kept = space.number(0);
    if (std::int64_t const line = line_of(p); line > 0 && shares_work) {
        std::vector<std::int64_t> widths{1};
        while (widths.back() < 4 && line % (2 * widths.back()) == 0)
            widths.push_back(2 * widths.back());
        space.ordinal("VECTOR", widths, 1);
        is_kept = space.node(op::less_equal, space.number(line),
                             f.times(v("LANES"), space.number(most_kept(p))));
        space.active_if("VECTOR", space.node(op::equal, is_kept, space.number(1)));
    }
    out.threads = f.times(v("LANES"), v("GROUPS"));
    f.at_least(out.threads, 32);
    f.at_most(out.threads, limits.threads_per_block);
    if (has_any) {
        out.shared = f.times(f.times(bytes, v("GROUPS")),
                             space.node(op::subtract, space.number(1), is_kept));
        at_most_shared(f, out.shared, limits,
                       "bytes of shared memory for temporaries of GROUPS rows,");
    }
    out.blocks = f.one_at_least(f.parts(f.extent(p.rows), f.times(v("GROUPS"), v("PASSES"))));
    return out;
}

/// Refuses temporaries of constant extents that do not fit if one row is computed at a time.
inline void require_room(device_program const& p, device_limits const& limits)
{
    std::int64_t const most = limits.shared_bytes_opt_in;
    std::int64_t bytes = 0;
    for (nest_statement const& s : p.nest.statements) {
        nest_array const& array = p.nest.arrays[s.target.array];
        if (array.role != nest_role::temporary || is_one_for_a_row(p, s)) continue;
        auto one = static_cast<std::int64_t>(element_bytes(array.element));
        for (std::size_t d = 0; d < array.extents.size(); ++d)
            if (!has_axis(p.rows, s.target.at[d].terms.front().axis) &&
                array.extents[d].input == no_index)
                one = std::min(one * array.extents[d].constant, most + 1);
        bytes += one;
    }
    if (bytes > most - 32 * 16 - 8 * 16)
        throw error("the temporaries of a program for a GPU exceed the shared memory of a block",
                    p.nest.name + ": " + std::to_string(bytes) + " bytes or more, of " +
                        std::to_string(most),
                    "divide the statements between several programs, and pass the arrays as "
                    "arguments");
}

} // namespace detail

ATTUNE_INLINE device_space::device_space(nest_description nest,
                                         std::optional<device_limits> const& device)
{
    device_limits const limits = device.value_or(device_limits{});
    detail::require_device_arrays(nest);
    nest = detail::merged_statements(std::move(nest));
    std::optional<device_program> tiles = detail::tiles_of(nest);
    if (tiles && !detail::may_have_matrices(device)) tiles->tensor_depth = 0;
    start_ = tiles ? *tiles : detail::rows_of(nest);
    if (!tiles) detail::require_room(start_, limits);
    space_builder space;
    detail::device_nodes const nodes = tiles ? detail::declare_device_tiles(start_, device, space)
                                             : detail::declare_device_rows(start_, limits, space);
    blocks_ = nodes.blocks;
    threads_ = nodes.threads;
    shared_ = nodes.shared;
    space_ = space.made();
    space_.row_names = device_feature_names();
    space_.rows = [of = std::make_shared<device_space const>(*this)](
                      description const& in, std::span<coordinate const> at) {
        return device_features_of(of->schedule(point(at.begin(), at.end())),
                                  inputs_of_nest(of->start_.nest, in));
    };
}

ATTUNE_INLINE device_program device_space::schedule(point const& at) const
{
    schedule_choices const chosen = choices_of(space_, at);
    device_program out = start_;
    if (out.form == device_form::rows) {
        out.lanes = chosen.number("LANES");
        if (out.rows.empty()) {
            if (detail::may_share_row(out)) out.blocks = chosen.number("BLOCKS");
            return out;
        }
        out.groups = chosen.number("GROUPS");
        out.passes = chosen.number("PASSES");
        if (space_.find_parameter("VECTOR") == no_index) return out;
        std::int64_t const line = detail::line_of(out);
        if (line <= out.lanes * detail::most_kept(out)) {
            out.line = line;
            out.lines = detail::lines_of(out);
            out.vector = chosen.number("VECTOR");
        }
        return out;
    }
    out.block_rows = chosen.number("BLOCK_ROWS");
    out.block_columns = chosen.number("BLOCK_COLUMNS");
    out.block_depth = chosen.number("BLOCK_DEPTH");
    out.thread_rows = chosen.number("THREAD_ROWS");
    out.thread_columns = chosen.number("THREAD_COLUMNS");
    out.vector = chosen.number("VECTOR");
    out.padding = chosen.number("PADDING");
    out.stages = chosen.number("STAGES");
    out.uses_tensor_cores = out.tensor_depth > 0 && chosen.number("TENSOR") != 0;
    return out;
}

} // namespace attune::inline ATTUNE_ABI

// attune/space/schedule/detail/product_model.hpp - the estimated cost of a configuration of a product.
// SPDX-License-Identifier: MIT
// Source   Williams, Waterman, Patterson 2009 (roofline); Low et al. 2016 (analytical model of the
//          loops around a micro-kernel)
#pragma once

#include <attune/core/element.hpp>
#include <attune/core/version.hpp>
#include <attune/space/schedule/derived_space.hpp>
#include <attune/space/schedule/detail/product_axes.hpp>
#include <attune/space/schedule/loop_tree.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The values of one configuration, as product_rule.hpp declares them.
struct product_choice {
    std::int64_t rows = 1;
    std::int64_t vectors = 1;
    std::int64_t depth = 1;
    std::int64_t row_tiles = 1;
    std::int64_t column_tiles = 1;
    std::int64_t unroll = 1;
    std::string order = "crd"; ///< see tile_loop_order()
    bool rows_are_inner = true;
    bool others_are_outside = true;
    std::vector<read_form> forms; ///< one per access
};

/// Counts for the whole program, computed from the loops. Lines are cache lines of 64 bytes.
struct product_counts {
    double multiply_cycles = 0; ///< multiply-adds of vectors, with those of tails
    double tile_cycles = 0;     ///< accumulators to and from memory, beginnings of loops
    double copy_cycles = 0;     ///< copies of elements into panels
    double l1_lines = 0;        ///< loaded from the second cache
    double l2_lines = 0;        ///< loaded from the third cache
    double l2_far_lines = 0;    ///< of these, lines that do not follow the previous line
    double l3_lines = 0;        ///< loaded from memory
    double lost_lines = 0;      ///< evicted from the first cache by other lines of their set
};

/// The most registers of accumulators and one row of vectors. One further register holds a factor;
/// three, if arithmetic does not read memory, because compilers then load early. clang++-19 spills
/// 14 x 2 accumulators of NEON, and none of 12 x 2 or 8 x 3 (tests/compile/nest/inner_loops.cpp).
[[nodiscard]] inline std::int64_t most_registers(processor_shape const& of) noexcept
{
    return of.vector_registers - (of.loads_apart ? 3 : 1);
}

/// Counts of one program's configurations. Extents that are inputs count as 1024.
class product_model {
public:
    explicit product_model(rule_subject const& subject)
        : axes_(*find_product_axes(subject))
        , nest_(*subject.nest)
        , processor_(subject.processor)
    {
        nest_statement const& of = nest_.statements[axes_.product];
        reads_ = accesses_of(nest_, of);
        element_bytes_ = static_cast<double>(element_bytes(of.accumulator));
        for (std::uint32_t axis = 0; axis < nest_.axes.size(); ++axis)
            extent_.push_back(static_cast<double>(known_extent(nest_, axis).value_or(1024)));
        for (std::uint32_t const axis : axes_.others)
            others_ *= extent_[axis];
        for (std::uint32_t const axis : axes_.inner)
            inner_ *= extent_[axis];
        splits_depth_ = may_split_depth(nest_, axes_);
        registers_ = static_cast<double>(processor_.vector_registers);
        for (std::uint32_t const a : reads_) {
            nest_access const& access = nest_.accesses[a];
            if (axes_.rows == no_index || !has_axis(access, axes_.columns)) continue;
            for (affine_index const& index : access.at)
                if (has_axis(index, axes_.rows))
                    for (affine_term const& term : index.terms)
                        if (term.axis != axes_.rows) window_ = extent_[term.axis];
        }
    }

    [[nodiscard]] std::vector<std::uint32_t> const& reads() const noexcept { return reads_; }

    [[nodiscard]] product_counts counts(product_choice const& at) const
    {
        product_counts out;
        tile_extents const t = tiles_of(at);
        std::array<loop, loops> const nest = loops_of(at, t);
        add_arithmetic(at, t, nest, out);
        for (std::size_t a = 0; a < reads_.size(); ++a)
            add_copies(at, t, a, nest, out);
        for (std::size_t level = 0; level < 3; ++level)
            add_lines(at, t, nest, level, out);
        for (std::size_t a = 0; a < reads_.size(); ++a)
            if (at.rows > most_direct_rows(a) && at.forms[a] == read_form::direct)
                out.lost_lines +=
                    ceil_of(t.all_columns, t.columns) * t.all_rows * t.all_depth * inner_ * others_;
        return out;
    }

    /// Expected cycles of a configuration on one core. Multiply-adds, and lines from the second and
    /// third cache, overlap; copies do not. The costs of lines, copies and tiles are those of a
    /// processor with AVX-512 at 3.7 GHz. These costs rank configurations, and do not predict
    /// seconds.
    [[nodiscard]] double cycles(product_choice const& at) const
    {
        product_counts const n = counts(at);
        double const spilled = (at.rows + 1) * at.vectors > most_registers(processor_) ? 1.9 : 1;
        double const arithmetic =
            n.multiply_cycles * spilled * instructions_beside(at) + 2 * n.tile_cycles;
        double const lines = 0.5 * n.l1_lines + 5 * n.l2_lines + 3 * n.l2_far_lines +
                             20 * n.l3_lines + 3 * n.lost_lines;
        return std::max(arithmetic, lines) + 0.1 * std::min(arithmetic, lines) +
               2.5 * n.copy_cycles;
    }

    /// Instructions beside each multiply-add: the loads of a row of vectors and of one number per
    /// row serve rows x vectors multiply-adds. A load counts as half an instruction.
    [[nodiscard]] double instructions_beside(product_choice const& at) const
    {
        if (!processor_.loads_apart) return 1;
        auto const rows = static_cast<double>(at.rows);
        auto const vectors = static_cast<double>(at.vectors);
        return 1 + 0.5 * (rows + vectors) / (rows * vectors);
    }

    /// The most rows of an operand, read in place, that the first cache keeps from one step of the
    /// depth to the next. Rows whose distance is a multiple of 4 KiB share one set; a distance that
    /// is an input counts as such a multiple.
    [[nodiscard]] std::int64_t most_direct_rows(std::size_t a) const
    {
        constexpr std::int64_t sets = 64;
        std::int64_t const ways = std::max<std::int64_t>(processor_.l1_bytes / (sets * 64), 1);
        constexpr std::int64_t any = 1 << 20;
        nest_access const& access = nest_.accesses[reads_[a]];
        if (axes_.rows == no_index || has_axis(access, axes_.columns)) return any;
        nest_array const& array = nest_.arrays[access.array];
        auto const bytes = static_cast<std::int64_t>(element_bytes(array.element));
        std::int64_t stride = bytes;
        for (std::size_t d = access.at.size(); d-- > 0;) {
            for (affine_term const& term : access.at[d].terms)
                if (term.axis == axes_.rows) {
                    std::int64_t const step =
                        stride * (term.factor < 0 ? -term.factor : term.factor);
                    if (step < 64) return any;
                    std::int64_t const lines = (step + 63) / 64;
                    return std::max<std::int64_t>(sets / std::gcd(sets, lines) * ways, ways);
                }
            if (array.extents[d].input != no_index) return ways;
            stride *= array.extents[d].constant;
        }
        return any;
    }

private:
    static constexpr std::size_t loops = 7;
    static constexpr double line = 64;
    enum class what : std::uint8_t { others, rows, columns, depth };

    /// Extents of the tiles, in elements, at most those of the axes.
    struct tile_extents {
        double rows = 1, columns = 1, depth = 1;
        double row_tile = 1, column_tile = 1;
        double all_rows = 1, all_columns = 1, all_depth = 1;
    };
    /// One of the loops around a register tile, outermost first.
    struct loop {
        what over{};
        double trips = 1;
        std::array<double, 4> inside{}; ///< extents of its body: others, rows, columns, depth
    };

    static double ceil_of(double a, double b)
    {
        return static_cast<double>(static_cast<std::int64_t>((a + b - 1) / b));
    }

    [[nodiscard]] tile_extents tiles_of(product_choice const& at) const
    {
        tile_extents t;
        t.all_rows = axes_.rows == no_index ? 1 : extent_[axes_.rows];
        t.all_columns = extent_[axes_.columns];
        t.all_depth = extent_[axes_.depth];
        auto const rows = static_cast<double>(at.rows);
        auto const columns = static_cast<double>(at.vectors * axes_.lanes);
        t.rows = std::min(rows, t.all_rows);
        t.columns = std::min(columns, t.all_columns);
        t.row_tile = std::min(rows * static_cast<double>(at.row_tiles), t.all_rows);
        t.column_tile = std::min(columns * static_cast<double>(at.column_tiles), t.all_columns);
        t.depth =
            splits_depth_ ? std::min(static_cast<double>(at.depth), t.all_depth) : t.all_depth;
        return t;
    }

    [[nodiscard]] std::array<loop, loops> loops_of(product_choice const& at,
                                                   tile_extents const& t) const
    {
        std::array<loop, loops> out;
        std::size_t n = 0;
        out[n++] = {what::others, at.others_are_outside ? others_ : 1, {}};
        for (char const which : at.order) {
            if (which == 'r') out[n++] = {what::rows, ceil_of(t.all_rows, t.row_tile), {}};
            if (which == 'c') out[n++] = {what::columns, ceil_of(t.all_columns, t.column_tile), {}};
            if (which == 'd') out[n++] = {what::depth, ceil_of(t.all_depth, t.depth), {}};
        }
        out[n++] = {what::others, at.others_are_outside ? 1 : others_, {}};
        loop const rows{what::rows, ceil_of(t.row_tile, t.rows), {}};
        loop const columns{what::columns, ceil_of(t.column_tile, t.columns), {}};
        out[n++] = at.rows_are_inner ? columns : rows;
        out[n++] = at.rows_are_inner ? rows : columns;
        std::array<double, 4> extents{1, t.rows, t.columns, t.depth};
        for (std::size_t i = loops; i-- > 0;) {
            out[i].inside = extents;
            if (out[i].over == what::others && out[i].trips > 1) extents[0] = others_;
            if (out[i].over == what::rows) extents[1] = i >= 5 ? t.row_tile : t.all_rows;
            if (out[i].over == what::columns) extents[2] = i >= 5 ? t.column_tile : t.all_columns;
            if (out[i].over == what::depth) extents[3] = t.all_depth;
        }
        return out;
    }

    void add_arithmetic(product_choice const& at, tile_extents const& t,
                        std::array<loop, loops> const& nest, product_counts& out) const
    {
        double levels = 0;
        for (loop const& one : nest)
            levels += one.trips > 1 ? 1 : 0;
        double const steps = t.all_depth * inner_ * others_;
        double const blocks = ceil_of(t.all_depth, t.depth) * others_;
        auto const rows = static_cast<double>(at.rows);
        auto const columns = static_cast<double>(at.vectors * axes_.lanes);
        auto const lanes = static_cast<double>(axes_.lanes);
        auto const add = [&](double count, double r, double c, double slower = 1) {
            if (count <= 0 || r <= 0 || c <= 0) return;
            double const v = ceil_of(c, lanes);
            // A chain of one accumulator waits four cycles; loads and multiply-adds overlap.
            double step = std::max({r * v, 4.0, v + r / 2});
            if (window_ > 0 && r * v + (r + window_ - 1) * v >= registers_) step *= 1.6;
            double const jump = 1.0 / static_cast<double>(at.unroll);
            out.multiply_cycles += count * steps * (step + jump) * slower;
            out.tile_cycles += count * blocks * (4 * r * v + 4 * inner_ + 10 * levels);
        };
        double const whole_rows = static_cast<double>(static_cast<std::int64_t>(t.all_rows / rows));
        double const whole_columns =
            static_cast<double>(static_cast<std::int64_t>(t.all_columns / columns));
        // If an extent is an input, the loops of a rest have an unknown length. The rest's register
        // tile is then in memory (3.4 times slower in a convolution). Most sizes are multiples of 8
        // rows and of 64 columns.
        constexpr double in_memory = 4;
        bool const knows_rows = axes_.rows == no_index || known_extent(nest_, axes_.rows);
        bool const knows_columns = known_extent(nest_, axes_.columns).has_value();
        double const rest_rows =
            knows_rows ? t.all_rows - whole_rows * rows : usual_rest(at.rows, 8);
        double const rest_columns = knows_columns ? t.all_columns - whole_columns * columns
                                                  : usual_rest(at.vectors * axes_.lanes, 64);
        double const slower_rows = knows_rows ? 1 : in_memory;
        double const slower_columns = knows_columns ? 1 : in_memory;
        add(whole_rows * whole_columns, rows, columns);
        add(whole_columns, rest_rows, columns, slower_rows);
        add(whole_rows, rows, rest_columns, slower_columns);
        add(1, rest_rows, rest_columns, std::max(slower_rows, slower_columns));
    }

    /// The average rest of an unknown multiple of `unit`, divided into tiles of `tile`.
    [[nodiscard]] static double usual_rest(std::int64_t tile, std::int64_t unit)
    {
        return static_cast<double>(tile - std::gcd(tile, unit)) / 2;
    }

    [[nodiscard]] double steps_of(std::uint32_t axis, std::array<double, 4> const& inside) const
    {
        if (axis == axes_.rows) return inside[1];
        if (axis == axes_.columns) return inside[2];
        if (axis == axes_.depth) return inside[3];
        for (std::uint32_t const other : axes_.others)
            if (axis == other) return inside[0] > 1 ? extent_[axis] : 1;
        return extent_[axis];
    }

    /// Cache lines that a part of the program touches by one access (reads_.size(): the target).
    struct touched {
        double lines = 0;
        double far = 0; ///< lines that do not follow the previous line
    };
    [[nodiscard]] touched lines_of(std::size_t a, product_choice const& at,
                                   std::array<double, 4> const& inside) const
    {
        if (a == reads_.size()) {
            double const runs = inside[0] * inside[1];
            double const run = ceil_of(inside[2] * element_bytes_, line);
            return {runs * run, runs};
        }
        nest_access const& access = nest_.accesses[reads_[a]];
        nest_array const& array = nest_.arrays[access.array];
        auto const bytes = static_cast<double>(detail::element_bytes(array.element));
        bool const is_panel = at.forms[a] == read_form::panels ||
                              at.forms[a] == read_form::all_panels ||
                              at.forms[a] == read_form::kept;
        if (is_panel) {
            double elements = bytes;
            for (std::uint32_t axis = 0; axis < extent_.size(); ++axis)
                if (has_axis(access, axis)) elements *= steps_of(axis, inside);
            double const count = std::max(1.0, elements / line);
            return {count, 0};
        }
        double runs = 1;
        double last = 1;
        for (std::size_t d = 0; d < access.at.size(); ++d) {
            double size = 1;
            for (affine_term const& term : access.at[d].terms)
                size += static_cast<double>(term.factor < 0 ? -term.factor : term.factor) *
                        (steps_of(term.axis, inside) - 1);
            if (array.extents[d].input == no_index)
                size = std::min(size, static_cast<double>(array.extents[d].constant));
            if (d + 1 == access.at.size())
                last = size;
            else
                runs *= size;
        }
        double const run = ceil_of(last * bytes, line);
        bool const is_whole = array.extents.back().input == no_index &&
                              last >= static_cast<double>(array.extents.back().constant);
        double const count = is_whole ? std::max(1.0, runs * last * bytes / line) : runs * run;
        return {count, is_whole || run >= 8 ? 0 : runs};
    }

    void add_lines(product_choice const& at, tile_extents const& t,
                   std::array<loop, loops> const& nest, std::size_t level,
                   product_counts& out) const
    {
        (void)t;
        std::array<std::int64_t, 3> const sizes{processor_.l1_bytes, processor_.l2_bytes,
                                                processor_.l3_bytes};
        double const room = 0.8 * static_cast<double>(sizes[level]);
        std::array<double, 4> whole{others_, axes_.rows == no_index ? 1 : extent_[axes_.rows],
                                    extent_[axes_.columns], extent_[axes_.depth]};
        auto const inside_of = [&](std::size_t p) -> std::array<double, 4> const& {
            return p == 0 ? whole : nest[p - 1].inside; // p loops are outside
        };
        std::size_t const operands = reads_.size() + 1;
        std::size_t p = 0;
        for (; p < loops; ++p) {
            double bytes = 0;
            for (std::size_t a = 0; a < operands; ++a)
                bytes += lines_of(a, at, inside_of(p)).lines * line;
            if (bytes <= room) break;
        }
        if (p == 0) return; // the cache holds the whole part
        for (std::size_t a = 0; a < operands; ++a) {
            touched const here = lines_of(a, at, inside_of(p));
            double times = 1;
            bool is_next = true;
            for (std::size_t q = p; q-- > 0;) {
                if (nest[q].trips <= 1) continue;
                // The cache keeps the part if the next loop does not move it.
                bool const moves = !is_next || depends(a, nest[q].over);
                if (moves) times *= nest[q].trips;
                is_next = false;
            }
            double const count = here.lines * times * (a == reads_.size() ? 2 : 1);
            if (level == 0) out.l1_lines += count;
            if (level == 1) out.l2_lines += count, out.l2_far_lines += here.far * times;
            if (level == 2) out.l3_lines += count;
        }
    }

    [[nodiscard]] bool depends(std::size_t a, what over) const
    {
        if (a == reads_.size()) return over != what::depth;
        nest_access const& access = nest_.accesses[reads_[a]];
        switch (over) {
        case what::rows:
            return has_axis(access, axes_.rows);
        case what::columns:
            return has_axis(access, axes_.columns);
        case what::depth:
            return has_axis(access, axes_.depth);
        case what::others:
            break;
        }
        for (std::uint32_t const axis : axes_.others)
            if (has_axis(access, axis)) return true;
        return false;
    }

    void add_copies(product_choice const& at, tile_extents const& t, std::size_t a,
                    std::array<loop, loops> const& nest, product_counts& out) const
    {
        (void)t;
        read_form const form = at.forms[a];
        if (form == read_form::direct || form == read_form::kept) return;
        nest_access const& access = nest_.accesses[reads_[a]];
        if (form == read_form::padded && nest_.arrays[access.array].is_constant) return;
        double elements = 1;
        if (form == read_form::padded) {
            for (nest_extent const& extent : nest_.arrays[access.array].extents)
                elements *= extent.input == no_index ? static_cast<double>(extent.constant) : 1024;
        } else {
            for (std::uint32_t axis = 0; axis < extent_.size(); ++axis)
                if (has_axis(access, axis)) elements *= extent_[axis];
        }
        if (form == read_form::panels) { // once per iteration of the loops around the copy
            std::size_t last = 0;
            for (std::size_t q = 0; q < 5; ++q)
                if (nest[q].trips > 1 && depends(a, nest[q].over)) last = q;
            for (std::size_t q = 0; q < last; ++q)
                if (!depends(a, nest[q].over)) elements *= nest[q].trips;
        }
        bool const by_vectors = is_contiguous(access, axes_.columns) || form == read_form::padded;
        out.copy_cycles += elements * (by_vectors ? 0.15 : 2.0);
    }

    product_axes axes_;
    nest_description nest_;
    processor_shape processor_;
    std::vector<std::uint32_t> reads_;
    std::vector<double> extent_; ///< of each axis of the nest
    double element_bytes_ = 4;
    double others_ = 1;
    double inner_ = 1;
    bool splits_depth_ = true;
    double registers_ = 16;
    /// Steps of the window of a depthwise convolution. Neighbouring rows read common vectors, which
    /// registers keep if they suffice. 0: rows have no common vectors.
    double window_ = 0;
};

} // namespace attune::inline ATTUNE_ABI::detail

// attune/space/schedule/detail/product_parameters.hpp - the values of a product's parameters.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/space/schedule/derived_space.hpp>
#include <attune/space/schedule/detail/product_axes.hpp>
#include <attune/space/schedule/detail/product_model.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

inline std::vector<std::int64_t> up_to(std::vector<std::int64_t> const& values,
                                       std::optional<std::int64_t> most)
{
    std::vector<std::int64_t> out;
    for (std::int64_t const v : values)
        if (!most || v <= *most) out.push_back(v);
    if (out.empty()) out.push_back(values.front());
    return out;
}

/// The loops over cache tiles, outermost first: r rows, c columns, d depth.
/// @param order  "cr" or "rc"  @param depth  where the depth's loop is: see depth_places
[[nodiscard]] inline std::string tile_loop_order(std::string_view order, std::string_view depth)
{
    std::string out(order);
    return out.insert(depth == "inside" ? 2 : depth == "between" ? 1 : 0, 1, 'd');
}
inline constexpr std::string_view depth_places[] = {"inside", "between", "outside"};

enum class product_decision : std::uint8_t {
    rows,
    vectors,
    depth,
    row_tiles,
    column_tiles,
    order,
    depth_place,
    inner,
    others,
    read,
    unroll,
};

/// One parameter: numbers in ascending order, or labels.
struct product_parameter {
    product_decision decides{};
    std::string name; ///< with the subject's prefix
    std::vector<std::int64_t> numbers{};
    std::vector<std::string> labels{};
    std::size_t read = 0;           ///< of `read`: index of the access
    std::vector<read_form> forms{}; ///< of `read`: parallel to labels

    [[nodiscard]] std::size_t count() const noexcept { return numbers.size() + labels.size(); }
};

/// The parameters of a product, and the constraints on their settings.
class product_parameters {
public:
    explicit product_parameters(rule_subject const& subject)
        : model_(subject)
        , axes_(*find_product_axes(subject))
        , registers_(subject.processor.vector_registers)
        , most_registers_(detail::most_registers(subject.processor))
        , l2_bytes_(subject.processor.l2_bytes)
        , l3_bytes_(subject.processor.l3_bytes)
    {
        nest_description const& nest = *subject.nest;
        step_bytes_ =
            static_cast<std::int64_t>(element_bytes(nest.statements[axes_.product].accumulator));
        for (std::uint32_t const axis : axes_.inner)
            step_bytes_ *= known_extent(nest, axis).value_or(1);
        depth_ = known_extent(nest, axes_.depth);
        splits_depth_ = may_split_depth(nest, axes_);
        width_ = known_extent(nest, axes_.columns);
        height_ = axes_.rows == no_index ? std::optional<std::int64_t>(1)
                                         : known_extent(nest, axes_.rows);
        std::string const& p = subject.prefix;
        add_registers(p);
        add_tiles(p, nest);
        std::vector<std::uint32_t> const& reads = model_.reads();
        for (std::size_t a = 0; a < reads.size(); ++a) {
            std::vector<read_form> forms = forms_of(axes_, nest, nest.accesses[reads[a]]);
            only_forms_.push_back(forms.front());
            if (forms.size() < 2) continue;
            product_parameter of{product_decision::read, read_name(subject, reads, reads[a])};
            of.read = a;
            for (read_form const form : forms)
                of.labels.emplace_back(name_of(form));
            of.forms = std::move(forms);
            all_.push_back(std::move(of));
        }
        all_.push_back({product_decision::unroll, p + "UNROLL", {1, 2, 4, 8}});
    }

    [[nodiscard]] std::vector<product_parameter> const& all() const noexcept { return all_; }
    [[nodiscard]] product_model const& model() const noexcept { return model_; }
    [[nodiscard]] product_axes const& axes() const noexcept { return axes_; }
    /// The extents of the axes of depth, of columns and of rows; nothing if the extent is an input.
    [[nodiscard]] std::optional<std::int64_t> depth() const noexcept { return depth_; }
    [[nodiscard]] std::optional<std::int64_t> width() const noexcept { return width_; }
    [[nodiscard]] std::optional<std::int64_t> height() const noexcept { return height_; }
    /// The least number of accumulators: with fewer, a multiply-add waits for an earlier one.
    [[nodiscard]] std::int64_t least_accumulators() const noexcept { return least_; }
    [[nodiscard]] std::int64_t most_registers() const noexcept { return most_registers_; }

    /// @param places  one per parameter: the index of its value
    [[nodiscard]] product_choice choice(std::span<std::uint32_t const> places) const
    {
        product_choice out;
        std::string_view order = "cr";
        std::string_view depth = depth_places[0];
        out.forms = only_forms_;
        for (std::size_t i = 0; i < all_.size(); ++i) {
            product_parameter const& of = all_[i];
            std::uint32_t const at = places[i];
            switch (of.decides) {
            case product_decision::rows:
                out.rows = of.numbers[at];
                break;
            case product_decision::vectors:
                out.vectors = of.numbers[at];
                break;
            case product_decision::depth:
                out.depth = of.numbers[at];
                break;
            case product_decision::row_tiles:
                out.row_tiles = of.numbers[at];
                break;
            case product_decision::column_tiles:
                out.column_tiles = of.numbers[at];
                break;
            case product_decision::order:
                order = of.labels[at];
                break;
            case product_decision::depth_place:
                depth = of.labels[at];
                break;
            case product_decision::inner:
                out.rows_are_inner = at == 0;
                break;
            case product_decision::others:
                out.others_are_outside = at == 0;
                break;
            case product_decision::read:
                out.forms[of.read] = of.forms[at];
                break;
            case product_decision::unroll:
                out.unroll = of.numbers[at];
                break;
            }
        }
        out.order = tile_loop_order(order, depth);
        return out;
    }

    /// Bytes of one row or column of a cache tile, for each step of DEPTH.
    [[nodiscard]] std::int64_t step_bytes() const noexcept { return step_bytes_; }
    /// The most bytes of a cache tile for a cache of this size. The factor 2: up to half of a tile
    /// may lie beyond the end of its axis.
    [[nodiscard]] static std::int64_t most_tile_bytes(std::int64_t cache) { return 2 * cache; }
    /// Returns true if the third cache holds the tiles of both operands, and the second cache holds
    /// one of them. An operand without a tile of several register tiles streams through the caches.
    [[nodiscard]] bool keeps_tiles(product_choice const& at) const
    {
        std::int64_t const step = at.depth * step_bytes_;
        std::int64_t const rows = at.rows * step * at.row_tiles;
        std::int64_t const columns = at.vectors * axes_.lanes * step * at.column_tiles;
        std::int64_t const l2 = most_tile_bytes(l2_bytes_);
        std::int64_t const l3 = most_tile_bytes(l3_bytes_);
        bool const rows_once = at.row_tiles == 1;
        bool const columns_once = at.column_tiles == 1;
        return (rows_once || rows <= l3) && (columns_once || columns <= l3) &&
               (rows_once || columns_once || rows <= l2 || columns <= l2);
    }

    /// Returns true if the constraints that product_rule.hpp declares hold.
    [[nodiscard]] bool allows(product_choice const& at) const
    {
        std::int64_t const accumulators = at.rows * at.vectors;
        if (accumulators + at.vectors > most_registers() || accumulators < least_) return false;
        if (height_ && at.row_tiles > 1 && at.rows * at.row_tiles >= 2 * *height_) return false;
        std::int64_t const columns = at.vectors * axes_.lanes;
        if (width_ && at.column_tiles > 1 && columns * at.column_tiles >= 2 * *width_) return false;
        for (std::size_t a = 0; a < at.forms.size(); ++a)
            if (at.forms[a] == read_form::direct && at.rows > model_.most_direct_rows(a))
                return false;
        return keeps_tiles(at);
    }

    /// The configuration with the least expected cycles that descents from a few starts find. Each
    /// register tile has its own descents along single parameters.
    [[nodiscard]] std::vector<std::uint32_t> preferred() const
    {
        std::vector<std::uint32_t> best(all_.size(), 0);
        double least = std::numeric_limits<double>::infinity();
        // The first two parameters are the register tile. Each register tile has four descents:
        // from small, wide, high and large cache tiles.
        for (std::uint32_t r = 0; r < all_[0].count(); ++r)
            for (std::uint32_t v = 0; v < all_[1].count(); ++v)
                for (unsigned start = 0; start < 4; ++start) {
                    std::vector<std::uint32_t> at = first_places(start);
                    at[0] = r;
                    at[1] = v;
                    double const reached = descend(at);
                    if (reached >= least * (1 - 1e-9)) continue;
                    least = reached;
                    best = at;
                }
        return best;
    }

private:
    void add_registers(std::string const& p)
    {
        std::optional<std::int64_t> vectors_most;
        if (width_) vectors_most = (*width_ + axes_.lanes - 1) / axes_.lanes;
        all_.push_back({product_decision::rows, p + "ROWS",
                        up_to({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 20, 24, 28}, height_)});
        all_.push_back(
            {product_decision::vectors, p + "VECTORS", up_to({1, 2, 3, 4, 5, 6, 8}, vectors_most)});
        std::int64_t most = 1;
        for (std::int64_t const r : all_[0].numbers)
            for (std::int64_t const v : all_[1].numbers)
                if ((r + 1) * v <= most_registers()) most = std::max(most, r * v);
        least_ = std::min<std::int64_t>(most, registers_ >= 32 ? 10 : 6);
    }

    void add_tiles(std::string const& p, nest_description const& nest)
    {
        auto const depth = depth_;
        std::vector<std::int64_t> depths;
        for (std::int64_t d = 64; splits_depth_ && d <= 1024; d *= 2)
            if (!depth || d < *depth) depths.push_back(d);
        if (depth) depths.push_back(std::max<std::int64_t>(*depth, 1));
        if (depths.empty()) depths.push_back(1 << 20); // the whole axis
        bool const has_depths = depths.size() > 1;
        all_.push_back({product_decision::depth, p + "DEPTH", std::move(depths)});
        std::vector<std::int64_t> const counts{1, 2, 4, 8, 16, 32, 64};
        auto const tiles = [&](std::optional<std::int64_t> extent, std::int64_t unit) {
            std::optional<std::int64_t> most;
            if (extent) most = std::max<std::int64_t>(1, 2 * *extent / unit);
            return up_to(counts, most);
        };
        all_.push_back({product_decision::row_tiles, p + "ROW_TILES", tiles(height_, 1)});
        all_.push_back(
            {product_decision::column_tiles, p + "COLUMN_TILES", tiles(width_, axes_.lanes)});
        all_.push_back({product_decision::order, p + "ORDER", {}, {"cr", "rc"}});
        if (has_depths)
            all_.push_back({product_decision::depth_place,
                            p + "DEPTH_LOOP",
                            {},
                            {std::begin(depth_places), std::end(depth_places)}});
        if (axes_.rows != no_index)
            all_.push_back({product_decision::inner, p + "INNER", {}, {"rows", "columns"}});
        bool const has_others =
            std::any_of(axes_.others.begin(), axes_.others.end(), [&nest](std::uint32_t axis) {
                return known_extent(nest, axis).value_or(2) > 1;
            });
        if (has_others)
            all_.push_back({product_decision::others, p + "OTHERS", {}, {"outside", "inside"}});
    }

    [[nodiscard]] double expected(std::span<std::uint32_t const> places) const
    {
        product_choice const at = choice(places);
        return allows(at) ? model_.cycles(at) : std::numeric_limits<double>::infinity();
    }
    /// Bit 0 of `start`: high tiles, bit 1: wide ones.
    [[nodiscard]] std::vector<std::uint32_t> first_places(unsigned start) const
    {
        std::vector<std::uint32_t> out(all_.size(), 0);
        for (std::size_t i = 0; i < all_.size(); ++i) {
            auto const middle = static_cast<std::uint32_t>(all_[i].count() / 2);
            // The compiler unrolls short loops unless the code has a count. If extents are inputs,
            // the distances of rows are inputs, too. Copies of a step then share addresses, and the
            // compiler interleaves their loads. The tile then leaves the registers (half the speed
            // of a convolution in tiles of 14 x 32).
            bool const is_long = depth_ && *depth_ > 16;
            if (all_[i].decides == product_decision::unroll && is_long) out[i] = 1;
            if (all_[i].decides == product_decision::row_tiles && start % 2 == 1) out[i] = middle;
            if (all_[i].decides == product_decision::column_tiles && start > 1) out[i] = middle;
        }
        return out;
    }
    /// Takes the best value of each parameter except the first two, until no value is better.
    double descend(std::vector<std::uint32_t>& at) const
    {
        double now = expected(at);
        for (int sweep = 0; sweep < 4; ++sweep) {
            double const before = now;
            for (std::size_t i = 2; i < all_.size(); ++i) {
                if (all_[i].decides == product_decision::unroll) continue;
                std::uint32_t best = at[i];
                for (std::uint32_t value = 0; value < all_[i].count(); ++value) {
                    at[i] = value;
                    double const cycles = expected(at);
                    if (cycles >= now * (1 - 1e-9)) continue;
                    now = cycles;
                    best = value;
                }
                at[i] = best;
            }
            if (now >= before * (1 - 1e-6)) break;
        }
        return now;
    }

    product_model model_;
    product_axes axes_;
    std::int64_t registers_;
    std::int64_t most_registers_;
    std::int64_t l2_bytes_;
    std::int64_t l3_bytes_;
    std::int64_t step_bytes_ = 1;
    std::int64_t least_ = 1;
    std::optional<std::int64_t> depth_;
    bool splits_depth_ = true;
    std::optional<std::int64_t> width_;
    std::optional<std::int64_t> height_;
    std::vector<product_parameter> all_;
    std::vector<read_form> only_forms_;
};

} // namespace attune::inline ATTUNE_ABI::detail

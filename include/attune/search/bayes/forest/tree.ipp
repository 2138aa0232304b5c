// attune/search/bayes/forest/tree.ipp - codes features, and grows trees.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/search/bayes/forest/tree.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail::forest {

/// The cell of a place in [0, 1].
[[nodiscard]] inline std::uint8_t cell_of(double place)
{
    return static_cast<std::uint8_t>(std::clamp(place * most_codes, 0.0, most_codes - 1.0));
}

/// The code of each level by its rank among `places`; equal places have equal codes.
/// @return  the number of codes
[[nodiscard]] inline std::uint32_t rank_levels(std::vector<double> const& places,
                                               std::vector<std::uint8_t>& out)
{
    std::vector<double> sorted = places;
    std::sort(sorted.begin(), sorted.end());
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    double const low = sorted.front();
    double const width = sorted.back() - low;
    for (double const p : places) {
        auto const rank = std::lower_bound(sorted.begin(), sorted.end(), p) - sorted.begin();
        out.push_back(sorted.size() <= most_codes ? static_cast<std::uint8_t>(rank)
                                                  : cell_of((p - low) / width));
    }
    return static_cast<std::uint32_t>(std::min<std::size_t>(sorted.size(), most_codes));
}

ATTUNE_INLINE coding::coding(feature_map const& features)
{
    auto const add = [&](std::size_t f, column about, std::vector<std::uint8_t> of_level) {
        about_.push_back(about);
        feature_.push_back(static_cast<std::uint32_t>(f));
        of_level_.push_back(std::move(of_level));
    };
    for (std::size_t f = 0; f < features.count(); ++f) {
        std::uint32_t const levels = features.levels(f);
        if (levels == 0) {
            add(f, {most_codes, false}, {});
            continue;
        }
        if (features.is_nominal(f)) {
            std::vector<std::uint8_t> codes;
            for (std::uint32_t v = 0; v < levels; ++v)
                codes.push_back(static_cast<std::uint8_t>(v % most_codes));
            add(f, {std::min(levels, most_codes), true}, std::move(codes));
            continue;
        }
        for (std::size_t i = 0; i < features.dimensions(f); ++i) {
            std::vector<double> places;
            for (std::uint32_t v = 0; v < levels; ++v)
                places.push_back(features.place(f, v)[i]);
            std::vector<std::uint8_t> codes;
            std::uint32_t const count = rank_levels(places, codes);
            add(f, {count, false}, std::move(codes));
        }
    }
}

ATTUNE_INLINE void coding::append(feature_table const& table, std::size_t first,
                                  code_table& out) const
{
    out.about = about_;
    out.code.resize(about_.size());
    for (std::size_t c = 0; c < about_.size(); ++c) {
        std::vector<std::uint8_t>& to = out.code[c];
        std::vector<std::uint8_t> const& of_level = of_level_[c];
        to.reserve(to.size() + table.points - first);
        if (of_level.empty()) {
            std::vector<double> const& from = table.real[feature_[c]];
            for (std::size_t row = first; row < table.points; ++row)
                to.push_back(cell_of(from[row]));
        } else {
            std::vector<std::uint32_t> const& from = table.level[feature_[c]];
            for (std::size_t row = first; row < table.points; ++row)
                to.push_back(of_level[from[row]]);
        }
    }
    out.points += table.points - first;
}

ATTUNE_INLINE
tree_grower::tree_grower(code_table const& x, std::span<double const> y, options const& how)
    : x_(x)
    , y_(y)
    , how_(how)
    , order_(x.code.size())
    , count_(most_codes)
    , sum_(most_codes)
{
    std::iota(order_.begin(), order_.end(), 0U);
}

ATTUNE_INLINE std::vector<tree_node> tree_grower::grow(std::span<std::uint32_t> points,
                                                       random_engine& engine)
{
    struct task {
        std::uint32_t node;
        std::size_t depth;
        std::span<std::uint32_t> points;
    };
    std::vector<tree_node> tree{describe(points)};
    std::vector<task> open{{0, 0, points}};
    while (!open.empty()) {
        task const at = open.back();
        open.pop_back();
        if (at.depth >= how_.max_depth) continue;
        split best = best_split(at.points, tree[at.node], engine);
        if (best.column == tree_node::no_column) continue;
        std::vector<std::uint8_t> const& code = x_.code[best.column];
        auto const middle =
            std::partition(at.points.begin(), at.points.end(),
                           [&](std::uint32_t p) { return best.goes_left.has(code[p]); });
        std::size_t const on_left = static_cast<std::size_t>(middle - at.points.begin());
        std::uint32_t const left = static_cast<std::uint32_t>(tree.size());
        tree[at.node].column = best.column;
        tree[at.node].goes_left = best.goes_left;
        tree[at.node].left = left;
        tree[at.node].right = left + 1;
        for (auto const part : {at.points.first(on_left), at.points.subspan(on_left)}) {
            open.push_back({static_cast<std::uint32_t>(tree.size()), at.depth + 1, part});
            tree.push_back(describe(part));
        }
    }
    return tree;
}

ATTUNE_INLINE tree_node tree_grower::describe(std::span<std::uint32_t const> points) const
{
    tree_node out;
    double const count = static_cast<double>(points.size());
    for (std::uint32_t const p : points)
        out.mean += y_[p];
    out.mean /= count;
    for (std::uint32_t const p : points)
        out.variance += (y_[p] - out.mean) * (y_[p] - out.mean);
    out.variance /= count;
    out.points = static_cast<std::uint32_t>(points.size());
    return out;
}

ATTUNE_INLINE tree_grower::split tree_grower::best_split(std::span<std::uint32_t const> points,
                                                         tree_node const& at, random_engine& engine)
{
    split best;
    double const count = static_cast<double>(points.size());
    double const scatter = at.variance * count;
    if (points.size() < 2 * how_.min_leaf || !(scatter > 0)) return best;
    best.gain = 1e-12 * scatter; // less is rounding error
    auto const wanted =
        static_cast<std::size_t>(std::ceil(how_.column_share * static_cast<double>(order_.size())));
    std::size_t tried = 0;
    for (std::size_t i = 0; i < order_.size() && tried < wanted; ++i) {
        std::swap(order_[i], order_[i + uniform_below(engine, order_.size() - i)]);
        gather_groups(order_[i], points, at.mean);
        if (groups_.size() < 2) continue;
        try_column(order_[i], count, engine, best);
        ++tried;
    }
    return best;
}

/// Groups the points by code, in ascending order; of a nominal column in the order of means. Sums
/// are of differences from `mean`.
ATTUNE_INLINE void tree_grower::gather_groups(std::uint32_t c,
                                              std::span<std::uint32_t const> points, double mean)
{
    std::vector<std::uint8_t> const& code = x_.code[c];
    code_set met;
    for (std::uint32_t const p : points) {
        std::uint8_t const v = code[p];
        if (!met.has(v)) {
            met.add(v);
            count_[v] = 0;
            sum_[v] = 0;
        }
        count_[v] += 1;
        sum_[v] += y_[p] - mean;
    }
    groups_.clear();
    met.for_each([&](std::uint8_t v) { groups_.push_back({v, count_[v], sum_[v]}); });
    if (x_.about[c].is_nominal)
        std::sort(groups_.begin(), groups_.end(), [](group const& a, group const& b) {
            double const left = a.sum * b.count;
            double const right = b.sum * a.count;
            return left != right ? left < right : a.code < b.code;
        });
}

/// Tries each division of the groups into two; their sums add up to 0.
ATTUNE_INLINE void tree_grower::try_column(std::uint32_t c, double points, random_engine& engine,
                                           split& best)
{
    double const least = static_cast<double>(how_.min_leaf);
    double count = 0;
    double sum = 0;
    std::size_t cut = groups_.size();
    for (std::size_t g = 0; g + 1 < groups_.size(); ++g) {
        count += groups_[g].count;
        sum += groups_[g].sum;
        if (count < least || points - count < least) continue;
        double const gain = sum * sum * (1 / count + 1 / (points - count));
        if (gain > best.gain) {
            best.gain = gain;
            cut = g;
        }
    }
    if (cut == groups_.size()) return;
    best.column = c;
    best.goes_left = left_of(c, cut, engine);
}

/// The codes of the groups up to `cut`. Codes without points between two groups are assigned at
/// random: by one threshold, or one by one if nominal.
ATTUNE_INLINE code_set tree_grower::left_of(std::uint32_t c, std::size_t cut,
                                            random_engine& engine) const
{
    code_set out;
    if (!x_.about[c].is_nominal) {
        unsigned const gap = groups_[cut + 1].code - unsigned{groups_[cut].code};
        auto const last = groups_[cut].code + uniform_below(engine, gap);
        for (unsigned v = 0; v <= last; ++v)
            out.add(static_cast<std::uint8_t>(v));
        return out;
    }
    code_set met;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        met.add(groups_[g].code);
        if (g <= cut) out.add(groups_[g].code);
    }
    for (unsigned v = 0; v < x_.about[c].codes; ++v) {
        auto const code = static_cast<std::uint8_t>(v);
        if (!met.has(code) && uniform_below(engine, 2) == 0) out.add(code);
    }
    return out;
}

/// Leaves are numbered from left to right, so that the leaves below a node are a range.
struct leaf_range {
    std::size_t first = 0;
    std::size_t middle = 0; ///< the first leaf of the right child
    std::size_t last = 0;
};

ATTUNE_INLINE masked_tree::masked_tree(std::span<tree_node const> tree,
                                       std::span<column const> about, double least_variance)
{
    std::vector<leaf_range> below(tree.size());
    struct visit {
        std::uint32_t node;
        int step; ///< 0: go left, 1: go right, 2: done
    };
    std::vector<visit> path{{0, 0}};
    while (!path.empty()) {
        visit& at = path.back();
        tree_node const& n = tree[at.node];
        leaf_range& range = below[at.node];
        if (n.column == tree_node::no_column) {
            range = {leaves_.size(), leaves_.size() + 1, leaves_.size() + 1};
            leaves_.push_back({n.mean, std::max(n.variance, least_variance) + n.mean * n.mean});
            path.pop_back();
        } else if (at.step == 0) {
            range.first = leaves_.size();
            at.step = 1;
            path.push_back({n.left, 0});
        } else if (at.step == 1) {
            range.middle = leaves_.size();
            at.step = 2;
            path.push_back({n.right, 0});
        } else {
            range.last = leaves_.size();
            path.pop_back();
        }
    }
    words_ = std::bit_ceil((leaves_.size() + 63) / 64); // masks are combined by powers of two
    std::vector<std::size_t> first_mask(about.size(), masks_.max_size());
    for (tree_node const& n : tree) {
        if (n.column == tree_node::no_column || first_mask[n.column] != masks_.max_size()) continue;
        first_mask[n.column] = masks_.size();
        readings_.push_back({n.column, masks_.size()});
        masks_.resize(masks_.size() + about[n.column].codes * words_, ~std::uint64_t{0});
    }
    for (std::size_t i = 0; i < tree.size(); ++i) {
        tree_node const& n = tree[i];
        if (n.column == tree_node::no_column) continue;
        for (std::uint32_t code = 0; code < about[n.column].codes; ++code) {
            bool const left = n.goes_left.has(static_cast<std::uint8_t>(code));
            std::uint64_t* const mask = masks_.data() + first_mask[n.column] + code * words_;
            std::size_t const last = left ? below[i].last : below[i].middle;
            for (std::size_t l = left ? below[i].middle : below[i].first; l < last; ++l)
                mask[l / 64] &= ~(std::uint64_t{1} << (l % 64));
        }
    }
}

ATTUNE_INLINE std::size_t masked_tree::words_leaf(code_table const& x, std::size_t p) const noexcept
{
    // Bits above the last leaf are never cleared, and are higher than its bit.
    for (std::size_t w = 0;; ++w) {
        std::uint64_t left = ~std::uint64_t{0};
        for (reading const& r : readings_)
            left &= masks_[r.first + x.code[r.column][p] * words_ + w];
        if (left != 0) return 64 * w + static_cast<std::size_t>(std::countr_zero(left));
    }
}

ATTUNE_INLINE leaf const& masked_tree::leaf_of(code_table const& x, std::size_t p) const noexcept
{
    return leaves_[words_leaf(x, p)];
}

template <std::size_t Words>
void masked_tree::add_words(code_table const& x, std::span<double> mean,
                            std::span<double> square) const
{
    struct stream {
        std::uint8_t const* code;
        std::uint64_t const* masks;
    };
    std::vector<stream> streams;
    for (reading const& r : readings_)
        streams.push_back({x.code[r.column].data(), masks_.data() + r.first});
    for (std::size_t p = 0; p < mean.size(); ++p) {
        std::array<std::uint64_t, Words> left;
        left.fill(~std::uint64_t{0});
        for (stream const& s : streams) {
            std::uint64_t const* const mask = s.masks + s.code[p] * Words;
            for (std::size_t w = 0; w < Words; ++w)
                left[w] &= mask[w];
        }
        std::size_t w = 0;
        while (w + 1 < Words && left[w] == 0)
            ++w;
        leaf const& of = leaves_[64 * w + static_cast<std::size_t>(std::countr_zero(left[w]))];
        mean[p] += of.mean;
        square[p] += of.square;
    }
}

ATTUNE_INLINE void masked_tree::add(code_table const& x, std::span<double> mean,
                                    std::span<double> square) const
{
    switch (words_) {
    case 1:
        return add_words<1>(x, mean, square);
    case 2:
        return add_words<2>(x, mean, square);
    case 4:
        return add_words<4>(x, mean, square);
    default:
        for (std::size_t p = 0; p < mean.size(); ++p) {
            leaf const& of = leaf_of(x, p);
            mean[p] += of.mean;
            square[p] += of.square;
        }
    }
}

} // namespace attune::inline ATTUNE_ABI::detail::forest

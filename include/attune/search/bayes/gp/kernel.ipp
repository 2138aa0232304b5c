// attune/search/bayes/gp/kernel.ipp - groups of features, and look-ups of kernel factors.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/search/bayes/gp/blocks.hpp>
#include <attune/search/bayes/gp/kernel.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail::gp {

/// Numbers pairs of codes in order of occurrence, by a table of all possible pairs.
class pair_numbering {
public:
    /// Pairs (a, b) with a < count_a and b < count_b.
    void start(std::size_t count_a, std::size_t count_b)
    {
        columns_ = count_b;
        number_.assign(count_a * count_b, none);
        next_ = 0;
    }
    [[nodiscard]] std::uint32_t operator()(std::uint32_t a, std::uint32_t b)
    {
        std::uint32_t& number = number_[a * columns_ + b];
        if (number == none) number = next_++;
        return number;
    }
    [[nodiscard]] std::uint32_t count() const noexcept { return next_; }

private:
    static constexpr std::uint32_t none = 0xffffffffu;
    std::size_t columns_ = 0;
    std::uint32_t next_ = 0;
    std::vector<std::uint32_t> number_;
};

/// A group of this feature alone; nothing when it has more levels than codes can number.
inline std::optional<feature_group> single_group(std::size_t feature,
                                                 std::vector<std::uint32_t> const& level)
{
    feature_group out{{feature}, {{}}, {}};
    std::uint32_t const highest = *std::max_element(level.begin(), level.end());
    pair_numbering numbering;
    numbering.start(1, std::size_t{highest} + 1);
    out.code.reserve(level.size());
    for (std::uint32_t const l : level) {
        std::uint32_t const code = numbering(0, l);
        if (code > 0xffff) return {};
        if (code == out.level[0].size()) out.level[0].push_back(l);
        out.code.push_back(static_cast<std::uint16_t>(code));
    }
    return out;
}

/// Number of combinations of a and b among every `stride`-th point.
inline std::uint32_t count_together(feature_group const& a, feature_group const& b,
                                    std::size_t stride, pair_numbering& numbering)
{
    numbering.start(a.combinations(), b.combinations());
    for (std::size_t i = 0; i < a.code.size(); i += stride)
        (void)numbering(a.code[i], b.code[i]);
    return numbering.count();
}

/// Merges b into a, unless that gives more than `most` combinations.
inline bool merge_into(feature_group& a, feature_group const& b, std::size_t most,
                       pair_numbering& numbering)
{
    numbering.start(a.combinations(), b.combinations());
    std::vector<std::uint16_t> code(a.code.size());
    std::vector<std::vector<std::uint32_t>> level(a.level.size() + b.level.size());
    for (std::size_t i = 0; i < code.size(); ++i) {
        std::uint32_t const met = numbering.count();
        std::uint32_t const here = numbering(a.code[i], b.code[i]);
        code[i] = static_cast<std::uint16_t>(here);
        if (here != met) continue;
        if (met >= most) return false;
        for (std::size_t k = 0; k < a.level.size(); ++k)
            level[k].push_back(a.level[k][a.code[i]]);
        for (std::size_t k = 0; k < b.level.size(); ++k)
            level[a.level.size() + k].push_back(b.level[k][b.code[i]]);
    }
    a.features.insert(a.features.end(), b.features.begin(), b.features.end());
    a.level = std::move(level);
    a.code = std::move(code);
    return true;
}

ATTUNE_INLINE code_book code_book_of(attune::feature_map const& map,
                                     attune::feature_table const& points)
{
    code_book out;
    out.points = points.points;
    if (points.points == 0) return out;
    // Tables are filled once per observation and read once per candidate: m / 16 entries are cheap.
    std::size_t const most = std::clamp<std::size_t>(points.points / 16, 16, 1024);
    std::size_t const stride = (points.points + 1023) / 1024;
    constexpr std::size_t widest = std::size_t{1} << 18; // of the table of pairs
    pair_numbering numbering;
    for (std::size_t f = 0; f < map.count(); ++f) {
        if (map.levels(f) == 0) {
            out.direct.push_back(f);
            continue;
        }
        std::optional<feature_group> alone = single_group(f, points.level[f]);
        if (!alone) {
            out.direct.push_back(f);
            continue;
        }
        // Merge where it adds the fewest combinations; after a failed merge try the next group.
        std::vector<std::pair<std::size_t, std::size_t>> choices;
        for (std::size_t g = 0; g < out.groups.size(); ++g) {
            feature_group const& group = out.groups[g];
            if (group.combinations() * alone->combinations() > widest) continue;
            std::size_t const together = count_together(group, *alone, stride, numbering);
            if (together <= most)
                choices.emplace_back(together - std::min(together, group.combinations()), g);
        }
        std::sort(choices.begin(), choices.end());
        bool const merged = std::any_of(choices.begin(), choices.end(), [&](auto const& choice) {
            return merge_into(out.groups[choice.second], *alone, most, numbering);
        });
        if (!merged) out.groups.push_back(std::move(*alone));
    }
    return out;
}

/// Look-ups of up to four groups at once: codes and tables.
template <class Scalar>
struct group_lookup {
    std::array<std::uint16_t const*, 4> code;
    std::array<Scalar const*, 4> table;

    /// out[i] = (replace ? nothing : out[i]) combined with the table values of point i.
    template <std::size_t Groups, class Combine>
    void apply(std::size_t count, bool replace, Scalar* out, Combine combine) const
    {
        auto const value = [&](std::size_t i) {
            Scalar v = table[0][code[0][i]];
            if constexpr (Groups > 1) v = combine(v, table[1][code[1][i]]);
            if constexpr (Groups > 2) v = combine(v, table[2][code[2][i]]);
            if constexpr (Groups > 3) v = combine(v, table[3][code[3][i]]);
            return v;
        };
        if (replace)
            for (std::size_t i = 0; i < count; ++i)
                out[i] = value(i);
        else
            for (std::size_t i = 0; i < count; ++i)
                out[i] = combine(out[i], value(i));
    }

    template <class Combine>
    void apply(std::size_t groups, std::size_t count, bool replace, Scalar* out,
               Combine combine) const
    {
        switch (groups) {
        case 1:
            return apply<1>(count, replace, out, combine);
        case 2:
            return apply<2>(count, replace, out, combine);
        case 3:
            return apply<3>(count, replace, out, combine);
        default:
            return apply<4>(count, replace, out, combine);
        }
    }
};

template <class Scalar>
kernel_columns<Scalar>::kernel_columns(attune::feature_map features, kernel k)
    : features_(std::move(features))
    , kernel_(k)
    , weight_(features_.count(), 1.0)
    , rows_(features_.count())
{
}

template <class Scalar>
void kernel_columns<Scalar>::use(hyperparameter_vector const& h)
{
    signal_ = h.signal();
    base_ = h.base();
    for (std::size_t f = 0; f < weight_.size(); ++f) {
        weight_[f] = std::exp(-2.0 * h.theta[static_cast<Eigen::Index>(f)]);
        rows_[f].clear();
    }
}

template <class Scalar>
void kernel_columns<Scalar>::to_factors(array& r2) const
{
    if (kernel_.form == kernel_form::radial) return;
    apply_matern(kernel_.matern, r2);
    Scalar const base = static_cast<Scalar>(base_);
    Scalar const rest = static_cast<Scalar>(1.0 - base_);
    for (Eigen::Index i = 0; i < r2.size(); ++i)
        r2[i] = base + rest * r2[i];
}

template <class Scalar>
auto kernel_columns<Scalar>::row_of(std::size_t feature, std::uint32_t level) -> array const&
{
    auto const [place, is_new] = rows_[feature].try_emplace(level);
    array& row = place->second;
    if (is_new) {
        std::uint32_t const levels = features_.levels(feature);
        row.resize(static_cast<Eigen::Index>(levels));
        for (std::uint32_t other = 0; other < levels; ++other) {
            double const distance = features_.distance(feature, level, other);
            row[static_cast<Eigen::Index>(other)] =
                static_cast<Scalar>(weight_[feature] * distance * distance);
        }
        to_factors(row);
    }
    return row;
}

template <class Scalar>
void kernel_columns<Scalar>::fill_group_tables(attune::feature_table const& from, std::size_t row,
                                               code_book const& book)
{
    tables_.resize(book.groups.size());
    for (std::size_t g = 0; g < tables_.size(); ++g) {
        feature_group const& group = book.groups[g];
        Eigen::Index const combinations = static_cast<Eigen::Index>(group.combinations());
        array& table = tables_[g];
        table.resize(combinations);
        bool const product = kernel_.form == kernel_form::product;
        Scalar const start = static_cast<Scalar>(product ? (g == 0 ? signal_ : 1.0) : 0.0);
        std::fill(table.data(), table.data() + combinations, start);
        for (std::size_t k = 0; k < group.features.size(); ++k) {
            std::size_t const f = group.features[k];
            Scalar const* const factor = row_of(f, from.level[f][row]).data();
            std::uint32_t const* const level = group.level[k].data();
            Scalar* const to = table.data();
            if (product)
                for (Eigen::Index c = 0; c < combinations; ++c)
                    to[c] *= factor[level[c]];
            else
                for (Eigen::Index c = 0; c < combinations; ++c)
                    to[c] += factor[level[c]];
        }
    }
}

template <class Scalar>
void kernel_columns<Scalar>::add_direct(attune::feature_table const& from, std::size_t row,
                                        attune::feature_table const& points, std::size_t feature,
                                        std::size_t first, std::size_t count, Scalar* out)
{
    scratch_.resize(static_cast<Eigen::Index>(count));
    bool const continuous = features_.levels(feature) == 0;
    double const here = continuous ? features_.position(feature, from, row) : 0.0;
    for (std::size_t i = 0; i < count; ++i) {
        double const distance = continuous
                                    ? features_.position(feature, points, first + i) - here
                                    : features_.distance(feature, points.level[feature][first + i],
                                                         from.level[feature][row]);
        scratch_[static_cast<Eigen::Index>(i)] =
            static_cast<Scalar>(weight_[feature] * distance * distance);
    }
    to_factors(scratch_);
    bool const product = kernel_.form == kernel_form::product;
    Scalar const* const factor = scratch_.data();
    for (std::size_t i = 0; i < count; ++i)
        out[i] = product ? out[i] * factor[i] : out[i] + factor[i];
}

template <class Scalar>
void kernel_columns<Scalar>::fill(attune::feature_table const& from, std::size_t row,
                                  attune::feature_table const& points, code_book const& book,
                                  std::size_t first, std::size_t count, Scalar* out)
{
    bool const product = kernel_.form == kernel_form::product;
    fill_group_tables(from, row, book);
    if (book.groups.empty())
        std::fill(out, out + count, static_cast<Scalar>(product ? signal_ : 0.0));
    for (std::size_t g = 0; g < book.groups.size(); g += 4) {
        std::size_t const groups = std::min<std::size_t>(4, book.groups.size() - g);
        group_lookup<Scalar> lookup{};
        for (std::size_t k = 0; k < groups; ++k) {
            lookup.code[k] = book.groups[g + k].code.data() + first;
            lookup.table[k] = tables_[g + k].data();
        }
        if (product)
            lookup.apply(groups, count, g == 0, out, [](Scalar a, Scalar b) { return a * b; });
        else
            lookup.apply(groups, count, g == 0, out, [](Scalar a, Scalar b) { return a + b; });
    }
    for (std::size_t const f : book.direct)
        add_direct(from, row, points, f, first, count, out);
    if (product) return;
    numbers_at<Scalar> all(out, static_cast<Eigen::Index>(count));
    apply_matern(kernel_.matern, all);
    scale_by(all.size(), static_cast<Scalar>(signal_), out);
}

#ifndef ATTUNE_HEADER_ONLY
template class kernel_columns<float>;
template class kernel_columns<double>;
#endif

} // namespace attune::inline ATTUNE_ABI::detail::gp

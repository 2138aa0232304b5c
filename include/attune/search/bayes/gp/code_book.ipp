// attune/search/bayes/gp/code_book.ipp - groups features by the combinations that occur.
// SPDX-License-Identifier: MIT
// Source   see code_book.hpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/bayes/gp/code_book.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

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

ATTUNE_INLINE void code_book::keep_only(std::span<char const> keep)
{
    for (feature_group& group : groups) {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < keep.size(); ++i)
            if (keep[i] != 0) group.code[kept++] = group.code[i];
        group.code.resize(kept);
    }
    points = static_cast<std::size_t>(
        std::count_if(keep.begin(), keep.end(), [](char k) { return k != 0; }));
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

} // namespace attune::inline ATTUNE_ABI::detail::gp

// attune/search/meta/technique_history.hpp - gains of techniques, and of tunings, in past searches.
// SPDX-License-Identifier: MIT
// Source   Wu, "DeepTuner", 2015, Ch. 5 and Sec. 6.1
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/meta/space_structure.hpp>
#include <attune/search/searcher.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::search {

namespace detail {

/// Ratio of two neighbouring gains that tuning_gains distinguishes.
inline constexpr double gain_step = 1.05;

} // namespace detail

/// Gains of tunings: the default configuration's time divided by the best one's. Gains are counted
/// in steps of 5 %, so that the text of many tunings is short.
class tuning_gains {
public:
    /// Adds a gain. Below 1 it counts as 1: the default was kept. A gain that is not finite is
    /// ignored; above 1e9 it counts as 1e9.
    void add(double gain);
    /// Adds all gains of `other`.
    void add_all(tuning_gains const& other);

    /// Number of tunings.
    [[nodiscard]] std::size_t count() const noexcept { return count_; }
    /// The gain that a share of the tunings do not exceed, within 2.5 %: number ceil(share n), at
    /// least 1, of n tunings in ascending order. Nothing without tunings.
    /// @param share  in [0, 1]
    [[nodiscard]] std::optional<double> quantile(double share) const;

    /// "0:3,14:1": steps of 5 %, and the number of tunings with that gain. Empty without tunings.
    [[nodiscard]] std::string text() const;
    /// The gains with this text; nothing if `text` is no text().
    [[nodiscard]] static std::optional<tuning_gains> read(std::string_view text);

    bool operator==(tuning_gains const&) const = default;

private:
    void add_step(std::uint32_t step, std::size_t tunings);

    // round(log(gain) / log(1.05)) and tunings, ascending, each step once
    std::vector<std::pair<std::uint32_t, std::size_t>> steps_;
    std::size_t count_ = 0;
};

/// Gains of all searches by one strategy.
struct strategy_gains {
    std::string name; ///< with all options, for parse_technique()
    tuning_gains gains{};

    bool operator==(strategy_gains const&) const = default;
};

/// A problem: a space, and the objective in it.
struct representation {
    std::string label; ///< a kernel's name, for example
    space_structure structure;
    std::size_t runs = 1;              ///< number of searches that are summed up
    std::vector<technique_use> uses{}; ///< of all these searches, each technique once, by name
    tuning_gains gains{};              ///< of the searches that reported gains
    /// Strategies of searches that reported one, each once, by name.
    std::vector<strategy_gains> strategies{};
};

/// New bests per request, in [0, 1]: the search affinity of a technique with a problem. Nothing
/// without requests.
[[nodiscard]] std::optional<double> search_affinity(technique_use const& use);

/// Pearson's product-moment correlation of the affinities of the common techniques, in
/// [-1, 1]. Nothing with fewer than two of them, or if all values of one side are equal.
[[nodiscard]] std::optional<double> affinity_correlation(std::span<technique_use const> a,
                                                         std::span<technique_use const> b);
/// affinity_correlation() with a problem of a history, whose uses ascend by name.
/// Cost   O(uses times log of the problem's)
[[nodiscard]] std::optional<double> affinity_correlation(std::span<technique_use const> uses,
                                                         representation const& with);

/// Gains of techniques, summed by problem: label and structure.
class technique_history {
public:
    /// Adds one search, or the sums of several. Ignores techniques without requests.
    void add(representation const& searched);
    /// Calls add() for each.
    /// Cost     O(n log n) in the number of all techniques
    void add_all(std::vector<representation> searched);
    /// Adds a line of history_line().
    /// @return false, without a change: no such line, or a technique has a name above 64 KiB
    bool add_line(std::string_view line);
    /// Calls add_line() for each.
    /// @return  the places in `lines` of refused lines, ascending
    /// Cost     O(n log n) in the number of techniques of all lines and of this history
    std::vector<std::size_t> add_lines(std::span<std::string_view const> lines);

    /// By label and structure, ascending.
    [[nodiscard]] std::vector<representation> const& representations() const noexcept
    {
        return representations_;
    }
    /// The history without this label.
    [[nodiscard]] technique_history without(std::string_view label) const;

private:
    std::vector<representation> representations_;
};

/// One search, or the sums of several, as a line of text without a line end: label, structure,
/// number of searches (with gains: a blank and tuning_gains::text()), then name, requests and new
/// bests of each technique with requests, separated by tabs. Tabs and line ends in names become
/// blanks.
/// A strategy is the technique "strategy <tuning_gains::text()> <name>" without requests; older
/// releases ignore it.
[[nodiscard]] std::string history_line(representation const& searched);
/// A line, with its end, for each representation; read_history() reads them.
[[nodiscard]] std::string history_text(technique_history const& past);
/// The history of these lines; damaged lines are ignored.
/// Cost   O(n log n) in the number of techniques of all lines
[[nodiscard]] technique_history read_history(std::string_view text);

} // namespace attune::inline ATTUNE_ABI::search

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/meta/technique_history.ipp>
#endif

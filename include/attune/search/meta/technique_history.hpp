// attune/search/meta/technique_history.hpp - what techniques gained in the searches of the past.
// SPDX-License-Identifier: MIT
// Source   Wu, "DeepTuner", 2015, Ch. 5 and Sec. 6.1
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/meta/space_structure.hpp>
#include <attune/search/meta/technique_use.hpp>
#include <attune/search/meta/tuning_gains.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::search {

/// What whole searches gained that one strategy made.
struct strategy_gains {
    std::string name; ///< with all options: parse_technique() makes it again
    tuning_gains gains{};

    bool operator==(strategy_gains const&) const = default;
};

/// One problem: a space and what is searched in it.
struct representation {
    std::string label; ///< a kernel's name, for example
    space_structure structure;
    std::size_t runs = 1;              ///< searches that are summed up here
    std::vector<technique_use> uses{}; ///< of all of them, each technique once, by name
    tuning_gains gains{};              ///< of those that said it
    /// Of those whose strategy is known, each strategy once, by name.
    std::vector<strategy_gains> strategies{};
};

/// New bests per request, in [0, 1]: the search affinity of a technique with a problem. Nothing
/// before the first request.
[[nodiscard]] std::optional<double> search_affinity(technique_use const& use);

/// Pearson's product-moment correlation of the affinities of the techniques that both know, in
/// [-1, 1]. Nothing with fewer than two of them, or where one side has one value alone.
[[nodiscard]] std::optional<double> affinity_correlation(std::span<technique_use const> a,
                                                         std::span<technique_use const> b);
/// The same with a problem of a history, whose uses ascend by name.
/// Cost   O(uses times log of the problem's)
[[nodiscard]] std::optional<double> affinity_correlation(std::span<technique_use const> uses,
                                                         representation const& with);

/// Sums of what techniques gained, by problem: label and structure.
class technique_history {
public:
    /// Adds one search, or the sums of several. Techniques without requests do not count.
    void add(representation const& searched);
    /// As add() of each.
    /// Cost     O(n log n) in the number of all techniques
    void add_all(std::vector<representation> searched);
    /// Adds what history_line() wrote.
    /// @return false: the line is none, or a technique has a name above 64 KiB; nothing is added
    bool add_line(std::string_view line);
    /// As add_line() of each.
    /// @return  the places in `lines` of those that are none, ascending
    /// Cost     O(n log n) in the number of techniques of all lines and of this history
    std::vector<std::size_t> add_lines(std::span<std::string_view const> lines);

    /// By label and structure, ascending.
    [[nodiscard]] std::vector<representation> const& representations() const noexcept
    {
        return representations_;
    }
    /// All but those with this label: as if it had never been searched.
    [[nodiscard]] technique_history without(std::string_view label) const;

private:
    std::vector<representation> representations_;
};

/// One search, or the sums of several, as a line of text without a line end: label, structure,
/// number of searches (with gains: a blank and tuning_gains::text()), then name, requests and new
/// bests of each technique that was asked, between tabs. Tabs and line ends in names are blanks.
/// A strategy stands as the technique "strategy <tuning_gains::text()> <name>" without requests,
/// which releases that know no strategies do not count.
[[nodiscard]] std::string history_line(representation const& searched);
/// A line with its end for each representation; read_history() makes the history again.
[[nodiscard]] std::string history_text(technique_history const& past);
/// Lines that are damaged are left out.
/// Cost   O(n log n) in the number of techniques of all lines
[[nodiscard]] technique_history read_history(std::string_view text);

} // namespace attune::inline ATTUNE_ABI::search

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/meta/technique_history.ipp>
#endif

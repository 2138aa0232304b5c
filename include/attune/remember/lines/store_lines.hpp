// attune/remember/lines/store_lines.hpp - the lines of stores as a set: merged, pruned, written back.
// SPDX-License-Identifier: MIT
//
// A store's file is in the order in which things happened, and that order says something: outcomes
// behind the last winner belong to a tuning that goes on. Lines have no times but those of winners.
// So lines are ordered by the winner that ended their tuning, which does not depend on the order of
// the stores: merging is commutative.
#pragma once

#include <attune/core/version.hpp>
#include <attune/remember/problem/problem.hpp>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace attune::inline ATTUNE_ABI::detail {

/// How many of what.
struct line_counts {
    std::size_t problems = 0;
    std::size_t outcomes = 0;
    std::size_t winners = 0;
    std::size_t shapes = 0;
    std::size_t others = 0; ///< lines of a later release
    std::size_t repeated = 0;
    std::size_t damaged = 0;
};

class store_lines {
public:
    /// Adds all that a store says. Of equal lines one is kept; damaged lines are not.
    /// Errors  attune::error as those of store_content
    void add(std::string_view text, std::string const& name);

    /// Removes whole problems.
    /// @param when  of the problem's last winner, ISO 8601; empty: it has none
    using condition = std::function<bool(stored_problem const& problem, std::string const& when)>;
    void remove_problems(condition const& is_meant);
    /// Removes what is neither a winner nor a proven shape.
    void remove_outcomes();
    /// Removes winners that another one supersedes. Exact answers of find() stay what they were; of
    /// near ones that fit equally well another may be given.
    void remove_superseded();

    /// The text of a store.
    [[nodiscard]] std::string text() const;
    /// What text() has not of all that was added.
    [[nodiscard]] line_counts const& removed() const noexcept { return removed_; }
    /// What text() has.
    [[nodiscard]] line_counts kept() const;

private:
    enum class ending : std::uint8_t { won, over, open };
    /// By which the lines of a problem are ordered.
    struct line_place {
        ending ended_by{};    ///< how the tuning of the line ended
        std::string when{};   ///< of its winner
        std::string winner{}; ///< its line
        bool is_winner = false;
        std::size_t number = 0; ///< in its store
        [[nodiscard]] friend auto operator<=>(line_place const&, line_place const&) = default;
    };
    struct kept_line {
        std::size_t line_counts::* count = nullptr; ///< among which it counts
        line_place place{};
        std::size_t last = 0; ///< number of the last such line
    };
    struct kept_problem {
        std::set<std::string> introductions{}; ///< lines that say what the problem is
        std::map<std::string, kept_line> lines{};
        bool has_over = false; ///< a tuning ended without a winner
    };
    struct reading;

    [[nodiscard]] static std::string last_winner(kept_problem const& of);
    void remove(kept_problem& from, std::string const& line);

    std::map<std::string, kept_problem> problems_{}; ///< by id
    std::set<std::string> others_{};                 ///< lines of no problem
    std::size_t stores_ = 0;                         ///< that were added
    line_counts removed_{};
};

/// Replaces the text of a store, under its lock.
/// @param make  gives the new text of the present one
/// Errors  attune::error: as store_content; another process keeps it locked; it cannot be written
void rewrite_store(std::string const& path,
                   std::function<std::string(std::string const& now)> const& make);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/remember/lines/store_lines.ipp>
#endif

// attune/remember/lines/store_lines.hpp - the lines of stores as a set: merged, pruned, written.
// SPDX-License-Identifier: MIT
//
// The order of a store's file is the order of events, and it has a meaning: outcomes behind the
// last winner belong to an unfinished tuning. Only lines of winners have times. Lines are therefore
// ordered by the winner that ended their tuning. This order does not depend on the order of the
// stores, so merging is commutative.
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

/// Numbers of lines by kind.
struct line_counts {
    std::size_t problems = 0;
    std::size_t outcomes = 0;
    std::size_t winners = 0;
    std::size_t shapes = 0;
    std::size_t calls = 0;  ///< lines of programs that ended
    std::size_t others = 0; ///< lines of a later release
    std::size_t repeated = 0;
    std::size_t damaged = 0;
};

class store_lines {
public:
    /// Adds all lines of a store. Keeps one of equal lines, and no damaged line.
    /// Errors  attune::error: see store_content
    void add(std::string_view text, std::string const& name);

    /// Removes whole problems.
    /// @param when  time of the problem's last winner, ISO 8601; empty: it has none
    using condition = std::function<bool(stored_problem const& problem, std::string const& when)>;
    void remove_problems(condition const& is_meant);
    /// Removes the outcomes of tunings.
    void remove_outcomes();
    /// Removes superseded winners. Exact answers of find() stay the same. Among near records that
    /// fit equally well, the answer may change. Makes one line of the calls of a problem.
    void remove_superseded();

    [[nodiscard]] std::string text() const;
    [[nodiscard]] line_counts const& removed() const noexcept { return removed_; }
    [[nodiscard]] line_counts kept() const;

private:
    enum class ending : std::uint8_t { won, over, open };
    /// Sort key of the lines of a problem.
    struct line_place {
        ending ended_by{};    ///< the end of the line's tuning
        std::string when{};   ///< time of its winner
        std::string winner{}; ///< line of its winner
        bool is_winner = false;
        std::size_t number = 0; ///< line number in its store
        [[nodiscard]] friend auto operator<=>(line_place const&, line_place const&) = default;
    };
    struct kept_line {
        std::size_t line_counts::* count = nullptr; ///< counter of this line
        line_place place{};
        std::size_t last = 0; ///< number of the last such line
    };
    struct kept_problem {
        std::set<std::string> introductions{}; ///< lines that introduce the problem
        std::map<std::string, kept_line> lines{};
        bool has_over = false; ///< a tuning ended without a winner
    };
    struct reading;

    [[nodiscard]] static std::string last_winner(kept_problem const& of);
    void remove(kept_problem& from, std::string const& line);
    void join_calls(std::string const& id, kept_problem& of);

    std::map<std::string, kept_problem> problems_{}; ///< by id
    std::set<std::string> others_{};                 ///< lines without a problem
    std::size_t stores_ = 0;                         ///< number of added stores
    line_counts removed_{};
};

/// Replaces the text of a store, under its lock.
/// @param make  makes the new text from the present one
/// Errors  attune::error: as store_content; another process keeps it locked; it cannot be written
void rewrite_store(std::string const& path,
                   std::function<std::string(std::string const& now)> const& make);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/remember/lines/store_lines.ipp>
#endif

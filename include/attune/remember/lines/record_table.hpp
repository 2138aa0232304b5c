// attune/remember/lines/record_table.hpp - finds problems and records in an indexed store.
// SPDX-License-Identifier: MIT
// Bench    bench/remember/store.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/remember/lines/line_index.hpp>
#include <attune/remember/problem/problem.hpp>
#include <attune/remember/record.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// A problem of a store without its rows.
struct listed_problem {
    std::uint32_t number = 0; ///< number in its table
    stored_problem problem{};
    std::vector<record> best{}; ///< one for each schema, the latest last
    std::size_t tried = 0;      ///< number of outcomes
    std::size_t proven = 0;     ///< number of shapes
    past_calls calls{};         ///< of programs that ended
    bool is_open = false;       ///< its last outcomes belong to a tuning that was killed or runs
};

/// The records and problems of an indexed store. Reads lines on request.
class record_table : public line_index {
public:
    /// Gives the bytes [offset, offset + length) of the text; false if they cannot be read.
    using text_source = std::function<bool(std::uint64_t, std::size_t, std::string&)>;

    /// The record that fits best by compare_keys(). Among records with the same key, the one that
    /// no other supersedes.
    [[nodiscard]] lookup_result find(record_key const& key, text_source const& text);

    /// The rows and the winner of this very problem. The result's `problem` is `wanted` if there
    /// are none.
    [[nodiscard]] problem_history recall(stored_problem const& wanted, text_source const& text);

    /// Problems of the same kernel, the nearest first; at equal distance the latest first.
    /// @param most  largest number
    [[nodiscard]] std::vector<related_problem> related(stored_problem const& wanted,
                                                       std::size_t most, text_source const& text);

    /// Largest number of lines of a kind that are read for a problem, the latest ones: winners, and
    /// shapes for which a variant was right. This limit bounds the cost of a long file.
    static constexpr std::uint32_t most_read = 2048;
    /// The same for outcomes of tunings that ended, which reports show.
    static constexpr std::uint32_t most_outcomes = 65'536;

    /// Shapes for which this code was verified on this device, oldest first, by a kernel of this
    /// name and signature. Only the latest of equal lines counts.
    [[nodiscard]] std::vector<proven_shape>
    proofs(stored_problem const& wanted, std::string const& code, text_source const& text);

    /// Returns true if a proof of this problem has the same content, and no later proof the
    /// opposite verdict.
    [[nodiscard]] bool says(stored_problem const& problem, proven_shape const& proof,
                            text_source const& text) const;
    /// Returns true if the text has the own line of a problem.
    [[nodiscard]] bool knows(std::string_view id) const
    {
        known_problem const* const of = find_problem(id);
        return of != nullptr && of->line.length != 0;
    }
    /// Returns true if more than half of all lines are no longer read, or replace others: see
    /// compacted().
    [[nodiscard]] bool is_mostly_past() const noexcept;

    /// Problems that have outcomes or winners, in the order of their last lines.
    /// @param most         largest number; reads only the latest
    /// @param with_called  also problems that have calls alone
    /// Cost  20 us a problem
    [[nodiscard]] std::vector<listed_problem> list(std::size_t most, text_source const& text,
                                                   bool with_called = false);
    /// The rows and the winner of a listed problem.
    [[nodiscard]] problem_history history(listed_problem const& of, text_source const& text);

    /// Every record, oldest first.
    [[nodiscard]] std::vector<record> all_records(text_source const& text);

private:
    /// A record of `problem`, or null.
    using found_record = dated_record const*;

    /// The first of the latest `most` entries of a chain before offset `end`.
    [[nodiscard]] std::uint32_t first_read(chain const& lines, std::uint64_t end,
                                           std::uint32_t most = most_read) const;
    [[nodiscard]] bool load(known_problem& of, text_source const& text);
    void fold(known_problem& of, text_source const& text);
    [[nodiscard]] found_record best_of(known_problem& of, std::string const& schema) const;
    [[nodiscard]] past_calls calls_of(known_problem const& of, text_source const& text) const;
    void add_history(problem_history& to, known_problem& of, text_source const& text);
    [[nodiscard]] std::uint32_t first_of(std::unordered_map<std::uint64_t, std::uint32_t> const& in,
                                         std::uint64_t hash) const;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/remember/lines/record_table.ipp>
#endif

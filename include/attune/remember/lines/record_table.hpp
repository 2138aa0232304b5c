// attune/remember/lines/record_table.hpp - looks problems and records up in an indexed store.
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
#include <unordered_map>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// A problem of a store without its rows.
struct listed_problem {
    std::uint32_t number = 0; ///< in its table
    stored_problem problem{};
    std::vector<record> best{}; ///< one of each schema, the latest last
    std::size_t tried = 0;      ///< outcomes
    std::size_t proven = 0;     ///< shapes
};

/// The records and problems of an indexed store: reads the lines that are asked for.
class record_table : public line_index {
public:
    /// Gives the bytes [offset, offset + length) of the text; false: they cannot be read.
    using text_source = std::function<bool(std::uint64_t, std::size_t, std::string&)>;

    /// The record that fits best, as compare_keys() defines; of several with one key the one that
    /// the others do not supersede.
    [[nodiscard]] lookup_result find(record_key const& key, text_source const& text);

    /// What is known of this very problem. Its `problem` is `wanted` where nothing is.
    [[nodiscard]] problem_history recall(stored_problem const& wanted, text_source const& text);

    /// Problems of the same kernel, the nearest first, of equal distance the latest first.
    /// @param most  how many at most
    [[nodiscard]] std::vector<related_problem> related(stored_problem const& wanted,
                                                       std::size_t most, text_source const& text);

    /// Of a problem, this many of the latest lines of a kind are read at most: winners, and shapes
    /// for which a variant was right. What a long file costs is bounded then.
    static constexpr std::uint32_t most_read = 2048;
    /// The same of the outcomes of tunings that ended, which reports show.
    static constexpr std::uint32_t most_outcomes = 65'536;

    /// Shapes for which this code was verified on this device, oldest first, by a kernel of this
    /// name and signature. Of equal lines one counts, the latest.
    [[nodiscard]] std::vector<proven_shape>
    proofs(stored_problem const& wanted, std::string const& code, text_source const& text);

    /// True where a proof of this problem says the same, and no later one the contrary.
    [[nodiscard]] bool says(stored_problem const& problem, proven_shape const& proof,
                            text_source const& text) const;
    /// More than half of all lines are read no more, or stand for others: see compacted().
    [[nodiscard]] bool is_mostly_past() const noexcept;

    /// Problems that have outcomes or winners, in the order of their last lines.
    /// @param most  only so many, the latest; the others are not read
    /// Cost  20 us a problem
    [[nodiscard]] std::vector<listed_problem> list(std::size_t most, text_source const& text);
    /// The rows and the winner of one of them.
    [[nodiscard]] problem_history history(listed_problem const& of, text_source const& text);

    /// Every record, oldest first.
    [[nodiscard]] std::vector<record> all_records(text_source const& text);

private:
    /// A record of `problem`, or nothing.
    using found_record = dated_record const*;

    /// The entry of a chain with which its latest `most` ones begin, of those up to `end`.
    [[nodiscard]] std::uint32_t first_read(chain const& lines, std::uint64_t end,
                                           std::uint32_t most = most_read) const;
    [[nodiscard]] bool load(known_problem& of, text_source const& text);
    void fold(known_problem& of, text_source const& text);
    [[nodiscard]] found_record best_of(known_problem& of, std::string const& schema) const;
    void add_history(problem_history& to, known_problem& of, text_source const& text);
    [[nodiscard]] std::uint32_t first_of(std::unordered_map<std::uint64_t, std::uint32_t> const& in,
                                         std::uint64_t hash) const;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/remember/lines/record_table.ipp>
#endif

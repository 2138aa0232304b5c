// attune/remember/problem/problem.hpp - what a store keeps of a tuning problem beside its winner.
// SPDX-License-Identifier: MIT
// tested by remember/lines/record_table.cpp
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/problem/relation.hpp>
#include <attune/remember/record.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// One configuration that was evaluated.
struct tried_row {
    value_texts values{}; ///< one per parameter of the problem
    outcome result{};     ///< seconds per call, or why there are none
    std::string code{};   ///< object key of its code; empty: none, or unknown
    /// Seconds that the search's model expected when it chose this; 0: no model did, or unknown.
    double predicted_s = 0;
    /// Places in `values`, ascending, whose parameter was inactive: the value stands for all.
    std::vector<std::uint32_t> inactive{};
    std::string proposer{}; ///< the search's technique that chose this; empty: none, or unknown
};

/// One shape of a call for which a variant was verified.
struct proven_shape {
    std::string code{};                ///< object key of the variant
    std::vector<std::int64_t> shape{}; ///< the words of the shape, as tune/ writes them
    bool is_right = true;              ///< false: the variant's result was wrong

    [[nodiscard]] friend bool operator==(proven_shape const&, proven_shape const&) = default;
};

/// All that a store knows of one problem.
struct problem_history {
    stored_problem problem{};
    std::vector<tried_row> rows{}; ///< oldest first
    /// rows[open] and later ones belong to a tuning that was killed or is at work.
    std::size_t open = 0;
    std::optional<record> best{}; ///< of any schema: see `key.schema`

    /// A tuning was killed, or is at work.
    [[nodiscard]] bool is_open() const noexcept { return open < rows.size(); }
};

/// A problem that is like the one asked for.
struct related_problem {
    problem_history past{};
    problem_relation how{};
    bool is_believed = true; ///< false: another user could have written it
};

} // namespace attune::inline ATTUNE_ABI::detail

// attune/tune/dispatch/served/served_inputs.hpp - what is known of all calls whose bound inputs have the same values.
// SPDX-License-Identifier: MIT
//
// tested by tune/dispatch/dispatch_table.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/tune/dispatch/choice/default_code.hpp>
#include <attune/tune/dispatch/served/installed_variant.hpp>
#include <attune/tune/dispatch/served/shape_verifier.hpp>
#include <attune/tune/known_choice.hpp>
#include <attune/tune/report.hpp>
#include <attune/tune/shape/shape_table.hpp>

#include <atomic>
#include <optional>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// What related problems speak for: it serves where it was verified, while there is no winner.
struct stand_in {
    stand_in(installed_variant const& v, shape_verifier by)
        : variant(v)
        , verifier(std::move(by))
    {
    }
    installed_variant const& variant;
    shape_verifier verifier;
};

/// But for `problem` and the atomic members, of the thread that tunes or verifies.
struct served_inputs {
    explicit served_inputs(std::vector<number> const& values)
        : problem(values)
    {
    }
    call_problem problem;
    /// The process that tunes it in the background; 0: none does.
    std::atomic<int> tuned_apart_in{0};
    std::atomic<bool> is_settled{false};      ///< there is a winner, or it is given up
    std::atomic<bool> is_partly_tuned{false}; ///< there is a winner, and its tuning goes on
    std::atomic<bool> is_resting{false};      ///< until there are calls again
    call_count* calls = nullptr; ///< while they are tuned in the background; see apart_tuning
    std::atomic<installed_variant const*> winner{nullptr}; ///< null: not known yet
    std::optional<point> winner_at{};
    bool winner_is_default = false;
    /// Other inputs stand for these, by kernel.bucket(f), and not even the default is valid for
    /// both: these are looked up by themselves, and not tuned.
    std::atomic<bool> is_outside_bucket{false};
    bool is_given_up = false;                 ///< nothing is looked up, tuned or verified any more
    std::optional<shape_verifier> verifier{}; ///< of the winner
    bool is_near_known = false;               ///< it was looked for
    std::optional<point> near_at{};
    std::optional<stand_in> near{}; ///< empty: none, or there is a winner
    known_choice choice{};          ///< of the winner or of `near`
    tuning_report outcome{};        ///< how the winner was found, or why there is none
};

} // namespace attune::inline ATTUNE_ABI::detail

// attune/tune/dispatch/served/served_inputs.hpp - the state of each set of bound inputs, their register, and their calls for the store.
// SPDX-License-Identifier: MIT
// Bench    bench/tune/inputs.cpp
#pragma once

#include <attune/core/posix/fork_gate.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/remember/problem/problem.hpp>
#include <attune/remember/record_store.hpp>
#include <attune/tune/dispatch/choice/default_code.hpp>
#include <attune/tune/dispatch/dispatched_kernel.hpp>
#include <attune/tune/dispatch/served/shape_register.hpp>
#include <attune/tune/dispatch/served/shape_verifier.hpp>
#include <attune/tune/known_choice.hpp>
#include <attune/tune/report.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Numbers the problems of a kernel's calls, and writes how many calls of each the winner ran. Any
/// thread.
///
/// Off with miss_policy::lookup_only, with ATTUNE_FORCE, and for a store that keeps no calls.
class kept_calls {
public:
    /// @pre  `subject` outlives this object
    kept_calls(dispatched_kernel const& subject, any_store const& store);

    [[nodiscard]] bool is_on() const noexcept { return is_on_; }

    /// Returns the number of a problem, from 1. 0: 1,024 others have one.
    [[nodiscard]] std::uint32_t number_of(stored_problem const& problem);

    /// Appends a line for each of the 16 problems with the most seconds of calls, by one write.
    /// If the kernel has no inputs, and one problem, all calls are of it. Otherwise calls without a
    /// known problem are left out.
    ///
    /// Writes nothing in a child of a fork, in a signal handler, or without calls. A failure is not
    /// reported.
    /// Cost     0.1 us for each shape, and an append: see store::count()
    void write(shape_register& shapes) noexcept;

private:
    dispatched_kernel const& subject_;
    any_store store_;
    bool const is_on_;
    int const process_; ///< that made this object
    double const from_s_;
    fork_safe_mutex lock_{lock_use::brief}; ///< guards the members below
    std::vector<stored_problem> problems_{};
    std::unordered_map<std::string, std::uint32_t> numbers_{};
};

/// The best variant of related problems, which serves verified shapes while there is no winner.
struct stand_in {
    stand_in(installed_variant const& v, shape_verifier by)
        : variant(v)
        , verifier(std::move(by))
    {
    }
    installed_variant const& variant;
    shape_verifier verifier;
};

/// The state of one set of inputs. Only the thread that holds the turn uses the members, except
/// `problem` and the atomic ones.
struct served_inputs {
    explicit served_inputs(std::vector<number> const& values)
        : problem(values)
    {
    }
    /// Tells the verifier the shape that its variant was tuned for, and the default's time for it.
    void add_tuned_shape(std::span<std::int64_t const> key)
    {
        verifier->add(key);
        if (outcome.objective.is_seconds) verifier->set_pace(key, outcome.default_time.value);
    }

    call_problem problem;
    std::atomic<std::uint32_t> problem_number{0}; ///< see kept_calls; 0: none
    /// True for each tuned size after the first, of a kernel without bound inputs: see tuned_sizes.
    bool is_further_size = false;
    /// The process that tunes the inputs in the background; 0: none.
    std::atomic<int> tuned_apart_in{0};
    std::atomic<bool> is_settled{false};      ///< there is a winner, or tuning is given up
    std::atomic<bool> is_partly_tuned{false}; ///< there is a winner, and its tuning continues
    std::atomic<bool> is_resting{false};      ///< the tuning waits for calls
    call_count* calls = nullptr;              ///< counts calls during a background tuning
    std::atomic<installed_variant const*> winner{nullptr}; ///< null: not known yet
    std::optional<point> winner_at{};
    bool winner_is_default = false;
    /// True if kernel.bucket(f) maps these inputs to others whose default is not valid for both. A
    /// lookup then reads the store for these inputs alone, and no call tunes them.
    std::atomic<bool> is_outside_bucket{false};
    bool is_given_up = false;                 ///< no more lookup, tuning or verification
    std::optional<shape_verifier> verifier{}; ///< of the winner
    bool is_near_known = false;               ///< find_near() has run
    std::optional<point> near_at{};
    std::optional<stand_in> near{}; ///< empty: none, or there is a winner
    known_choice choice{};          ///< of the winner or of `near`
    tuning_report outcome{};        ///< how the winner was found, or why there is none
};

/// Keeps all inputs that have a winner or that a tuning or a thread uses, and the 1,024 latest
/// others. The next call with dropped inputs reads the store again. Any thread.
class inputs_register {
public:
    /// @param most  inputs to keep without a winner
    explicit inputs_register(std::size_t most = 1'024)
        : most_(most)
    {
    }

    /// Finds the inputs, or adds them. Does not drop them while the caller has the result.
    /// Cost     a hash; no scan
    [[nodiscard]] std::shared_ptr<served_inputs> at(std::vector<number> const& inputs);

private:
    struct hash {
        [[nodiscard]] std::size_t operator()(std::vector<number> const& inputs) const noexcept;
    };
    /// @pre  lock_ is held  @return  null: the inputs are unknown
    [[nodiscard]] std::shared_ptr<served_inputs> found(std::vector<number> const& inputs);
    [[nodiscard]] std::shared_ptr<served_inputs> drop_one();

    struct entry {
        std::shared_ptr<served_inputs> of;
        bool is_kept = false; ///< for good, in `kept_`
    };
    using line = std::list<entry>;

    std::size_t const most_;
    fork_safe_mutex lock_{lock_use::brief}; ///< guards the members below
    line line_{};                           ///< the latest comes first
    line kept_{};                           ///< inputs on which a tuning was spent
    std::unordered_map<std::vector<number>, line::iterator, hash> place_{};
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/dispatch/served/served_inputs.ipp>
#endif

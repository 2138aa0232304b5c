// attune/tune/dispatch/dispatch_parts.hpp - the parts of a dispatch_table, and the work of the thread that holds the turn.
// SPDX-License-Identifier: MIT
//
// tested by tune/dispatch/dispatch_table.cpp
#pragma once

#include <attune/core/posix/fork_gate.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/record_store.hpp>
#include <attune/tune/dispatch/choice/default_code.hpp>
#include <attune/tune/dispatch/choice/variant_choice.hpp>
#include <attune/tune/dispatch/dispatched_kernel.hpp>
#include <attune/tune/dispatch/served/served_inputs.hpp>
#include <attune/tune/dispatch/served/shape_register.hpp>
#include <attune/tune/kernel/call_frame.hpp>
#include <attune/tune/known_choice.hpp>
#include <attune/tune/sizes/tuned_sizes.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The parts of a dispatch_table. Each part may use those above it.
struct dispatch_parts {
    dispatch_parts(dispatched_kernel of, any_store store);

    dispatched_kernel const subject;
    dispatch_report report;
    shape_register shapes{};
    installed_variants variants;
    default_code defaults;
    kept_calls kept;
    variant_choice choice;
    fork_safe_mutex turn{};      ///< the thread that tunes or verifies holds it
    std::atomic<int> waiting{0}; ///< number of threads that wait for the turn
    /// True: the holder of the turn proves a winner beside the program, and unlocks the turn as
    /// soon as a thread waits.
    std::atomic<bool> is_lent{false};
    /// The destructor calls this first. A stepped tuning may hold the turn for longer than one
    /// call. Must not throw. @pre  set and reset by the thread that holds the turn
    std::function<void()> before_end{};

    inputs_register all_inputs{};
    tuned_sizes sizes;

    /// Returns the inputs tuned for those of a call: see kernel.bucket(f). On a device each call
    /// has its own inputs, because the launch depends on them. Any thread without a lock.
    /// Errors  exceptions of the user's function
    [[nodiscard]] std::shared_ptr<served_inputs> served_for(std::vector<number> const& of_call);
    /// Returns true on a device if other inputs of the same bucket have a winner, which then serves
    /// as a near choice.
    /// @pre  the turn is this thread's
    [[nodiscard]] bool is_in_tuned_bucket(served_inputs& of);
    /// The same as served_for() for a call of this shape: see tuned_sizes.
    [[nodiscard]] std::shared_ptr<served_inputs> served_for(std::vector<number> const& of_call,
                                                            std::span<std::int64_t const> key)
    {
        return sizes.serving(served_for(of_call), key);
    }

    /// Returns true if this configuration, tuned for `of`, is invalid for a call with these inputs.
    /// Sets the reason in the report.
    /// @pre  this thread holds the turn
    [[nodiscard]] bool is_refused(served_inputs& of, known_shape* shape,
                                  std::vector<number> const& inputs, point const& at);

    /// Returns the winner if it was verified for the shape or its class; else null, also if the
    /// inputs are in a bucket. Any thread, even while another thread holds the turn.
    [[nodiscard]] installed_variant const* covering(served_inputs const& of,
                                                    std::vector<number> const& inputs,
                                                    std::span<std::int64_t const> key);

    /// Returns the milliseconds for which a call waits for a turn that is lent: 1,000 to tune, 10
    /// to verify a shape. 0: the call does not wait, as for most shapes that are met once. Any
    /// thread.
    [[nodiscard]] int lent_wait_ms(served_inputs const& of, std::vector<number> const& inputs,
                                   std::span<std::int64_t const> key,
                                   shape_register::met_shape const& met);

    /// Serves this shape for good with the function of kernel.fallback(f), because
    /// kernel.precondition(f) returned false. Any thread.  @param said  if given, receives a report
    /// Errors  attune::error: the kernel has no such function
    installed_variant const& serve_plain(known_shape* shape, tuning_report* said);
    /// Serves this shape for good with the default. Any thread.
    installed_variant const& settle(served_inputs& of, known_shape* shape);
    /// Sends the shapes that the default serves through the slow path again. Any thread.
    void look_again(served_inputs& of);

    struct found_winner {
        bool is_for_this_shape = false; ///< it was tuned or verified for the shape
        bool is_over = true;            ///< another slice of this tuning has no use
        std::vector<known_outcome> outcomes{};
    };
    /// Sets the winner, or gives up. Shapes that another winner served take the slow path again.
    /// @param slice  see variant_choice::best_known()
    /// @pre  this thread holds the turn
    found_winner find_winner(served_inputs& of, std::span<std::int64_t const> key,
                             call_frame const& frame, when_unknown otherwise,
                             tuning_slice const* slice = nullptr);
    /// The parts of find_winner() before and after its tuning, for a tuning in steps.
    /// @pre  this thread holds the turn
    void prepare(served_inputs& of);
    found_winner take(served_inputs& of, known_variant found);
    /// Completes a call for a tuning: sets extents, and waits for the caller's launches.
    /// Errors   attune::error: no device; an array outside its memory; errors of set_extents()
    void complete(keyed_call& call) const;
    /// Runs take() for one call. The winner then serves this call, unless it must be verified
    /// first.
    /// @pre  this thread holds the turn
    /// @return  true if the report is complete; false: a call must still verify or refuse it
    [[nodiscard]] bool install(served_inputs& of, keyed_call const& call, known_variant found);
    /// Proves the winner on calls drawn from the tuned one, for at most one second, and at most the
    /// time limit of a tuning.
    /// @pre  this thread holds the turn
    void prove_winner(served_inputs& of, std::span<std::int64_t const> key,
                      call_frame const& frame);
    /// Drops a winner of the store that its verification found wrong. The next lookup then finds
    /// another winner or tunes.
    /// @pre  this thread holds the turn  @return  false: there is no such winner
    bool drop_refused(served_inputs& of);
    /// Looks for a stand-in and compiles it; later calls do nothing.
    /// @pre  this thread holds the turn; there is no winner
    void find_near(served_inputs& of);
    /// Serves inputs without a winner: with the stand-in of find_near() if the stand-in is verified
    /// for the shape, else with the default.
    /// @pre  this thread holds the turn
    installed_variant const& serve_untuned(served_inputs& of, std::vector<number> const& inputs,
                                           shape_register::met_shape const& met,
                                           std::span<std::int64_t const> key,
                                           call_frame const& frame);
    /// Returns the code of the best known configuration; null: none.
    /// @pre  this thread holds the turn
    [[nodiscard]] static installed_variant const* best_of(served_inputs const& of)
    {
        if (of.winner.load() != nullptr) return of.winner.load();
        return of.near ? &of.near->variant : nullptr;
    }
    /// Returns the known configuration for these inputs, and whether it serves this shape.
    /// @pre  this thread holds the turn
    [[nodiscard]] known_choice explain(served_inputs& of, std::span<std::int64_t const> key);
    /// Serves with the default after an error: for good, unless the process has too few free
    /// descriptors.
    /// @pre  this thread holds the turn
    /// @return  null if the default fails too
    [[nodiscard]] installed_variant const* degrade(served_inputs& of, known_shape* shape,
                                                   std::string const& reason);

private:
    void drop_near(served_inputs& of);
    /// Sets the report, unless `of` is a further size: the report is about the first size.
    void tell(served_inputs const& of, tuning_report of_these);

    std::atomic<bool> told_of_outside_{false};
    std::atomic<std::uint64_t> met_while_lent_{0}; ///< shapes that no class covered
    std::atomic<std::uint64_t> checks_while_lent_{0};
};

/// Holds the turn for this thread during its lifetime, if is_on().
class working {
public:
    /// @param waits    waits until another thread unlocks the turn, or the program ends
    /// @param lent_ms  most milliseconds to wait for a turn that is lent
    explicit working(dispatch_parts& of, bool waits = false, int lent_ms = 0);
    ~working();
    working(working const&) = delete;
    working& operator=(working const&) = delete;
    [[nodiscard]] bool is_on() const noexcept { return is_on_; }

private:
    fork_safe_mutex& turn_;
    bool is_on_ = false;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/dispatch/dispatch_parts.ipp>
#endif

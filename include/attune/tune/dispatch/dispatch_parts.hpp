// attune/tune/dispatch/dispatch_parts.hpp - the parts of a dispatch_table, and the work of the thread that holds the turn.
// SPDX-License-Identifier: MIT
//
// tested by tune/dispatch/dispatch_table.cpp
#pragma once

#include <attune/core/posix/fork_gate.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/any_store.hpp>
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
    variant_choice choice;
    fork_safe_mutex turn{};      ///< held by the thread that tunes or verifies
    std::atomic<int> waiting{0}; ///< number of threads that wait for it
    /// Its holder proves a winner beside the program, and gives it up as soon as a thread waits.
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

    /// Returns true if this configuration, tuned for `of`, cannot serve a call with these inputs;
    /// the report says why.
    /// @pre  the turn is this thread's
    [[nodiscard]] bool is_refused(served_inputs& of, known_shape* shape,
                                  std::vector<number> const& inputs, point const& at);

    /// Returns the winner if it was verified for the shape or its class, even while another thread
    /// holds the turn. Null: none, or the inputs are in a bucket. Any thread.
    [[nodiscard]] installed_variant const* covering(served_inputs const& of,
                                                    std::vector<number> const& inputs,
                                                    std::span<std::int64_t const> key);

    /// Milliseconds for which a call waits for the turn while it is lent: one second to tune, and
    /// ten to verify a shape. Of shapes met once, few are verified. 0: it does not wait. Any
    /// thread.
    [[nodiscard]] int lent_wait_ms(served_inputs const& of, std::vector<number> const& inputs,
                                   std::span<std::int64_t const> key,
                                   shape_register::met_shape const& met);

    /// Serves this shape for good with the function of kernel.fallback(f): see
    /// kernel.precondition(f). Any thread.  @param said  if given, receives a report
    /// Errors  attune::error: the kernel has no such function
    installed_variant const& serve_plain(known_shape* shape, tuning_report* said);
    /// Serves this shape for good with the default. Any thread.
    installed_variant const& settle(served_inputs& of, known_shape* shape);
    /// Sends shapes that the default served meanwhile through the slow path again. Any thread.
    void look_again(served_inputs& of);

    struct found_winner {
        bool is_for_this_shape = false; ///< it was tuned or verified for the shape
        bool is_over = true;            ///< more of the same tuning is useless
        std::vector<known_outcome> outcomes{};
    };
    /// Sets the winner, or gives up. Shapes that another winner served take the slow path again.
    /// @param slice  see variant_choice::best_known()
    /// @pre  the turn is this thread's
    found_winner find_winner(served_inputs& of, std::span<std::int64_t const> key,
                             call_frame const& frame, when_unknown otherwise,
                             tuning_slice const* slice = nullptr);
    /// The parts of find_winner() before and after its search, for a search in steps.
    /// @pre  the turn is this thread's
    void prepare(served_inputs& of);
    found_winner take(served_inputs& of, known_variant found);
    /// Completes a call for a tuning: sets extents, and waits for the caller's launches.
    /// Errors   attune::error: no device; an array outside its memory; errors of set_extents()
    void complete(keyed_call& call) const;
    /// Runs take() for one call, which the winner then serves unless it must be verified first.
    /// @pre  the turn is this thread's
    /// @return  true if the report is complete; false: a call must still verify or refuse it
    [[nodiscard]] bool install(served_inputs& of, keyed_call const& call, known_variant found);
    /// Proves the winner on calls drawn from the tuned one, for at most one second, and at most the
    /// time limit of a tuning.
    /// @pre  the turn is this thread's
    void prove_winner(served_inputs& of, std::span<std::int64_t const> key,
                      call_frame const& frame);
    /// Drops a remembered winner that its verification found wrong, so that the next lookup finds
    /// another one or tunes.
    /// @pre  the turn is this thread's  @return  false: there is no such winner
    bool drop_refused(served_inputs& of);
    /// Looks once for a stand-in while there is no winner, and compiles it. @pre  the turn
    void find_near(served_inputs& of);
    /// Serves inputs without a winner: by find_near() if that is or can be verified, else by the
    /// default.
    /// @pre  the turn is this thread's
    installed_variant const& serve_untuned(served_inputs& of, std::vector<number> const& inputs,
                                           shape_register::met_shape const& met,
                                           std::span<std::int64_t const> key,
                                           call_frame const& frame);
    /// Returns the code of the best known configuration; null: none.  @pre  the turn is this
    /// thread's
    [[nodiscard]] static installed_variant const* best_of(served_inputs const& of)
    {
        if (of.winner.load() != nullptr) return of.winner.load();
        return of.near ? &of.near->variant : nullptr;
    }
    /// Returns the known configuration for these inputs, and if it serves this shape.
    /// @pre  the turn is this thread's
    [[nodiscard]] known_choice explain(served_inputs& of, std::span<std::int64_t const> key);
    /// Serves with the default because of an error: for good, unless the process had no descriptors
    /// left. @pre  the turn is this thread's
    /// @return  null if the default fails too
    [[nodiscard]] installed_variant const* degrade(served_inputs& of, known_shape* shape,
                                                   std::string const& reason);

private:
    void drop_near(served_inputs& of);
    /// Sets the report, which is about the first size.
    void tell(served_inputs const& of, tuning_report of_these);

    std::atomic<bool> told_of_outside_{false};
    std::atomic<std::uint64_t> met_while_lent_{0}; ///< shapes that no class covered
    std::atomic<std::uint64_t> checks_while_lent_{0};
};

/// While one exists and is on, this thread holds the turn: it tunes or verifies.
class working {
public:
    /// @param waits    waits for another thread's turn, unless the program ends
    /// @param lent_ms  waits so long for a turn that its holder gives up
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

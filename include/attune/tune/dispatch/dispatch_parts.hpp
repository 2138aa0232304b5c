// attune/tune/dispatch/dispatch_parts.hpp - the parts of a dispatch_table, and what the one thread that has the turn does with them.
// SPDX-License-Identifier: MIT
//
// tested by tune/dispatch/dispatch_table.cpp
#pragma once

#include <attune/core/posix/fork_gate.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/any_store.hpp>
#include <attune/tune/dispatch/choice/default_code.hpp>
#include <attune/tune/dispatch/choice/variant_choice.hpp>
#include <attune/tune/dispatch/dispatch_report.hpp>
#include <attune/tune/dispatch/dispatched_kernel.hpp>
#include <attune/tune/dispatch/served/inputs_register.hpp>
#include <attune/tune/dispatch/served/installed_variant.hpp>
#include <attune/tune/dispatch/served/served_inputs.hpp>
#include <attune/tune/dispatch/served/shape_register.hpp>
#include <attune/tune/kernel/call_frame.hpp>
#include <attune/tune/kernel/keyed_call.hpp>
#include <attune/tune/known_choice.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Each part sees those above it.
struct dispatch_parts {
    dispatch_parts(dispatched_kernel of, any_store store);

    dispatched_kernel const subject;
    dispatch_report report;
    shape_register shapes{};
    installed_variants variants;
    default_code defaults;
    variant_choice choice;
    fork_safe_mutex turn{};      ///< held by the thread that tunes or verifies
    std::atomic<int> waiting{0}; ///< threads that wait for it
    /// Called before these parts go, where one has the turn longer than a call lasts. Throws
    /// nothing. @pre  set and reset by who has the turn
    std::function<void()> before_end{};

    inputs_register all_inputs{};

    /// What is known of the inputs that stand for those of a call: see kernel.bucket(f). Any thread
    /// that holds no lock.
    /// Errors  what the user's function throws
    [[nodiscard]] std::shared_ptr<served_inputs> served_for(std::vector<number> const& of_call);

    /// Whether this configuration cannot serve a call with these inputs, for which those of `of`
    /// stand; the report says why.
    /// @pre  the turn is this thread's
    [[nodiscard]] bool is_refused(served_inputs& of, std::vector<number> const& inputs,
                                  point const& at);

    /// The winner where it was verified for the shape or its class, though another thread may have
    /// the turn; null: none, or others stand for these inputs. Any thread.
    [[nodiscard]] installed_variant const* covering(served_inputs const& of,
                                                    std::vector<number> const& inputs,
                                                    std::span<std::int64_t const> key);

    /// The function of kernel.fallback(f) serves this shape for good: see kernel.precondition(f).
    /// Any thread.  @param said  if given, gets a report of that
    /// Errors  attune::error: the kernel has none
    installed_variant const& serve_plain(known_shape* shape, tuning_report* said);
    /// The default serves this shape for good. Any thread.
    installed_variant const& settle(served_inputs& of, known_shape* shape);
    /// What the default served meanwhile is looked at again. Any thread.
    void look_again(served_inputs& of);

    struct found_winner {
        bool is_for_this_shape = false; ///< it was tuned or verified for it
        bool is_over = true;            ///< more of the same tuning would bring nothing
        std::vector<known_outcome> outcomes{};
    };
    /// Fills in the winner, or gives up. Shapes that another winner served are looked at again.
    /// @param slice  see variant_choice::best_known()
    /// @pre  the turn is this thread's
    found_winner find_winner(served_inputs& of, std::span<std::int64_t const> key,
                             call_frame const& frame, when_unknown otherwise,
                             tuning_slice const* slice = nullptr);
    /// What find_winner() does before and after its search, for a search in steps.
    /// @pre  the turn is this thread's
    void prepare(served_inputs& of);
    found_winner take(served_inputs& of, known_variant found);
    /// Makes a call what a tuning of it needs: extents, and what the caller launched has ended.
    /// Errors   attune::error: no device; an array that is not in its memory; as set_extents()
    void complete(keyed_call& call) const;
    /// take() for one call, which is served by what was found unless that is to be verified first.
    /// @pre  the turn is this thread's
    /// @return  whether a report says all; false: a call verifies or refuses it
    [[nodiscard]] bool install(served_inputs& of, keyed_call const& call, known_variant found);
    /// The winner proves itself on calls that are drawn from the one that it was tuned for, for a
    /// tenth of the tuning's time, within 0.5 and 1 s, and within what a tuning may take.
    /// @pre  the turn is this thread's
    void prove_winner(served_inputs& of, std::span<std::int64_t const> key,
                      call_frame const& frame);
    /// Looks once for what may serve while there is no winner, and compiles it. @pre  the turn
    void find_near(served_inputs& of);
    /// Serves inputs without a winner: by find_near() where that was verified, or is now, else by
    /// the default.
    /// @pre  the turn is this thread's
    installed_variant const& serve_untuned(served_inputs& of, std::vector<number> const& inputs,
                                           shape_register::met_shape const& met,
                                           std::span<std::int64_t const> key,
                                           call_frame const& frame);
    /// What is known for these inputs, and whether it serves this shape.
    /// @pre  the turn is this thread's
    [[nodiscard]] known_choice explain(served_inputs& of, std::span<std::int64_t const> key);
    /// The default serves because of an error: for good, unless the process had no descriptors
    /// left. @pre  the turn is this thread's
    /// @return  null: it cannot either
    [[nodiscard]] installed_variant const* degrade(served_inputs& of, known_shape* shape,
                                                   std::string const& reason);

private:
    void drop_near(served_inputs& of);

    std::atomic<bool> told_of_outside_{false};
};

/// While one exists and is on, this thread has the turn: it tunes or verifies.
class working {
public:
    /// @param waits  until another thread has had its turn, unless the program ends
    explicit working(dispatch_parts& of, bool waits = false);
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

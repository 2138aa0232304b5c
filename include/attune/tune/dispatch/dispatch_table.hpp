// attune/tune/dispatch/dispatch_table.hpp - which code serves a call: remembered, tuned, verified, or the default.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/any_compiler.hpp>
#include <attune/core/posix/forever.hpp>
#include <attune/core/shape/call_shape.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/tune/device/device_target.hpp>
#include <attune/tune/dispatch/call_watch.hpp>
#include <attune/tune/dispatch/served/installed_variant.hpp>
#include <attune/tune/kernel/call_frame.hpp>
#include <attune/tune/kernel/problem.hpp>
#include <attune/tune/known_choice.hpp>
#include <attune/tune/options.hpp>
#include <attune/tune/report.hpp>
#include <attune/tune/shape/shape_table.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

struct dispatch_parts;
class trials_elsewhere;

/// How a tuning that was asked for went.
struct tuned_now {
    tuning_report report{};
    std::optional<point> at{}; ///< what serves; nothing: the default does, untuned
    bool is_too_short = false; ///< see session_result
};

/// What serves each shape of a kernel's calls.
///
/// The first call for a set of bound inputs looks into the store, and if nothing matches it tunes.
/// Where it may not, the best of related problems serves once it is verified (near_choice.hpp).
/// The variant found serves the shape that it was tuned for, and others once it was verified for
/// them (shape_verifier.hpp); else the default serves.
class dispatch_table {
public:
    /// @param layout       of the shapes of the kernel's calls
    /// @param find_device  that the compiler's code is for
    /// Errors   attune::error: parameters that kernel file and declaration do not both name; of a
    ///          kernel without inputs also defaults that are no values or break a constraint
    dispatch_table(kernel_description const& kernel, any_compiler compiler, any_store store,
                   tuning_options options, std::vector<shape_word> layout,
                   device_finder find_device = {});
    ~dispatch_table();
    dispatch_table(dispatch_table const&) = delete;
    dispatch_table& operator=(dispatch_table const&) = delete;

    /// The shapes met so far. A shape with a variant that serves it is looked up without a lock.
    [[nodiscard]] shape_table const& shapes() const noexcept { return *shapes_; }

    /// The code for this call. Tunes or verifies first where that is due and no other thread does
    /// it; where another thread does, the default serves this call. See miss_policy.
    /// @param shape   as `layout` says
    /// @param stream  what the caller launched there is waited for; null: see wait_for_caller()
    /// Errors   attune::error where not even the default can serve: it does not work, it cannot be
    ///          compiled and the program has none; no device; an array that is not in its memory
    [[nodiscard]] installed_variant const& obtain(std::span<std::int64_t const> shape,
                                                  std::vector<number> const& inputs,
                                                  call_frame frame, void* stream = nullptr);

    /// What serves a call of an unknown shape in a signal handler; null: this is none. Takes no
    /// lock and no memory, unless it throws.
    /// Errors   attune::error: nothing is at hand
    [[nodiscard]] installed_variant const* in_signal_handler() const;

    /// For each call on a device whose shape is known, where the kernel has a precondition.
    /// @param arguments  the call's host_call
    /// Errors   attune::error: no variant takes it
    void require_taken(void const* arguments) const;

    /// Tunes for this call now, whatever tuning_options::on_miss says, unless the store knows its
    /// inputs. Waits while another thread tunes. The kernel is not called.
    /// @return  how that went
    /// Errors   as obtain(); attune::error: called from within a tuning of this table
    tuning_report tune(std::span<std::int64_t const> shape, std::vector<number> const& inputs,
                       call_frame frame, void* stream = nullptr);
    /// The same where others try the configurations.
    tuned_now tune_with(trials_elsewhere& elsewhere, std::span<std::int64_t const> shape,
                        std::vector<number> const& inputs, call_frame frame);
    /// tune() for the call that call_watch::replay has for this kernel. Whatever is wrong is a
    /// notice.
    void replay(call_maker const& make) noexcept;
    /// Whether calls with these inputs are served without a tuning. Waits as tune() does.
    [[nodiscard]] bool is_tuned(std::vector<number> const& inputs);
    /// What is known for calls of this shape with these inputs. Nothing is tuned or run; waits as
    /// tune() does.
    /// Errors   as obtain(), for want of a compiler; attune::error: called from within a tuning
    [[nodiscard]] known_choice explain(std::span<std::int64_t const> shape,
                                       std::vector<number> const& inputs);
    /// Until no tuning runs or waits in the background, or the program ends.
    /// Errors   attune::error: called from within a tuning
    void wait() const;

    /// Tunes by predicted_objective(), or takes that from the store: nothing is run or installed.
    /// @return  how that went; report() stays as it is
    /// @pre     the compiler is one for a device
    /// Errors   as `tuned`
    [[nodiscard]] tuning_report predict(std::vector<number> const& inputs, call_frame frame);

    /// What it works with, for a thread that takes the turn: see stepped_tuning.
    [[nodiscard]] dispatch_parts& parts() noexcept;

    /// The report on the variant that was installed last, or on what serves in its place. Returns
    /// at once, also while a tuning runs, and may be called from the progress sink.
    [[nodiscard]] tuning_report report() const;

private:
    struct state;
    installed_variant const& serve(std::span<std::int64_t const> shape,
                                   std::vector<number> const& inputs, call_frame& frame,
                                   void* stream, tuned_now* tunes_now,
                                   trials_elsewhere* elsewhere = nullptr);
    detail::owned_until_end<state> state_;
    shape_table const* shapes_ = nullptr;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/dispatch/dispatch_table.ipp>
#endif

// attune/tune/dispatch/dispatch_table.hpp - chooses the code for a call: remembered, tuned, verified, or the default.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/compiler.hpp>
#include <attune/core/posix/program_end.hpp>
#include <attune/core/shape/call_shape.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/remember/record_store.hpp>
#include <attune/tune/device/device_target.hpp>
#include <attune/tune/dispatch/call_watch.hpp>
#include <attune/tune/dispatch/dispatched_kernel.hpp>
#include <attune/tune/dispatch/served/shape_register.hpp>
#include <attune/tune/kernel/call_frame.hpp>
#include <attune/tune/kernel/problem.hpp>
#include <attune/tune/known_choice.hpp>
#include <attune/tune/options.hpp>
#include <attune/tune/report.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

struct dispatch_parts;
class trials_elsewhere;

struct tuned_now {
    tuning_report report{};
    std::optional<point> at{}; ///< the serving configuration; empty: the default serves, untuned
    bool is_too_short = false; ///< see session_result
};

/// The code that serves each shape of a kernel's calls.
///
/// The first call for a set of bound inputs reads the store, and tunes if no record matches. If the
/// call may not tune, the best variant of related problems serves after its verification
/// (near_choice.hpp). A winner serves the shape of its tuning, and each other shape after its
/// verification for that shape (shape_verifier.hpp). Otherwise the default serves.
class dispatch_table {
public:
    /// @param layout       layout of the shapes of the kernel's calls
    /// @param find_device  finds the device of the compiler's code
    /// Errors   attune::error: parameters that kernel file and declaration do not both name; for a
    ///          kernel without inputs also defaults that are invalid or break a constraint
    dispatch_table(kernel_description const& kernel, any_compiler compiler, any_store store,
                   tuning_options options, std::vector<shape_word> layout,
                   device_finder find_device = {});
    ~dispatch_table();
    dispatch_table(dispatch_table const&) = delete;
    dispatch_table& operator=(dispatch_table const&) = delete;

    /// The shapes met so far. A shape with a serving variant is found without a lock.
    [[nodiscard]] shape_table const& shapes() const noexcept { return *shapes_; }

    /// Returns the code for this call. Tunes or verifies first if that is due. While another thread
    /// tunes or verifies, the default serves this call. See miss_policy.
    /// @param shape    in the form of `layout`
    /// @param stream   this call waits for the launches on it; null: see wait_for_caller()
    /// @param counted  if given, receives the facts for count()
    /// Errors   attune::error: the default fails; it does not compile, and the program has no other
    ///          code; there is no device; an array is outside its memory
    [[nodiscard]] installed_variant const& obtain(std::span<std::int64_t const> shape,
                                                  std::vector<number> const& inputs,
                                                  call_frame frame, void* stream = nullptr,
                                                  served_call* counted = nullptr);
    /// Counts a call for which obtain() returned the code.
    /// @param seconds  time of the code; `untimed`: not measured
    void count(served_call const& of, installed_variant const& by, double seconds) noexcept;

    /// Puts the coverage of the calls so far into the store; its owner calls it once, at its end.
    /// See kept_calls.
    void keep_calls() noexcept;

    /// Calls tuned_sizes::look().
    void look_at_sizes() noexcept;

    /// Returns the code for a call of an unknown shape in a signal handler; null: not in a handler.
    /// Takes no lock and no memory, unless it throws.
    /// Errors   attune::error: no code is ready
    [[nodiscard]] installed_variant const* in_signal_handler() const;

    /// Checks each call on a device whose shape is known, if the kernel has a precondition.
    /// @param arguments  the call's host_call
    /// Errors   attune::error: no variant may serve it
    void require_taken(void const* arguments) const;

    /// Tunes for this call with any tuning_options::on_miss, unless the store has the result. Waits
    /// while another thread tunes. Does not call the kernel.
    /// @return  the report of that tuning
    /// Errors   errors of obtain(); attune::error: called from within a tuning of this table
    tuning_report tune(std::span<std::int64_t const> shape, std::vector<number> const& inputs,
                       call_frame frame, void* stream = nullptr);
    /// The same, but `elsewhere` tries the configurations.
    tuned_now tune_with(trials_elsewhere& elsewhere, std::span<std::int64_t const> shape,
                        std::vector<number> const& inputs, call_frame frame);
    /// Calls tune() for the call of call_watch::replay for this kernel. Any error becomes a notice.
    void replay(call_maker const& make) noexcept;
    /// Returns true if calls with these inputs are served without a tuning. Waits like tune().
    [[nodiscard]] bool is_tuned(std::vector<number> const& inputs);
    /// Returns the known configuration for calls of this shape with these inputs. Tunes and runs
    /// nothing; waits like tune().
    /// Errors   errors of obtain(), without a compiler; attune::error: called from within a tuning
    [[nodiscard]] known_choice explain(std::span<std::int64_t const> shape,
                                       std::vector<number> const& inputs);
    /// Waits until no tuning runs or waits in the background, or until the program ends.
    /// Errors   attune::error: called from within a tuning
    void wait() const;

    /// Tunes by predicted_objective(), or returns the store's prediction; runs and installs
    /// nothing.
    /// @return  its report; report() does not change
    /// @pre     the compiler is for a device
    /// Errors   errors of `tuned`
    [[nodiscard]] tuning_report predict(std::vector<number> const& inputs, call_frame frame);

    /// The parts, for a thread that takes the turn: see stepped_tuning.
    [[nodiscard]] dispatch_parts& parts() noexcept;

    /// Returns the report on the latest installed variant, or on the code that serves in its place.
    /// The progress sink may call this. Does not wait for a tuning. May wait while another thread
    /// sums the times of all shapes, or reads further sizes from the store.
    [[nodiscard]] tuning_report report() const;

private:
    struct state;
    installed_variant const& serve(std::span<std::int64_t const> shape,
                                   std::vector<number> const& inputs, call_frame& frame,
                                   void* stream, tuned_now* tunes_now,
                                   trials_elsewhere* elsewhere = nullptr,
                                   served_call* counted = nullptr);
    detail::owned_until_end<state> state_;
    shape_table const* shapes_ = nullptr;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/dispatch/dispatch_table.ipp>
#endif

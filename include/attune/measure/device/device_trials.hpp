// attune/measure/device/device_trials.hpp - first runs of variants on a device, and their checks.
// SPDX-License-Identifier: MIT
//
// The rules are those for the processor: see content.hpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/arrays/content.hpp>
#include <attune/measure/device/device_call.hpp>
#include <attune/measure/device/device_compare.hpp>
#include <attune/measure/device/device_session.hpp>
#include <attune/measure/first_runs.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// First runs. The reference is the default's result, or the caller's expected result. A run that
/// writes around an array, or into a read-only one, also fails.
///
/// For the initial contents see first_runs. Perturbed contents are not used if two runs of the
/// default from them differ (a race).
///
/// All functions need the session's context to be current. `enqueue` enqueues one run on the
/// clock's stream.
class device_trials {
public:
    /// Copies the caller's contents.
    /// Errors   attune::error: out of memory, the driver's own
    device_trials(std::shared_ptr<device_session> where, device_call const& call,
                  device_bench_options const& options, device_clock& clock);

    /// The default's first run. If is_spoilt(), all copies are made anew first.
    /// @param expected  see device_bench
    /// @return  seconds
    /// Errors   `stopped`
    double establish(std::function<void()> const& enqueue,
                     std::span<std::vector<std::byte> const> expected, double limit_s);
    /// A variant's first run.
    /// @return  seconds
    /// Errors   `stopped`
    double first_run(std::function<void()> const& enqueue, double limit_s);

    /// Enqueues restoring the caller's contents, on the clock's stream.
    /// Errors   `stopped`
    void restore() { copies_.restore(original_, clock_); }
    /// Objection after a run from the caller's contents, or empty. @pre the device is idle
    /// Errors   `stopped`
    [[nodiscard]] std::string objection();
    /// Returns true if a second run without restore() writes the same bytes.
    /// Errors   `stopped`
    [[nodiscard]] bool is_repeatable(std::function<void()> const& enqueue, double limit_s);

    /// Returns true if results do not depend on the former contents: runs may follow one another.
    [[nodiscard]] bool overwrites() const noexcept
    {
        return policy_.begin_with() == first_runs<place>::contents::perturbed;
    }

    /// Returns true if a run since establish() wrote outside its arrays: all copies may be damaged.
    [[nodiscard]] bool is_spoilt() const noexcept { return is_spoilt_; }

    [[nodiscard]] device_copies& copies() noexcept { return copies_; }

private:
    struct expectation {
        saved_contents after;
        std::vector<double> rms; ///< root mean square of each array
    };

    /// The trial_place of a device. A failure from the caller's contents is thrown as `stopped`.
    class place {
    public:
        using code_type = std::function<void()>;
        using expectation = device_trials::expectation;
        static constexpr bool keeps_both_expectations = true;

        /// @param given  the results that the caller expects, per array
        place(device_trials& of, std::span<std::vector<std::byte> const> given = {});
        ~place();
        place(place const&) = delete;
        place& operator=(place const&) = delete;

        bool begin(bool is_perturbed, bool across);
        [[nodiscard]] first_run_result run_trusted(code_type const& enqueue, double limit_s);
        [[nodiscard]] first_run_result run(code_type const& enqueue, double limit_s,
                                           expectation const& want);
        [[nodiscard]] expectation take_expectation(std::optional<expectation> spare);
        [[nodiscard]] bool can_perturb() const;
        [[nodiscard]] bool confirms(code_type const& enqueue, double limit_s,
                                    expectation const& want, bool is_overwritten);
        [[nodiscard]] std::span<buffer const> buffers() const;
        [[nodiscard]] snapshot original_contents();
        [[nodiscard]] snapshot contents_after(expectation const&) const;
        [[nodiscard]] snapshot perturbed_contents() const;
        [[nodiscard]] snapshot contents_after_perturbed() const;

    private:
        struct on_host;
        [[nodiscard]] snapshot download() const;
        void expect(std::span<std::vector<std::byte> const> given);

        device_trials& of_;
        std::span<std::vector<std::byte> const> given_;
        std::unique_ptr<on_host> arrays_;
        std::optional<expectation> expected_{};
        bool is_perturbed_ = false;
    };

    void take_over();
    double run_from(saved_contents const& begin, expectation const* want,
                    std::function<void()> const& enqueue, double limit_s);
    [[nodiscard]] std::string forbidden_writes();
    [[nodiscard]] std::string difference(expectation const& want);
    [[nodiscard]] saved_contents save_written();
    [[nodiscard]] expectation expect_what_is_there();

    std::shared_ptr<device_session> where_;
    std::vector<device_buffer> buffers_;
    bool compares_;
    bool may_perturb_;
    bool repeats_default_;
    device_clock& clock_;
    device_copies copies_;
    device_compare compare_;
    saved_contents original_{};
    saved_contents inputs_{}; ///< copies of read-only regions, as far as there is room
    std::optional<saved_contents> perturbed_{};
    bool is_across_ = false; ///< `perturbed_` was moved across zero
    bool may_cross_ = true;  ///< no run from such contents wrote wrongly
    first_runs<place> policy_{};
    bool inputs_may_differ_ = false; ///< the last run may have written to read-only memory
    bool is_spoilt_ = false;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/device/device_trials.ipp>
#endif

// attune/measure/cuda/device_trials.hpp - what variants begin with on a device, and what must come of it.
// SPDX-License-Identifier: MIT
//
// The same rules as on the processor, see perturb.hpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/arrays/snapshot.hpp>
#include <attune/measure/cuda/device_bench_options.hpp>
#include <attune/measure/cuda/device_call.hpp>
#include <attune/measure/cuda/device_clock.hpp>
#include <attune/measure/cuda/device_compare.hpp>
#include <attune/measure/cuda/device_copies.hpp>
#include <attune/measure/cuda/device_session.hpp>
#include <attune/measure/first_runs.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// First runs. Right is what the default makes of the same arrays, or what the caller expects. A
/// run also fails that writes around an array, or into one that is only to be read.
///
/// What they begin with: first_runs. Where two runs of the default from perturbed contents disagree
/// (a race that those contents let loose), no run begins with them.
///
/// All functions need the session's context to be current. `enqueue` puts one run on the clock's
/// stream.
class device_trials {
public:
    /// Takes over the caller's contents. Errors  attune::error: out of memory, the driver's own
    device_trials(std::shared_ptr<device_session> where,
                  device_call const& call,
                  device_bench_options const& options,
                  device_clock& clock);

    /// The default's; after is_spoilt() with all copies made anew.
    /// @param expected  see device_bench  @return  seconds  Errors  `stopped`
    double establish(std::function<void()> const& enqueue,
                     std::span<std::vector<std::byte> const> expected,
                     double limit_s);
    /// Another one's. @return  seconds  Errors  `stopped`
    double first_run(std::function<void()> const& enqueue, double limit_s);

    /// Puts the caller's contents back, on the clock's stream; does not wait. Errors  `stopped`
    void restore() { copies_.restore(original_, clock_); }
    /// What is wrong after one run from the caller's contents; or nothing. @pre nothing runs
    /// Errors   `stopped`
    [[nodiscard]] std::string objection();
    /// Whether a run that follows another one, without restore(), writes the same bytes.
    /// Errors   `stopped`
    [[nodiscard]] bool is_repeatable(std::function<void()> const& enqueue, double limit_s);

    /// Whether results owe nothing to what the written arrays held: runs may follow one another.
    [[nodiscard]] bool overwrites() const noexcept
    {
        return policy_.begin_with() == first_runs<place>::contents::perturbed;
    }

    /// Some run wrote where it must not since establish(), so any of the copies may be damaged.
    [[nodiscard]] bool is_spoilt() const noexcept { return is_spoilt_; }

    [[nodiscard]] device_copies& copies() noexcept { return copies_; }

private:
    struct expectation {
        saved_contents after;
        std::vector<double> rms; ///< of each array
    };

    /// The model of trial_place. What fails from the caller's contents leaves it as `stopped`.
    class place {
    public:
        using code_type = std::function<void()>;
        using expectation = device_trials::expectation;
        static constexpr bool keeps_both_expectations = true;

        /// @param given  what the caller expects, per array
        place(device_trials& of, std::span<std::vector<std::byte> const> given = {});
        ~place();
        place(place const&) = delete;
        place& operator=(place const&) = delete;

        bool begin(bool is_perturbed);
        [[nodiscard]] first_run_result run_trusted(code_type const& enqueue, double limit_s);
        [[nodiscard]] first_run_result
        run(code_type const& enqueue, double limit_s, expectation const& want);
        [[nodiscard]] expectation take_expectation(std::optional<expectation> spare);
        [[nodiscard]] bool can_perturb() const;
        [[nodiscard]] bool confirms(code_type const& enqueue,
                                    double limit_s,
                                    expectation const& want,
                                    bool is_overwritten);
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
    double run_from(saved_contents const& begin,
                    expectation const* want,
                    std::function<void()> const& enqueue,
                    double limit_s);
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
    saved_contents inputs_{}; ///< those that are only read, as far as there is room
    std::optional<saved_contents> perturbed_{};
    first_runs<place> policy_{};
    bool inputs_may_differ_ = false; ///< the latest run wrote where it must not
    bool is_spoilt_ = false;
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/cuda/device_trials.ipp>
#endif

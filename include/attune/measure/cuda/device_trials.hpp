// attune/measure/cuda/device_trials.hpp - what variants begin with on a device, and what must come
// of it. SPDX-License-Identifier: MIT
//
// Stage    declare -> space -> search -> compile -> [measure] -> remember
// In       copies of a call's arrays; the default variant, then others
// Out      whether a variant works
// Source   own; the same rules as on the processor, see perturb.hpp
// Depends  std only
// Tests    tests/measure/cuda/device_trials.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/cuda/device_bench.hpp>
#include <attune/measure/cuda/device_clock.hpp>
#include <attune/measure/cuda/device_compare.hpp>
#include <attune/measure/cuda/device_copies.hpp>
#include <attune/measure/cuda/device_session.hpp>

#include <cstddef>
#include <cstdint>
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
/// The default is run from perturbed contents too, if that can be afforded: where it overwrites
/// what it finds, others begin with those; where the caller's contents would let a variant pass
/// that writes nothing, others begin with both in turn. Where two such runs of the default disagree
/// (a race that those contents let loose), nobody begins with them.
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
    [[nodiscard]] bool overwrites() const noexcept { return begin_with_ == contents::perturbed; }

    /// Some run wrote where it must not since establish(), so any of the copies may be damaged.
    [[nodiscard]] bool is_spoilt() const noexcept { return is_spoilt_; }

    [[nodiscard]] device_copies& copies() noexcept { return copies_; }

private:
    enum class contents : std::uint8_t { original, perturbed, both };
    struct expectation {
        saved_contents after;
        std::vector<double> rms; ///< of each array
    };

    void take_over();
    double run_from(saved_contents const& begin,
                    expectation const* want,
                    std::function<void()> const& enqueue,
                    double limit_s);
    [[nodiscard]] std::string trespass();
    [[nodiscard]] std::string difference(expectation const& want);
    [[nodiscard]] saved_contents save_written();
    [[nodiscard]] expectation expect_what_is_there();
    void learn_from_perturbed(std::function<void()> const& enqueue, double limit_s);

    std::shared_ptr<device_session> where_;
    std::vector<device_buffer> buffers_;
    bool compares_;
    bool may_perturb_;
    device_clock& clock_;
    device_copies copies_;
    device_compare compare_;
    saved_contents original_{};
    saved_contents inputs_{}; ///< those that are only read, as far as there is room
    std::optional<expectation> expected_{};
    std::optional<saved_contents> perturbed_{};
    std::optional<expectation> expected_of_perturbed_{};
    contents begin_with_ = contents::original;
    bool inputs_may_differ_ = false; ///< the latest run wrote where it must not
    bool is_spoilt_ = false;
};

} // namespace attune::inline ATTUNE_ABI

// attune/measure/first_runs.hpp - what first runs begin with, and what the default teaches.
// SPDX-License-Identifier: MIT
//
// Source: own
#pragma once

#include <attune/core/assert.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/arrays/buffer.hpp>
#include <attune/measure/arrays/perturb.hpp>
#include <attune/measure/arrays/snapshot.hpp>
#include <attune/measure/clock/run_limits.hpp>
#include <attune/measure/sandbox/sandboxed_run.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <variant>

namespace attune::inline ATTUNE_ABI {

/// Where first runs are made: arrays that can be filled with the caller's contents or with
/// perturbed ones, code that runs on them, and results that can be kept and compared.
template <class Place>
concept trial_place = requires(Place& place,
                               typename Place::code_type const& code,
                               typename Place::expectation const& right,
                               std::optional<typename Place::expectation> spare,
                               bool is_perturbed,
                               double limit_s) {
    // Fills the written arrays; false: there is no room for perturbed contents.
    { place.begin(is_perturbed) } -> std::same_as<bool>;
    // Runs what is trusted on what begin() has filled in. Then take_expectation() gives what other
    // runs from these contents must come to; `spare` is one that may be written over.
    { place.run_trusted(code, limit_s) } -> std::same_as<first_run_result>;
    { place.take_expectation(std::move(spare)) } -> std::same_as<typename Place::expectation>;
    // Whether somebody compares with the expectation from the caller's contents when first runs
    // begin with perturbed ones.
    { Place::keeps_both_expectations } -> std::convertible_to<bool>;
    // Runs on what begin() has filled in and compares.
    { place.run(code, limit_s, right) } -> std::same_as<first_run_result>;
    // Whether perturbed contents are possible here at all: apart, and not too large.
    { place.can_perturb() } -> std::convertible_to<bool>;
    // The element types and tolerances of the arrays, and what those that are written hold: before
    // a run from the caller's contents and after the trusted one, after begin(true), and after
    // the trusted run that follows it. Snapshots by value or by reference, or views.
    { place.buffers() } -> std::convertible_to<std::span<buffer const>>;
    { place.original_contents() } -> std::convertible_to<contents_view>;
    { place.contents_after(right) } -> std::convertible_to<contents_view>;
    { place.perturbed_contents() } -> std::convertible_to<contents_view>;
    { place.contents_after_perturbed() } -> std::convertible_to<contents_view>;
    // Whether a trusted run from perturbed contents comes to the same end again.
    { place.confirms(code, limit_s, right, is_perturbed) } -> std::convertible_to<bool>;
};

/// The policy of first runs, once for every place.
///
/// First runs do not begin with the caller's contents of the arrays they write, if that can be
/// helped: the answer of an earlier call may stand there, and a variant that writes nothing would
/// pass. The trusted code runs once from the caller's contents and once from perturbed ones. When
/// its results are the same, it overwrites what it finds, and trials begin with the perturbed
/// contents. When they differ it reads what it writes over, and trials begin with the caller's;
/// only if those hide idleness (one more call would leave an array as it is) there is another
/// trial, from the perturbed contents. Where the trusted code fails on those, trials have the
/// caller's contents alone.
template <trial_place Place>
class first_runs {
public:
    using code_type = typename Place::code_type;
    using expectation = typename Place::expectation;
    enum class contents : std::uint8_t { original, perturbed, both };

    /// Runs what is trusted and learns from it.
    /// @param limit_s             wall seconds of one run
    /// @param second_run_up_to_s  what takes longer is not run on perturbed contents
    /// @return  seconds, or why it does not work: then there is nothing to compare with
    [[nodiscard]] first_run_result
    establish(Place& place, code_type const& trusted, double limit_s, double second_run_up_to_s)
    {
        forget();
        place.begin(false);
        first_run_result end = place.run_trusted(trusted, limit_s);
        if (std::holds_alternative<failure>(end)) return end;
        expected_.emplace(place.take_expectation(std::nullopt));
        is_established_ = true;
        double const took_s = std::get<double>(end);
        if (place.can_perturb() && took_s <= second_run_up_to_s)
            learn_from_perturbed(place, trusted, std::min(limit_s, first_run_limit_s(took_s)));
        return end;
    }

    /// Whether a variant works: from the contents that say most. A run from the caller's contents
    /// comes last, so that its results are what stands in the arrays.
    /// @pre  establish() has returned seconds
    [[nodiscard]] first_run_result first_run(Place& place, code_type const& tried, double limit_s)
    {
        ATTUNE_ASSERT(is_established_, "the default comes before all others");
        first_run_result end = 0.0;
        if (begin_with_ != contents::original) {
            place.begin(true);
            end = place.run(tried, limit_s, *expected_of_perturbed_);
            if (begin_with_ == contents::perturbed || std::holds_alternative<failure>(end))
                return end;
        }
        place.begin(false);
        return place.run(tried, limit_s, *expected_);
    }

    [[nodiscard]] contents begin_with() const noexcept { return begin_with_; }
    /// What runs from the caller's contents must come to; null before establish(), and where it is
    /// not kept.
    [[nodiscard]] expectation const* expected() const noexcept
    {
        return expected_ ? &*expected_ : nullptr;
    }
    /// What runs from perturbed contents must come to; null where there are none.
    [[nodiscard]] expectation const* expected_of_perturbed() const noexcept
    {
        return expected_of_perturbed_ ? &*expected_of_perturbed_ : nullptr;
    }

    /// As if nothing had been established.
    void forget() noexcept
    {
        is_established_ = false;
        expected_.reset();
        expected_of_perturbed_.reset();
        begin_with_ = contents::original;
    }

private:
    void learn_from_perturbed(Place& place, code_type const& trusted, double limit_s)
    {
        decltype(auto) after = place.contents_after(*expected_);
        decltype(auto) before = place.original_contents();
        if (!place.begin(true)) return;
        decltype(auto) perturbed_before = place.perturbed_contents();
        if (std::holds_alternative<failure>(place.run_trusted(trusted, limit_s))) return;
        decltype(auto) perturbed_after = place.contents_after_perturbed();
        run_contents const first{before, after};
        run_contents const second{perturbed_before, perturbed_after};
        contents begin_with = contents::original;
        if (overwrites_all(place.buffers(), first, second))
            begin_with = contents::perturbed;
        else if (hides_idleness(place.buffers(), first, second))
            begin_with = contents::both;
        if (begin_with == contents::original) return;
        std::optional<expectation> spare{};
        if (begin_with == contents::perturbed && !Place::keeps_both_expectations)
            spare.swap(expected_);
        expectation right = place.take_expectation(std::move(spare));
        if (!place.confirms(trusted, limit_s, right, begin_with == contents::perturbed)) return;
        expected_of_perturbed_.emplace(std::move(right));
        begin_with_ = begin_with;
    }

    std::optional<expectation> expected_{};
    std::optional<expectation> expected_of_perturbed_{};
    contents begin_with_ = contents::original;
    bool is_established_ = false;
};

} // namespace attune::inline ATTUNE_ABI

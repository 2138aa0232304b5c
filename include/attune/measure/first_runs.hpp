// attune/measure/first_runs.hpp - first runs of variants on original or perturbed array contents.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/arrays/buffer.hpp>
#include <attune/measure/arrays/content.hpp>
#include <attune/measure/sandbox/child_process.hpp>
#include <attune/measure/sandbox/isolation.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// The place of first runs: it fills arrays with the caller's or with perturbed contents, runs code
/// on them, and keeps and compares results.
template <class Place>
concept trial_place = requires(Place& place, typename Place::code_type const& code,
                               typename Place::expectation const& right,
                               std::optional<typename Place::expectation> spare, bool is_perturbed,
                               bool across, double limit_s) {
    // Fills the written arrays, with perturbed contents across zero if both are true (see perturb).
    // Returns false if there is no room for perturbed contents, or if runs on contents across zero
    // might harm the program.
    { place.begin(is_perturbed, across) } -> std::same_as<bool>;
    // Runs trusted code on the contents of begin(). take_expectation() then returns the results
    // that other runs from these contents must have; it may reuse the memory of `spare`.
    { place.run_trusted(code, limit_s) } -> std::same_as<first_run_result>;
    { place.take_expectation(std::move(spare)) } -> std::same_as<typename Place::expectation>;
    // True: results from the caller's contents are compared even if first runs begin with perturbed
    // contents.
    { Place::keeps_both_expectations } -> std::convertible_to<bool>;
    // Runs on the contents of begin() and compares the results.
    { place.run(code, limit_s, right) } -> std::same_as<first_run_result>;
    // True if perturbed contents are possible: arrays do not overlap and are not too large.
    { place.can_perturb() } -> std::convertible_to<bool>;
    // The element types and tolerances of the arrays, and four contents of the written arrays:
    // before and after a trusted run from the caller's contents, after begin(true, across), and
    // after the next trusted run. Snapshots by value or by reference, or views.
    { place.buffers() } -> std::convertible_to<std::span<buffer const>>;
    { place.original_contents() } -> std::convertible_to<detail::contents_view>;
    { place.contents_after(right) } -> std::convertible_to<detail::contents_view>;
    { place.perturbed_contents() } -> std::convertible_to<detail::contents_view>;
    { place.contents_after_perturbed() } -> std::convertible_to<detail::contents_view>;
    // True if another trusted run from perturbed contents has the same results.
    { place.confirms(code, limit_s, right, is_perturbed) } -> std::convertible_to<bool>;
};

/// The policy of first runs, for every place.
///
/// The arrays that a kernel writes may contain the results of an earlier call, and a variant that
/// writes nothing would pass. The trusted code therefore runs once from the caller's contents and
/// once from perturbed ones. If both results are equal, the kernel overwrites its arrays, and first
/// runs begin with perturbed contents. If they differ, the kernel reads the contents that it
/// overwrites, and first runs begin with the caller's contents. If a run from the caller's contents
/// leaves an array unchanged and a perturbed run changes it, each variant runs from both contents.
/// If the trusted code fails on perturbed contents, only the caller's contents are used.
///
/// Perturbed numbers move away from zero, which changes no sign and cancels no sum. A kernel of max
/// or abs may then leave an earlier result unchanged. If both runs leave an array unchanged, the
/// trusted code runs once more, from contents across zero. Contents across zero replace the others
/// on three conditions. The code changes an array that both former runs leave unchanged. The code
/// leaves no further array unchanged. The code does not fail, and results stay finite.
template <trial_place Place>
class first_runs {
public:
    using code_type = typename Place::code_type;
    using expectation = typename Place::expectation;
    enum class contents : std::uint8_t { original, perturbed, both };

    /// Runs the trusted code and chooses the contents for first runs.
    /// @param limit_s             wall seconds of one run
    /// @param second_run_up_to_s  code that takes longer does not run on perturbed contents
    /// @return  seconds, or the reason why the code does not work: then first_run() must not be
    ///          called
    [[nodiscard]] first_run_result establish(Place& place, code_type const& trusted, double limit_s,
                                             double second_run_up_to_s)
    {
        forget();
        place.begin(false, false);
        first_run_result end = place.run_trusted(trusted, limit_s);
        if (std::holds_alternative<failure>(end)) return end;
        expected_.emplace(place.take_expectation(std::nullopt));
        is_established_ = true;
        double const took_s = std::get<double>(end);
        if (place.can_perturb() && took_s <= second_run_up_to_s)
            learn_from_perturbed(place, trusted,
                                 std::min(limit_s, detail::first_run_limit_s(took_s)));
        return end;
    }

    /// Runs a variant for the first time. The run from the caller's contents comes last, so the
    /// arrays contain its results afterwards.
    /// @pre  establish() has returned seconds
    [[nodiscard]] first_run_result first_run(Place& place, code_type const& tried, double limit_s)
    {
        ATTUNE_ASSERT(is_established_, "the default comes before all others");
        first_run_result end = 0.0;
        // False if the place has become unfit for contents across zero.
        if (begin_with_ != contents::original && place.begin(true, is_across_)) {
            end = place.run(tried, limit_s, *expected_of_perturbed_);
            if (begin_with_ == contents::perturbed || std::holds_alternative<failure>(end))
                return end;
        }
        place.begin(false, false);
        return place.run(tried, limit_s, *expected_);
    }

    [[nodiscard]] contents begin_with() const noexcept { return begin_with_; }
    /// Returns true if perturbed contents are those across zero.
    [[nodiscard]] bool is_across() const noexcept { return is_across_; }
    /// Results of a run from the caller's contents; null before establish(), and if not kept.
    [[nodiscard]] expectation const* expected() const noexcept
    {
        return expected_ ? &*expected_ : nullptr;
    }
    /// Results of a run from perturbed contents; null if there are none.
    [[nodiscard]] expectation const* expected_of_perturbed() const noexcept
    {
        return expected_of_perturbed_ ? &*expected_of_perturbed_ : nullptr;
    }

    /// Returns to the state before establish().
    void forget() noexcept
    {
        is_established_ = false;
        expected_.reset();
        expected_of_perturbed_.reset();
        begin_with_ = contents::original;
        is_across_ = false;
    }

private:
    /// Findings of two trusted runs, from the caller's and from perturbed contents.
    struct lesson {
        contents begin_with = contents::original;
        std::vector<bool> idle{}; ///< the arrays that both runs left unchanged
        bool shows = false;       ///< an expected array is not in `idle`
        bool hides = false;       ///< an unexpected array is in `idle`
        bool is_finite = true;
    };

    /// Runs the trusted code from perturbed contents. @return  empty: it failed
    /// @param expected  arrays that both runs are expected to leave unchanged; empty: none
    [[nodiscard]] static std::optional<lesson>
    observe(Place& place, code_type const& trusted, double limit_s,
            detail::run_contents const& first, bool across, std::vector<bool> const& expected = {})
    {
        if (!place.begin(true, across)) return {};
        decltype(auto) perturbed_before = place.perturbed_contents();
        if (std::holds_alternative<failure>(place.run_trusted(trusted, limit_s))) return {};
        decltype(auto) perturbed_after = place.contents_after_perturbed();
        detail::run_contents const second{perturbed_before, perturbed_after};
        lesson out;
        if (detail::overwrites_all(place.buffers(), first, second))
            out.begin_with = contents::perturbed;
        else if (detail::hides_idleness(place.buffers(), first, second))
            out.begin_with = contents::both;
        out.idle = detail::idle_arrays(place.buffers(), first);
        std::vector<bool> const also = detail::idle_arrays(place.buffers(), second);
        for (std::size_t i = 0; i < out.idle.size(); ++i) {
            out.idle[i] = out.idle[i] && also[i];
            if (expected.empty()) continue;
            out.shows = out.shows || (expected[i] && !out.idle[i]);
            out.hides = out.hides || (!expected[i] && out.idle[i]);
        }
        out.is_finite = !detail::loses_finite_numbers(place.buffers(), first, second);
        return out;
    }

    void learn_from_perturbed(Place& place, code_type const& trusted, double limit_s)
    {
        decltype(auto) after = place.contents_after(*expected_);
        decltype(auto) before = place.original_contents();
        detail::run_contents const first{before, after};
        auto const away = observe(place, trusted, limit_s, first, false);
        if (!away) return;
        if (std::find(away->idle.begin(), away->idle.end(), true) != away->idle.end()) {
            auto const across = observe(place, trusted, limit_s, first, true, away->idle);
            if (across && across->shows && !across->hides && across->is_finite &&
                adopt(place, trusted, limit_s, across->begin_with, true))
                return;
            // The place has lost the results of the run before.
            if (away->begin_with == contents::original || !place.begin(true, false) ||
                std::holds_alternative<failure>(place.run_trusted(trusted, limit_s)))
                return;
        }
        static_cast<void>(adopt(place, trusted, limit_s, away->begin_with, false));
    }

    /// Keeps the results of the last trusted run from perturbed contents, if a second run confirms
    /// them.
    [[nodiscard]] bool adopt(Place& place, code_type const& trusted, double limit_s,
                             contents begin_with, bool across)
    {
        if (begin_with == contents::original) return false;
        std::optional<expectation> spare{};
        if (begin_with == contents::perturbed && !Place::keeps_both_expectations)
            spare.swap(expected_);
        expectation right = place.take_expectation(std::move(spare));
        if (!place.confirms(trusted, limit_s, right, begin_with == contents::perturbed))
            return false;
        expected_of_perturbed_.emplace(std::move(right));
        begin_with_ = begin_with;
        is_across_ = across;
        return true;
    }

    std::optional<expectation> expected_{};
    std::optional<expectation> expected_of_perturbed_{};
    contents begin_with_ = contents::original;
    bool is_across_ = false; ///< perturbed contents are those across zero
    bool is_established_ = false;
};

} // namespace attune::inline ATTUNE_ABI

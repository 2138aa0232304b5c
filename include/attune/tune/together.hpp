// attune/tune/together.hpp - many kernels are tuned on one budget, which goes where the whole gains most.
// SPDX-License-Identifier: MIT
// Bench    bench/tune/together.cpp
#pragma once

#ifdef ATTUNE_OFF
#include <attune/off/tuned.hpp>
#else
#include <attune/core/version.hpp>
#include <attune/search/search_limits.hpp>
#include <attune/tune/dispatch/background/turn_policy.hpp>
#include <attune/tune/dispatch/dispatch_table.hpp>
#include <attune/tune/kernel/keyed_call.hpp>
#include <attune/tune/report.hpp>
#include <attune/tune/tuned.hpp>

#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// One call of a tuned kernel, and how much of the whole it is: see share(). Without a weight the
/// whole makes one such call.
class tuning_share {
public:
    /// @pre  `of` outlives this object
    tuning_share(detail::dispatch_table& of, std::string kernel, detail::keyed_call call)
        : of_(&of)
        , kernel_(std::move(kernel))
        , call_(std::make_shared<detail::keyed_call const>(std::move(call)))
    {
    }

    /// The whole makes so many of these calls. 0: nothing is spent on them.
    [[nodiscard]] tuning_share calls(double count) const { return with(count, false); }
    /// These calls take this part of the whole's time, as a profiler has measured it with the
    /// default: 0.4 is 40 %. Say it of all shares or of none.
    [[nodiscard]] tuning_share of_time(double part) const { return with(part, true); }

    [[nodiscard]] std::string const& kernel() const noexcept { return kernel_; }
    [[nodiscard]] double weight() const noexcept { return weight_; }
    [[nodiscard]] bool is_of_time() const noexcept { return is_of_time_; }
    [[nodiscard]] detail::dispatch_table& table() const noexcept { return *of_; }
    [[nodiscard]] detail::keyed_call const& call() const noexcept { return *call_; }

private:
    [[nodiscard]] tuning_share with(double weight, bool is_of_time) const
    {
        tuning_share out = *this;
        out.weight_ = weight;
        out.is_of_time_ = is_of_time;
        return out;
    }

    detail::dispatch_table* of_;
    std::string kernel_;
    std::shared_ptr<detail::keyed_call const> call_;
    double weight_ = 1;
    bool is_of_time_ = false;
};

namespace detail {

struct share_access {
    template <class Result, class... Args, class Compiler, class Store>
    [[nodiscard]] static tuning_share make(tuned<Result(Args...), Compiler, Store>& of,
                                           Args const&... args)
    {
        return {*of.self_->known, of.self_->kernel.name, of.call_of(args...)};
    }
};

} // namespace detail

/// A call for tune_together(). The arrays are read then: they must live until it returns.
/// @param of  outlives the result
/// Example    attune::share(gemm, a, b, c, 512).calls(48)
template <class Result, class... Args, class Compiler, class Store>
[[nodiscard]] tuning_share share(tuned<Result(Args...), Compiler, Store>& of,
                                 std::type_identity_t<Args>... args)
{
    return detail::share_access::make(of, args...);
}

/// How one share went.
struct share_report {
    tuning_report report{};
    double calls = 0;              ///< by which it was weighted; 0: unknown, or nothing was gained
    std::uint64_t evaluations = 0; ///< of the budget
    double spent_s = 0;            ///< wall seconds of the budget
};

/// How all went.
struct together_report {
    std::vector<share_report> shares{}; ///< in the order of the call
    double default_s = 0;               ///< of all calls whose times are known, by the defaults
    double best_s = 0;                  ///< of the same calls, as they are served now
    std::uint64_t evaluations = 0;
    double elapsed_s = 0;
    bool interrupted = false; ///< Ctrl-C

    /// default_s / best_s; 1 where no time is known.
    [[nodiscard]] double speedup() const noexcept { return best_s > 0 ? default_s / best_s : 1.0; }
    /// A line for each share, then one for all.
    [[nodiscard]] std::string summary() const;
};

/// Tunes for all these calls on one budget. Each has its default measured and a few evaluations;
/// each further evaluation goes where it is expected to save the whole most: by the calls, the time
/// of the best so far, what the latest evaluations gained, and what the roofline leaves to gain
/// (kernel.work). Winners are stored and installed as by tuned.tune(arguments...). In the
/// store they are results of an equal part of the budget: as large a budget tunes nothing again, a
/// larger one goes on from there, and so does a later call whose options ask for more.
///
/// Nothing waits: a problem that another process, or another `tuned` with the same store, is tuning
/// is left to that one. Its result serves if it is in the store when the budget is spent; else the
/// default, until a later call finds it.
///
/// A kernel that cannot be tuned has the reason in its report, and the others go on. Ctrl-C ends
/// all tunings. Other rules of each kernel's options hold (target, patience, roofline_share, ...),
/// but not their evaluations and seconds. Other threads are served the defaults meanwhile. In
/// steps, with other work between them: together_session.
/// @param budget  its evaluations and seconds, of all together, finals included. Where it has fewer
///                evaluations than there are shares, those with the smallest weights have none.
/// Errors   attune::error: no share; a weight that is negative or no number; calls and parts of
///          the time mixed; called from within a tuning of one of the kernels
/// Example  auto const r = attune::tune_together({.seconds = 60}, attune::share(gemm, a, b, c, n)
///          .calls(48), attune::share(softmax, x).calls(12));
together_report tune_together(search_limits const& budget, std::vector<tuning_share> const& shares);
template <std::same_as<tuning_share>... More>
together_report tune_together(search_limits const& budget, tuning_share first, More... more)
{
    return tune_together(budget, std::vector<tuning_share>{std::move(first), std::move(more)...});
}

namespace detail {

/// The same by another policy, for comparisons.
[[nodiscard]] together_report tune_together_by(turn_policy const& whose_turn,
                                               search_limits const& budget,
                                               std::vector<tuning_share> const& shares);

} // namespace detail

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/together.ipp>
#endif
#endif // ATTUNE_OFF

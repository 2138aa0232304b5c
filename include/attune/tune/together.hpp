// attune/tune/together.hpp - tunes many kernels on one budget, which goes where the program gains most.
// SPDX-License-Identifier: MIT
// Bench    bench/tune/together.cpp
#pragma once

#ifdef ATTUNE_OFF
#include <attune/off/tuned.hpp>
#else
#include <attune/core/version.hpp>
#include <attune/search/search_limits.hpp>
#include <attune/tune/dispatch/dispatch_table.hpp>
#include <attune/tune/dispatch/tuning_slice.hpp>
#include <attune/tune/kernel/call_frame.hpp>
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

/// A call of a tuned kernel, and its share of the program: see share(). Without a weight the
/// program makes one such call.
class tuning_share {
public:
    /// @pre  `of` outlives this object
    tuning_share(detail::dispatch_table& of, std::string kernel, detail::keyed_call call)
        : of_(&of)
        , kernel_(std::move(kernel))
        , call_(std::make_shared<detail::keyed_call const>(std::move(call)))
    {
    }

    /// States that the program makes `count` of these calls. 0: nothing is spent on them.
    [[nodiscard]] tuning_share calls(double count) const { return with(count, false); }
    /// States that these calls take this part of the program's time, as a profiler measured it with
    /// the default: 0.4 is 40 %. Give it for all shares or for none.
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

/// A call for tune_together(), which reads the arrays: they must live until it returns.
/// @param of  outlives the result
/// @pre       OpenCL: the program's commands that write the arrays have ended (clFinish)
/// Example    attune::share(gemm, a, b, c, 512).calls(48)
template <class Result, class... Args, class Compiler, class Store>
[[nodiscard]] tuning_share share(tuned<Result(Args...), Compiler, Store>& of,
                                 std::type_identity_t<Args>... args)
{
    return detail::share_access::make(of, args...);
}

struct share_report {
    tuning_report report{};
    double calls = 0;              ///< the weight of the share; 0: unknown, or nothing was gained
    std::uint64_t evaluations = 0; ///< of the budget
    double spent_s = 0;            ///< wall seconds of the budget
};

struct together_report {
    std::vector<share_report> shares{}; ///< in the order of the call
    double default_s = 0; ///< seconds of all calls whose times are known, by the defaults
    double best_s = 0;    ///< seconds of the same calls, by the code that serves them now
    std::uint64_t evaluations = 0;
    double elapsed_s = 0;
    bool interrupted = false; ///< by Ctrl-C

    /// default_s / best_s; 1 if no time is known.
    [[nodiscard]] double speedup() const noexcept { return best_s > 0 ? default_s / best_s : 1.0; }
    /// A line for each share, then one for all.
    [[nodiscard]] std::string summary() const;
};

/// Tunes for all these calls on one budget. Each share begins with its default and a few
/// evaluations. Each further evaluation goes to the share that is expected to save the program most
/// time. The estimate uses the calls, the time of the best so far, the latest gains, and the gain
/// that the roofline leaves (kernel.work). Winners are stored and installed like those of
/// tuned.tune(arguments...). The record of a winner states an equal part of the budget: a later
/// call with an equal budget tunes nothing again. A larger budget continues from there, and so does
/// a later call whose options ask for more.
///
/// The function does not wait for other tunings. If another process, or another `tuned` with the
/// same store, is tuning a problem, the function leaves the problem to it. The result of that
/// tuning serves if it is in the store when the budget is spent. Otherwise the default serves,
/// until a later call finds the result.
///
/// If a kernel cannot be tuned, its report has the reason and the others continue. Ctrl-C ends all
/// tunings. Each kernel's other rules hold (target, patience, roofline_share, ...), but not its
/// evaluations and seconds. Calls on other threads run the defaults meanwhile. For steps with other
/// work between them see together_session.
/// @param budget  evaluations and seconds of all shares together, including finals. If it has fewer
///                evaluations than there are shares, the shares with the smallest weights get none.
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

/// Does the same with another policy, for comparisons.
[[nodiscard]] together_report tune_together_by(turn_policy const& whose_turn,
                                               search_limits const& budget,
                                               std::vector<tuning_share> const& shares);

} // namespace detail

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/together.ipp>
#endif
#endif // ATTUNE_OFF

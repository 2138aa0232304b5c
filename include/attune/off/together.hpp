// attune/off/together.hpp - attune::tune_together in files with ATTUNE_OFF: nothing is tuned.
// SPDX-License-Identifier: MIT
// tested by off/tuned.cpp
//
// Names as in tune/together.hpp, which explains them.
#pragma once

#include <attune/core/version.hpp>
#include <attune/off/compilers_and_stores.hpp>
#include <attune/off/options.hpp>
#include <attune/off/report.hpp>

#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_OFF_ABI {

template <class Signature, class Compiler, class Store = memory_store>
class tuned;

class tuning_share {
public:
    explicit tuning_share(tuning_report report)
        : report_(std::move(report))
    {
    }
    [[nodiscard]] tuning_share calls(double) const { return *this; }
    [[nodiscard]] tuning_share of_time(double) const { return *this; }
    [[nodiscard]] tuning_report const& report() const noexcept { return report_; }

private:
    tuning_report report_;
};

template <class Result, class... Args, class Compiler, class Store>
[[nodiscard]] tuning_share share(tuned<Result(Args...), Compiler, Store>& of,
                                 std::type_identity_t<Args>...)
{
    return tuning_share{of.report()};
}

struct share_report {
    tuning_report report{};
    double calls = 0;
    std::uint64_t evaluations = 0;
    double spent_s = 0;
};

struct together_report {
    std::vector<share_report> shares{};
    double default_s = 0;
    double best_s = 0;
    std::uint64_t evaluations = 0;
    double elapsed_s = 0;
    bool interrupted = false;

    [[nodiscard]] double speedup() const noexcept { return 1.0; }
    [[nodiscard]] std::string summary() const
    {
        std::string out;
        for (share_report const& one : shares)
            out += one.report.summary() + '\n';
        return out + "together: nothing is tuned (ATTUNE_OFF)";
    }
};

inline together_report tune_together(search_limits const&, std::vector<tuning_share> const& shares)
{
    together_report out;
    for (tuning_share const& one : shares)
        out.shares.push_back({.report = one.report()});
    return out;
}
template <std::same_as<tuning_share>... More>
together_report tune_together(search_limits const& budget, tuning_share first, More... more)
{
    return tune_together(budget, std::vector<tuning_share>{std::move(first), std::move(more)...});
}

class together_session {
public:
    together_session(search_limits const& budget, std::vector<tuning_share> const& shares)
        : report_(tune_together(budget, shares))
    {
    }
    template <std::same_as<tuning_share>... More>
    together_session(search_limits const& budget, tuning_share first, More... more)
        : report_(tune_together(budget, std::move(first), std::move(more)...))
    {
    }
    bool step() noexcept { return false; }
    together_report finish() { return report_; }

private:
    together_report report_;
};

} // namespace attune::inline ATTUNE_OFF_ABI

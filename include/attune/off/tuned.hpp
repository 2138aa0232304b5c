// attune/off/tuned.hpp - tuned, tune_together and their reports with ATTUNE_OFF: the default serves.
// SPDX-License-Identifier: MIT
//
// attune/attune.hpp and attune/tune/tuned.hpp include all of off/ instead of themselves. Spaces and
// their parameters are those of declare/. No part of the tuner is included, and no library of
// attune is linked. The names are in a separate namespace for the linker, so files with ATTUNE_OFF
// and without it may be in one program.
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/kernel_type.hpp>
#include <attune/core/matrix_view.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/pack.hpp>
#include <attune/off/kernel.hpp>
#include <attune/off/options.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_OFF_ABI {

// Members as in tune/report.hpp, remember/call_coverage.hpp and tune/known_choice.hpp, which
// explain them.
enum class decision : std::uint8_t {
    nothing_yet,
    tuned,
    kept_default,
    remembered,
    served_near,
    served_forced,
    served_default,
    served_fallback,
    call_failed
};

struct served_shapes {
    std::uint64_t verified = 0;
    std::uint64_t by_class = 0;
    std::uint64_t by_default = 0;
    std::uint64_t wrong = 0;
    std::uint64_t unknown = 0;
    std::uint64_t slower = 0;
    std::uint64_t executions = 0;
    double seconds = 0;
    double executed_s = 0;
    std::uint64_t proofs = 0;
    double proof_s = 0;
};

struct shape_failure {
    std::string shape{};
    failure why{};
};

struct uncovered_calls {
    std::string shape{};
    std::string why{};
    std::uint64_t calls = 0;
    double seconds = 0;
};

struct size_report {
    std::string sizes{};
    std::string configuration{};
    double best_s = 0;
    std::optional<double> left_out_s{};
};

struct call_coverage {
    std::uint64_t calls = 0;
    std::uint64_t by_winner = 0;
    double seconds = 0;
    double winner_s = 0;
    std::vector<uncovered_calls> rest{};
    std::uint64_t more_shapes = 0;

    [[nodiscard]] std::string text() const { return "no call is counted (ATTUNE_OFF)"; }
};

struct baseline_comparison {
    measurement time{};
    double speedup = 1;
    double speedup_low = 1;
    double speedup_high = 1;
};

struct machine_noise {
    double drift = 0;
    double resolution = 0;
    double slow_share = 0;
    double slowdown = 1;
    double waited = 0;
    double held = 0;
    std::size_t processors = 0;
    std::uint32_t threads = 1;
    double unsure = 0;
    bool is_disturbed = false;

    [[nodiscard]] constexpr double lacking() const noexcept { return 0; }
};

struct roofline {
    double least_s = 0;
    double fraction = 0;
    bool memory_bound = false;
    work of_call{};
    double flops_per_s = 0;
    double bytes_per_s = 0;
};

struct tuning_report {
    std::string kernel{};
    std::string compiler{};
    decision how = decision::served_fallback;
    std::string reason{};
    std::string configuration{};
    std::string default_configuration{};
    problem_objective objective{};
    measurement best{};
    measurement default_time{};
    double speedup = 1;
    double speedup_low = 1;
    double speedup_high = 1;
    std::vector<std::string> ties{};
    std::optional<baseline_comparison> baseline{};
    std::string baseline_differs{};
    cache_state cache = cache_state::warm;
    machine_noise noise{};
    std::optional<attune::ATTUNE_OFF_ABI::roofline> roofline{};
    double joules = 0;
    double default_joules = 0;
    std::uint32_t address_modulus = 64;
    double log2_space_size = 0;
    std::uint32_t evaluations = 0;
    std::uint32_t pruned = 0;
    double left_share = 1;
    std::uint32_t same_code = 0;
    std::uint32_t compiled = 0;
    std::uint32_t from_cache = 0;
    failure_counts failures{};
    std::vector<failure> first_failures{};
    std::string isolation{};
    double compile_s = 0;
    double elapsed_s = 0;
    double code_s = 0;
    double search_s = 0;
    bool interrupted = false;
    bool predicted = false;
    served_shapes shapes{};
    std::vector<shape_failure> shape_failures{};
    call_coverage coverage{};
    std::string serving{};
    std::vector<std::string> notices{};
    std::vector<size_report> sizes{};
    std::optional<double> size_regret{};

    [[nodiscard]] std::string summary() const { return serving; }
};

enum class choice_match : std::uint8_t {
    forced,
    exact,
    exact_by_code,
    near_size,
    near_device,
    by_default
};

[[nodiscard]] constexpr std::string_view describe(choice_match) noexcept { return "default"; }

struct known_choice {
    std::string kernel{};
    std::string configuration{};
    choice_match how = choice_match::by_default;
    double distance = 0;
    std::string why{};
    bool serves = false;

    [[nodiscard]] std::string text() const { return kernel + ": " + why; }
};

template <class Signature, class Compiler, class Store = memory_store>
class tuned;

/// Calls the function of kernel.fallback(f), else the function that attune_add_kernel(target file)
/// compiled into the program, through a pointer. Opens, compiles, tunes, verifies and writes
/// nothing.
///
/// Errors   attune::error at construction: the program contains no default of this kernel
template <class Result, class... Args, class Compiler, class Store>
class tuned<Result(Args...), Compiler, Store> {
public:
    tuned(kernel<Result(Args...)> const& k, Compiler const&, Store const&,
          tuning_options const& = {})
        : name_(k.name())
        , default_(k.default_function())
    {
    }
    tuned(kernel<Result(Args...)> const& k, Compiler const&, tuning_options const& = {})
        : name_(k.name())
        , default_(k.default_function())
    {
    }

    Result operator()(Args... args) const { return default_(args...); }

    tuning_report tune(Args...) const { return report(); }
    tuning_report predict(Args...) const { return report(); }
    void prepare(std::initializer_list<std::tuple<Args...>>) const {}
    [[nodiscard]] bool is_tuned(Args...) const noexcept { return true; }
    [[nodiscard]] known_choice explain(Args...) const
    {
        return {.kernel = name_, .why = "ATTUNE_OFF: the default", .serves = true};
    }
    void wait() const noexcept {}
    [[nodiscard]] tuning_report report() const
    {
        return {.kernel = name_,
                .reason = "ATTUNE_OFF",
                .serving = name_ + ": the default serves, nothing is tuned (ATTUNE_OFF)"};
    }

private:
    std::string name_;
    Result (*default_)(Args...);
};

template <class Signature, class Compiler, class... Rest>
tuned(kernel<Signature> const&, Compiler, Rest...) -> tuned<Signature, Compiler>;
template <class Signature, class Compiler>
tuned(kernel<Signature> const&, Compiler, tuning_options) -> tuned<Signature, Compiler>;
template <class Signature, class Compiler, class Store>
tuned(kernel<Signature> const&, Compiler, Store) -> tuned<Signature, Compiler, Store>;
template <class Signature, class Compiler, class Store>
tuned(kernel<Signature> const&, Compiler, Store, tuning_options)
    -> tuned<Signature, Compiler, Store>;

// Names as in tune/together.hpp, which explains them.
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

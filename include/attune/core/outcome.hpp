// attune/core/outcome.hpp - the result of evaluating one configuration, the samples behind it, and the better direction of a value.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// The step at which a configuration failed, in the order of the steps.
enum class failure_stage : std::uint8_t {
    compile, ///< the compiler refused it
    load,    ///< its code could not be loaded into the process
    launch,  ///< the device refused to start it
    crash,   ///< a signal or an exception ended its first run
    timeout, ///< its first run took longer than its limit
    verify,  ///< its output differs from the reference
    bound,   ///< it works, but a measured quantity breaks its bound
};

namespace detail {

inline constexpr std::size_t failure_stage_count = 7;

} // namespace detail

/// The stage as a report writes it: "did not compile", "crashed", ...
[[nodiscard]] constexpr std::string_view describe(failure_stage stage) noexcept
{
    switch (stage) {
    case failure_stage::compile:
        return "did not compile";
    case failure_stage::load:
        return "did not load";
    case failure_stage::launch:
        return "did not launch";
    case failure_stage::crash:
        return "crashed";
    case failure_stage::timeout:
        return "ran too long";
    case failure_stage::verify:
        return "computed a wrong result";
    case failure_stage::bound:
        return "broke a bound";
    }
    return "failed";
}

/// A configuration that cannot be used. The search learns from it.
struct failure {
    failure_stage stage{};
    std::string reason; ///< first line of the tool's own message, verbatim
    std::string log{};  ///< the tool's whole output; may be empty
};

/// The time, or objective value, of a configuration that works.
struct measurement {
    double
        value{};  ///< robust centre, in seconds for a kernel, in the objective's own unit otherwise
    double low{}; ///< lower end of the 95 % confidence interval of `value`, same unit
    double high{};             ///< upper end, same unit
    std::uint32_t samples = 1; ///< number of timed samples

    [[nodiscard]] static constexpr measurement exact(double value) noexcept
    {
        return {value, value, value, 1};
    }
};

/// The samples behind one measurement.
struct timing_record {
    std::vector<double> times{};            ///< seconds of one run, in the order they were taken
    std::vector<std::uint32_t> disturbed{}; ///< indices of samples that another program disturbed
    std::uint32_t runs = 1;                 ///< runs per sample
    std::uint32_t threads = 1;              ///< number of threads that one run kept busy
    std::string clock{};                    ///< "thread_cpu", "wall" or "events"; empty: unknown

    [[nodiscard]] friend bool operator==(timing_record const&, timing_record const&) = default;
};

/// The result of evaluating one configuration.
using outcome = std::variant<measurement, failure>;

/// An objective's value as an outcome: an exact measurement, or a failure if it is infinite or NaN.
[[nodiscard]] inline outcome outcome_of(double value)
{
    constexpr double largest = std::numeric_limits<double>::max();
    if (value >= -largest && value <= largest) return measurement::exact(value);
    return failure{failure_stage::verify, "the value is not finite"};
}

[[nodiscard]] constexpr bool succeeded(outcome const& result) noexcept
{
    return result.index() == 0;
}

/// The better direction of a value.
enum class goal : std::uint8_t { lowest, highest };

/// A call of a variant, for the function of kernel.objective(unit, goal, f).
struct measured_call {
    double seconds = 0; ///< of one call, > 0
};

/// A measured_call with energy, for a function f with this parameter type.
struct metered_call {
    double seconds = 0; ///< of one call, > 0
    double joules = 0;  ///< of one call, > 0: see joules_per_call()
};

} // namespace attune::inline ATTUNE_ABI

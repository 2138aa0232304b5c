// attune/remember/problem/matching.hpp - the fit between a record and a problem, and the meaning of a problem's numbers.
// SPDX-License-Identifier: MIT
//
// Sizes are compared by their ratio. The best tile sizes of a problem, and of one twice as large,
// are usually similar at any size.
#pragma once

#include <attune/core/evaluation.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/record.hpp>

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// The fit of a record, and its distance among records with the same kind of fit.
struct closeness {
    record_match how = record_match::none;
    double distance{}; ///< exact: 0. other_size: sum of |log ratio| of the inputs.
                       ///< other_device: 0 if only the compiler differs, 1 if only the device
                       ///< differs, 2 if both differ.

    /// Returns true if this fits at least as well as `other`: among equal fits the later one is
    /// taken.
    [[nodiscard]] constexpr bool no_worse_than(closeness const& other) const noexcept
    {
        return how != other.how ? how < other.how : distance <= other.distance;
    }
};

/// The number in `text`; empty if `text` is no finite number as a whole.
[[nodiscard]] inline std::optional<double> number_of(std::string const& text)
{
    auto const value = parse_number<double>(text);
    return value && std::isfinite(*value) ? value : std::nullopt;
}

/// |log(a / b)| for two numbers of the same sign. Otherwise log(1 + |a|) + log(1 + |b|), because
/// their ratio has no meaning; this is finite and grows with the gap.
[[nodiscard]] inline double ratio_distance(double a, double b)
{
    if (a == b) return 0.0;
    double const size_a = std::fabs(a), size_b = std::fabs(b);
    if (a != 0.0 && b != 0.0 && std::signbit(a) == std::signbit(b)) {
        // A single division: the distances of 4 and 1/4 from 1 are then equal to the last bit.
        double const ratio = std::fmax(size_a, size_b) / std::fmin(size_a, size_b);
        return std::isfinite(ratio) ? std::log(ratio)
                                    : std::fabs(std::log(size_a) - std::log(size_b));
    }
    return std::log1p(size_a) + std::log1p(size_b);
}

/// Returns false if both texts are known and differ; an empty text is unknown.
[[nodiscard]] inline bool may_be_same(std::string const& a, std::string const& b) noexcept
{
    return a.empty() || b.empty() || a == b;
}

[[nodiscard]] inline std::string const* value_of(named_texts const& texts, std::string_view name)
{
    for (auto const& [key, value] : texts)
        if (key == name) return &value;
    return nullptr;
}

/// Sum of |log ratio| over inputs that are numbers; other texts must be equal.
///
/// @return  >= 0; 0 for equal inputs; empty if names or non-numeric texts differ
/// Cost     O(n^2) for n inputs; their order does not matter
[[nodiscard]] inline std::optional<double> input_distance(named_texts const& have,
                                                          named_texts const& want)
{
    if (have.size() != want.size()) return std::nullopt;
    double sum = 0.0;
    for (auto const& [name, wanted] : want) {
        std::string const* const had = detail::value_of(have, name);
        if (had == nullptr) return std::nullopt;
        if (*had == wanted) continue;
        auto const a = detail::number_of(*had), b = detail::number_of(wanted);
        if (!a || !b) return std::nullopt;
        sum += ratio_distance(*a, *b);
    }
    return sum;
}

/// Returns true if both have the same names with the same texts, in any order.
[[nodiscard]] inline bool same_inputs(named_texts const& have, named_texts const& want)
{
    if (have.size() != want.size()) return false;
    for (auto const& [name, wanted] : want) {
        std::string const* const had = detail::value_of(have, name);
        if (had == nullptr || *had != wanted) return false;
    }
    return true;
}

/// compare_keys() for keys of any schema, as if their schemas were equal.
[[nodiscard]] inline closeness compare_but_schema(record_key const& have, record_key const& want)
{
    if (have.kernel != want.kernel || have.source != want.source) return {};
    if (!detail::may_be_same(have.signature, want.signature) ||
        !same_inputs(have.setting, want.setting))
        return {};
    bool const same_compiler = have.compiler == want.compiler;
    bool const same_device = have.device == want.device;
    if (same_inputs(have.inputs, want.inputs)) {
        if (same_compiler && same_device) return {record_match::exact, 0.0};
        return {record_match::other_device,
                (same_device ? 0.0 : 1.0) + (same_compiler || same_device ? 0.0 : 1.0)};
    }
    if (!same_compiler || !same_device) return {};
    if (auto const distance = input_distance(have.inputs, want.inputs))
        return {record_match::other_size, *distance};
    return {};
}

/// The fit of a record with key `have` to a problem with key `want`. A record of another source or
/// schema never fits: its parameters may have another meaning.
[[nodiscard]] inline closeness compare_keys(record_key const& have, record_key const& want)
{
    return have.schema == want.schema ? compare_but_schema(have, want) : closeness{};
}

/// The compiler in the key of a problem of attune minimize.
inline constexpr char const* minimize_compiler = "attune minimize";

/// Returns false if the default's number is unknown: it was not measured, or it failed. 0 is a
/// number of attune minimize alone, if it has samples.
[[nodiscard]] inline bool has_default(record const& of) noexcept
{
    return of.default_s != 0 ||
           (of.key.compiler == minimize_compiler && of.default_interval.samples > 0);
}

/// The text of a key's setting "measured" for the problems of kernel.objective(...).
inline constexpr char const* measured_by_objective = "objective";

/// Adds unit and direction to the setting of a key, as objective_of() reads them.
inline void add_objective(named_texts& setting, problem_objective const& of)
{
    if (of.is_higher_better) setting.emplace_back("better", "higher");
    if (!of.unit.empty()) setting.emplace_back("unit", of.unit);
}

/// Meaning, unit and direction of the numbers of a problem, from the setting of its key.
[[nodiscard]] inline problem_objective objective_of(record_key const& key)
{
    auto const said = [&](char const* name) {
        std::string const* const text = value_of(key.setting, name);
        return text != nullptr ? *text : std::string();
    };
    problem_objective out;
    out.unit = said("unit");
    std::string const measured = said("measured");
    out.is_seconds = key.compiler == minimize_compiler ? measured == "wall time" && out.unit.empty()
                                                       : measured != measured_by_objective;
    out.is_higher_better = said("better") == "higher";
    return out;
}

} // namespace detail

/// Finds the record that fits best. The caller offers records, oldest first.
class best_match {
public:
    /// @pre `want` and every record offered outlive this object
    explicit best_match(record_key const& want) noexcept
        : want_(&want)
    {
    }

    void offer(record const& candidate)
    {
        detail::closeness const fit = detail::compare_keys(candidate.key, *want_);
        if (fit.how == record_match::none || !fit.no_worse_than(fit_)) return;
        fit_ = fit;
        best_ = &candidate;
    }
    [[nodiscard]] lookup_result result() const
    {
        return best_ == nullptr ? lookup_result{} : lookup_result{*best_, fit_.how, fit_.distance};
    }

private:
    record_key const* want_;
    record const* best_ = nullptr;
    detail::closeness fit_{record_match::none, std::numeric_limits<double>::infinity()};
};

} // namespace attune::inline ATTUNE_ABI

// attune/declare/bind_inputs.hpp - fills a description's tables from the values of its inputs.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/domain.hpp>

#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// The value of one input.
struct input_value {
    std::string name;
    number value;

    input_value(std::string input, number v)
        : name(std::move(input))
        , value(v)
    {
    }
    template <fixed_string Name, class T>
    input_value(detail::input_binding<Name, T> binding) // NOLINT: n(4096) is meant to convert
        : name(Name.view())
    {
        if constexpr (std::is_floating_point_v<T>)
            value = number::of(static_cast<double>(binding.value));
        else
            value = number::of(static_cast<std::int64_t>(binding.value));
    }
};

namespace detail {

/// The most values of a table. A longer linear range has no table.
inline constexpr std::size_t max_table_values = std::size_t{1} << 20;

/// The most values of a range; a longer one should be declared as a real parameter.
inline constexpr std::uint64_t max_range_values = std::uint64_t{1} << 31;

/// Sets each figure of the machine (domain.hpp) that has no value to the figure of this machine.
void fill_machine_figures(description& space);

} // namespace detail

/// Fills the tables of `space`. Keeps values of inputs that `space` does not read, because they are
/// part of the problem's key. Calls fill_machine_figures().
/// Errors   attune::error: an input without a value, an empty or too long range, a default that is
///          not a value of its parameter
[[nodiscard]] description bind_inputs(description space,
                                      std::vector<input_value> const& inputs = {});

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/declare/bind_inputs.ipp>
#endif

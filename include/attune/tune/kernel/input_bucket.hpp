// attune/tune/kernel/input_bucket.hpp - which value of an input stands for others: kernel.bucket<i>(f).
// SPDX-License-Identifier: MIT
// tested by tune/dispatch/served/bucketed_inputs.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// What stands for the values of one argument that is bound to an input.
struct input_bucket {
    std::size_t position = 0; ///< of the argument
    std::function<number(number const&)> of{};
};

/// @param f  takes and returns the argument's type
template <class Argument, class F>
[[nodiscard]] input_bucket make_input_bucket(std::size_t position, F f)
{
    return {position, [f = std::move(f)](number const& value) {
                if constexpr (std::is_floating_point_v<Argument>)
                    return number::of(
                        static_cast<double>(f(static_cast<Argument>(value.as_real()))));
                else
                    return number::of(
                        static_cast<std::int64_t>(f(static_cast<Argument>(value.integer))));
            }};
}

} // namespace attune::inline ATTUNE_ABI::detail

// attune/tune/kernel/declared_lengths.hpp - what kernel.lengths(...) says, checked for a call.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/tune/kernel/call_frame.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The lengths of a kernel's arrays, of the whole numbers of a call.
struct declared_lengths {
    /// By argument; empty: not declared. The numbers are those of a call, by argument.
    std::vector<std::function<std::int64_t(std::span<std::int64_t const>)>> of{};
    /// The whole numbers of a call, by argument, 0 for others, given the address of a std::tuple as
    /// kernel_description::check gets it.
    std::function<std::vector<std::int64_t>(void const*)> numbers{};

    [[nodiscard]] bool says(std::size_t argument) const
    {
        return argument < of.size() && of[argument] != nullptr;
    }
};

/// @param arguments  what the host sees of them
template <class... T>
[[nodiscard]] std::vector<std::int64_t> numbers_among(T const&... arguments)
{
    auto const number = []<class A>(A const& one) -> std::int64_t {
        if constexpr (std::is_integral_v<A>)
            return static_cast<std::int64_t>(one);
        else
            return 0;
    };
    return {number(arguments)...};
}

/// The whole numbers of a call, by argument; none where no lengths are declared.
[[nodiscard]] std::vector<std::int64_t> numbers_of(declared_lengths const& lengths,
                                                   call_frame const& frame);

/// Errors   attune::error naming the argument: an array is shorter than declared
void require_lengths(std::string const& kernel, declared_lengths const& lengths,
                     call_frame const& frame);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/kernel/declared_lengths.ipp>
#endif

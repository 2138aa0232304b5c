// attune/tune/capture/captured_arguments.hpp - a captured call in memory of its own, and its arguments in their types.
// SPDX-License-Identifier: MIT
// tested by tune/capture/call_replay.cpp
#pragma once

#include <attune/core/shape/argument_kind.hpp>
#include <attune/core/shape/call_shape.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/tune/kernel/keyed_call.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

struct captured_call;
struct captured_array;

/// Memory for the arrays of a captured call, whose addresses modulo a page and whose overlaps are
/// those of the call. Arrays of pointers point to their targets; all else is zero.
class captured_arguments {
public:
    /// Errors   attune::error: there is no memory for it
    explicit captured_arguments(captured_call of);

    [[nodiscard]] captured_call const& call() const noexcept;
    [[nodiscard]] std::byte* address(captured_array const& of) const noexcept;

    struct array {
        std::byte* first = nullptr;
        std::span<std::uint64_t const> lengths{};
    };
    /// Errors   attune::error: the argument is no array of such elements with so many lengths
    [[nodiscard]] array
    array_at(std::size_t position, std::size_t element_bytes, std::size_t lengths) const;
    /// Errors   attune::error: the argument is no value of so many bytes
    [[nodiscard]] std::byte const* value_at(std::size_t position, std::size_t bytes) const;
    /// Errors   attune::error: always
    [[noreturn]] void refuse(std::size_t position) const;

private:
    struct memory;
    std::shared_ptr<memory const> memory_;
};

template <class T>
[[nodiscard]] T captured_argument_of(captured_arguments const& all, std::size_t position)
{
    if constexpr (is_array<T>) {
        constexpr std::size_t numbers = is_view<T> ? shape_words<T> : 1;
        captured_arguments::array const from =
            all.array_at(position, sizeof(element_of<T>), numbers);
        auto* const first = reinterpret_cast<element_of<T>*>(from.first);
        std::span<std::uint64_t const> const n = from.lengths;
        if constexpr (is_matrix<T>) {
            return T{first, n[0], n[1], n[2]};
        } else if constexpr (is_volume<T>) {
            return T{first, n[0], n[1], n[2], n[3], n[4]};
        } else if constexpr (is_constant_view<T>) {
            return T{first, static_cast<std::size_t>(n[0])};
        } else {
            if (T::extent != std::dynamic_extent && n[0] != T::extent) all.refuse(position);
            return T{first, static_cast<std::size_t>(n[0])};
        }
    } else {
        std::byte const* const from = all.value_at(position, sizeof(T));
        if constexpr (std::is_same_v<T, bool>) {
            return *from != std::byte{0};
        } else {
            std::array<std::byte, sizeof(T)> bytes;
            std::memcpy(bytes.data(), from, sizeof(T));
            return std::bit_cast<T>(bytes);
        }
    }
}

/// The arguments of the call, in the types of the program.
/// Errors   attune::error: they have other sizes
template <class... Args>
[[nodiscard]] std::tuple<Args...> captured_arguments_of(captured_arguments const& all)
{
    return [&]<std::size_t... At>(std::index_sequence<At...>) {
        return std::tuple<Args...>{captured_argument_of<Args>(all, At)...};
    }(std::index_sequence_for<Args...>{});
}

/// Makes the call, in the types of the program. Empty: it is one on a device.
using replay_maker = std::function<keyed_call(captured_arguments const& from)>;

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/capture/captured_arguments.ipp>
#endif

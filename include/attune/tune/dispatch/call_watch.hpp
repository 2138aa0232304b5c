// attune/tune/dispatch/call_watch.hpp - an optional part of the program that watches a kernel's calls, or makes one.
// SPDX-License-Identifier: MIT
// tested by tune/capture.cpp
#pragma once

#include <attune/core/shape/argument_kind.hpp>
#include <attune/core/shape/call_shape.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/kernel/call_frame.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

struct kernel_description;
struct tuning_report;

namespace detail {

struct dispatched_kernel;

/// The arguments of a call that another process captured.
class given_arguments {
public:
    given_arguments() = default;
    virtual ~given_arguments() = default;

    struct array {
        std::byte* first = nullptr;
        std::span<std::uint64_t const> lengths{};
    };
    /// Errors   attune::error: the argument is not an array of such elements with so many lengths
    [[nodiscard]] virtual array array_at(std::size_t position, std::size_t element_bytes,
                                         std::size_t lengths) const = 0;
    /// Errors   attune::error: the argument is not a value of so many bytes
    [[nodiscard]] virtual std::byte const* value_at(std::size_t position,
                                                    std::size_t bytes) const = 0;
    /// Errors   attune::error: always
    [[noreturn]] virtual void refuse(std::size_t position) const = 0;

protected:
    given_arguments(given_arguments const&) = default;
    given_arguments& operator=(given_arguments const&) = default;
};

template <class T>
[[nodiscard]] T given_argument_of(given_arguments const& all, std::size_t position)
{
    if constexpr (is_array<T>) {
        constexpr std::size_t numbers = is_view<T> ? shape_words<T> : 1;
        given_arguments::array const from = all.array_at(position, sizeof(element_of<T>), numbers);
        auto* const first = reinterpret_cast<element_of<T>*>(from.first);
        std::span<std::uint64_t const> const n = from.lengths;
        if constexpr (is_matrix<T>) {
            return T{first, n[0], n[1], n[2]};
        } else if constexpr (is_volume<T>) {
            return T{first, n[0], n[1], n[2], n[3], n[4]};
        } else if constexpr (std::is_pointer_v<T>) {
            return first;
        } else if constexpr (is_constant_view<T> || is_device_span<T>) {
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

/// Returns the arguments of the call, in the types of this program.
/// Errors   attune::error: they have other sizes
template <class... Args>
[[nodiscard]] std::tuple<Args...> given_arguments_of(given_arguments const& all)
{
    return [&]<std::size_t... At>(std::index_sequence<At...>) {
        return std::tuple<Args...>{given_argument_of<Args>(all, At)...};
    }(std::index_sequence_for<Args...>{});
}

/// Makes the call, in the types of this program.
using call_maker = std::function<keyed_call(given_arguments const& from)>;

/// Watches the calls of one kernel. Any thread.
class watched_calls {
public:
    watched_calls() = default;
    virtual ~watched_calls() = default;
    watched_calls(watched_calls const&) = delete;
    watched_calls& operator=(watched_calls const&) = delete;

    /// Returns true if the caller must give the next call to take().
    [[nodiscard]] virtual bool is_due() const noexcept = 0;
    /// @param stream  of the call on a device; null: see device_target::wait_for_caller()
    /// @return  a sentence; empty: nothing happened
    [[nodiscard]] virtual std::string take(dispatched_kernel const& of,
                                           std::vector<number> const& inputs,
                                           call_frame const& frame, void* stream) noexcept = 0;
};

/// The offer of the optional part attune::capture, which watches and makes calls. See offer.hpp.
struct call_watch {
    /// Returns a sentence with the reason for each of its environment variables without effect.
    std::vector<std::string> (*complaints)() = nullptr;
    /// Returns null if the calls of this kernel are not watched.
    std::unique_ptr<watched_calls> (*watch)(std::string const& kernel) = nullptr;
    /// Returns true if this kernel must be tuned even if the store has a result.
    bool (*is_retuned)(kernel_description const& kernel) noexcept = nullptr;
    /// Calls `tune` for the requested call, if that is a call of this kernel.
    /// @return  a sentence; empty: nothing happened
    /// Errors   none: errors of `tune` and of the call become sentences
    std::string (*replay)(dispatched_kernel const& of, call_maker const& make,
                          std::function<tuning_report(keyed_call const&)> const& tune) = nullptr;
};

} // namespace detail

} // namespace attune::inline ATTUNE_ABI

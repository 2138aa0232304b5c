// attune/ship/check/filled_call.hpp - a call of a kernel with a given shape and fixed contents.
// SPDX-License-Identifier: MIT
// tested by ship/check/check_baked.cpp
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/shape/argument_kind.hpp>
#include <attune/core/shape/call_shape.hpp>
#include <attune/core/version.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Numbers, and pairs of them as std::complex: any content of an array of these is valid.
template <class T>
inline constexpr bool is_fillable_element =
    (std::is_arithmetic_v<T> && !std::is_same_v<T, long double>) || std::is_same_v<T, std::byte>;
template <class T>
    requires requires(T const& z) {
        typename T::value_type;
        z.real();
        z.imag();
    }
inline constexpr bool is_fillable_element<T> = std::is_floating_point_v<typename T::value_type> &&
                                               sizeof(T) == 2 * sizeof(typename T::value_type);

/// The reason why no call can be made; empty: it can be made.
template <class T>
[[nodiscard]] constexpr char const* reason_not_to_fill()
{
    if constexpr (std::is_pointer_v<T> || is_pointer_array<T>())
        return "nothing says how many elements are behind its pointers";
    else if constexpr (is_device_span<T>)
        return "its arrays are in a device's memory";
    else if constexpr (is_span<T> || is_view<T> || is_constant_view<T>)
        return is_fillable_element<std::remove_cv_t<element_of<T>>>
                   ? ""
                   : "the elements of an array are no plain numbers";
    else
        return std::is_arithmetic_v<T> || std::is_enum_v<T>
                   ? ""
                   : "the store does not know the content of a structure that is passed by value";
}

/// A number of the class of a real_class(); a float has the same class.
[[nodiscard]] inline double real_of_class(std::int64_t one)
{
    std::int64_t const exponent = (one >> 3 & 0x7ff) - 1023;
    bool const is_power = (one & 2) == 0;
    bool const is_whole = (one & 1) == 0;
    std::int64_t fraction = is_power ? 0 : std::int64_t{1} << ((one & 4) != 0 ? 51 : 50);
    if (!is_power && !is_whole && exponent >= 0)
        fraction |= exponent < 23 ? std::int64_t{1} << 29 : 1;
    return std::bit_cast<double>(static_cast<std::int64_t>(
        static_cast<std::uint64_t>(one >> 3) << 52 | static_cast<std::uint64_t>(fraction)));
}

/// Memory of a call's arrays.
class call_memory {
public:
    static constexpr double most_bytes = 1u << 30;

    /// @param place  address of the first byte, modulo 64
    [[nodiscard]] std::byte* take(std::size_t bytes, std::size_t place)
    {
        blocks_.push_back(std::make_unique<std::byte[]>(bytes + 128));
        auto const at = reinterpret_cast<std::uintptr_t>(blocks_.back().get());
        return blocks_.back().get() + ((place - at) & 63u);
    }

private:
    std::vector<std::unique_ptr<std::byte[]>> blocks_{};
};

/// Fills arrays, with the same contents each time. Reals are multiples of 1/64 of either sign
/// between .25 and 2, so another order of summation changes little. Whole numbers are small, and
/// less than the length of each array, so they are valid indices.
class content_maker {
public:
    explicit content_maker(std::uint64_t shortest)
        : below_(std::clamp<std::uint64_t>(shortest, 1, 8))
    {
    }
    template <class T>
    void fill(std::span<T> all)
    {
        std::size_t const own = std::min(all.size(), period);
        for (T& one : all.first(own))
            one = make<T>();
        for (std::size_t i = own; i < all.size(); i += period)
            std::copy_n(all.data(), std::min(period, all.size() - i), all.data() + i);
    }

private:
    static constexpr std::size_t period = 4'093; ///< a prime: rows of matrices differ

    template <class T>
    [[nodiscard]] T make()
    {
        if constexpr (std::is_floating_point_v<T>) {
            auto const size = static_cast<T>(16 + uniform_below(random_, 112)) / T{64};
            return (random_() & 1u) != 0 ? size : -size;
        } else if constexpr (std::is_same_v<T, bool>) {
            return (random_() & 1u) != 0;
        } else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::byte>) {
            return static_cast<T>(uniform_below(random_, below_));
        } else {
            auto const first = make<typename T::value_type>();
            return T{first, make<typename T::value_type>()};
        }
    }

    random_engine random_{7};
    std::uint64_t below_;
};

template <class Signature>
class filled_call;
/// @pre  each argument can be filled: see reason_not_to_fill()
template <class Result, class... Args>
class filled_call<Result(Args...)> {
public:
    using shape = shape_of_call<Args...>;
    using key = typename shape::key;

    /// Empty if no call has this shape, or if its arrays are too large.
    /// @param bound  as in shape_choice: for such reals the word has the bits
    [[nodiscard]] static std::optional<std::tuple<Args...>>
    make(key const& words, shape_choice const& choice, call_memory& memory)
    {
        filled_call self{words, choice, memory};
        double bytes = 0;
        std::uint64_t shortest = ~std::uint64_t{0};
        bool is_valid = true;
        std::size_t word = 0;
        auto const look = [&]<class T>(std::type_identity<T>) {
            if constexpr (is_array<T>) {
                double const elements = self.template elements_at<T>(word);
                is_valid = is_valid && elements >= 0;
                bytes += elements * sizeof(element_of<T>);
                if (is_valid && bytes <= call_memory::most_bytes)
                    shortest = std::min(shortest, static_cast<std::uint64_t>(elements));
            } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
                is_valid = is_valid &&
                           static_cast<std::int64_t>(static_cast<T>(words[word])) == words[word];
            }
            word += shape_words<T>;
        };
        (look(std::type_identity<Args>{}), ...);
        if (!is_valid || bytes > call_memory::most_bytes) return {};
        self.content_ = content_maker(shortest);
        // Braces fix the order of evaluation.
        return std::tuple<Args...>{self.template argument<Args>()...};
    }

private:
    filled_call(key const& words, shape_choice const& choice, call_memory& memory)
        : words_(words)
        , choice_(choice)
        , memory_(memory)
    {
    }

    /// Number of elements from the first to the last of an array whose words begin here; negative:
    /// none.
    template <class T>
    [[nodiscard]] double elements_at(std::size_t word) const
    {
        for (std::size_t i = 0; i < shape_words<T>; ++i)
            if (words_[word + i] < 0 || words_[word + i] > (std::int64_t{1} << 40)) return -1;
        auto const real = [&](std::size_t i) { return static_cast<double>(words_[word + i]); };
        if constexpr (is_span<T>) {
            if (T::extent != std::dynamic_extent &&
                static_cast<std::uint64_t>(words_[word]) != std::uint64_t{T::extent})
                return -1;
            return real(0);
        } else if constexpr (is_constant_view<T>) {
            return real(0);
        } else if constexpr (is_matrix<T>) {
            if (words_[word + 2] < words_[word + 1]) return -1; // rows would overlap
            return real(0) * real(2);
        } else {
            if (words_[word + 4] < words_[word + 2] ||
                words_[word + 3] / std::max<std::int64_t>(words_[word + 4], 1) < words_[word + 1])
                return -1;
            return real(0) * real(3);
        }
    }

    template <class T>
    [[nodiscard]] T argument()
    {
        std::size_t const first = word_;
        word_ += shape_words<T>;
        std::size_t const mine = argument_++;
        if constexpr (is_array<T>) {
            using element = std::remove_cv_t<element_of<T>>;
            auto const count = static_cast<std::size_t>(elements_at<T>(first));
            std::size_t const place =
                static_cast<std::uint64_t>(
                    words_[shape::size - shape::place_words + array_ / place_bits::arrays]) >>
                    (place_bits::per_array * (array_ % place_bits::arrays)) &
                63u;
            ++array_;
            auto* const data =
                reinterpret_cast<element*>(memory_.take(count * sizeof(element), place));
            content_.fill(std::span<element>(data, count));
            auto const size = [&](std::size_t i) {
                return static_cast<std::size_t>(words_[first + i]);
            };
            if constexpr (is_span<T> || is_constant_view<T>)
                return T{data, count};
            else if constexpr (is_matrix<T>)
                return T{data, size(0), size(1), size(2)};
            else
                return T{data, size(0), size(1), size(2), size(3), size(4)};
        } else if constexpr (std::is_floating_point_v<T>) {
            std::int64_t const word = words_[first];
            if (choice_.is_bound(mine)) return static_cast<T>(std::bit_cast<double>(word));
            return static_cast<T>(real_of_class(word));
        } else {
            return static_cast<T>(words_[first]);
        }
    }

    key const& words_;
    shape_choice const& choice_;
    call_memory& memory_;
    content_maker content_{1};
    std::size_t word_ = 0;
    std::size_t argument_ = 0;
    std::size_t array_ = 0;
};

} // namespace attune::inline ATTUNE_ABI::detail

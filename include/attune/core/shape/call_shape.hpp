// attune/core/shape/call_shape.hpp - the properties of a call that decide which code may serve it.
// SPDX-License-Identifier: MIT-0
#pragma once

#include <attune/core/shape/argument_kind.hpp>
#include <attune/core/version.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

/// Marks functions that are inlined at every optimisation level: so no file of a program calls the
/// copy of another file, which may have instructions that this processor lacks. For a lambda
/// expression, write it behind the parameters.
#if defined(__GNUC__)
#define ATTUNE_ALWAYS_INLINE __attribute__((always_inline))
#else
#define ATTUNE_ALWAYS_INLINE
#endif

namespace attune::inline ATTUNE_ABI::detail {

/// The content of one word of a shape.
enum class shape_part : std::uint8_t {
    elements, ///< length of an array
    number,   ///< value of an integer
    flag,     ///< value of a boolean or an enumeration
    real,     ///< bits of a bound floating-point number; else 0, 1, or 2 for other values
    bytes,    ///< hash of an argument of another type
    places,   ///< address of each array modulo 64, and which arrays overlap: see place_bits
};

/// Bits of the word `places`: from bit 0, six for the address of each of the first `arrays` arrays;
/// from bit `overlaps`, one for each pair of arrays of which one is writable.
struct place_bits {
    static constexpr std::size_t per_array = 6;
    static constexpr std::size_t arrays = 8;
    static constexpr std::size_t overlaps = per_array * arrays;
    static constexpr std::size_t pairs = 64 - overlaps; ///< further pairs share the last bit

    /// The bits of an array's address that do not count where it counts modulo a power of two.
    [[nodiscard]] static constexpr std::int64_t beyond(std::size_t array, std::uint32_t modulus)
    {
        return static_cast<std::int64_t>((std::uint64_t{64} - modulus) << (per_array * array));
    }
    /// Of all arrays.
    [[nodiscard]] static constexpr std::int64_t beyond_all(std::uint32_t modulus)
    {
        std::int64_t out = 0;
        for (std::size_t array = 0; array < arrays; ++array)
            out |= beyond(array, modulus);
        return out;
    }
};

/// One word of a shape and its argument; for `places`, `argument` is the number of arrays.
struct shape_word {
    shape_part part{};
    std::size_t argument = 0;

    [[nodiscard]] friend constexpr bool operator==(shape_word const&, shape_word const&) = default;
};

/// The words that count for one kernel; kernel.ignore<i>(), kernel.any_shape()
/// and kernel.any_alignment() remove some.
struct shape_choice {
    std::vector<bool> ignored{}; ///< by argument; may be shorter
    std::vector<bool> bound{};   ///< by argument: bound to an input; may be shorter
    bool any_shape = false;      ///< only bound arguments count
    bool any_alignment = false;  ///< where an array lies in its cache line does not
    std::uint32_t modulus = 64;  ///< addresses count modulo this power of two, at most 64

    [[nodiscard]] bool is_bound(std::size_t argument) const
    {
        return argument < bound.size() && bound[argument];
    }
    [[nodiscard]] bool counts(std::size_t argument) const
    {
        if (is_bound(argument)) return true;
        return !any_shape && !(argument < ignored.size() && ignored[argument]);
    }
};

/// Number of words of an argument, without its address.
template <class T>
inline constexpr std::size_t shape_words = std::is_pointer_v<T>    ? 0
                                           : is_volume<T>          ? 5
                                           : is_matrix<T>          ? 3
                                           : is_pointer_array<T>() ? 2
                                                                   : 1;
/// Number of lengths among these words; they come first.
template <class T>
inline constexpr std::size_t length_words = is_volume<T>   ? 3
                                            : is_matrix<T> ? 2
                                                           : 1;

template <class T>
[[nodiscard]] constexpr shape_part part_of() noexcept
{
    if constexpr (is_array<T>)
        return shape_part::elements;
    else if constexpr (std::is_same_v<T, bool> || std::is_enum_v<T>)
        return shape_part::flag;
    else if constexpr (std::is_integral_v<T>)
        return shape_part::number;
    else if constexpr (std::is_floating_point_v<T>)
        return shape_part::real;
    else
        return shape_part::bytes;
}

/// The address range of an array.
struct array_place {
    std::uintptr_t first = 0;
    std::uintptr_t last = 0; ///< one past the end
};

/// The bits of a floating-point number.
template <class T>
[[nodiscard]] ATTUNE_ALWAYS_INLINE inline std::int64_t bits_of_real(T value) noexcept
{
    double const as_double = static_cast<double>(value);
    std::int64_t out = 0;
    std::memcpy(&out, &as_double, sizeof out); // no function, as std::bit_cast may be
    return out;
}

/// The lengths of a view, then its strides.
template <class T>
[[nodiscard]] ATTUNE_ALWAYS_INLINE inline std::array<std::size_t, shape_words<T>>
numbers_of_view(T const& view) noexcept
{
    if constexpr (is_volume<T>)
        return {view.slices(), view.rows(), view.columns(), view.slice_stride(), view.row_stride()};
    else
        return {view.rows(), view.columns(), view.row_stride()};
}

/// Elements from the first to the last of a view.
template <class T>
[[nodiscard]] ATTUNE_ALWAYS_INLINE inline std::size_t extent_of_view(T const& view) noexcept
{
    if (view.rows() == 0 || view.columns() == 0) return 0;
    std::size_t const matrix = (view.rows() - 1) * view.row_stride() + view.columns();
    if constexpr (is_volume<T>)
        return view.slices() == 0 ? 0 : (view.slices() - 1) * view.slice_stride() + matrix;
    else
        return matrix;
}

/// For an array of pointers: the OR of the addresses' bits modulo 64; plus 64 if two neighbours are
/// equal; plus 128 if one is null.
template <class T>
[[nodiscard]] ATTUNE_ALWAYS_INLINE inline std::int64_t place_of_targets(T const& pointers) noexcept
{
    std::uint64_t out = 0;
    std::uintptr_t before = 0;
    for (auto const* const one : pointers) {
        auto const at = reinterpret_cast<std::uintptr_t>(one);
        out |= at & 63u;
        if (at == 0) out |= 128u;
        if (at != 0 && at == before) out |= 64u;
        before = at;
    }
    return static_cast<std::int64_t>(out);
}

template <class T>
[[nodiscard]] ATTUNE_ALWAYS_INLINE inline std::int64_t hash_of_bytes(T const& value) noexcept
{
    static_assert(std::is_trivially_copyable_v<T>);
    std::array<std::byte, sizeof(T)> bytes;
    std::memcpy(bytes.data(), &value, sizeof(T));
    std::uint64_t out = 0xcbf29ce484222325u;
    for (std::byte const b : bytes)
        out = (out ^ static_cast<std::uint64_t>(b)) * 0x100000001b3u;
    return static_cast<std::int64_t>(out);
}

/// The shape of calls of one signature, as a fixed number of 64-bit words.
///
/// A shape holds every property that can make code right for one call and wrong for another:
/// lengths and alignment of arrays, overlaps, integers, booleans and enumerations. Floating-point
/// numbers that are not bound to an input are distinguished only as 0, 1 and others.
template <class... Args>
class shape_of_call {
public:
    static constexpr std::size_t array_count =
        (std::size_t{0} + ... + (detail::is_array<Args> ? 1 : 0));
    static constexpr std::size_t size =
        (std::size_t{0} + ... + shape_words<Args>)+(array_count > 0 ? 1 : 0);
    using key = std::array<std::int64_t, size>;

    explicit shape_of_call(shape_choice const& choice)
    {
        std::vector<shape_word> const words = layout();
        for (std::size_t i = 0; i < size; ++i) {
            if (words[i].part == shape_part::places) {
                kept_[i] = choice.any_shape ? 0 : ~std::int64_t{0};
                continue;
            }
            kept_[i] = choice.counts(words[i].argument) ? ~std::int64_t{0} : 0;
            is_bound_[i] = choice.is_bound(words[i].argument) ? ~std::int64_t{0} : 0;
        }
        std::size_t argument = 0;
        std::size_t array = 0;
        std::int64_t seen = ~std::int64_t{0};
        auto const look = [&]<class T>(std::type_identity<T>) {
            if constexpr (detail::is_array<T>) {
                bool const is_ignored = choice.any_alignment || !choice.counts(argument);
                if (array < place_bits::arrays)
                    seen &= ~place_bits::beyond(array, is_ignored ? 1 : choice.modulus);
                ++array;
            }
            ++argument;
        };
        (look(std::type_identity<Args>{}), ...);
        if constexpr (array_count > 0) kept_[size - 1] &= seen;
    }

    /// The meaning of each word, in order.
    [[nodiscard]] static std::vector<shape_word> layout()
    {
        std::vector<shape_word> out;
        std::size_t argument = 0;
        auto const look = [&]<class T>(std::type_identity<T>) {
            for (std::size_t i = 0; i < shape_words<T>; ++i) {
                shape_part part = part_of<T>();
                if (i >= length_words<T>)
                    part = detail::is_view<T> ? shape_part::number : shape_part::flag;
                out.push_back({part, argument});
            }
            ++argument;
        };
        (look(std::type_identity<Args>{}), ...);
        if constexpr (array_count > 0) out.push_back({shape_part::places, array_count});
        return out;
    }

    /// Cost   a few ns: no data-dependent loop, no allocation
    [[nodiscard]] ATTUNE_ALWAYS_INLINE key operator()(Args const&... args) const noexcept
    {
        key out{};
        std::size_t word = 0;
        [[maybe_unused]] std::size_t array = 0;
        [[maybe_unused]] std::uint64_t places = 0;
        [[maybe_unused]] std::array<array_place, array_count + 1> where{};
        auto const look = [&]<class T>(T const& argument) ATTUNE_ALWAYS_INLINE {
            if constexpr (detail::is_array<T>) {
                using element = element_of<T>;
                std::uintptr_t first = 0;
                std::size_t count = 0;
                if constexpr (std::is_pointer_v<T>) {
                    first = reinterpret_cast<std::uintptr_t>(argument);
                    count = 1; // equal pointers overlap; the true length is not known here
                } else if constexpr (detail::is_view<T>) {
                    first = reinterpret_cast<std::uintptr_t>(argument.data());
                    count = extent_of_view(argument);
                    for (std::size_t const number : numbers_of_view(argument)) {
                        out[word] = static_cast<std::int64_t>(number) & kept_[word];
                        ++word;
                    }
                } else {
                    first = reinterpret_cast<std::uintptr_t>(argument.data());
                    count = argument.size();
                    out[word] = static_cast<std::int64_t>(count) & kept_[word];
                    ++word;
                    if constexpr (is_pointer_array<T>()) {
                        out[word] = place_of_targets(argument) & kept_[word];
                        ++word;
                    }
                }
                where[array] = {first, first + count * sizeof(element)};
                if (array < place_bits::arrays)
                    places |= (first & 63u) << (place_bits::per_array * array);
                ++array;
            } else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
                out[word] = static_cast<std::int64_t>(argument) & kept_[word];
                ++word;
            } else if constexpr (std::is_floating_point_v<T>) {
                std::int64_t const kind = argument == T{0} ? 0 : argument == T{1} ? 1 : 2;
                out[word] =
                    ((bits_of_real(argument) & is_bound_[word]) | (kind & ~is_bound_[word])) &
                    kept_[word];
                ++word;
            } else {
                out[word] = hash_of_bytes(argument) & kept_[word];
                ++word;
            }
        };
        (look(args), ...);
        if constexpr (array_count > 0) {
            std::size_t pair = 0;
            for (std::size_t i = 0; i < array_count; ++i)
                for (std::size_t j = i + 1; j < array_count; ++j) {
                    if (!writable[i] && !writable[j]) continue;
                    std::uint64_t const overlap =
                        where[i].first < where[j].last && where[j].first < where[i].last ? 1u : 0u;
                    places |= overlap
                              << (place_bits::overlaps +
                                  (pair < place_bits::pairs ? pair : place_bits::pairs - 1));
                    ++pair;
                }
            out[word] = static_cast<std::int64_t>(places) & kept_[word];
        }
        return out;
    }

private:
    template <class T>
    [[nodiscard]] static constexpr bool may_write() noexcept
    {
        if constexpr (detail::is_array<T>)
            return !std::is_const_v<element_of<T>>;
        else
            return false;
    }
    static constexpr std::array<bool, array_count + 1> writable = [] {
        std::array<bool, array_count + 1> out{};
        [[maybe_unused]] std::size_t array = 0;
        auto const look = [&]<class T>(std::type_identity<T>) {
            if constexpr (detail::is_array<T>) out[array++] = may_write<T>();
        };
        (look(std::type_identity<Args>{}), ...);
        return out;
    }();

    std::array<std::int64_t, size> kept_{};
    std::array<std::int64_t, size> is_bound_{};
};

/// Each word has its own odd factor, so that the multiplications are independent.
template <class Key>
[[nodiscard]] ATTUNE_ALWAYS_INLINE inline std::uint64_t hash_of_shape(Key const& key) noexcept
{
    std::uint64_t out = 0x9e3779b97f4a7c15u;
    std::uint64_t factor = 0xbf58476d1ce4e5b9u;
    for (std::size_t i = 0; i < key.size(); ++i) {
        out += (static_cast<std::uint64_t>(key[i]) + i) * factor;
        factor += 0x7fb5d329728ea186u; // even: the factor stays odd
    }
    out ^= out >> 32;
    out *= 0x94d049bb133111ebu;
    return out ^ (out >> 29);
}

} // namespace attune::inline ATTUNE_ABI::detail

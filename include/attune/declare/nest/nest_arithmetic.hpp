// attune/declare/nest/nest_arithmetic.hpp - operations and reductions on numbers of a program.
// SPDX-License-Identifier: MIT
// tested by declare/nest/evaluate.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/nest/nest_operation.hpp>
#include <attune/declare/nest/step.hpp>

#include <cstdint>
#include <limits>
#include <type_traits>

namespace attune::inline ATTUNE_ABI::detail {

/// One operation on two numbers of a type.
template <nest_op Code, class T>
[[nodiscard, gnu::always_inline]] constexpr T combined(T a, T b)
{
    if constexpr (Code == nest_op::minimum)
        return b < a ? b : a;
    else if constexpr (Code == nest_op::maximum)
        return a < b ? b : a;
    else if constexpr (Code == nest_op::divide)
        return static_cast<T>(a / b);
    else if constexpr (std::is_integral_v<T>) {
        using whole = std::make_unsigned_t<T>;
        auto const l = static_cast<whole>(a);
        auto const r = static_cast<whole>(b);
        if constexpr (Code == nest_op::add)
            return static_cast<T>(l + r);
        else if constexpr (Code == nest_op::subtract)
            return static_cast<T>(l - r);
        else
            return static_cast<T>(l * r);
    } else if constexpr (Code == nest_op::add)
        return a + b;
    else if constexpr (Code == nest_op::subtract)
        return a - b;
    else
        return a * b;
}

/// One operation on a number of a type.
template <nest_op Code, class T>
[[nodiscard, gnu::always_inline]] constexpr T changed(T a)
{
    constexpr bool is_float = std::is_same_v<T, float>;
    if constexpr (Code == nest_op::negate) {
        if constexpr (std::is_integral_v<T>)
            return combined<nest_op::subtract>(T{0}, a);
        else
            return -a;
    } else if constexpr (Code == nest_op::absolute) {
        if constexpr (std::is_integral_v<T>)
            return a < T{0} ? combined<nest_op::subtract>(T{0}, a) : a;
        else if constexpr (is_float)
            return static_cast<T>(__builtin_fabsf(static_cast<float>(a)));
        else
            return static_cast<T>(__builtin_fabs(static_cast<double>(a)));
    } else if constexpr (Code == nest_op::exponential) {
        if constexpr (is_float)
            return __builtin_expf(a);
        else
            return __builtin_exp(a);
    } else if constexpr (Code == nest_op::logarithm) {
        if constexpr (is_float)
            return __builtin_logf(a);
        else
            return __builtin_log(a);
    } else if constexpr (Code == nest_op::square_root) {
        if constexpr (is_float)
            return __builtin_sqrtf(a);
        else
            return __builtin_sqrt(a);
    } else if constexpr (Code == nest_op::hyperbolic_tangent) {
        if constexpr (is_float)
            return __builtin_tanhf(a);
        else
            return __builtin_tanh(a);
    } else {
        static_assert(Code == nest_op::error_function);
        if constexpr (is_float)
            return __builtin_erff(a);
        else
            return __builtin_erf(a);
    }
}

inline constexpr std::int64_t evaluated_block = 64;

/// The results of one reduction for a block of elements.
template <class R>
class block_of {
public:
    using number = typename R::accumulated;

    [[gnu::always_inline]] void begin(std::int64_t i)
    {
        constexpr neutral_number neutral = rules_of(R::combine).neutral;
        if constexpr (neutral == neutral_number::zero)
            values_[i] = number{0};
        else if constexpr (neutral == neutral_number::one)
            values_[i] = number{1};
        else if constexpr (neutral == neutral_number::highest)
            values_[i] = limits::has_infinity ? limits::infinity() : limits::max();
        else
            values_[i] = limits::has_infinity ? -limits::infinity() : limits::lowest();
        if constexpr (R::gives_place) places_[i] = 0;
    }
    [[gnu::always_inline]] void begin_with(std::int64_t i, number held) { values_[i] = held; }
    /// @param place  along the axis of an argmax
    [[gnu::always_inline]] void add(std::int64_t i, number next, std::int64_t place)
    {
        if constexpr (R::gives_place) {
            if (values_[i] < next) {
                values_[i] = next;
                places_[i] = static_cast<int>(place);
            }
        } else {
            values_[i] = combined<rules_of(R::combine).step>(values_[i], next);
        }
    }
    [[nodiscard, gnu::always_inline]] typename R::value_type result(std::int64_t i) const
    {
        if constexpr (R::gives_place)
            return places_[i];
        else
            return values_[i];
    }

private:
    using limits = std::numeric_limits<number>;
    struct nothing {};
    number values_[evaluated_block];
    [[no_unique_address]] std::conditional_t<R::gives_place, int[evaluated_block], nothing> places_;
};

} // namespace attune::inline ATTUNE_ABI::detail

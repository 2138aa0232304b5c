// attune/core/shape/call_arguments.hpp - arguments of a call: lengths of arrays as formulas, random sizes, and contents.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <tuple>
#include <type_traits>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// Contents of all arrays of a call: all elements are this number, unless said otherwise. Elements
/// of types without such a number stay.
enum class array_contents : std::uint8_t {
    own, ///< the call's; kernel.contents(...) does not take it
    zero,
    negative_zero,
    denormal,
    equal,  ///< all elements are the first one
    sorted, ///< the call's, ascending
    least,  ///< the least finite number; as an index, INT_MIN would lead out of all memory
    infinite,
    not_a_number,
};

/// The value of argument `Position` of a call, a whole number; see kernel.lengths().
template <std::size_t Position>
struct argument_value {
    [[nodiscard]] constexpr std::int64_t operator()(std::span<std::int64_t const> call) const
    {
        return call[Position];
    }
};

/// Example  constexpr auto m = attune::argument<3>;
///          constexpr auto n = attune::argument<4>;
///          kernel.lengths(m * n, (m + 2) * (n + 2));
template <std::size_t Position>
inline constexpr argument_value<Position> argument{};

/// In kernel.lengths(): this array has no formula.
struct any_length_t {};
inline constexpr any_length_t any_length{};

namespace detail {

/// The sizes that a call_draw draws, within the range that the function passes. Calls of small
/// sizes take little time and have every remainder. After 1,000 sizes of one call the limit ends,
/// because a function may draw until its sizes suit it.
struct drawn_sizes {
    static constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();

    /// The largest difference between a size and the `least` of size(); 0: a few hundred.
    std::int64_t most = no_limit;
    bool are_large = false; ///< each is the largest one, or at least half of it
};

/// A formula of two parts.
template <class Operation, class Left, class Right>
struct joined_lengths {
    Left left;
    Right right;
    [[nodiscard]] constexpr std::int64_t operator()(std::span<std::int64_t const> call) const
    {
        return Operation{}(left(call), right(call));
    }
};
struct constant_length {
    std::int64_t value;
    [[nodiscard]] constexpr std::int64_t operator()(std::span<std::int64_t const>) const
    {
        return value;
    }
};

template <class>
inline constexpr bool is_length_formula = false;
template <std::size_t Position>
inline constexpr bool is_length_formula<argument_value<Position>> = true;
template <class Operation, class Left, class Right>
inline constexpr bool is_length_formula<joined_lengths<Operation, Left, Right>> = true;

/// True if a formula reads only whole numbers among these arguments.
template <class Formula, class... Args>
inline constexpr bool reads_numbers = true;
template <std::size_t Position, class... Args>
inline constexpr bool reads_numbers<argument_value<Position>, Args...> = [] {
    if constexpr (Position < sizeof...(Args))
        return std::is_integral_v<std::tuple_element_t<Position, std::tuple<Args...>>>;
    else
        return false;
}();
template <class Operation, class Left, class Right, class... Args>
inline constexpr bool reads_numbers<joined_lengths<Operation, Left, Right>, Args...> =
    reads_numbers<Left, Args...> && reads_numbers<Right, Args...>;

/// An operand: a formula, or a whole number.
template <class T>
concept length_part = is_length_formula<T> || std::integral<T>;
template <class L, class R>
concept length_parts =
    length_part<L> && length_part<R> && (is_length_formula<L> || is_length_formula<R>);

template <length_part T>
[[nodiscard]] constexpr auto as_length(T const& part)
{
    if constexpr (std::integral<T>)
        return constant_length{static_cast<std::int64_t>(part)};
    else
        return part;
}

/// The value of a formula that overflows: no array has this length.
inline constexpr std::int64_t no_length = std::numeric_limits<std::int64_t>::max();

/// `Sign` is one of + - * /. A quotient by 0 is 0.
template <char Sign>
struct length_operation {
    constexpr std::int64_t operator()(std::int64_t a, std::int64_t b) const
    {
        if constexpr (Sign == '/') return b == 0 || b == -1 ? 0 : a / b;
        std::int64_t out = 0;
        bool const overflows = Sign == '+'   ? __builtin_add_overflow(a, b, &out)
                               : Sign == '-' ? __builtin_sub_overflow(a, b, &out)
                                             : __builtin_mul_overflow(a, b, &out);
        return overflows ? no_length : out;
    }
};

template <class Operation, class Left, class Right>
[[nodiscard]] constexpr auto join_lengths(Left const& left, Right const& right)
{
    auto const l = as_length(left);
    auto const r = as_length(right);
    return joined_lengths<Operation, std::remove_cv_t<decltype(l)>, std::remove_cv_t<decltype(r)>>{
        l, r};
}

} // namespace detail

template <class L, class R>
    requires detail::length_parts<L, R>
[[nodiscard]] constexpr auto operator+(L const& left, R const& right)
{
    return detail::join_lengths<detail::length_operation<'+'>>(left, right);
}
template <class L, class R>
    requires detail::length_parts<L, R>
[[nodiscard]] constexpr auto operator-(L const& left, R const& right)
{
    return detail::join_lengths<detail::length_operation<'-'>>(left, right);
}
template <class L, class R>
    requires detail::length_parts<L, R>
[[nodiscard]] constexpr auto operator*(L const& left, R const& right)
{
    return detail::join_lengths<detail::length_operation<'*'>>(left, right);
}
/// Rounds towards zero.
template <class L, class R>
    requires detail::length_parts<L, R>
[[nodiscard]] constexpr auto operator/(L const& left, R const& right)
{
    return detail::join_lengths<detail::length_operation<'/'>>(left, right);
}

/// Random sizes and contents for the function of kernel.calls(f). The class also serves as a
/// generator for the distributions of <random>.
class call_draw {
public:
    using result_type = std::uint64_t;

    /// @param special  numbers among the variant's parameters, such as tiles
    explicit call_draw(std::uint64_t seed, std::span<std::int64_t const> special = {},
                       detail::drawn_sizes which = {})
        : random_(seed)
        , which_(which)
    {
        for (std::int64_t const d : special) {
            if (d > most_special) continue;
            special_.push_back(d);
            if (d <= 2 * remainders && small_ < 2 * d + remainders) small_ = 2 * d + remainders;
        }
    }

    /// A size from `least` to `most`: a small one, one near a parameter of the variant, or any on a
    /// logarithmic scale. A few hundred calls then have every remainder and every magnitude.
    /// @return  `least` if `most` is less
    [[nodiscard]] std::int64_t size(std::int64_t least, std::int64_t most)
    {
        if (most <= least) return least;
        // A function may draw again until its sizes suit it. Within a limit they may never do.
        if (++drawn_sizes_ > most_limited) which_ = {};
        std::int64_t const limit = which_.most > 0 ? which_.most : small_;
        is_limited_ = is_limited_ || most - least > limit;
        if (most - least > limit) most = least + limit;
        if (which_.are_large) return index(4) == 0 ? most : most - index((most - least) / 2 + 1);
        std::uint64_t const way = random_() % 4;
        std::int64_t const room = most - least + 1;
        if (way == 0) return least + index(room < small_ ? room : small_);
        if (way == 1 && !special_.empty()) {
            auto const tile = special_[uniform_below(random_, special_.size())];
            std::int64_t const tiles = 1 + index(3); // the order of two draws is part of the seed
            std::int64_t const value = tile * tiles + index(3) - 1;
            if (value >= least && value <= most) return value;
        }
        double const above = std::exp2(unit() * std::log2(static_cast<double>(room + 1))) - 1;
        auto const rounded = static_cast<std::int64_t>(above);
        return least + (rounded < room ? rounded : room - 1);
    }
    /// A whole number from 0 to `count` - 1; 0 for a count below 1.
    [[nodiscard]] std::int64_t index(std::int64_t count)
    {
        if (count < 1) return 0;
        return static_cast<std::int64_t>(uniform_below(random_, static_cast<std::uint64_t>(count)));
    }
    [[nodiscard]] double unit() { return uniform_unit(random_); }
    /// `count` numbers in [-1, 1).
    template <class T = float>
    [[nodiscard]] std::vector<T> reals(std::size_t count)
    {
        std::vector<T> out(count);
        for (T& v : out)
            v = static_cast<T>(2 * unit() - 1);
        return out;
    }

    /// Returns true if a drawn size could be larger without the limit of drawn_sizes.
    [[nodiscard]] bool is_limited() const noexcept { return is_limited_; }

    [[nodiscard]] static constexpr std::uint64_t min() { return random_engine::min(); }
    [[nodiscard]] static constexpr std::uint64_t max() { return random_engine::max(); }
    [[nodiscard]] std::uint64_t operator()() { return random_(); }

private:
    static constexpr std::int64_t most_special = 1024;
    static constexpr std::int64_t remainders = 64;
    static constexpr int most_limited = 1'000;

    random_engine random_;
    detail::drawn_sizes which_;
    std::vector<std::int64_t> special_{};
    bool is_limited_ = false;
    int drawn_sizes_ = 0;
    std::int64_t small_ = 2 * remainders; ///< bound of small sizes, which give all remainders
};

} // namespace attune::inline ATTUNE_ABI

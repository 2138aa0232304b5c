// attune/declare/nest/evaluate.hpp - computes a program by plain loops that the user's compiler compiles.
// SPDX-License-Identifier: MIT
//
// The loops define the correct result, which variants must have. Statements run in order. A
// reduction runs over its axes in order, the last axis fastest. It runs in the type of the values:
// float for narrower reals, int for narrower whole numbers. Whole numbers wrap around. Loops run
// over blocks of the target's last axis, so that compilers vectorise them; the order of each sum
// stays the same.
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/nest/nest_call.hpp>
#include <attune/declare/nest/nest_description.hpp>
#include <attune/declare/nest/outline.hpp>
#include <attune/declare/nest/step.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// An operation on two numbers of one type.
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

/// An operation on one number.
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
    /// @param place  on the axis of an argmax
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

/// Computes one call.
/// @pre  the arrays have the extents of the declaration
template <class Declaration>
class nest_evaluator {
    static constexpr auto const& outline = Declaration::outline;
    using call = nest_call<Declaration>;
    using place = outline_list<outline.axis_count, std::int64_t>;

public:
    explicit nest_evaluator(call const& of)
        : call_(of)
    {
    }

    template <class Step>
    void run(Step const& step) const
    {
        place at{};
        rows(step, typename Step::target_type::indices{}, at);
    }

private:
    template <class Axis>
    static constexpr std::size_t axis_at = outline.axis(Axis::name);

    template <class Axis>
    [[nodiscard, gnu::always_inline]] std::int64_t extent_of_axis() const
    {
        return call_.extent(outline.axes[axis_at<Axis>].extent);
    }

    /// Loops over the target's axes; row() computes the last one.
    template <class Step, class Axis, class... Rest>
    [[gnu::always_inline]] void rows(Step const& step, type_list<Axis, Rest...>, place& at) const
    {
        if constexpr (sizeof...(Rest) == 0) {
            row<Axis>(step, at);
        } else {
            std::int64_t const n = extent_of_axis<Axis>();
            for (std::int64_t i = 0; i < n; ++i) {
                at[axis_at<Axis>] = i;
                rows(step, type_list<Rest...>{}, at);
            }
        }
    }

    /// Computes the elements of the target along its last axis.
    template <class Last, class Target, bool Continues, class Value, class... R>
    [[gnu::always_inline]] void row(nest_step<Target, Continues, Value, R...> const& step,
                                    place& at) const
    {
        constexpr std::size_t last = axis_at<Last>;
        std::int64_t const n = extent_of_axis<Last>();
        if constexpr (sizeof...(R) == 0) {
            for (std::int64_t i = 0; i < n; ++i) {
                at[last] = i;
                store(step.target, at, value(step.value, at, value_pack<>{}, 0));
            }
        } else {
            for (std::int64_t from = 0; from < n; from += evaluated_block) {
                std::int64_t const width = n - from < evaluated_block ? n - from : evaluated_block;
                value_pack<block_of<R>...> blocks{};
                reduce_all<last, Continues>(step, blocks, at, from, width);
                for (std::int64_t i = 0; i < width; ++i) {
                    at[last] = from + i;
                    store(step.target, at, value(step.value, at, blocks, i));
                }
            }
        }
    }

    template <std::size_t Last, bool Continues, class Step, std::size_t... At, class... Block>
    [[gnu::always_inline]] void
    reduce_all(Step const& step, pack_parts<std::index_sequence<At...>, Block...>& blocks,
               place const& at, std::int64_t from, std::int64_t width) const
    {
        (reduce<Last, Continues>(step.target, part_at<At>(step.reductions), part_at<At>(blocks), at,
                                 from, width),
         ...);
    }

    template <std::size_t Last, bool Continues, class Target, class R>
    [[gnu::always_inline]] void reduce(Target const& target, R const& of, block_of<R>& block,
                                       place at, std::int64_t from, std::int64_t width) const
    {
        for (std::int64_t i = 0; i < width; ++i) {
            if constexpr (Continues) {
                at[Last] = from + i;
                block.begin_with(i, static_cast<typename R::accumulated>(element(target, at)));
            } else
                block.begin(i);
        }
        along<Last>(typename R::axes{}, of, block, at, from, width);
    }

    /// Loops over the axes of a reduction, around the loop over the block.
    template <std::size_t Last, class R>
    [[gnu::always_inline]] void along(type_list<>, R const& of, block_of<R>& block, place& at,
                                      std::int64_t from, std::int64_t width) const
    {
        for (std::int64_t i = 0; i < width; ++i) {
            at[Last] = from + i;
            block.add(i, value(of.body, at, value_pack<>{}, 0),
                      place_of<R>(typename R::axes{}, at));
        }
    }
    template <std::size_t Last, class R, class Axis, class... Rest>
    [[gnu::always_inline]] void along(type_list<Axis, Rest...>, R const& of, block_of<R>& block,
                                      place& at, std::int64_t from, std::int64_t width) const
    {
        std::int64_t const n = extent_of_axis<Axis>();
        for (std::int64_t i = 0; i < n; ++i) {
            at[axis_at<Axis>] = i;
            along<Last>(type_list<Rest...>{}, of, block, at, from, width);
        }
    }
    /// The place of an argmax along its axis.
    template <class R, class... Axis>
    [[nodiscard, gnu::always_inline]] static std::int64_t place_of(type_list<Axis...>,
                                                                   place const& at)
    {
        if constexpr (R::gives_place)
            return (at[axis_at<Axis>] + ...);
        else
            return 0;
    }

    /// @param numbers  of the index
    template <class... Term>
    [[nodiscard, gnu::always_inline]] static std::int64_t
    index(std::type_identity<affine_sum<Term...>>, std::int64_t const* numbers, place const& at)
    {
        std::int64_t out = numbers[sizeof...(Term)];
        ((out += (Term::is_unit ? 1 : *numbers) * at[axis_at<typename Term::axis>], ++numbers),
         ...);
        return out;
    }
    template <fixed_string Name, class Extent>
    [[nodiscard, gnu::always_inline]] static std::int64_t
    index(std::type_identity<axis_of<Name, Extent>>, std::int64_t const*, place const& at)
    {
        return at[axis_at<axis_of<Name, Extent>>];
    }
    template <class Axis, class Input>
    [[nodiscard, gnu::always_inline]] static std::int64_t
    index(std::type_identity<prefix_index<Axis, Input>>, std::int64_t const*, place const& at)
    {
        return at[axis_at<Axis>];
    }

    template <class Index>
    [[nodiscard, gnu::always_inline]] static std::int64_t const* numbers_of(Index const& of)
    {
        if constexpr (Index::number_count > 0)
            return of.numbers.data();
        else
            return nullptr;
    }

    template <std::size_t Array, bool Padded>
    [[gnu::always_inline]] void go(std::int64_t& offset, std::size_t dimension, std::int64_t i,
                                   bool& inside) const
    {
        constexpr outline_array const& of = outline.arrays[Array];
        std::int64_t const n = call_.extent(of.extents[dimension]);
        if constexpr (Padded) inside = inside && i >= 0 && i < n;
        if (of.has_row_stride && dimension == 1)
            offset = offset * call_.row_stride[Array] + i;
        else
            offset = offset * n + i;
    }
    /// @param inside  becomes false where an index leaves the array
    template <class Array, bool Padded, class... Index>
    [[nodiscard, gnu::always_inline]] std::int64_t
    offset(element_of_array<Array, Padded, Index...> const& of, place const& at, bool& inside) const
    {
        constexpr std::size_t array = outline.array(Array::name);
        std::int64_t out = 0;
        std::size_t dimension = 0;
        std::int64_t const* numbers = of.numbers.data();
        ((go<array, Padded>(out, dimension++, index(std::type_identity<Index>{}, numbers, at),
                            inside),
          numbers += Index::number_count),
         ...);
        return out;
    }

    template <class Array, bool Padded, class... Index>
    [[nodiscard, gnu::always_inline]] auto
    element(element_of_array<Array, Padded, Index...> const& of, place const& at) const
    {
        using element_type = typename Array::element;
        using number = operand_type<element_type>;
        bool inside = true;
        std::int64_t const i = offset(of, at, inside);
        auto const* const data =
            static_cast<element_type const*>(call_.data[outline.array(Array::name)]);
        if constexpr (Padded)
            return inside ? static_cast<number>(data[i]) : number{0};
        else
            return static_cast<number>(data[i]);
    }

    template <class Array, class... Index, class T>
    [[gnu::always_inline]] void store(element_of_array<Array, false, Index...> const& to,
                                      place const& at, T number) const
    {
        using element_type = typename Array::element;
        bool inside = true;
        std::int64_t const i = offset(to, at, inside);
        auto* const data =
            static_cast<element_type*>(const_cast<void*>(call_.data[outline.array(Array::name)]));
        data[i] = static_cast<element_type>(number);
    }

    // The value of a tree at a place; `blocks` and `i` give the results of reductions.
    template <class T, class Blocks>
    [[nodiscard, gnu::always_inline]] T value(nest_literal<T> const& x, place const&, Blocks const&,
                                              std::int64_t) const
    {
        return x.value;
    }
    template <class Index, class Blocks>
    [[nodiscard, gnu::always_inline]] int value(index_as_value<Index> const& x, place const& at,
                                                Blocks const&, std::int64_t) const
    {
        return static_cast<int>(index(std::type_identity<Index>{}, numbers_of(x.index), at));
    }
    template <class Input, class Blocks>
    [[nodiscard, gnu::always_inline]] auto value(input_as_value<Input> const&, place const&,
                                                 Blocks const&, std::int64_t) const
    {
        return static_cast<operand_type<typename Input::value_type>>(
            part_at<outline.input(Input::name)>(call_.inputs));
    }
    template <class Array, bool Padded, class... Index, class Blocks>
    [[nodiscard, gnu::always_inline]] auto value(element_of_array<Array, Padded, Index...> const& x,
                                                 place const& at, Blocks const&, std::int64_t) const
    {
        return element(x, at);
    }
    template <std::size_t Place, class T, class Blocks>
    [[nodiscard, gnu::always_inline]] T value(reduced_value<Place, T> const&, place const&,
                                              Blocks const& blocks, std::int64_t i) const
    {
        return part_at<Place>(blocks).result(i);
    }
    template <nest_op Code, class T, class X, class Blocks>
    [[nodiscard, gnu::always_inline]] T value(nest_operation<Code, T, X> const& x, place const& at,
                                              Blocks const& blocks, std::int64_t i) const
    {
        auto const of = static_cast<T>(value(x.first, at, blocks, i));
        if constexpr (Code == nest_op::convert)
            return of;
        else
            return changed<Code>(of);
    }
    template <nest_op Code, class T, class L, class R, class Blocks>
    [[nodiscard, gnu::always_inline]] T value(nest_operation<Code, T, L, R> const& x,
                                              place const& at, Blocks const& blocks,
                                              std::int64_t i) const
    {
        return combined<Code>(static_cast<T>(value(x.first, at, blocks, i)),
                              static_cast<T>(value(x.second, at, blocks, i)));
    }
    template <class T, class Truth, class L, class R, class Blocks>
    [[nodiscard, gnu::always_inline]] T
    value(nest_operation<nest_op::select, T, Truth, L, R> const& x, place const& at,
          Blocks const& blocks, std::int64_t i) const
    {
        return holds(x.first, at, blocks, i) ? static_cast<T>(value(x.second, at, blocks, i))
                                             : static_cast<T>(value(x.third, at, blocks, i));
    }
    template <nest_op Code, class T, class L, class R, class Blocks>
    [[nodiscard, gnu::always_inline]] bool holds(nest_truth<Code, T, L, R> const& x,
                                                 place const& at, Blocks const& blocks,
                                                 std::int64_t i) const
    {
        auto const left = static_cast<T>(value(x.first, at, blocks, i));
        auto const right = static_cast<T>(value(x.second, at, blocks, i));
        if constexpr (Code == nest_op::less)
            return left < right;
        else if constexpr (Code == nest_op::less_equal)
            return left <= right;
        else
            return left == right;
    }

    call const& call_;
};

} // namespace attune::inline ATTUNE_ABI::detail

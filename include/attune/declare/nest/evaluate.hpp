// attune/declare/nest/evaluate.hpp - a program computed by plain loops that the user's compiler makes.
// SPDX-License-Identifier: MIT
//
// What is right: variants are compared with this. Statements run in order. An element is combined
// over the reduction axes in their order, the last one fastest, in the type of the values (float
// for narrower types, int for narrower whole numbers); whole numbers wrap around. The loops go over
// blocks of the target's last axis, so that compilers vectorise them; no sum changes its order.
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/nest/outline.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// One call's arrays and inputs, in the order of the outline.
template <class Declaration>
struct nest_call {
    static constexpr auto const& outline = Declaration::outline;

    outline_list<outline.array_count, void const*> data{};
    outline_list<outline.array_count, std::int64_t> row_stride{};
    typename Declaration::input_values inputs{};

    [[nodiscard]] constexpr std::int64_t extent(outline_extent const& of) const
    {
        if (of.is_constant()) return of.value;
        return [&]<std::size_t... At>(std::index_sequence<At...>) {
            std::int64_t out = 0;
            ((At == static_cast<std::size_t>(of.value)
                  ? void(out = static_cast<std::int64_t>(std::get<At>(inputs)))
                  : void()),
             ...);
            return out;
        }(std::make_index_sequence<outline.input_count>{});
    }
    [[nodiscard]] constexpr std::int64_t elements(outline_array const& of) const
    {
        std::int64_t out = 1;
        for (std::size_t d = 0; d < of.rank; ++d)
            out *= extent(of.extents[d]);
        return out;
    }
};

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
        if constexpr (R::combine == reduction::sum)
            values_[i] = number{0};
        else if constexpr (R::combine == reduction::product)
            values_[i] = number{1};
        else if constexpr (R::combine == reduction::minimum)
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
            constexpr nest_op code = R::combine == reduction::sum       ? nest_op::add
                                     : R::combine == reduction::product ? nest_op::multiply
                                     : R::combine == reduction::minimum ? nest_op::minimum
                                                                        : nest_op::maximum;
            values_[i] = combined<code>(values_[i], next);
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

/// Computes one call. @pre  the arrays have the extents of the declaration
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

    template <class Target, bool Continues, class Value, class... R>
    void run(nest_step<Target, Continues, Value, R...> const& step) const
    {
        place at{};
        [&]<class Array, bool P, class... Axis>(
            std::type_identity<element_of_array<Array, P, Axis...>>) {
            using axes = std::tuple<Axis...>;
            constexpr std::size_t outer = sizeof...(Axis) - 1;
            [&]<std::size_t... At>(std::index_sequence<At...>) {
                for_each(type_list<std::tuple_element_t<At, axes>...>{},
                         at,
                         [&](place& here) __attribute__((always_inline)) {
                             row<std::tuple_element_t<outer, axes>>(step, here);
                         });
            }(std::make_index_sequence<outer>{});
        }(std::type_identity<Target>{});
    }

private:
    template <class Axis>
    static constexpr std::size_t axis_at = outline.axis(Axis::name);

    template <class Axis>
    [[nodiscard, gnu::always_inline]] std::int64_t extent_of_axis() const
    {
        constexpr outline_extent extent = outline.axes[axis_at<Axis>].extent;
        if constexpr (extent.is_constant())
            return extent.value;
        else
            return static_cast<std::int64_t>(
                std::get<static_cast<std::size_t>(extent.value)>(call_.inputs));
    }

    template <class F>
    [[gnu::always_inline]] void for_each(type_list<>, place& at, F const& f) const
    {
        f(at);
    }
    template <class Axis, class... Rest, class F>
    [[gnu::always_inline]] void for_each(type_list<Axis, Rest...>, place& at, F const& f) const
    {
        std::int64_t const n = extent_of_axis<Axis>();
        for (std::int64_t i = 0; i < n; ++i) {
            at[axis_at<Axis>] = i;
            for_each(type_list<Rest...>{}, at, f);
        }
    }

    /// The elements of the target along its last axis.
    template <class Last, class Target, bool Continues, class Value, class... R>
    [[gnu::always_inline]] void row(nest_step<Target, Continues, Value, R...> const& step,
                                    place& at) const
    {
        constexpr std::size_t last = axis_at<Last>;
        std::int64_t const n = extent_of_axis<Last>();
        if constexpr (sizeof...(R) == 0) {
            for (std::int64_t i = 0; i < n; ++i) {
                at[last] = i;
                store(step.target, at, value(step.value, at, std::tuple<>{}, 0));
            }
        } else {
            for (std::int64_t from = 0; from < n; from += evaluated_block) {
                std::int64_t const width = n - from < evaluated_block ? n - from : evaluated_block;
                std::tuple<block_of<R>...> blocks;
                [&]<std::size_t... At>(std::index_sequence<At...>) {
                    (reduce<last, Continues>(step.target,
                                             std::get<At>(step.reductions),
                                             std::get<At>(blocks),
                                             at,
                                             from,
                                             width),
                     ...);
                }(std::index_sequence_for<R...>{});
                for (std::int64_t i = 0; i < width; ++i) {
                    at[last] = from + i;
                    store(step.target, at, value(step.value, at, blocks, i));
                }
            }
        }
    }

    template <std::size_t Last,
              bool Continues,
              class Target,
              reduction C,
              class Body,
              class... Axis>
    [[gnu::always_inline]] void reduce(Target const& target,
                                       nest_reduction<C, Body, Axis...> const& of,
                                       block_of<nest_reduction<C, Body, Axis...>>& block,
                                       place at,
                                       std::int64_t from,
                                       std::int64_t width) const
    {
        for (std::int64_t i = 0; i < width; ++i) {
            if constexpr (Continues) {
                at[Last] = from + i;
                using number = typename Body::value_type;
                block.begin_with(i, static_cast<number>(element(target, at)));
            } else
                block.begin(i);
        }
        for_each(type_list<Axis...>{}, at, [&](place& here) __attribute__((always_inline)) {
            for (std::int64_t i = 0; i < width; ++i) {
                here[Last] = from + i;
                std::int64_t along = 0;
                if constexpr (sizeof...(Axis) == 1) along = ((here[axis_at<Axis>]) + ...);
                block.add(i, value(of.body, here, std::tuple<>{}, 0), along);
            }
        });
    }

    template <class Index>
    [[nodiscard, gnu::always_inline]] static std::int64_t index(Index const& of, place const& at)
    {
        if constexpr (is_axis<Index>)
            return at[axis_at<Index>];
        else
            return std::apply(
                [&]<class... T>(T const&... term) __attribute__((always_inline)) {
                    return (of.offset + ... + (term.factor * at[axis_at<typename T::axis>]));
                },
                of.terms);
    }

    template <class Array, bool Padded, class... Index>
    [[nodiscard, gnu::always_inline]] std::int64_t
    offset(element_of_array<Array, Padded, Index...> const& of, place const& at, bool& inside) const
    {
        constexpr std::size_t array = outline.array(Array::name);
        std::int64_t out = 0;
        std::size_t d = 0;
        auto const add = [&](std::int64_t i) __attribute__((always_inline)) {
            std::int64_t const n = call_.extent(outline.arrays[array].extents[d]);
            if constexpr (Padded) inside = inside && i >= 0 && i < n;
            if (Array::has_row_stride && d == 1)
                out = out * call_.row_stride[array] + i;
            else
                out = out * n + i;
            ++d;
        };
        std::apply([&](Index const&... i)
                       __attribute__((always_inline)) { (add(index(i, at)), ...); },
                   of.at);
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
    [[gnu::always_inline]] void
    store(element_of_array<Array, false, Index...> const& to, place const& at, T number) const
    {
        using element_type = typename Array::element;
        bool inside = true;
        std::int64_t const i = offset(to, at, inside);
        auto* const data =
            static_cast<element_type*>(const_cast<void*>(call_.data[outline.array(Array::name)]));
        data[i] = static_cast<element_type>(number);
    }

    // The value of a tree at a place; `blocks` and `i` have the results of reductions.
    template <class T, class Blocks>
    [[nodiscard, gnu::always_inline]] T
    value(nest_literal<T> const& x, place const&, Blocks const&, std::int64_t) const
    {
        return x.value;
    }
    template <class Index, class Blocks>
    [[nodiscard, gnu::always_inline]] int
    value(index_as_value<Index> const& x, place const& at, Blocks const&, std::int64_t) const
    {
        return static_cast<int>(index(x.index, at));
    }
    template <class Input, class Blocks>
    [[nodiscard, gnu::always_inline]] auto
    value(input_as_value<Input> const&, place const&, Blocks const&, std::int64_t) const
    {
        return static_cast<operand_type<typename Input::value_type>>(
            std::get<outline.input(Input::name)>(call_.inputs));
    }
    template <class Array, bool Padded, class... Index, class Blocks>
    [[nodiscard, gnu::always_inline]] auto value(element_of_array<Array, Padded, Index...> const& x,
                                                 place const& at,
                                                 Blocks const&,
                                                 std::int64_t) const
    {
        return element(x, at);
    }
    template <std::size_t Place, class T, class Blocks>
    [[nodiscard, gnu::always_inline]] T
    value(reduced_value<Place, T> const&, place const&, Blocks const& blocks, std::int64_t i) const
    {
        return std::get<Place>(blocks).result(i);
    }
    template <nest_op Code, class T, class X, class Blocks>
    [[nodiscard, gnu::always_inline]] T value(nest_operation<Code, T, X> const& x,
                                              place const& at,
                                              Blocks const& blocks,
                                              std::int64_t i) const
    {
        auto const of = static_cast<T>(value(std::get<0>(x.operands), at, blocks, i));
        if constexpr (Code == nest_op::convert)
            return of;
        else
            return changed<Code>(of);
    }
    template <nest_op Code, class T, class L, class R, class Blocks>
    [[nodiscard, gnu::always_inline]] T value(nest_operation<Code, T, L, R> const& x,
                                              place const& at,
                                              Blocks const& blocks,
                                              std::int64_t i) const
    {
        return combined<Code>(static_cast<T>(value(std::get<0>(x.operands), at, blocks, i)),
                              static_cast<T>(value(std::get<1>(x.operands), at, blocks, i)));
    }
    template <class T, class Truth, class L, class R, class Blocks>
    [[nodiscard, gnu::always_inline]] T
    value(nest_operation<nest_op::select, T, Truth, L, R> const& x,
          place const& at,
          Blocks const& blocks,
          std::int64_t i) const
    {
        return holds(std::get<0>(x.operands), at, blocks, i)
                   ? static_cast<T>(value(std::get<1>(x.operands), at, blocks, i))
                   : static_cast<T>(value(std::get<2>(x.operands), at, blocks, i));
    }
    template <nest_op Code, class T, class L, class R, class Blocks>
    [[nodiscard, gnu::always_inline]] bool holds(nest_truth<Code, T, L, R> const& x,
                                                 place const& at,
                                                 Blocks const& blocks,
                                                 std::int64_t i) const
    {
        auto const left = static_cast<T>(value(std::get<0>(x.operands), at, blocks, i));
        auto const right = static_cast<T>(value(std::get<1>(x.operands), at, blocks, i));
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

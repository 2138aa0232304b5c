// attune/declare/nest/evaluate.hpp - a program computed by plain loops that the user's compiler makes.
// SPDX-License-Identifier: MIT
//
// What is right: variants are compared with this. Statements run in order. An element is combined
// over the reduction axes in their order, the last one fastest, in the type of the values (float
// for narrower types, int for narrower whole numbers); whole numbers wrap around. The loops go over
// blocks of the target's last axis, so that compilers vectorise them; no sum changes its order.
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/nest/nest_arithmetic.hpp>
#include <attune/declare/nest/nest_call.hpp>
#include <attune/declare/nest/outline.hpp>

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

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

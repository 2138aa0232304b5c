// tests/support/nest_both_ways.hpp - a program's plain loops beside the interpreter.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/matrix_view.hpp>
#include <attune/declare/nest/declaration.hpp>
#include <attune/declare/nest/nest_rows.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "nest_interpreter.hpp"

namespace tests {

/// The value of an element in memory.
template <class T>
[[nodiscard]] support::nest_number loaded(std::byte const* from)
{
    T x;
    std::memcpy(&x, from, sizeof x);
    return {static_cast<std::int64_t>(x), static_cast<double>(x)};
}

/// Calls f with the C++ type of an element.
template <class F>
decltype(auto) with_element(attune::element_type t, F const& f)
{
    using enum attune::element_type;
    switch (t) {
    case f64:
        return f(double{});
    case i8:
        return f(std::int8_t{});
    case u8:
        return f(std::uint8_t{});
    case i16:
        return f(std::int16_t{});
    case i32:
        return f(std::int32_t{});
    case i64:
        return f(std::int64_t{});
#ifdef ATTUNE_HAS_FLOAT16
    case f16:
        return f(static_cast<_Float16>(0));
#endif
    default:
        return f(float{});
    }
}

/// One argument of a call and what owns its data: rows of a view have a gap of 3.
template <class T>
struct held_argument {
    std::vector<T> data;
    std::size_t rows = 0;
    std::size_t columns = 0;
};

/// Compares; templates of a signature, not of a program, so that they are compiled once for many.
class nest_both_ways {
public:
    nest_both_ways(attune::nest_description program, std::vector<std::int64_t> inputs,
                   unsigned seed)
        : description_(std::move(program))
        , inputs_(std::move(inputs))
        , random_(seed)
    {
    }

    /// Empty: all elements of all arrays are the same but for rounding; else where they are not.
    template <class... Argument>
    [[nodiscard]] std::string difference(std::function<void(Argument...)> const& program)
    {
        support::nest_interpreter meaning(description_, inputs_);
        std::vector<std::vector<std::byte>> arrays;
        for (std::size_t i = 0; i < description_.arrays.size(); ++i)
            if (description_.arrays[i].role != attune::nest_role::temporary)
                arrays.push_back(random_bytes(i, meaning.arrays[i]));
        meaning.run();
        std::string out;
        run(program, arrays);
        for (std::size_t i = 0; i < arrays.size() && out.empty(); ++i)
            out = difference_of(i, arrays[i], meaning.arrays[i]);
        return out;
    }

private:
    [[nodiscard]] std::vector<std::byte> random_bytes(std::size_t array,
                                                      std::vector<support::nest_number>& same)
    {
        return with_element(description_.arrays[array].element, [&](auto t) {
            using type = decltype(t);
            std::vector<std::byte> out(same.size() * sizeof(type));
            for (std::size_t i = 0; i < same.size(); ++i) {
                int const drawn = static_cast<int>(random_() % 17) - 8;
                type const x = std::is_integral_v<type>
                                   ? static_cast<type>(drawn)
                                   : static_cast<type>(0.25f * static_cast<float>(drawn) + 0.1f);
                std::memcpy(out.data() + i * sizeof(type), &x, sizeof x);
                same[i] = {static_cast<std::int64_t>(x), static_cast<double>(x)};
            }
            return out;
        });
    }

    template <class... Argument>
    void run(std::function<void(Argument...)> const& program,
             std::vector<std::vector<std::byte>>& arrays)
    {
        std::size_t array = 0;
        std::size_t input = 0;
        auto held = std::tuple{hold<Argument>(arrays, array)...};
        std::apply(
            [&](auto&... one) {
                std::tuple<Argument...> const given{argument<Argument>(one, input)...};
                std::apply(program, given);
            },
            held);
        array = 0;
        std::apply([&](auto&... one) { (give_back<Argument>(one, arrays, array), ...); }, held);
    }
    template <class Argument>
    [[nodiscard]] auto hold(std::vector<std::vector<std::byte>> const& arrays, std::size_t& next)
    {
        if constexpr (std::is_arithmetic_v<Argument>) {
            return 0;
        } else {
            using type = std::remove_const_t<typename Argument::element_type>;
            held_argument<type> out;
            std::vector<std::byte> const& from = arrays[next];
            std::size_t const count = from.size() / sizeof(type);
            out.columns = count;
            if constexpr (is_view<Argument>)
                out.columns =
                    static_cast<std::size_t>(extent(description_.arrays[next].extents.back()));
            out.rows = out.columns == 0 ? 0 : count / out.columns;
            std::size_t const gap = is_view<Argument> ? 3 : 0;
            out.data.resize(out.rows * (out.columns + gap));
            for (std::size_t r = 0; r < out.rows; ++r)
                if (out.columns > 0)
                    std::memcpy(out.data.data() + r * (out.columns + gap),
                                from.data() + r * out.columns * sizeof(type),
                                out.columns * sizeof(type));
            ++next;
            return out;
        }
    }
    template <class Argument, class Held>
    [[nodiscard]] Argument argument(Held& held, std::size_t& input)
    {
        if constexpr (std::is_arithmetic_v<Argument>)
            return static_cast<Argument>(inputs_[input++]);
        else if constexpr (is_view<Argument>)
            return Argument(held.data.data(), held.rows, held.columns, held.columns + 3);
        else
            return Argument(held.data);
    }
    template <class Argument, class Held>
    void give_back(Held& held, std::vector<std::vector<std::byte>>& arrays, std::size_t& next)
    {
        if constexpr (!std::is_arithmetic_v<Argument>) {
            using type = std::remove_const_t<typename Argument::element_type>;
            std::size_t const gap = is_view<Argument> ? 3 : 0;
            for (std::size_t r = 0; r < held.rows; ++r)
                if (held.columns > 0)
                    std::memcpy(arrays[next].data() + r * held.columns * sizeof(type),
                                held.data.data() + r * (held.columns + gap),
                                held.columns * sizeof(type));
            ++next;
        }
    }
    template <class Argument>
    static constexpr bool is_view = requires(Argument a) { a.row_stride(); };

    [[nodiscard]] std::int64_t extent(attune::nest_extent const& e) const
    {
        return e.input == attune::no_index ? e.constant : inputs_[e.input];
    }

    [[nodiscard]] std::string difference_of(std::size_t array, std::vector<std::byte> const& got,
                                            std::vector<support::nest_number> const& want) const
    {
        return with_element(description_.arrays[array].element, [&](auto t) -> std::string {
            using type = decltype(t);
            double const within = std::is_integral_v<type> ? 0 : sizeof(type) == 2 ? 2e-2 : 1e-5;
            for (std::size_t i = 0; i < got.size() / sizeof(type); ++i) {
                double const a = loaded<type>(got.data() + i * sizeof(type)).real;
                double const b =
                    std::is_integral_v<type> ? static_cast<double>(want[i].whole) : want[i].real;
                bool const same =
                    (a != a && b != b) || a == b || std::fabs(a - b) <= within * (1 + std::fabs(b));
                if (!same)
                    return description_.arrays[array].name + '[' + std::to_string(i) +
                           "] = " + std::to_string(a) + ", not " + std::to_string(b);
            }
            return {};
        });
    }

    attune::nest_description description_;
    std::vector<std::int64_t> inputs_;
    std::mt19937 random_;
};

template <class Program>
[[nodiscard]] std::string nest_difference(Program const& program, std::vector<std::int64_t> inputs,
                                          unsigned seed = 1)
{
    std::function<typename Program::signature> const run = std::ref(program);
    return nest_both_ways(attune::detail::describe_nest(program), std::move(inputs), seed)
        .difference(run);
}

} // namespace tests

// attune/declare/nest/plain_function.hpp - the plain nest of a program as a function with an address.
// SPDX-License-Identifier: MIT
// tested by declare/nest/evaluate.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/nest/declaration.hpp>

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Finds the numbers of a program that are no part of its type: literals, factors, offsets.
struct nest_numbers {
    std::vector<std::uint64_t> out;

    template <class T>
    void add(T const& x)
    {
        if constexpr (std::is_floating_point_v<T>)
            out.push_back(std::bit_cast<std::uint64_t>(static_cast<double>(x)));
        else if constexpr (std::is_integral_v<T>)
            out.push_back(static_cast<std::uint64_t>(x));
        else if constexpr (is_nest_literal<T>)
            add(x.value);
        else if constexpr (requires { typename T::array; })
            add_all(x.at);
        else if constexpr (requires { x.operands; })
            add_all(x.operands);
        else if constexpr (requires { x.reductions; }) {
            add(x.target);
            add_all(x.reductions);
            add(x.value);
        } else if constexpr (requires { x.body; })
            add(x.body);
        else if constexpr (requires { x.terms; }) {
            add(x.offset);
            add_all(x.terms);
        } else if constexpr (requires { x.factor; })
            add(x.factor);
        else if constexpr (requires { x.index; })
            add(x.index);
    }
    template <class... T>
    void add_all(std::tuple<T...> const& all)
    {
        std::apply([&](T const&... each) { (this->add(each), ...); }, all);
    }
};

template <class Declaration, class Signature = typename Declaration::signature>
class plain_function;

/// A function without captures for each program of a type: programs of one type differ in numbers
/// alone.
template <class Declaration, class... Args>
class plain_function<Declaration, void(Args...)> {
public:
    using type = void (*)(Args...);
    static constexpr std::size_t most = 16; ///< programs of one type that have a function

    /// The function that runs this program; null: there are `most` others of its type. Any thread.
    [[nodiscard]] static type of(Declaration const& program)
    {
        std::unique_ptr<Declaration> own;
        for (std::size_t i = 0; i < most; ++i) {
            Declaration const* held = slots[i].load(std::memory_order_acquire);
            if (held == nullptr) {
                if (!own) own = std::make_unique<Declaration>(program);
                if (slots[i].compare_exchange_strong(held, own.get())) held = own.release();
            }
            if (numbers_of(*held) == numbers_of(program)) return functions[i];
        }
        return nullptr;
    }

private:
    [[nodiscard]] static std::vector<std::uint64_t> numbers_of(Declaration const& program)
    {
        nest_numbers found;
        found.add_all(program.steps());
        return std::move(found.out);
    }
    template <std::size_t Slot>
    static void run(Args... args)
    {
        (*slots[Slot].load(std::memory_order_acquire))(args...);
    }

    // Programs stay: their functions have no end of life.
    static inline std::array<std::atomic<Declaration const*>, most> slots{};
    static constexpr std::array<type, most> functions =
        []<std::size_t... Slot>(std::index_sequence<Slot...>) {
            return std::array<type, most>{&run<Slot>...};
        }(std::make_index_sequence<most>{});
};

} // namespace attune::inline ATTUNE_ABI::detail

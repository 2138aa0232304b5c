// attune/declare/nest/plain_function.hpp - the plain nest of a program as a function with an address.
// SPDX-License-Identifier: MIT
// tested by declare/nest/evaluate.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/nest/declaration.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// A program that stays: functions have no end of life.
struct kept_program {
    std::vector<std::uint64_t> numbers;
    std::unique_ptr<std::byte[]> bytes; ///< of the declaration
};
using program_slot = std::atomic<kept_program const*>;

/// The slot of the program with these numbers, which it may get now; the number of slots: others
/// have them all. Any thread.
[[nodiscard]] inline std::size_t slot_of_program(std::span<program_slot> slots,
                                                 std::span<std::uint64_t const> numbers,
                                                 std::span<std::byte const> bytes)
{
    std::unique_ptr<kept_program> own;
    std::size_t i = 0;
    for (; i < slots.size(); ++i) {
        kept_program const* held = slots[i].load(std::memory_order_acquire);
        if (held == nullptr) {
            if (!own) {
                own = std::make_unique<kept_program>();
                own->numbers.assign(numbers.begin(), numbers.end());
                own->bytes.reset(new std::byte[bytes.size()]);
                std::memcpy(own->bytes.get(), bytes.data(), bytes.size());
            }
            if (slots[i].compare_exchange_strong(held, own.get())) held = own.release();
        }
        if (std::equal(held->numbers.begin(), held->numbers.end(), numbers.begin(), numbers.end()))
            break;
    }
    return i;
}

template <class Declaration, class Signature = typename Declaration::signature>
class plain_function;

/// A function without captures for each program of a type: programs of one type differ in numbers
/// alone.
template <class Declaration, class... Args>
class plain_function<Declaration, void(Args...)> {
public:
    using type = void (*)(Args...);
    /// Programs of one type that have a function.
    static constexpr std::size_t most = Declaration::number_count > 0 ? 16 : 1;

    /// The function that runs this program; null: there are `most` others of its type. Any thread.
    [[nodiscard]] static type of(Declaration const& program)
    {
        static_assert(std::is_trivially_copyable_v<Declaration>);
        auto const numbers = program.numbers();
        std::size_t const slot =
            slot_of_program(slots, {numbers.data(), Declaration::number_count},
                            {reinterpret_cast<std::byte const*>(&program), sizeof(Declaration)});
        return slot < most ? functions[slot] : nullptr;
    }

private:
    template <std::size_t Slot>
    static void run(Args... args)
    {
        void const* const held = slots[Slot].load(std::memory_order_acquire)->bytes.get();
        (*static_cast<Declaration const*>(held))(args...);
    }

    static inline std::array<program_slot, most> slots{};
    static constexpr std::array<type, most> functions =
        []<std::size_t... Slot>(std::index_sequence<Slot...>) {
            return std::array<type, most>{&run<Slot>...};
        }(std::make_index_sequence<most>{});
};

} // namespace attune::inline ATTUNE_ABI::detail

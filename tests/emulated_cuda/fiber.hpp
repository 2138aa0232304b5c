// tests/emulated_cuda/fiber.hpp - functions that can be left and gone on with: a device's threads.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

namespace attune_emulated {

/// Where a stopped function goes on.
struct fiber_place {
    void* at = nullptr;
};

/// Leaves the running function, which goes on at `left` later, and goes on at `to`.
void switch_fiber(fiber_place& left, fiber_place const& to);

/// Stacks, each with a guard page below. One that was given back last is handed out first, while it
/// is in the cache.
class stack_pool {
public:
    static constexpr std::size_t bytes = 64 * 1024;

    stack_pool() = default;
    ~stack_pool();
    stack_pool(stack_pool const&) = delete;
    stack_pool& operator=(stack_pool const&) = delete;

    /// @return  the end of a stack, aligned to 64 bytes; null: the machine has no more memory
    [[nodiscard]] std::byte* take();
    void give_back(std::byte* end) { free_.push_back(end); }

private:
    std::vector<std::byte*> free_;
    std::vector<std::byte*> chunks_;
};

/// A place from which `run` starts on a stack. `run` never returns; it switches away.
[[nodiscard]] fiber_place start_of(std::byte* stack_end, void (*run)());

} // namespace attune_emulated

// tests/emulated_cuda/fiber.cpp - switches stacks: by hand on x86-64, with ucontext elsewhere.
// SPDX-License-Identifier: MIT
#include <cstdint>
#include <cstring>
#include <sys/mman.h>

#include "fiber.hpp"
#if !defined(__x86_64__)
#include <ucontext.h>
#endif

namespace attune_emulated {
namespace {

constexpr std::size_t guard_bytes = 64 * 1024; // a multiple of every page size
constexpr std::size_t stacks_per_chunk = 64;
constexpr std::size_t stride = stack_pool::bytes + guard_bytes;

} // namespace

stack_pool::~stack_pool()
{
    for (std::byte* const chunk : chunks_)
        ::munmap(chunk, stride * stacks_per_chunk);
}

std::byte* stack_pool::take()
{
    if (free_.empty()) {
        void* const made = ::mmap(nullptr, stride * stacks_per_chunk, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (made == MAP_FAILED) return nullptr;
        auto* const chunk = static_cast<std::byte*>(made);
        chunks_.push_back(chunk);
        for (std::size_t i = stacks_per_chunk; i-- > 0;) {
            ::mprotect(chunk + i * stride, guard_bytes, PROT_NONE);
            free_.push_back(chunk + (i + 1) * stride);
        }
    }
    std::byte* const end = free_.back();
    free_.pop_back();
    return end;
}

#if defined(__x86_64__)

// What the System V ABI lets a called function keep: rbx, rbp, r12 to r15, the stack pointer.
asm(".text\n"
    ".type attune_emulated_switch, @function\n"
    "attune_emulated_switch:\n"
    "    pushq %rbp\n    pushq %rbx\n    pushq %r12\n    pushq %r13\n    pushq %r14\n    pushq "
    "%r15\n"
    "    movq %rsp, (%rdi)\n    movq %rsi, %rsp\n"
    "    popq %r15\n    popq %r14\n    popq %r13\n    popq %r12\n    popq %rbx\n    popq %rbp\n"
    "    ret\n"
    ".size attune_emulated_switch, . - attune_emulated_switch\n");
extern "C" void attune_emulated_switch(void** left, void* to);

void switch_fiber(fiber_place& left, fiber_place const& to)
{
    attune_emulated_switch(&left.at, to.at);
}

fiber_place start_of(std::byte* stack_end, void (*run)())
{
    // Six registers, the address of `run`, and a return address for it that is never used; `run`
    // finds the stack as after a call: 8 bytes below a multiple of 16.
    std::uintptr_t const frame[9] = {0, 0, 0, 0, 0, 0, reinterpret_cast<std::uintptr_t>(run), 0, 0};
    std::byte* const at = stack_end - 80;
    std::memcpy(at, frame, sizeof frame);
    return {at};
}

#else

void switch_fiber(fiber_place& left, fiber_place const& to)
{
    ucontext_t here;
    left.at = &here; // lives on the stack that is left, until it is gone on with
    ::swapcontext(&here, static_cast<ucontext_t*>(to.at));
}

fiber_place start_of(std::byte* stack_end, void (*run)())
{
    constexpr std::size_t taken = (sizeof(ucontext_t) + 63) / 64 * 64;
    auto* const made = new (stack_end - taken) ucontext_t;
    ::getcontext(made);
    made->uc_stack.ss_sp = stack_end - stack_pool::bytes;
    made->uc_stack.ss_size = stack_pool::bytes - taken;
    made->uc_link = nullptr;
    ::makecontext(made, run, 0);
    return {made};
}

#endif

} // namespace attune_emulated

// attune/tune/capture/captured_arguments.ipp - one mapping, in which each range begins in a page of its own.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/files/captured_call.hpp>
#include <attune/tune/capture/captured_arguments.hpp>

#include <cstring>
#include <string>
#include <sys/mman.h>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

struct captured_arguments::memory {
    captured_call call;
    std::byte* first = nullptr;
    std::size_t bytes = 0;
    std::vector<std::byte*> ranges{};

    explicit memory(captured_call of)
        : call(std::move(of))
    {
        constexpr std::size_t page = captured_range::page;
        std::vector<std::size_t> at;
        for (captured_range const& one : call.ranges) {
            at.push_back(bytes + one.place);
            bytes += (one.place + one.bytes + page) / page * page;
        }
        if (bytes == 0) return;
        void* const got =
            ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (got == MAP_FAILED)
            throw error("there is no memory for the arrays of the captured call, which take " +
                            std::to_string(bytes) + " bytes",
                        "kernel '" + call.kernel + "'", "replay it on a machine with more");
        first = static_cast<std::byte*>(got);
        for (std::size_t const offset : at)
            ranges.push_back(first + offset);
    }
    ~memory()
    {
        if (first != nullptr) ::munmap(first, bytes);
    }
    memory(memory const&) = delete;
    memory& operator=(memory const&) = delete;

    [[nodiscard]] std::byte* address(captured_array const& of) const noexcept
    {
        return of.range == captured_array::nowhere ? nullptr : ranges[of.range] + of.offset;
    }
};

ATTUNE_INLINE captured_arguments::captured_arguments(captured_call of)
{
    auto const made = std::make_shared<memory>(std::move(of));
    for (captured_argument const& one : made->call.arguments)
        for (std::size_t i = 0; i < one.targets.size(); ++i) {
            std::byte* const target = made->address(one.targets[i]);
            std::memcpy(made->address(*one.array) + i * sizeof(void*), &target, sizeof target);
        }
    memory_ = made;
}

ATTUNE_INLINE captured_call const& captured_arguments::call() const noexcept
{
    return memory_->call;
}

ATTUNE_INLINE std::byte* captured_arguments::address(captured_array const& of) const noexcept
{
    return memory_->address(of);
}

ATTUNE_INLINE void captured_arguments::refuse(std::size_t position) const
{
    throw error("argument " + std::to_string(position) +
                    " of the captured call has another size in this program",
                "kernel '" + call().kernel + "'", "capture the call again, with this program");
}

ATTUNE_INLINE given_arguments::array captured_arguments::array_at(std::size_t position,
                                                                  std::size_t element_bytes,
                                                                  std::size_t lengths) const
{
    if (position >= call().arguments.size()) refuse(position);
    captured_argument const& from = call().arguments[position];
    if (!from.array || from.array->lengths.size() != lengths) refuse(position);
    if (from.array->element_bytes != element_bytes) refuse(position);
    return {address(*from.array), from.array->lengths};
}

ATTUNE_INLINE std::byte const* captured_arguments::value_at(std::size_t position,
                                                            std::size_t bytes) const
{
    if (position >= call().arguments.size()) refuse(position);
    captured_argument const& from = call().arguments[position];
    if (from.array || from.value.size() != bytes) refuse(position);
    return reinterpret_cast<std::byte const*>(from.value.data());
}

} // namespace attune::inline ATTUNE_ABI::detail

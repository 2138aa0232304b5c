// attune/tune/capture/captured_arguments.hpp - a captured call in memory of its own.
// SPDX-License-Identifier: MIT
// tested by tune/capture/call_replay.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/tune/dispatch/call_watch.hpp>

#include <cstddef>
#include <memory>

namespace attune::inline ATTUNE_ABI::detail {

struct captured_call;
struct captured_array;

/// Memory for the arrays of a captured call, whose addresses modulo a page and whose overlaps are
/// those of the call. Arrays of pointers point to their targets; all else is zero.
class captured_arguments final : public given_arguments {
public:
    /// Errors   attune::error: there is no memory for it
    explicit captured_arguments(captured_call of);

    [[nodiscard]] captured_call const& call() const noexcept;
    [[nodiscard]] std::byte* address(captured_array const& of) const noexcept;

    [[nodiscard]] array array_at(std::size_t position, std::size_t element_bytes,
                                 std::size_t lengths) const override;
    [[nodiscard]] std::byte const* value_at(std::size_t position, std::size_t bytes) const override;
    [[noreturn]] void refuse(std::size_t position) const override;

private:
    struct memory;
    std::shared_ptr<memory const> memory_;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/capture/captured_arguments.ipp>
#endif

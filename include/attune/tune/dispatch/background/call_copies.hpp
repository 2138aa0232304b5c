// attune/tune/dispatch/background/call_copies.hpp - copies of calls, all of which together have a limit.
// SPDX-License-Identifier: MIT
//
// tested by tune/on_miss.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/tune/kernel/call_frame.hpp>
#include <attune/tune/kernel/owned_call.hpp>

#include <cstddef>
#include <memory>
#include <string>

namespace attune::inline ATTUNE_ABI::detail {

/// A copy of a call, or why there is none.
struct call_copy {
    std::shared_ptr<owned_call const> call{}; ///< null: refused
    /// For a notice; empty: there is no room now, but there may be later.
    std::string refusal{};
};

/// Any thread.
class call_copies {
public:
    /// @param most_bytes  of all copies: tuning_limits::copied_bytes
    explicit call_copies(std::size_t most_bytes);

    /// The room is given back with the copy, which may outlive this object.
    /// @pre  the frame is complete
    [[nodiscard]] call_copy make(call_frame const& frame) const;

private:
    struct room;
    struct copy;
    std::shared_ptr<room> room_;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/dispatch/background/call_copies.ipp>
#endif

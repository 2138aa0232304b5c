// attune/tune/kernel/keyed_call.hpp - a call as a dispatch_table takes it.
// SPDX-License-Identifier: MIT
// tested by tune/capture/call_replay.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/tune/kernel/call_frame.hpp>

#include <cstdint>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

struct keyed_call {
    std::vector<std::int64_t> shape{};
    std::vector<number> inputs{};
    call_frame frame{};
};

} // namespace attune::inline ATTUNE_ABI::detail

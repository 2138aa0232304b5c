// attune/measure/arrays/repeatable.hpp - may a run follow another one on the data that it left?
// SPDX-License-Identifier: MIT
//
// So it is where the writable buffers are outputs only; a kernel that updates its data must start
// from the same ones every time
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/arrays/buffer.hpp>
#include <attune/measure/arrays/content.hpp>
#include <attune/measure/arrays/snapshot.hpp>

#include <cstddef>
#include <functional>
#include <span>

namespace attune::inline ATTUNE_ABI {

/// Runs twice and compares. Leaves the buffers as these runs left them.
/// Errors   whatever `run` throws; bad_alloc
[[nodiscard]] inline bool is_repeatable(std::span<buffer const> buffers,
                                        std::function<void()> const& run)
{
    run();
    snapshot const once(buffers);
    run();
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        std::span<std::byte const> const saved = once.saved(i);
        if (!saved.empty() && !holds(buffers[i], saved)) return false;
    }
    return true;
}

} // namespace attune::inline ATTUNE_ABI

// attune/measure/arrays/repeatable.hpp - whether runs may follow one another without a restore.
// SPDX-License-Identifier: MIT
//
// They may when writable buffers are only outputs; a kernel that updates its data must start from
// the same contents every time.
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/arrays/buffer.hpp>
#include <attune/measure/arrays/content.hpp>
#include <attune/measure/arrays/snapshot.hpp>

#include <cstddef>
#include <functional>
#include <span>

namespace attune::inline ATTUNE_ABI::detail {

/// Runs twice and compares the results. The buffers keep the last results.
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

} // namespace attune::inline ATTUNE_ABI::detail

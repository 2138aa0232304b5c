// attune/core/posix/forever.ipp - the list of kept objects.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/posix/forever.hpp>
#include <attune/core/posix/fork_gate.hpp>
#include <attune/core/version.hpp>

#include <mutex>
#include <unordered_map>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

struct kept_objects {
    fork_safe_mutex lock{};
    std::unordered_map<void const*, std::shared_ptr<void const>> all{};

    [[nodiscard]] static kept_objects& get()
    {
        static auto* const made = new kept_objects; // never destroyed, reachable by leak checkers
        return *made;
    }
};

ATTUNE_INLINE void keep_forever(std::shared_ptr<void const> object)
{
    if (!object) return;
    kept_objects& kept = kept_objects::get();
    std::scoped_lock const one(kept.lock);
    void const* const at = object.get();
    kept.all.emplace(at, std::move(object));
}

} // namespace attune::inline ATTUNE_ABI::detail

// attune/tune/dispatch/served/installed_variant.ipp - code that serves calls.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/posix/forever.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/dispatch/served/installed_variant.hpp>

#include <mutex>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE installed_variant const* installed_variants::equal_to(callable const& code) const
{
    if (auto const at = by_address_.find(code.address); at != by_address_.end()) return at->second;
    if (code.object_key.empty()) return nullptr;
    auto const at = by_key_.find(code.object_key);
    return at != by_key_.end() ? at->second : nullptr;
}

ATTUNE_INLINE installed_variant const& installed_variants::install(callable code)
{
    auto const device = subject_.target();
    auto made = std::make_unique<installed_variant>();
    made->code = std::move(code);
    if (device) {
        made->on_device = device->load(made->code, subject_.kernel.name);
        keep_forever(made->code.code);
        std::scoped_lock<fork_safe_mutex> const here(lock_);
        return *all_.emplace_back(std::move(made));
    }
    installed_variant const* out = nullptr;
    {
        std::scoped_lock<fork_safe_mutex> const here(lock_);
        out = equal_to(made->code);
        if (out != nullptr) return *out; // `made` is unloaded after the lock
        out = all_.emplace_back(std::move(made)).get();
        by_address_.emplace(out->code.address, out);
        if (!out->code.object_key.empty()) by_key_.emplace(out->code.object_key, out);
    }
    keep_forever(out->code.code);
    return *out;
}

} // namespace attune::inline ATTUNE_ABI::detail

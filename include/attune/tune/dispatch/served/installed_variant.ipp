// attune/tune/dispatch/served/installed_variant.ipp - code that serves calls.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/posix/forever.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/dispatch/served/installed_variant.hpp>

#include <mutex>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE installed_variant const& installed_variants::install(callable code)
{
    auto made = std::make_unique<installed_variant>();
    made->code = std::move(code);
    keep_forever(made->code.code);
    if (auto const device = subject_.target())
        made->on_device = device->load(made->code, subject_.kernel.name);
    std::scoped_lock<fork_safe_mutex> const here(lock_);
    return *all_.emplace_back(std::move(made));
}

} // namespace attune::inline ATTUNE_ABI::detail

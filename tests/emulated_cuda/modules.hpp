// tests/emulated_cuda/modules.hpp - loaded kernels, and how many blocks of one fit.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>

#include "grid.hpp"
#include "image.hpp"
#include "machine.hpp"

namespace attune_emulated {

/// A module has one kernel.
struct emulated_function {
    kernel_code code{};
    object_resources takes{};
    int device = 0;
    int most_dynamic_bytes = 0; ///< 48 KiB less the static part; cuFuncSetAttribute raises it
    bool may_have_large_clusters = false;

    emulated_function() = default;
    ~emulated_function();
    emulated_function(emulated_function const&) = delete;
    emulated_function& operator=(emulated_function const&) = delete;
};

/// @return  null: there is no such function
[[nodiscard]] std::shared_ptr<emulated_function> function_of(void* handle);

/// Blocks of so many threads that are resident on one multiprocessor.
[[nodiscard]] int resident_blocks(emulated_function const& f, std::size_t threads,
                                  std::size_t dynamic_bytes);

} // namespace attune_emulated

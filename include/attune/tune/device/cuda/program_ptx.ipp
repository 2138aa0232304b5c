// attune/tune/device/cuda/program_ptx.ipp - finds the PTX of a kernel in the program.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/ahead/ahead.hpp>
#include <attune/compile/nvrtc/cubin.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/device/cuda/program_ptx.hpp>
#include <attune/tune/kernel/fallback.hpp>
#include <attune/tune/kernel/launch_declaration.hpp>

#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE found_on_device find_fallback_on_device(kernel_description const& kernel,
                                                      description const& bound, point const& at)
{
    if (!kernel.launch) return {{}, "the kernel does not say how a device launches it"};
    found_ptx found = find_ptx(wanted_of(kernel), kernel.signature);
    if (found.text.empty()) return {{}, std::move(found.reason)};
    device_variant made;
    made.code.image = std::move(found.text);
    made.code.entry = std::move(found.entry);
    made.code.architecture = found.architecture;
    made.launch = geometry_at(*kernel.launch, bound, at);
    // PTX does not state the shared bytes: assume the 48 KiB that a block has without opting in.
    if (made.launch.shared_bytes > 0) made.code.resources.static_shared_bytes = 48 * 1024;
    callable code = callable_of_device(std::move(made));
    code.compiler = code_of_the_program;
    return {std::move(code), {}};
}

} // namespace attune::inline ATTUNE_ABI::detail

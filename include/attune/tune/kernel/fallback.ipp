// attune/tune/kernel/fallback.ipp - asks the kernel first, then the functions compiled with the program.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/ahead/ahead.hpp>
#include <attune/compile/nvrtc/detail/nvrtc_outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/kernel/fallback.hpp>
#include <attune/tune/kernel/launch_declaration.hpp>

#include <utility>

namespace attune::inline ATTUNE_ABI {

namespace detail {

[[nodiscard]] inline wanted_ahead wanted_of(kernel_description const& kernel)
{
    wanted_ahead wanted{kernel.signature.function, kernel.type, kernel.source};
    // A parameter of the name alone, scale<TILE>, has its default in the declaration.
    for (parameter_description const& p : kernel.space.parameters)
        if (p.role == parameter_role::macro && p.default_text)
            wanted.macros.push_back(p.name + '=' + *p.default_text);
    return wanted;
}

} // namespace detail

ATTUNE_INLINE found_ahead find_fallback(kernel_description const& kernel)
{
    if (kernel.fallback != nullptr) return {kernel.fallback, {}};
    return find_ahead(detail::wanted_of(kernel));
}

ATTUNE_INLINE void* fallback_of(kernel_description const& kernel)
{
    return find_fallback(kernel).address;
}

ATTUNE_INLINE found_on_device find_fallback_on_device(kernel_description const& kernel,
                                                      description const& bound,
                                                      point const& at)
{
    if (!kernel.launch) return {{}, "the kernel does not say how a device launches it"};
    found_ptx found = find_ptx(detail::wanted_of(kernel), kernel.signature);
    if (found.text.empty()) return {{}, std::move(found.reason)};
    device_variant made;
    made.code.image = std::move(found.text);
    made.code.entry = std::move(found.entry);
    made.code.architecture = found.architecture;
    made.launch = geometry_at(*kernel.launch, bound, at);
    // PTX does not say what the driver will make of it: as much as a block has without asking.
    if (made.launch.shared_bytes > 0) made.code.resources.static_shared_bytes = 48 * 1024;
    callable code = detail::callable_of_device(std::move(made));
    code.compiler = code_of_the_program;
    return {std::move(code), {}};
}

} // namespace attune::inline ATTUNE_ABI

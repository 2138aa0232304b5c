// attune/tune/device/opencl/opencl_launch.hpp - declares a launch by OpenCL's global and local sizes.
// SPDX-License-Identifier: MIT
// tested by tune/device/opencl/opencl_device.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/expression/expression.hpp>
#include <attune/declare/expression/operators.hpp>

#include <cstddef>
#include <tuple>
#include <utility>

namespace attune::inline ATTUNE_ABI {

/// Work-items of a launch in x, y, z: integers, or expressions over parameters and inputs.
template <class... E>
struct global_size {
    std::tuple<E...> items;

    explicit constexpr global_size(E const&... of)
        : items(of...)
    {
    }
};

/// Work-items of a work-group.
template <class... E>
struct local_size {
    std::tuple<E...> items;

    explicit constexpr local_size(E const&... of)
        : items(of...)
    {
    }
};

namespace detail {

template <class Global, class Local>
[[nodiscard]] constexpr auto groups_for(Global const& all, Local const& group)
{
    if constexpr (symbolic<Global> || symbolic<Local>)
        return attune::ceil_div(all, group);
    else
        return (all + group - 1) / group;
}

} // namespace detail

/// Declares kernel.grid() and kernel.block(). Rounds the global size up to whole work-groups,
/// because OpenCL requires them: the kernel must compare its global id with the size, as in CUDA.
/// @return  the kernel
/// Example  attune::opencl_launch(kernel, attune::global_size(n, m), attune::local_size(x, y))
///              .shared_bytes(4 * x * y);
template <class Kernel, class... Global, class... Local>
Kernel& opencl_launch(Kernel& kernel, global_size<Global...> const& all,
                      local_size<Local...> const& group)
{
    constexpr bool same = sizeof...(Global) == sizeof...(Local);
    static_assert(same, "attune::opencl_launch(kernel, global, local): both sizes have as many "
                        "extents, one, two or three");
    if constexpr (same) {
        [&]<std::size_t... At>(std::index_sequence<At...>) {
            kernel.grid(detail::groups_for(std::get<At>(all.items), std::get<At>(group.items))...);
            kernel.block(std::get<At>(group.items)...);
        }(std::index_sequence_for<Global...>{});
    }
    return kernel;
}

} // namespace attune::inline ATTUNE_ABI

// attune/cuda/code.ipp - loads a kernel and sets its attributes.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/cuda/code.hpp>
#include <attune/cuda/driver.hpp>

#include <cstdint>

namespace attune::inline ATTUNE_ABI::detail::cuda {

/// Most shared bytes of a block without cuFuncSetAttribute. A cluster of more than eight blocks
/// would need another attribute; device_limits allows no such cluster.
inline constexpr std::int64_t shared_bytes_unasked = 48 * 1024;

ATTUNE_INLINE std::variant<loaded_code, failure>
loaded_code::load(std::shared_ptr<driver const> of, device_variant const& what, result* said)
{
    driver const& d = *of;
    auto const failed = [&](result got) {
        if (said != nullptr) *said = got;
        return got != success;
    };
    module loaded = nullptr;
    if (result const got = d.module_load_data(&loaded, what.code.image.c_str()); failed(got))
        return failure{
            failure_stage::load,
            (d.version > 0 ? "cuModuleLoadData: " : "the platform does not load the code: ") +
                text_of(d, got)};
    loaded_code out{std::move(of), loaded, what.launch};
    if (result const got = d.module_get_function(&out.function_, loaded, what.code.entry.c_str());
        failed(got))
        return failure{failure_stage::load,
                       "cuModuleGetFunction of " + what.code.entry + ": " + text_of(d, got)};
    if (result const got = out.set_attributes(what.code.resources); failed(got))
        return failure{failure_stage::launch, "cuFuncSetAttribute for " +
                                                  attune::text_of(what.launch) + ": " +
                                                  text_of(d, got)};
    if ((what.launch.has_clusters() || what.launch.is_cooperative) && d.launch_kernel_ex == nullptr)
        return failure{failure_stage::launch,
                       "this driver has no cuLaunchKernelEx, which clusters and cooperative "
                       "launches need"};
    return out;
}

ATTUNE_INLINE result loaded_code::set_attributes(code_resources const& takes) const
{
    if (launch_.shared_bytes + takes.static_shared_bytes <= shared_bytes_unasked) return success;
    return driver_->function_set_attribute(function_, of_function::dynamic_shared_bytes,
                                           static_cast<int>(launch_.shared_bytes));
}

ATTUNE_INLINE loaded_code::~loaded_code()
{
    if (module_ != nullptr) driver_->module_unload(module_);
}

ATTUNE_INLINE result loaded_code::launch(void** arguments, stream on) const noexcept
{
    auto const number = [](std::int64_t n) { return static_cast<unsigned>(n); };
    launch_geometry const& g = launch_;
    if (!g.has_clusters() && !g.is_cooperative)
        return driver_->launch_kernel(
            function_, number(g.grid[0]), number(g.grid[1]), number(g.grid[2]), number(g.block[0]),
            number(g.block[1]), number(g.block[2]), number(g.shared_bytes), on, arguments, nullptr);
    launch_attribute attributes[2];
    unsigned count = 0;
    if (g.has_clusters()) {
        attributes[count].id = of_launch::cluster;
        for (std::size_t i = 0; i < 3; ++i)
            attributes[count].value.cluster[i] = number(g.cluster[i]);
        ++count;
    }
    if (g.is_cooperative) {
        attributes[count].id = of_launch::cooperative;
        attributes[count].value.cooperative = 1;
        ++count;
    }
    launch_config const how{{number(g.grid[0]), number(g.grid[1]), number(g.grid[2])},
                            {number(g.block[0]), number(g.block[1]), number(g.block[2])},
                            number(g.shared_bytes),
                            on,
                            attributes,
                            count};
    return driver_->launch_kernel_ex(&how, function_, arguments, nullptr);
}

} // namespace attune::inline ATTUNE_ABI::detail::cuda

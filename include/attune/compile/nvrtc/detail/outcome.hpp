// attune/compile/nvrtc/detail/outcome.hpp - a failed run of NVRTC as a failure.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/detail/load_failure.hpp>
#include <attune/compile/nvrtc/cubin.hpp>
#include <attune/compile/nvrtc/detail/run.hpp>
#include <attune/compile/nvrtc/log.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/code.hpp>
#include <attune/cuda/limits.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

[[nodiscard]] inline std::string architecture_name(int architecture)
{
    return "sm_" + std::to_string(architecture);
}

/// The first plain flag that selects another architecture; empty when there is none. "sm_90a" and
/// "sm_90f" count as sm_90.
[[nodiscard]] inline std::string flag_of_other_architecture(std::vector<std::string> const& flags,
                                                            std::string const& architecture)
{
    for (std::string const& flag : flags)
        for (std::string_view const start : {"--gpu-architecture=", "-arch="})
            if (flag.starts_with(start)) {
                std::string const asked = flag.substr(start.size());
                if (asked != architecture && asked != architecture + 'a' &&
                    asked != architecture + 'f')
                    return flag;
            }
    return {};
}

/// The failure of a run. When static shared memory exceeds the limit, NVRTC reports no error, so
/// the numbers that ptxas printed are checked.
[[nodiscard]] inline failure nvrtc_failure(nvrtc_reply const& reply, char const* result,
                                           kernel_source const& kernel, compile_request const& v,
                                           device_limits const& limits)
{
    failure f = device_compile_failure(reply.log, result, kernel, v);
    std::string_view const sign = "Unresolved extern function '";
    if (std::size_t const at = reply.log.find(sign); at != reply.log.npos) {
        std::string const rest = reply.log.substr(at + sign.size());
        f.stage = failure_stage::load;
        f.reason = "undefined symbol: " + demangled(rest.substr(0, rest.find('\''))) +
                   " (a kernel for a device is compiled alone: define it in " + kernel.path +
                   " or in a header)";
        f.log = f.reason + '\n' + f.log;
        return f;
    }
    std::int64_t const shared = numbers_before(reply.log, " bytes smem");
    if (first_device_error(f.log).empty() && shared > limits.shared_bytes_per_block) {
        f.reason = "the kernel declares " + std::to_string(shared) +
                   " bytes of static shared memory, and a block on " + limits.name + " can have " +
                   std::to_string(limits.shared_bytes_per_block) +
                   "; more has to be dynamic (extern __shared__)";
        f.log = f.reason + '\n' + f.log;
    }
    return f;
}

} // namespace attune::inline ATTUNE_ABI::detail

// attune/compile/opencl/builder.hpp - one build of a program by the platform's compiler, here or in another process.
// SPDX-License-Identifier: MIT
// tested by compile/opencl.cpp
#pragma once

#include <attune/compile/opencl/arguments.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/code.hpp>
#include <attune/opencl/library.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

struct opencl_build_request {
    std::string text{};
    std::string options{};
    std::string entry{}; ///< the kernel
    bool wants_binary = true;
};

/// The library's answers, up to the first that is no success.
struct opencl_built {
    opencl::result of_build = opencl::success;
    std::string log{};
    opencl::result of_kernel = opencl::success;
    std::vector<defined_argument> arguments{};
    code_resources resources{};
    std::array<std::uint64_t, 3> declared_size{}; ///< reqd_work_group_size; 0, 0, 0: none
    std::string binary{};                         ///< empty unless it is wanted
};

/// Builds in this process and in this thread.
/// Errors   attune::error: the library takes no program
[[nodiscard]] opencl_built build_opencl(int ordinal, opencl_build_request const& what);

/// The reason why a build ended without an answer.
struct opencl_build_loss {
    bool is_late = false; ///< it took longer than the limit
    std::string how{};    ///< how the process of the compiler ended, if it is not late
    std::string log{};    ///< the output of that process
};

/// Builds in processes that end at the limit of a build. Several threads may use it.
class opencl_builder {
public:
    opencl_builder() = default;
    virtual ~opencl_builder() = default;
    opencl_builder(opencl_builder const&) = delete;
    opencl_builder& operator=(opencl_builder const&) = delete;

    /// Builds in this process, without a limit, if no other process can be started.
    /// @param limit_s  wall seconds
    [[nodiscard]] virtual std::variant<opencl_built, opencl_build_loss>
    build(opencl_build_request const& what, double limit_s) = 0;
};

/// Defined by tune/device/opencl/, which has the worker processes.
/// @param ordinal  of the device
[[nodiscard]] std::unique_ptr<opencl_builder> make_opencl_builder(int ordinal);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/compile/opencl/builder.ipp>
#endif

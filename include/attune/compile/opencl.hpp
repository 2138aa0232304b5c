// attune/compile/opencl.hpp - a compiler for OpenCL devices: that of their platform.
// SPDX-License-Identifier: MIT
// Source   Khronos OpenCL 3.0 specification
// Bench    bench/tune/opencl.cpp
#pragma once

#include <attune/compile/cache/object_cache.hpp>
#include <attune/compile/compiler.hpp>
#include <attune/compile/opencl_compiler.hpp>
#include <attune/compile/source/source.hpp>
#include <attune/core/version.hpp>
#include <attune/opencl/device.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// Options of opencl_compiler.
struct opencl_options {
    std::vector<std::string> flags{}; ///< build options: "-cl-fast-relaxed-math", "-cl-std=CL2.0"
    std::string platform{};           ///< part of a name, or a number; empty: any
    std::string device{};    ///< part of a name, or a number on the platform; empty: the first
    void* context = nullptr; ///< a cl_context of the program, whose device is used; null: attune's
    std::string library{};   ///< path of libOpenCL; empty: see opencl::open_library
    double limit_s = 60.0;   ///< wall seconds for one build, also for that at a first launch
    cache_options cache{};   ///< cache of binaries between runs
};

namespace detail {
class opencl_session;
} // namespace detail

/// The compiler of an OpenCL platform. Models `device_compiler`; cheap to copy; copies share one
/// state. The constructor opens nothing. A callable's address points to a `device_variant`.
///
/// A kernel file is OpenCL C and defines `kernel void NAME(...)` with a `global T*` (or `constant`)
/// for every array that the program declares; T may be a vector of its elements, as float4.
/// Parameters are macros. With kernel.shared_bytes() the kernel has one argument more than the
/// program declares, the last: a `local T*` with these bytes. A `read_only image2d_t` is declared
/// with attune::device_span<std::byte const>: see opencl_array. The launch is
/// kernel.grid(work-groups) and kernel.block(work-items of a work-group).
///
/// A kernel file may be a module in SPIR-V (its first four bytes state that), if the device takes
/// it with specialization constants. Parameters are then the constants with their names (OpName).
///
/// The resources of a variant are those of CL_KERNEL_WORK_GROUP_INFO: attune::static_shared_bytes
/// is the local memory, attune::stack_bytes the private memory, for kernel.require(...).
class opencl_compiler {
public:
    explicit opencl_compiler(opencl_options options = {});

    /// Loads the binary from the cache if the same text, flags and macros were built for this
    /// device and driver before, and all files that they include are unchanged.
    /// @return  also a failure if the device does not allow the launch (failure_stage::launch)
    /// Errors   attune::error: no library, no such platform or device
    [[nodiscard]] compile_result compile(kernel_source const& kernel,
                                         compile_request const& v) const;

    /// "opencl OpenCL 3.0 PoCL 3.1, cpu-haswell, driver 3.1 -cl-fast-relaxed-math".
    /// Errors   as compile()
    [[nodiscard]] std::string identity() const;

    /// The reason why no kernel can be compiled and run here, as one line. Empty if kernels can
    /// run. Throws only std::bad_alloc.
    [[nodiscard]] std::string missing() const;

    /// The device, equal for all copies.
    /// Errors   as compile()
    [[nodiscard]] opencl_target const& target() const;

    /// The cl_context and the default cl_command_queue of attune's calls on the device. A call on
    /// another queue names it by tuned.on(queue).
    /// Errors   as compile()
    [[nodiscard]] void* context() const;
    [[nodiscard]] void* queue() const;

    /// Loads the variant from the cache; empty if it is not there.
    /// Errors   as compile()
    [[nodiscard]] std::optional<callable> find_winner(kernel_source const& kernel,
                                                      compile_request const& v) const;
    /// Returns true if find_winner() will find the variant. Stores nothing: compile() has stored
    /// it.
    bool keep_winner(kernel_source const& kernel, compile_request const& v) const;

    /// The folder of the cache, and its hits and misses in this process.
    [[nodiscard]] cache_statistics statistics() const;

private:
    std::shared_ptr<detail::opencl_session> session_;
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/compile/opencl.ipp>
#endif

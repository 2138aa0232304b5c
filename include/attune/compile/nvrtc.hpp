// attune/compile/nvrtc.hpp - a compiler for CUDA devices: NVIDIA's runtime compiler.
// SPDX-License-Identifier: MIT
// Source   NVRTC user guide
// Bench    bench/compile/nvrtc.cpp
#pragma once

#include <attune/compile/cache/options.hpp>
#include <attune/compile/callable.hpp>
#include <attune/compile/cuda_compiler.hpp>
#include <attune/compile/nvrtc/options.hpp>
#include <attune/compile/source/compile_request.hpp>
#include <attune/compile/source/source.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/device.hpp>

#include <memory>
#include <optional>
#include <string>

namespace attune::inline ATTUNE_ABI {

namespace detail {
class nvrtc_session;
} // namespace detail

/// NVRTC. Models `device_compiler`; cheap to copy; copies share one state. The constructor opens
/// nothing. A callable's address points to a `device_variant`.
///
/// A kernel file defines one `__global__` function (C++, `extern "C"` or a template) with a `T*`
/// for every array that the program declares. `variant::function` names it as C++ does: "saxpy",
/// "linear::gemm" or "gemm<TILE_M, TILE_N>". Its parameters are macros. They are defined after the
/// leading directives that neither mention them nor include a file that does, so that the headers
/// before them are parsed once.
///
/// Files are searched for beside the kernel file (quoted includes only), in include_dirs in order,
/// and in the CUDA toolkit that contains the library, if any. Flags are NVRTC's
/// ("--use_fast_math", "--maxrregcount=64") in the order options, kernel, variant; the last of
/// several contradicting flags holds.
class nvrtc_compiler {
public:
    explicit nvrtc_compiler(nvrtc_options options = {});

    /// Loads the code from the cache when a variant with the same text, flags and macros was
    /// compiled for this architecture before and no file that it reads has changed.
    /// @return  also a failure when the device does not allow the launch (failure_stage::launch)
    /// Errors   attune::error: neither a device nor an architecture; no NVRTC (with the places that
    ///          were searched); the driver's major version is older than NVRTC's; NVRTC does not
    ///          support the architecture
    [[nodiscard]] compile_result compile(kernel_source const& kernel,
                                         compile_request const& v) const;

    /// "nvrtc 13.0 sm_90 --std=c++20".
    /// Errors   as compile()
    [[nodiscard]] std::string identity() const;

    /// One sentence when something is missing: a device, or precompiled headers; else empty.
    /// Errors  as compile()
    [[nodiscard]] std::string notice() const;

    /// Why no kernel can be compiled and run here, as one line (no NVRTC, no driver, no device,
    /// ...); empty when kernels can run. Throws nothing but std::bad_alloc.
    [[nodiscard]] std::string missing() const;

    /// The device or architecture that code is compiled for, equal for all copies. Needs no NVRTC.
    /// Errors   attune::error: neither a device nor an architecture
    [[nodiscard]] cuda_target const& target() const;

    /// Loads the variant from the cache; empty when it is not there.
    /// Errors   as compile()
    [[nodiscard]] std::optional<callable> find_winner(kernel_source const& kernel,
                                                      compile_request const& v) const;
    /// True when find_winner() will find the variant. Stores nothing: compile() has stored it.
    bool keep_winner(kernel_source const& kernel, compile_request const& v) const;

    /// The folder of the cache, and its hits and misses in this process.
    [[nodiscard]] cache_statistics statistics() const;
    /// How often this compiler and its copies parsed headers or reused parsed ones.
    [[nodiscard]] header_statistics headers() const;

private:
    std::shared_ptr<detail::nvrtc_session> session_;
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/compile/nvrtc.ipp>
#endif

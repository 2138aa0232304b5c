// attune/compile/nvrtc.hpp - a compiler for CUDA devices: NVIDIA's runtime compiler.
// SPDX-License-Identifier: MIT
// Source   NVRTC user guide
// Bench    bench/compile/nvrtc.cpp
#pragma once

#include <attune/compile/cache/object_cache.hpp>
#include <attune/compile/compiler.hpp>
#include <attune/compile/cuda_compiler.hpp>
#include <attune/compile/source/source.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/device.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

struct nvrtc_options {
    std::vector<std::string> flags{"--std=c++20"};
    int device = -1;      ///< ordinal; -1: device of the calling thread's context, else 0
    int architecture = 0; ///< 90: compile for sm_90 even without a device; 0: the device's
    bool precompile_headers = true; ///< parse the leading #include block once; since NVRTC 12.8
    std::string library{};          ///< path of libnvrtc; empty: see nvrtc::open_library
    std::string driver{};           ///< path of libcuda; empty: see cuda::open_driver
    double limit_s = 60.0;          ///< wall seconds for one variant; enforced since NVRTC 12.9
    cache_options cache{};          ///< cache of compiled code between runs
    bool keep_ptx = false;          ///< also fill device_code::ptx; such code bypasses the cache
};

/// Counts of leading #include blocks, in this process.
struct header_statistics {
    std::uint64_t created{}; ///< compilations that parsed and stored a block
    std::uint64_t reused{};  ///< compilations that reused a parsed block
    std::uint64_t failed{};  ///< blocks that NVRTC could not store; each compilation parses them
};

namespace detail {
class nvrtc_session;
} // namespace detail

/// NVRTC. Models `device_compiler`; cheap to copy; copies share one state. The constructor opens
/// nothing. A callable's address points to a `device_variant`.
///
/// A kernel file defines one `__global__` function (C++, `extern "C"` or a template) with a `T*`
/// for every array that the program declares. `variant::function` is its C++ name: "saxpy",
/// "linear::gemm" or "gemm<TILE_M, TILE_N>". Parameters are macros. NVRTC parses the leading
/// directives once; the macros follow them. The first directive that mentions a parameter, or
/// includes a file that mentions one, ends the leading directives.
///
/// The search for files: beside the kernel file (quoted includes only), in include_dirs in order,
/// and in the CUDA toolkit that contains the library, if any. Flags are NVRTC's ("--use_fast_math",
/// "--maxrregcount=64") in the order options, kernel, variant. The last of several contradicting
/// flags holds.
class nvrtc_compiler {
public:
    explicit nvrtc_compiler(nvrtc_options options = {});

    /// Loads the code from the cache if the same text, flags and macros were compiled for this
    /// architecture before, and all files read then are unchanged.
    /// @return  also a failure if the device does not allow the launch (failure_stage::launch)
    /// Errors   attune::error: neither a device nor an architecture; no NVRTC (with the places that
    ///          were searched); the driver's major version is older than NVRTC's; NVRTC does not
    ///          support the architecture
    [[nodiscard]] compile_result compile(kernel_source const& kernel,
                                         compile_request const& v) const;

    /// "nvrtc 13.0 sm_90 --std=c++20".
    /// Errors   as compile()
    [[nodiscard]] std::string identity() const;

    /// A sentence if a device or precompiled headers are missing; else empty.
    /// Errors  as compile()
    [[nodiscard]] std::string notice() const;

    /// The reason why no kernel can be compiled and run here, as one line (no NVRTC, no driver, no
    /// device, ...). Empty if kernels can run. Throws only std::bad_alloc.
    [[nodiscard]] std::string missing() const;

    /// The target device or architecture, equal for all copies. Needs no NVRTC.
    /// Errors   attune::error: neither a device nor an architecture
    [[nodiscard]] cuda_target const& target() const;

    /// Loads the variant from the cache; empty if it is not there.
    /// Errors   as compile()
    [[nodiscard]] std::optional<callable> find_winner(kernel_source const& kernel,
                                                      compile_request const& v) const;
    /// Returns true if find_winner() will find the variant. Stores nothing: compile() has stored
    /// it.
    bool keep_winner(kernel_source const& kernel, compile_request const& v) const;

    /// The folder of the cache, and its hits and misses in this process.
    [[nodiscard]] cache_statistics statistics() const;
    /// Number of times this compiler and its copies parsed headers or reused parsed ones.
    [[nodiscard]] header_statistics headers() const;

private:
    std::shared_ptr<detail::nvrtc_session> session_;
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/compile/nvrtc.ipp>
#endif

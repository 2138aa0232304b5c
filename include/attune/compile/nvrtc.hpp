// attune/compile/nvrtc.hpp - compiles a variant for a CUDA device, with NVIDIA's runtime compiler.
// SPDX-License-Identifier: MIT
// Source   NVRTC user guide
// Bench    bench/compile/nvrtc.cpp
#pragma once

#include <attune/compile/cache/options.hpp>
#include <attune/compile/callable.hpp>
#include <attune/compile/nvrtc/options.hpp>
#include <attune/compile/source/source.hpp>
#include <attune/compile/source/variant.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/device.hpp>

#include <memory>
#include <optional>
#include <string>

namespace attune::inline ATTUNE_ABI {

namespace detail {
class nvrtc_session;
} // namespace detail

/// NVRTC. Models `device_compiler`; cheap to copy; copies share one state. Nothing is opened before
/// the first call of a member function. The callable's address points to a `device_variant`.
///
/// A kernel file defines one `__global__` function, C++, `extern "C"` or a template, with a `T*`
/// for every array the program declares. `variant::function` names it as C++ does: "saxpy",
/// "linear::gemm" or "gemm<TILE_M, TILE_N>". Its parameters are macros; they are defined after the
/// leading directives that do not mention them, nor include a file that does, so that the
/// headers before are parsed once. Included are: in quotes, files beside the kernel file; then
/// include_dirs in order; then the CUDA toolkit's own headers, where the library lies in a toolkit.
/// Flags are NVRTC's ("--use_fast_math", "--maxrregcount=64"); of two that contradict each other
/// the later one holds: those of the options, then the kernel's, then the variant's.
class nvrtc_compiler {
public:
    explicit nvrtc_compiler(nvrtc_options options = {});

    /// Takes the code from the cache when a variant of the same text, flags and macros was compiled
    /// for this architecture before and no file that it reads has changed.
    /// @return  a failure also when the device does not allow the launch (failure_stage::launch)
    /// Errors   attune::error: neither a device nor an architecture; no NVRTC (with where it was
    ///          looked for); the driver is of an older major version than NVRTC; NVRTC does not
    ///          make code for the architecture
    [[nodiscard]] compile_result compile(kernel_source const& kernel,
                                         compile_request const& v) const;

    /// "nvrtc 13.0 sm_90 --std=c++20".  Errors  as compile()
    [[nodiscard]] std::string identity() const;

    /// One sentence when something is less than it could be: no device, no precompiled headers;
    /// else empty.  Errors  as compile()
    [[nodiscard]] std::string notice() const;

    /// Why no kernel can be compiled and run here, as one line: no NVRTC, no driver, no device,
    /// ...; empty where it can. Throws nothing but std::bad_alloc.
    [[nodiscard]] std::string missing() const;

    /// What is compiled for. The same for all copies. Needs no NVRTC.
    /// Errors   attune::error: neither a device nor an architecture
    [[nodiscard]] cuda_target const& target() const;

    /// The variant, when it is in the cache.  Errors  as compile()
    [[nodiscard]] std::optional<callable> find_winner(kernel_source const& kernel,
                                                      compile_request const& v) const;
    /// Whether find_winner() will find it: what was compiled is kept already.
    bool keep_winner(kernel_source const& kernel, compile_request const& v) const;

    /// Where the cache is, and how often it had what was compiled, in this process.
    [[nodiscard]] cache_statistics statistics() const;
    /// How often headers were parsed, and not parsed, by this compiler and its copies.
    [[nodiscard]] header_statistics headers() const;

private:
    std::shared_ptr<detail::nvrtc_session> session_;
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/compile/nvrtc.ipp>
#endif

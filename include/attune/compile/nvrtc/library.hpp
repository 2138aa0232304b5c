// attune/compile/nvrtc/library.hpp - NVIDIA's runtime compiler, opened at run time.
// SPDX-License-Identifier: MIT
// Source   NVRTC user guide; no CUDA header is needed
#pragma once

#include <attune/core/version.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail::nvrtc {

using result = int; ///< 0: success
using program = struct program_object*;

/// Results that attune handles.
enum : result {
    success = 0,
    invalid_option = 5,
    compilation_failed = 6,
    precompiled_nothing = 13, ///< NVRTC made no precompiled header
    cancelled = 16,
};

/// The functions that attune calls, named as in NVRTC's API without "nvrtc". Every pointer is set,
/// except optional ones that the library lacks.
struct library {
    char const* (*get_error_string)(result error);
    result (*get_version)(int* major, int* minor);
    result (*get_num_supported_archs)(int* count);
    result (*get_supported_archs)(int* architectures);

    result (*create_program)(program* out, char const* text, char const* name, int header_count,
                             char const* const* header_texts, char const* const* header_names);
    result (*destroy_program)(program* what);
    result (*add_name_expression)(program to, char const* expression);
    result (*compile_program)(program what, int option_count, char const* const* options);
    result (*get_lowered_name)(program of, char const* expression, char const** name);
    result (*get_cubin_size)(program of, std::size_t* bytes);
    result (*get_cubin)(program of, char* out);
    result (*get_ptx_size)(program of, std::size_t* bytes);
    result (*get_ptx)(program of, char* out);
    result (*get_program_log_size)(program of, std::size_t* bytes);
    result (*get_program_log)(program of, char* out);

    result (*get_pch_create_status)(program of); ///< optional: since 12.8
    /// Optional: since 12.9. The compiler calls `ask` from time to time; 1 cancels the compilation.
    result (*set_flow_callback)(program of, int (*ask)(void* own, void* unused), void* own);

    int major = 0;
    int minor = 0;
    std::vector<int> architectures{}; ///< supported ones, ascending: 75, 80, ...
    std::string path{};               ///< path of the library
    /// The include folders of the toolkit that contains the library (cuda_fp16.h, cuda/std/...);
    /// empty if the layout differs.
    std::vector<std::string> include_dirs{};

    [[nodiscard]] std::string version() const // "13.0"
    {
        return std::to_string(major) + '.' + std::to_string(minor);
    }
    [[nodiscard]] bool has_precompiled_headers() const noexcept
    {
        return get_pch_create_status != nullptr;
    }
    [[nodiscard]] bool makes_code_for(int architecture) const noexcept
    {
        for (int const known : architectures)
            if (known == architecture) return true;
        return false;
    }
};

/// Opens NVRTC and never closes it, because precompiled headers are valid only while it is open.
///
/// @param path        file name or path of libnvrtc. Empty: $ATTUNE_NVRTC, else libnvrtc.so.13,
///                    libnvrtc.so.12 and libnvrtc.so on the loader's path, else the library folders
///                    of $CUDA_PATH, $CUDA_HOME and /usr/local/cuda
/// @param most_major  the driver's major version; 0: no driver. A library of a later major version
///                    is refused: the driver may not load its code (CUDA compatibility guide)
/// Errors   attune::error: none found (with every place and the loader's message), all newer than
///          the driver, older than 12, a missing function
[[nodiscard]] std::shared_ptr<library const> open_library(std::string const& path = {},
                                                          int most_major = 0);

} // namespace attune::inline ATTUNE_ABI::detail::nvrtc

#ifdef ATTUNE_HEADER_ONLY
#include <attune/compile/nvrtc/library.ipp>
#endif

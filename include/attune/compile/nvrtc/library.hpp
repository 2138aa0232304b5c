// attune/compile/nvrtc/library.hpp - NVIDIA's runtime compiler, opened at run time.
// SPDX-License-Identifier: MIT
// Source   NVRTC user guide; no CUDA header is needed
#pragma once

#include <attune/core/version.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::nvrtc {

using result = int; ///< 0: success
using program = struct program_object*;

/// Results that attune tells apart.
enum : result {
    success = 0,
    invalid_option = 5,
    compilation_failed = 6,
    precompiled_nothing = 13, ///< no precompiled header was to be made, or was needed
    cancelled = 16,
};

/// The functions attune calls, by the names of NVRTC's API without "nvrtc". Every pointer is set,
/// but those that are named optional.
struct library {
    char const* (*get_error_string)(result error);
    result (*get_version)(int* major, int* minor);
    result (*get_num_supported_archs)(int* count);
    result (*get_supported_archs)(int* architectures);

    result (*create_program)(program* out,
                             char const* text,
                             char const* name,
                             int header_count,
                             char const* const* header_texts,
                             char const* const* header_names);
    result (*destroy_program)(program* what);
    result (*add_name_expression)(program to, char const* expression);
    result (*compile_program)(program what, int option_count, char const* const* options);
    result (*get_lowered_name)(program of, char const* expression, char const** name);
    result (*get_cubin_size)(program of, std::size_t* bytes);
    result (*get_cubin)(program of, char* out);
    result (*get_program_log_size)(program of, std::size_t* bytes);
    result (*get_program_log)(program of, char* out);

    result (*get_pch_create_status)(program of); ///< optional: since 12.8
    /// Optional: since 12.9. The compiler asks now and then; 1 makes it give up.
    result (*set_flow_callback)(program of, int (*ask)(void* own, void* unused), void* own);

    int major = 0;
    int minor = 0;
    std::vector<int> architectures{}; ///< that it makes code for, ascending: 75, 80, ...
    std::string path{};               ///< of the library
    /// The folders of the toolkit's own headers (cuda_fp16.h, cuda/std/...) beside the library;
    /// none where the layout is another one.
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

/// Opens NVRTC; keeps it open for the life of the process, since what it precompiled lives there.
///
/// @param path        of libnvrtc, a name or a path. Empty: $ATTUNE_NVRTC, else libnvrtc.so.13,
///                    libnvrtc.so.12 and libnvrtc.so on the loader's path, else in the library
///                    folders of $CUDA_PATH, $CUDA_HOME and the toolkit's usual folder
/// @param most_major  the driver's own major version, 0 when there is no driver: code of a toolkit
///                    of a later one is passed over, since that driver need not load it (CUDA
///                    compatibility guide: a toolkit runs on every driver of its major version or
///                    of a later one)
/// Errors   attune::error: none found (with every place and what the loader said), all are newer
///          than the driver, older than 12, a function missing
[[nodiscard]] std::shared_ptr<library const> open_library(std::string const& path = {},
                                                          int most_major = 0);

} // namespace attune::inline ATTUNE_ABI::nvrtc

#ifdef ATTUNE_HEADER_ONLY
#include <attune/compile/nvrtc/library.ipp>
#endif

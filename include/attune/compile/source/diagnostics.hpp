// attune/compile/source/diagnostics.hpp - finds the first error in a compiler's log.
// SPDX-License-Identifier: MIT
//
// The formats are those of g++, clang++, ld and lld
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>

#include <array>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// The first line that reports an error; otherwise the first line that is not empty.
[[nodiscard]] inline std::string first_error(std::string_view log)
{
    constexpr std::array<std::string_view, 6> signs{
        "error: ", "undefined reference to ", "undefined symbol: ",
        "Error: ", "cannot find -l",          "library not found: "};
    std::string_view fallback;
    while (!log.empty()) {
        std::size_t const end = log.find('\n');
        std::string_view line = log.substr(0, end);
        log = (end == std::string_view::npos) ? std::string_view{} : log.substr(end + 1);
        if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
        for (std::string_view const sign : signs)
            if (line.find(sign) != std::string_view::npos) return std::string(line);
        if (fallback.empty()) fallback = line;
    }
    return std::string(fallback);
}

/// "compiling kernel 'saxpy' took longer than 60 s, its limit; see nvrtc_options::limit_s".
/// @param options  the type that has the member limit_s
[[nodiscard]] inline std::string took_too_long(std::string const& kernel, double limit_s,
                                               std::string const& options)
{
    std::array<char, 32> seconds{};
    auto const end = std::to_chars(seconds.data(), seconds.data() + seconds.size(), limit_s).ptr;
    return "compiling kernel '" + kernel + "' took longer than " +
           std::string(seconds.data(), end) + " s, its limit; see " + options + "::limit_s";
}

/// Returns true for headers of the compiler, not of the C++ library.
[[nodiscard]] inline bool is_builtin_header(std::string_view name)
{
    constexpr std::array<std::string_view, 12> names{
        "stddef.h",    "stdarg.h",    "stdbool.h",   "stdint.h",    "float.h",    "limits.h",
        "immintrin.h", "x86intrin.h", "emmintrin.h", "xmmintrin.h", "arm_neon.h", "mm_malloc.h"};
    for (std::string_view const candidate : names)
        if (candidate == name) return true;
    return false;
}

/// The header that Clang's or GCC's message reports as missing; empty if there is none.
[[nodiscard]] inline std::string_view missing_header(std::string_view reason)
{
    constexpr std::string_view error = "fatal error: ";
    std::size_t const begin = reason.find(error);
    if (begin == std::string_view::npos) return {};
    std::string_view name = reason.substr(begin + error.size());
    if (name.starts_with('\'')) { // 'omp.h' file not found
        name.remove_prefix(1);
        std::size_t const end = name.find("' file not found");
        return end == std::string_view::npos ? std::string_view{} : name.substr(0, end);
    }
    std::size_t const end = name.find(": No such file or directory"); // omp.h: No such ...
    return end == std::string_view::npos ? std::string_view{} : name.substr(0, end);
}

/// Debian's package of a header; empty if unknown.
[[nodiscard]] inline std::string_view package_of_header(std::string_view name)
{
    struct known_header {
        std::string_view begin;
        std::string_view package;
    };
    constexpr std::array<known_header, 7> known{{{"Eigen/", "libeigen3-dev"},
                                                 {"boost/", "libboost-dev"},
                                                 {"cblas.h", "libopenblas-dev"},
                                                 {"fftw3.h", "libfftw3-dev"},
                                                 {"lapacke.h", "liblapacke-dev"},
                                                 {"mpi.h", "libopenmpi-dev"},
                                                 {"tbb/", "libtbb-dev"}}};
    for (known_header const& one : known)
        if (name.starts_with(one.begin)) return one.package;
    return {};
}

/// Advice on a missing header; empty for other errors.
/// @param clang_major  version of the Clang that reported it; 0: another compiler
[[nodiscard]] inline std::string missing_header_advice(std::string_view reason, int clang_major)
{
    std::string_view const name = missing_header(reason);
    if (name.empty()) return {};
    std::string const clang = std::to_string(clang_major);
    if (name == "omp.h")
        return clang_major == 0
                   ? "OpenMP's header comes with the compiler: with g++ reinstall it, with clang++ "
                     "install its libomp, Debian: apt install libomp-dev"
                   : "install OpenMP for clang, Debian: apt install libomp-" + clang + "-dev";
    if (is_builtin_header(name))
        return clang_major == 0
                   ? "reinstall the compiler"
                   : "install libclang-common-" + clang + "-dev, which holds clang's own headers";
    if (name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789") == std::string_view::npos)
        return "install the C++ standard library's headers (libstdc++-12-dev or later)";
    if (std::string_view const package = package_of_header(name); !package.empty())
        return "Debian: apt install " + std::string(package) +
               "; elsewhere name its folder in kernel_source::include_dirs";
    return "install what brings it (Debian: apt-file search " + std::string(name) +
           "), or name its folder in kernel_source::include_dirs";
}

[[nodiscard]] inline failure compile_failure(std::string log, int clang_major = 0)
{
    failure f{failure_stage::compile, first_error(log), {}};
    if (f.reason.empty()) f.reason = "the compiler failed without a message";
    std::string const advice = missing_header_advice(f.reason, clang_major);
    if (!advice.empty()) f.reason += " (" + advice + ')';
    f.log = std::move(log);
    return f;
}

} // namespace attune::inline ATTUNE_ABI::detail

// attune/compile/clang.hpp - a compiler in the process: Clang and LLVM's ORC.
// SPDX-License-Identifier: MIT
#pragma once

#ifdef ATTUNE_OFF
#include <attune/off/tuned.hpp>
#else
#include <attune/compile/cache/object_cache.hpp>
#include <attune/compile/compiler.hpp>
#include <attune/compile/source/source.hpp>
#include <attune/compile/system.hpp>
#include <attune/core/version.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI {

struct clang_options {
    std::vector<std::string> flags{"-O3", "-march=native", "-std=c++20"};
    std::string module{};           ///< path of libattune_clang.so; empty: see clang_compiler
    bool precompile_headers = true; ///< parse the kernel's leading #include block once
    /// Run Clang in a separate process. In this process, endless parsing can hang the program, and
    /// a crash of the compiler ends the program: see clang_compiler.
    bool separate_process = true;
    double limit_s = 60.0;   ///< wall seconds for one variant; a variant that takes longer fails
    bool fallback = true;    ///< without the module, compile with `system`
    system_options system{}; ///< flags, limit, cache and debug folder are those of this structure
    cache_options cache{};   ///< cache of compiled code between runs
    /// Not empty: each variant is loaded from a shared object with debug information in this
    /// folder, named after its macros. gdb and perf then find functions and lines. The code is the
    /// same. Needs `ld` or `ld.lld`; without them the variant is only in memory.
    std::string debug_folder{};
};

/// Clang as a library. Models `compiler`; cheap to copy; copies share one session. The code equals
/// that of `clang++ -fPIC` with the same flags, byte for byte. The constructor opens nothing. The
/// first compilation, or loading of an object, opens the module. identity() and find_winner() open
/// it only if the cache lacks the module's facts.
///
/// The search for the module, in this order: options.module; $ATTUNE_CLANG_MODULE; the folder of
/// the program or library that holds attune; its run path, which the CMake target attune::clang
/// sets; the loader's other folders.
///
/// Clang parses and optimises in the compile server: the module's own file as a program. The server
/// starts with the first variant and ends with this program. A variant fails if it crashes the
/// compiler, exceeds the time limit, or needs more than half of the free memory or 4 GB. If no
/// process starts, or options.separate_process is false, Clang runs in this process on a thread
/// with a separate stack. The time limit is then checked between the passes of the optimiser, and
/// where Clang begins to instantiate a template of the kernel. Constant expressions and macros do
/// not check the limit, so do not raise -fconstexpr-steps then. Nothing limits memory, and a crash
/// of the compiler ends the program. Objects are always linked in this process.
///
/// A kernel may have static and thread_local objects, and throw. A kernel may call functions that
/// the program exports, and functions of shared libraries in the flags -l and -L. The libraries
/// stay open (RTLD_LOCAL).
///
/// LLVM's JITLink links objects in the process. `ld` or `ld.lld` links an object with thread_local
/// variables, or with symbols of archives of the compiler and the C library (atexit(),
/// target_clones, __builtin_cpu_supports). The system's loader then opens the object, which takes
/// longer. Without `ld` and `ld.lld` the variant fails with a sentence about the linker. With
/// libgcc older than 13, `ld` or `ld.lld` also links an object through which an exception may pass,
/// because code of JITLink could hang a child of fork(). Without `ld` and `ld.lld`, JITLink loads
/// that object. Code that started threads stays in memory until the threads have ended.
class clang_compiler {
public:
    explicit clang_compiler(clang_options options = {});

    /// Loads the object from the cache if the same text, flags and macros were compiled before. All
    /// files and places that a compilation would read or search must be unchanged. object_key
    /// covers the relocatable object and the libraries that it calls.
    /// Errors   attune::error: there is neither a module nor a fallback compiler
    [[nodiscard]] compile_result compile(kernel_source const& kernel,
                                         compile_request const& v) const;

    /// "clang 19.1.7 -O3 -march=native -std=c++20 cpu=znver4 features=0123456789abcdef". Without a
    /// module and a fallback compiler, the result is the identity of the last module in the cache,
    /// and code in the cache stays usable; notice() reports this.
    /// Errors   as compile()
    [[nodiscard]] std::string identity() const;

    /// A sentence if another compiler replaces an unusable module; else empty.
    /// Errors   as compile()
    [[nodiscard]] std::string notice() const;

    /// Loads the variant from a shared object that keep_winner() made in this or an earlier
    /// process, without Clang and LLVM. Empty if there is none, or if a file has changed.
    /// Errors   as compile()
    [[nodiscard]] std::optional<callable> find_winner(kernel_source const& kernel,
                                                      compile_request const& v) const;

    /// Makes a shared object of a compiled variant for find_winner(), by one run of the linker.
    /// @return  false if it is not kept: the cache is off or has lost the object, no linker
    bool keep_winner(kernel_source const& kernel, compile_request const& v) const;

    /// The quantities of compiled code for kernel.require(...). Does not open the module. If g++
    /// replaces the module, a variant has code_bytes only, and a requirement on another quantity
    /// refuses each variant.
    [[nodiscard]] std::vector<std::string_view> code_quantities() const
    {
        return {"code_bytes", "stack_bytes", "spills", "vector_instructions"};
    }

    /// The folder of the cache, and its hits and misses in this process.
    [[nodiscard]] cache_statistics statistics() const;

private:
    struct state;
    std::shared_ptr<state> state_;
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/compile/clang.ipp>
#endif
#endif // ATTUNE_OFF

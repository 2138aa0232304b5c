// attune/compile/clang.hpp - a compiler in the process: Clang and LLVM's ORC.
// SPDX-License-Identifier: MIT
#pragma once

#ifdef ATTUNE_OFF
#include <attune/off/tuned.hpp>
#else
#include <attune/compile/cache/object_cache.hpp>
#include <attune/compile/callable.hpp>
#include <attune/compile/source/compile_request.hpp>
#include <attune/compile/source/source.hpp>
#include <attune/compile/system.hpp>
#include <attune/core/version.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// Options of clang_compiler.
struct clang_options {
    std::vector<std::string> flags{"-O3", "-march=native", "-std=c++20"};
    std::string module{};           ///< path of libattune_clang.so; empty: see clang_compiler
    bool precompile_headers = true; ///< parse the kernel's leading #include block once
    bool separate_process = true;   ///< run Clang in a process of its own: see clang_compiler
    double limit_s = 60.0;   ///< wall seconds for one variant; a variant that takes longer fails
    bool fallback = true;    ///< without the module, compile with `system`
    system_options system{}; ///< flags, limit, cache and debug folder are those of this structure
    cache_options cache{};   ///< where compiled code is kept between runs
    /// Not empty: each variant is loaded from a shared object with debug information in this
    /// folder, named after its macros, so that gdb and perf find functions and lines. The code is
    /// the same. Needs `ld` or `ld.lld`; without them the variant is only in memory.
    std::string debug_folder{};
};

/// Clang as a library. Models `compiler`; cheap to copy; copies share one session. The code equals
/// that of `clang++ -fPIC` with the same flags, byte for byte. The constructor opens nothing; the
/// module is opened when something must be compiled or loaded from an object. When the cache has
/// the module's facts, identity() and find_winner() do not open it.
///
/// The module is searched for in this order: options.module; $ATTUNE_CLANG_MODULE; the folder of
/// the program or library that holds attune; its run path, which the CMake target attune::clang
/// sets; the loader's other folders.
///
/// Clang parses and optimises in the compile server: the module's own file as a program, which
/// starts with the first variant and ends with this program. A variant that crashes the compiler,
/// exceeds the time limit, or needs more than half of the free memory or 4 GB, fails; the program
/// goes on. If no process can be started, or options.separate_process is false, Clang runs in this
/// process on a thread with a stack of its own: then the time limit is checked between the passes
/// of the optimiser, and a crash of the compiler ends the program. Objects are always linked in
/// this process.
///
/// A kernel may have static and thread_local objects, throw, and call what the program exports and
/// what the shared libraries of its flags -l and -L define. Those libraries stay open (RTLD_LOCAL).
///
/// LLVM's JITLink links objects in the process. An object with thread_local variables, or with a
/// symbol that only archives of the compiler and the C library have (atexit(), target_clones,
/// __builtin_cpu_supports), is linked by `ld` or `ld.lld` and opened by the system's loader, which
/// takes longer. Without a linker the variant fails with a sentence that says so. Where libgcc is
/// older than 13, an object through which an exception may pass is linked so, too, because code of
/// JITLink can then hang a child of fork(); without a linker JITLink loads it all the same. Code
/// that started threads stays in memory until they have ended.
class clang_compiler {
public:
    explicit clang_compiler(clang_options options = {});

    /// Loads the object from the cache when a variant with the same text, flags and macros was
    /// compiled before and nothing that a compilation would read or look for has changed.
    /// object_key is that of the relocatable object and the libraries that it calls.
    /// Errors   attune::error: there is neither a module nor a fallback compiler
    [[nodiscard]] compile_result compile(kernel_source const& kernel,
                                         compile_request const& v) const;

    /// "clang 19.1.7 -O3 -march=native -std=c++20 cpu=znver4 features=0123456789abcdef". Without a
    /// module and a fallback compiler, the identity of the last module in the cache, whose code can
    /// still be found; notice() tells it.
    /// Errors   as compile()
    [[nodiscard]] std::string identity() const;

    /// One sentence when the module cannot be used and another compiler replaces it; else empty.
    /// Errors   as compile()
    [[nodiscard]] std::string notice() const;

    /// Loads the variant from a shared object that keep_winner() made in this or an earlier
    /// process, without Clang and LLVM. Empty when there is none, or when a file has changed.
    /// Errors   as compile()
    [[nodiscard]] std::optional<callable> find_winner(kernel_source const& kernel,
                                                      compile_request const& v) const;

    /// Makes a shared object of a compiled variant for find_winner(), by one run of the linker.
    /// @return  false when it is not kept: the cache is off or has lost the object, no linker
    bool keep_winner(kernel_source const& kernel, compile_request const& v) const;

    /// The quantities for kernel.require(...) that it gives of compiled code. The module is not
    /// opened for it: where g++ replaces the module, code_bytes alone is known of a variant, and
    /// each is refused for the others.
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

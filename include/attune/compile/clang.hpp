// attune/compile/clang.hpp - compiles a variant inside the process, with Clang and LLVM's ORC.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/cache/object_cache.hpp>
#include <attune/compile/callable.hpp>
#include <attune/compile/source/source.hpp>
#include <attune/compile/source/variant.hpp>
#include <attune/compile/system.hpp>
#include <attune/core/version.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// How clang_compiler compiles.
struct clang_options {
    std::vector<std::string> flags{"-O3", "-march=native", "-std=c++20"};
    std::string module{};           ///< path of libattune_clang.so; empty: look for it
    bool precompile_headers = true; ///< parse the kernel's leading #include block once
    double limit_s = 60.0;   ///< wall seconds for one variant; past it the variant is a failure
    bool fallback = true;    ///< without the module, compile with `system` instead
    system_options system{}; ///< its flags, limit and cache are those of this structure
    cache_options cache{};   ///< where compiled code is kept between runs
    /// Not empty: each variant becomes a shared object with debug information in this folder, named
    /// after its macros, and stays there, so that gdb and perf find functions and lines. The code
    /// is the same. Needs `ld` or `ld.lld`; without them the variant is only in memory.
    std::string debug_folder{};
};

/// Clang as a library. Models `compiler`; cheap to copy; copies share one session. The code is what
/// `clang++ -fPIC` with the same flags makes, byte for byte. Nothing is opened before the first
/// call of a member function, and the module not before something must be compiled or loaded from
/// an object: while the cache knows the module, identity() and find_winner() do without it.
///
/// The module is looked for in this order: options.module; the environment variable
/// ATTUNE_CLANG_MODULE; beside the program or library that holds attune; its run path, which the
/// CMake target attune::clang sets; the loader's other folders.
/// The time limit is looked at between the passes of the optimiser; parsing is not interrupted.
/// A kernel may have static and thread_local objects, throw, and call what the program exports and
/// what the shared libraries of its flags -l and -L define; those are opened with RTLD_LOCAL, and
/// stay open.
class clang_compiler {
public:
    explicit clang_compiler(clang_options options = {});

    /// Loads the object from the cache when a variant of the same text, flags and macros was
    /// compiled before and no file that it read has changed. object_key is that of the relocatable
    /// object. Errors   attune::error when there is neither a module nor a compiler to fall back to
    [[nodiscard]] compile_result compile(kernel_source const& kernel,
                                         compile_request const& v) const;

    /// "clang 19.1.7 -O3 -march=native -std=c++20 cpu=znver4 features=0123456789abcdef".
    /// Without a module and a compiler, that of the latest one that the cache knows: what it made
    /// is found there, and notice() says so.  Errors  as compile()
    [[nodiscard]] std::string identity() const;

    /// One sentence when another compiler serves because the module could not be used; else empty.
    /// Errors   as compile()
    [[nodiscard]] std::string notice() const;

    /// The variant as a shared object that keep_winner() made, in this process or in an earlier
    /// one: it is loaded without Clang and LLVM. Nothing when there is none, or a file has changed.
    /// Errors   as compile()
    [[nodiscard]] std::optional<callable> find_winner(kernel_source const& kernel,
                                                      compile_request const& v) const;

    /// Makes a shared object of a variant that was compiled, for find_winner(). Takes one run of
    /// the system's linker.
    /// @return  false when there is none: the cache is off or has lost the object, no linker
    bool keep_winner(kernel_source const& kernel, compile_request const& v) const;

    /// Where the cache is, and how often it had what was compiled, in this process.
    [[nodiscard]] cache_statistics statistics() const;

private:
    struct state;
    std::shared_ptr<state> state_;
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/compile/clang.ipp>
#endif

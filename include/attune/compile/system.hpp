// attune/compile/system.hpp - a compiler that runs the machine's C++ compiler and dlopen.
// SPDX-License-Identifier: MIT
#pragma once

#ifdef ATTUNE_OFF
#include <attune/off/tuned.hpp>
#else
#include <attune/compile/cache/object_cache.hpp>
#include <attune/compile/compiler.hpp>
#include <attune/compile/source/source.hpp>
#include <attune/core/version.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI {

struct system_options {
    std::string command = "c++"; ///< g++ or clang++, by name or path
    std::vector<std::string> flags{"-O3", "-march=native", "-std=c++20"};
    double limit_s = 60.0; ///< wall seconds for one variant; a variant that takes longer fails
    cache_options cache{}; ///< cache of compiled code between runs; unused with debug_folder
    /// Not empty: shared objects with debug information stay in this folder, named after the
    /// variant's macros. gdb and perf then find functions and lines.
    std::string debug_folder{};
};

/// Runs `c++ -shared -fPIC` on the kernel and loads the result with dlopen. Models `compiler`;
/// cheap to copy; copies share one state. The kernel's own symbols are hidden: a kernel file in the
/// program may have the same names.
///
/// Feature of clang_compiler                      Here
/// kernels from files, texts and the program      yes
/// templates, C linkage, checked signature        yes
/// macros, flags of kernel and variant            yes; any flag, `-mllvm` included. The cache keeps
///                                                nothing with flags of profiles, modules, plugins
///                                                or other toolchains
/// include folders, changed headers               yes; headers are read for every variant
/// static and thread_local objects, exceptions    yes
/// symbols of the program (link it -rdynamic)     yes
/// an undefined symbol is a failure with its name yes
/// libraries of -l and -L                         yes, archives too
/// OpenMP                                         the compiler's library. GCC's hangs in a forked
///                                                child after the parent has used it: a trial there
///                                                ends at its time limit
/// libm, vector mathematics                       yes; g++ needs only -ffast-math
/// debug_folder                                   yes
/// headers parsed once, kept on disk              no: 2 to 6 times the time per variant
/// object cache, find_winner, keep_winner         yes; every shared object can be a winner
/// object_key without names                       partly: exported names count
class system_compiler {
public:
    explicit system_compiler(system_options options = {});

    /// Loads the shared object from the cache if the same text, flags and macros were compiled
    /// before. All files and places that a compilation would read or search must be unchanged.
    /// Errors   attune::error: the command does not exist, no temporary folder can be made, or the
    ///          system executes no code of debug_folder
    [[nodiscard]] compile_result compile(kernel_source const& kernel,
                                         compile_request const& v) const;

    /// "g++ (Debian 12.2.0-14) 12.2.0 -O3 ... cpu=... target=<hash of the effect of -march>". Runs
    /// the command and its programs once, and again if one of them has changed. If the command no
    /// longer exists, the result is the last identity in the cache, and code in the cache stays
    /// usable.
    /// Errors   attune::error: the command does not exist and the cache has no identity
    [[nodiscard]] std::string identity() const;

    /// The quantities of compiled code for kernel.require(...): code_bytes, and stack_bytes if the
    /// command is Clang's or does not exist.
    [[nodiscard]] std::vector<std::string_view> code_quantities() const;

    /// Returns true if identity() has a result: the command exists, or the cache has its identity.
    [[nodiscard]] bool was_used() const;

    /// The reason why this compiler is unusable, in one sentence; empty if it is usable. Runs
    /// nothing.
    [[nodiscard]] std::string missing() const;

    /// Loads the variant from the cache; empty if it is not there.
    /// Errors   as identity()
    [[nodiscard]] std::optional<callable> find_winner(kernel_source const& kernel,
                                                      compile_request const& v) const;
    /// Returns true if find_winner() will find the variant. Stores nothing: compile() has stored
    /// it.
    bool keep_winner(kernel_source const& kernel, compile_request const& v) const;

    /// The folder of the cache, and its hits and misses in this process.
    [[nodiscard]] cache_statistics statistics() const;

private:
    struct state;
    std::shared_ptr<state> state_;
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/compile/system.ipp>
#endif
#endif // ATTUNE_OFF

// attune/compile/system.hpp - compiles a variant with the machine's own compiler and dlopen.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/cache/object_cache.hpp>
#include <attune/compile/callable.hpp>
#include <attune/compile/source/source.hpp>
#include <attune/compile/source/variant.hpp>
#include <attune/core/version.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// How system_compiler compiles.
struct system_options {
    std::string command = "c++"; ///< g++ or clang++, by name or path
    std::vector<std::string> flags{"-O3", "-march=native", "-std=c++20"};
    double limit_s = 60.0; ///< wall seconds for one variant; past it the variant is a failure
    cache_options cache{}; ///< where compiled code is kept between runs; not with debug_folder
    /// Not empty: with debug information; the shared objects go to this folder, named after the
    /// variant's macros, and stay there, so that gdb and perf find functions and lines.
    std::string debug_folder{};
};

/// Runs `c++ -shared -fPIC` on the kernel and loads the result with dlopen. Models `compiler`;
/// cheap to copy; copies share what they know. The kernel's own symbols are hidden, so that a
/// kernel file that is compiled into the program too is not mistaken for the variant.
///
/// What clang_compiler has                        here
/// kernels from files, texts and the program      the same
/// templates, C linkage, checked signature        the same
/// macros, flags of kernel and variant            the same; any flag, `-mllvm` included
/// include folders, changed headers               the same: read anew for every variant
/// static and thread_local objects, exceptions    the same
/// symbols of the program (link it -rdynamic)     the same
/// undefined symbol is a failure that names it    the same
/// libraries of -l and -L                         the same, archives too
/// OpenMP                                         the library of this compiler. GCC's cannot run in
///                                                a forked child once the parent has used it: there
///                                                a trial run ends at its time limit
/// libm, vector mathematics                       the same; g++ needs no flag but -ffast-math
/// debug_folder                                   the same
/// headers parsed once, kept on disk              none: twice to six times the time per variant
/// object cache, find_winner, keep_winner         the same; a shared object is a winner as it is
/// object_key without names                       not quite: the names it exports count
class system_compiler {
public:
    explicit system_compiler(system_options options = {});

    /// Loads the shared object from the cache when a variant of the same text, flags and macros was
    /// compiled before and no file that it read has changed.
    /// Errors   attune::error when the command does not exist, no temporary folder can be made, or
    ///          code in that folder may not be executed
    [[nodiscard]] compile_result compile(kernel_source const& kernel,
                                         compile_request const& v) const;

    /// "g++ (Debian 12.2.0-14) 12.2.0 -O3 ... cpu=... target=<hash of what -march gives>". Runs the
    /// command once; where that has gone, it is the latest one that the cache knows, and what that
    /// made is found.  Errors  attune::error when it does not exist and never did
    [[nodiscard]] std::string identity() const;

    /// Whether identity() is known: the command exists, or the cache has code that it compiled.
    [[nodiscard]] bool was_used() const;

    /// Why this compiler cannot be used, as one sentence; empty when it can. Runs nothing.
    [[nodiscard]] std::string missing() const;

    /// The variant, when it is in the cache.  Errors  as identity()
    [[nodiscard]] std::optional<callable> find_winner(kernel_source const& kernel,
                                                      compile_request const& v) const;
    /// Whether find_winner() will find it: what was compiled is kept already.
    bool keep_winner(kernel_source const& kernel, compile_request const& v) const;

    /// Where the cache is, and how often it had what was compiled, in this process.
    [[nodiscard]] cache_statistics statistics() const;

private:
    struct state;
    std::shared_ptr<state> state_;
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/compile/system.ipp>
#endif

// attune/compile/system.hpp - compiles a variant with the machine's own compiler and dlopen.
// SPDX-License-Identifier: MIT
//
// Stage    declare -> space -> search -> [compile] -> measure -> remember
// In       kernel source and one variant
// Out      a callable in this process, or a failure
// Source   own
// Depends  std only; POSIX in the .ipp
// Tests    tests/compile/system.cpp, laws in tests/laws/compiler.hpp
#pragma once

#include <attune/compile/callable.hpp>
#include <attune/compile/source.hpp>
#include <attune/compile/variant.hpp>

#include <memory>
#include <string>
#include <vector>

namespace attune {

/// How system_compiler compiles.
struct system_options {
    std::string command = "c++"; ///< g++ or clang++, by name or path
    std::vector<std::string> flags{"-O3", "-march=native", "-std=c++20"};
    double limit_s = 60.0; ///< wall seconds for one variant; past it the variant is a failure
};

/// Runs `c++ -shared -fPIC` on the kernel and loads the result with dlopen. Models `compiler`;
/// cheap to copy; copies share what they know. Symbols of the program (linked with -rdynamic) and
/// of its libraries can be called from a kernel. The kernel's own symbols are hidden, so that a
/// kernel file that is compiled into the program too is not mistaken for the variant.
class system_compiler {
public:
    explicit system_compiler(system_options options = {});

    /// object_key is the content hash of the whole shared object: it is made without build id,
    /// and temporary paths in it are replaced, so that equal code gives an equal file.
    /// Errors   attune::error when the command does not exist, no temporary folder can be made, or
    ///          code in that folder may not be executed
    [[nodiscard]] compile_result compile(kernel_source const& kernel, variant const& v) const;

    /// "g++ (Debian 12.2.0-14) 12.2.0 -O3 ... cpu=... target=<hash of what -march gives>". Runs the
    /// command once.  Errors  attune::error when it does not exist
    [[nodiscard]] std::string identity() const;

    /// Why this compiler cannot be used, as one sentence; empty when it can. Runs nothing.
    [[nodiscard]] std::string unavailable() const;

private:
    struct state;
    std::shared_ptr<state> state_;
};

} // namespace attune

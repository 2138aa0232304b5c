// bench/support/variant_cost.hpp - what the code of one variant costs, in process and by a compiler that is spawned.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/clang.hpp>
#include <attune/compile/source/entry.hpp>
#include <attune/compile/system/process.hpp>

#include <ctime>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <variant>
#include <vector>

namespace bench {

/// Processor seconds of this process.
[[nodiscard]] inline double own_seconds()
{
    std::timespec t{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// Of its children that have ended.
[[nodiscard]] inline double children_seconds()
{
    rusage used{};
    ::getrusage(RUSAGE_CHILDREN, &used);
    return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

/// Processor seconds from text to code that can be called.
/// Errors   std::runtime_error: it does not compile
[[nodiscard]] inline double in_process_s(attune::clang_compiler const& compiler,
                                         attune::kernel_source const& kernel,
                                         attune::compile_request const& v)
{
    double const begin = own_seconds();
    attune::compile_result const made = compiler.compile(kernel, v);
    double const elapsed = own_seconds() - begin;
    if (auto const* const failed = std::get_if<attune::failure>(&made))
        throw std::runtime_error(failed->reason);
    return elapsed;
}

/// Processor seconds of what system_compiler runs, from the same text to a shared object.
/// Errors   std::runtime_error: it does not compile
[[nodiscard]] inline double spawned_s(std::string const& command,
                                      attune::kernel_source const& kernel,
                                      attune::compile_request const& v,
                                      attune::detail::temporary_folder const& folder)
{
    std::string const source = folder.write("kernel.cpp", attune::translation_unit(kernel, v));
    (void)folder.write("overlay/attune/tunable.hpp", attune::detail::tunable_overlay);
    std::vector<std::string> arguments{command};
    for (std::string const& flag : attune::clang_options{}.flags)
        arguments.push_back(flag);
    for (std::string const& flag : attune::macro_flags(v))
        arguments.push_back(flag);
    arguments.insert(arguments.end(), {"-I" + folder.path() + "/overlay", "-shared", "-fPIC", "-o",
                                       folder.path() + "/variant.so", source});
    double const begin = children_seconds();
    attune::detail::process_result const run = attune::detail::run_process(arguments, 60);
    double const elapsed = children_seconds() - begin;
    if (!run.succeeded()) throw std::runtime_error(run.output);
    return elapsed;
}

} // namespace bench

// attune/unit/clang.hpp - the Clang module, which is one translation unit.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/clang/detail/module.hpp>
#include <attune/core/number_text.ipp>
#include <attune/core/own_float_environment.ipp>
#include <attune/core/posix/descriptor.ipp>
#include <attune/core/posix/machine_figures.ipp>
#include <attune/core/posix/spawn.ipp>

/// The module, started as a program, is the compile server.
__attribute__((visibility("hidden"))) int main(int count, char** arguments)
{
    using namespace attune::detail;
    if (!has_native_target()) return 1;
    return server_main(count, arguments, greeting_of(processor_text()), clang_executable());
}

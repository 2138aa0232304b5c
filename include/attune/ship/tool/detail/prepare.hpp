// attune/ship/tool/detail/prepare.hpp - attune prepare: winners compiled for processors that are not here.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/ship/prepare.hpp>
#include <attune/ship/tool/command.hpp>
#include <attune/ship/tool/detail/selection.hpp>

#include <filesystem>
#include <ostream>
#include <string>

namespace attune::inline ATTUNE_ABI::detail::tool {

[[nodiscard]] inline int run_prepare(words const& given, console& on)
{
    prepare_request request{.store = given.plain[0], .kernel_file = given.plain[1]};
    request.kernel = given.value("--kernel").value_or("");
    request.folder = given.value("--output").value_or("prepared");
    request.levels = given.values("--level");
    request.command = given.value("--compiler").value_or("c++");
    for (std::string const& folder : given.values("--include"))
        request.include_dirs.push_back(std::filesystem::absolute(folder).string());
    for (std::string const& said : prepare(request))
        on.err << "attune: prepare: " << printable(said) << '\n';
    on.out << "attune::prepared_compiler{\"" << printable(request.folder)
           << "\"}   // in the program, with the store\n";
    return done;
}

[[nodiscard]] inline command prepare_command()
{
    return {
        .name = "prepare",
        .usage = "STORE KERNEL_FILE [options]",
        .what =
            "Compiles winners for processors that are not here, for a machine without a compiler.",
        .options =
            {{"--output", "FOLDER", "where the code is written; else prepared", 'o'},
             {"--kernel", "NAME", "where the store has several kernels of the file"},
             {"--level", "NAME",
              "an instruction set to compile for: base, x86-64-v2, x86-64-v3, x86-64-v4; may "
              "be repeated"},
             {"--compiler", "COMMAND", "which; one for another machine, too; else c++"},
             {"--include", "DIR", "where the kernel's headers are; may be repeated"}},
        .more =
            "  attune prepare sgemm.attune sgemm.kernel.cpp --level x86-64-v2 --level x86-64-v4 -o "
            "code\n"
            "  attune prepare sgemm.attune sgemm.kernel.cpp --compiler aarch64-linux-gnu-g++ -o "
            "code\n\n"
            "The program is shipped with the store and the folder, and calls\n"
            "attune::tuned{kernel, attune::prepared_compiler{\"code\"}, "
            "attune::shipped{\"sgemm.attune\"},\n"
            "{.on_miss = attune::miss_policy::lookup_only}}. There a winner is predicted, not "
            "measured: it\n"
            "serves once it was verified beside the default. The kernel file is as it was tuned.\n",
        .least = 2,
        .most = 2,
        .run = run_prepare,
    };
}

} // namespace attune::inline ATTUNE_ABI::detail::tool

// attune/ship/tool/detail/bake.hpp - attune bake, attune prepare: what a release that starts tuned needs.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/shown_text.hpp>
#include <attune/core/version.hpp>
#include <attune/ship/bake.hpp>
#include <attune/ship/bake/build_proofs.hpp>
#include <attune/ship/detail/cpp_text.hpp>
#include <attune/ship/prepared_compiler.hpp>
#include <attune/ship/tool/command.hpp>
#include <attune/ship/tool/detail/problems.hpp>

#include <filesystem>
#include <ostream>
#include <string>

namespace attune::inline ATTUNE_ABI::detail::tool {

/// A name for files and symbols: "sgemm_kernel" for "src/sgemm.kernel.cpp".
[[nodiscard]] inline std::string stem_of(std::string const& kernel_file, std::string const& kernel)
{
    std::string const all =
        std::filesystem::path(kernel_file).stem().string() + (kernel.empty() ? "" : '_' + kernel);
    std::string out;
    for (char const c : identifier_of(all)) // two underscores are reserved
        if (c != '_' || (!out.empty() && out.back() != '_')) out += c;
    while (!out.empty() && out.back() == '_')
        out.pop_back();
    return out.empty() ? "kernel" : out;
}

[[nodiscard]] inline int run_bake(words const& given, console& on)
{
    bake_request request{.store = given.plain[0]};
    if (given.plain.size() > 1) request.kernel_file = given.plain[1];
    request.kernel = given.value("--kernel").value_or("");
    request.folder = given.value("--output").value_or("baked");
    request.levels = given.values("--level");
    for (std::string const& folder : given.values("--include"))
        request.include_dirs.push_back(std::filesystem::absolute(folder).string());
    request.stem =
        stem_of(request.kernel_file.empty() ? request.store : request.kernel_file, request.kernel);
    request.writes_script = true;
    for (std::string const& architecture : given.values("--sm"))
        request.architectures.push_back(architecture_in("sm_" + architecture));
    request.is_unverified = given.has("--unverified");
#ifdef __x86_64__
    if (request.levels.empty() && request.architectures.empty())
        request.levels = {"base", "x86-64-v3", "x86-64-v4"};
#elif defined(__aarch64__)
    if (request.levels.empty() && request.architectures.empty())
        request.levels = {"base", "armv8.2-a+fp16", "armv8.2-a+sve"};
#endif
    std::string table;
    for (std::string const& said : bake(request, &table))
        on.err << "attune: bake: " << printable(said) << '\n';
    on.err << shown_lines(table);
    std::string const script = request.folder + '/' + request.stem + ".sh";
    on.out << "CXX=c++ CXXFLAGS=\"$(pkg-config --cflags attune)\" sh " << printable(script)
           << "   # makes lib" << request.stem << ".a of what was written to "
           << printable(request.folder) << '\n';
    return done;
}

inline constexpr option level_option{
    "--level", "NAME",
    "an instruction set to compile for: base, x86-64-v2, x86-64-v3, x86-64-v4, armv8.1-a, "
    "armv8.2-a+fp16, armv8.2-a+sve, armv9-a; may be repeated"};

[[nodiscard]] inline command bake_command()
{
    return {
        .name = "bake",
        .usage = "STORE [KERNEL_FILE] [options]",
        .what = "Writes the best configurations as sources of a release that needs no tuner.",
        .options =
            {{"--output", "FOLDER", "where they are written; else baked", 'o'},
             {"--kernel", "NAME",
              "where the store has several kernels of the file, or several without a file"},
             level_option,
             {"--sm", "N",
              "an architecture of NVIDIA's devices, such as 90, instead of instruction sets; may "
              "be "
              "repeated"},
             {"--unverified", "", "with --sm: what was predicted serves, though it never ran"},
             {"--include", "DIR", "where the kernel's own headers are; may be repeated"}},
        .more =
            "  attune bake sgemm.attune sgemm.kernel.cpp -o baked\n"
            "  CXX=g++ CXXFLAGS=\"$(pkg-config --cflags attune)\" sh baked/sgemm_kernel.sh\n"
            "  g++ -std=c++20 $(pkg-config --cflags attune) main.cpp baked/libsgemm_kernel.a\n"
            "  attune bake gemm.attune gemm.kernel.cu --sm 80 --sm 90      for GPUs, by NVRTC\n\n"
            "The script compiles, with ld.bfd, objcopy, nm and objdump; main.cpp calls the kernel "
            "by\n"
            "<attune/ship/baked.hpp>. With CMake, attune_bake() does all of it, and can verify "
            "what\n"
            "it compiles. Here code serves what the store proves: calls like those of the "
            "tuning, and\n"
            "instruction sets up to that of its processor. The kernel file is as it was tuned; of\n"
            "attune::nest and attune::generated_source there is none: the store has their text. "
            "Who\n"
            "wrote the store decides what that is: bake stores of people whom you trust.\n",
        .least = 1,
        .most = 2,
        .run = run_bake,
    };
}

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
        .options = {{"--output", "FOLDER", "where the code is written; else prepared", 'o'},
                    {"--kernel", "NAME", "where the store has several kernels of the file"},
                    level_option,
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

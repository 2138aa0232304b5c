// attune/ship/prepare.ipp - compiles each winner for each instruction set, writes all or none.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/source/diagnostics.hpp>
#include <attune/compile/source/entry.hpp>
#include <attune/compile/source/source.hpp>
#include <attune/compile/system/process.hpp>
#include <attune/core/error.hpp>
#include <attune/core/posix/replace_file.hpp>
#include <attune/core/version.hpp>
#include <attune/ship/bake.hpp>
#include <attune/ship/bake/bake_plan.hpp>
#include <attune/ship/detail/machine_flags.hpp>
#include <attune/ship/prepare.hpp>
#include <attune/ship/prepared_compiler.hpp>

#include <algorithm>
#include <filesystem>
#include <optional>

namespace attune::inline ATTUNE_ABI::detail {

/// The first line of the compiler's version output.
[[nodiscard]] inline std::string version_of(std::string const& command)
{
    if (find_program(command).empty())
        throw error("the compiler was not found", command, "install it, or name another one");
    std::string out = run_process({command, "--version"}, 60).output;
    return out.substr(0, out.find('\n'));
}

/// Leaves out flags such as -mprefer-vector-width=512, which other machines do not have.
inline void leave_out_foreign_flags(std::vector<std::string>& flags, std::string const& machine)
{
    std::erase_if(flags, [&](std::string const& one) { return is_foreign_flag(one, machine); });
}

/// The shared object; empty, with the compiler's log, on a failure.
[[nodiscard]] inline std::optional<std::string>
prepared_object(prepare_request const& request, kernel_source const& kernel,
                compile_request const& v, std::string const& level, std::string& log)
{
    temporary_folder const folder;
    std::string const unit = folder.write("kernel.cpp", prepared_text(kernel, v.function));
    static_cast<void>(folder.write("overlay/attune/tunable.hpp", tunable_overlay));
    static_cast<void>(folder.write("overlay/attune/matrix_view.hpp", matrix_view_overlay));
    std::vector<std::string> command{request.command, "-O3", "-std=c++20"};
    auto const append = [&](std::vector<std::string> const& more) {
        command.insert(command.end(), more.begin(), more.end());
    };
    append(kernel.flags);
    append(v.flags);
    append(macro_flags(v));
    append({variant_flag, "-I" + folder.path() + "/overlay", "-iquote",
            std::filesystem::path(kernel.path).parent_path().string()});
    for (std::string const& dir : kernel.include_dirs)
        command.push_back("-I" + dir);
    if (level != "base") command.push_back("-march=" + level);
    std::string const object = folder.path() + "/variant.so";
    append({"-w", "-shared", "-fPIC", "-fvisibility=hidden", "-fdiagnostics-color=never",
            "-ffile-prefix-map=" + folder.path() + "=.", "-Wl,--build-id=none",
            "-Wl,-Bsymbolic-functions", "-o", object, "-x", "c++", unit});
    process_result run = run_process(command, request.limit_s, folder.path());
    log = run.timed_out
              ? "it took longer than " + std::to_string(static_cast<long>(request.limit_s)) + " s"
              : first_error(run.output);
    std::optional<std::string> bytes = bytes_of_file(object);
    if (!run.succeeded() || !bytes || machine_of_object(*bytes).empty()) return {};
    return bytes;
}

ATTUNE_INLINE std::vector<std::string> prepare(prepare_request const& request)
{
    std::vector<std::string> const levels = checked_levels(request.levels);
    kernel_source source = source_file(std::filesystem::absolute(request.kernel_file).string());
    source.include_dirs = request.include_dirs;
    bake_plan const plan = plan_of(text_of_store(request.store), request.store, std::move(source),
                                   {.kernel = request.kernel});
    std::string const by = version_of(request.command);
    std::string target = run_process({request.command, "-dumpmachine"}, 60).output;
    target.resize(std::min(target.find_first_of("-\n"), target.size()));
    kernel_source built = plan.source;
    leave_out_foreign_flags(built.flags, target);
    std::vector<compile_request> all{plan.default_code};
    for (planned_variant const& one : plan.variants)
        all.push_back(one.code);
    std::vector<std::string> said = plan.notices;
    std::vector<file_content> files;
    for (std::string const& level : levels) {
        std::size_t made = 0;
        std::string machine;
        std::string why;
        for (std::size_t i = 0; i < all.size(); ++i) {
            std::string log;
            compile_request wanted = all[i];
            leave_out_foreign_flags(wanted.flags, target);
            auto bytes = prepared_object(request, built, wanted, level, log);
            if (!bytes) {
                if (why.empty()) why = log;
                said.push_back(plan.kernel + ": " +
                               (i == 0 ? plan.default_text : plan.variants[i - 1].text()) +
                               " is not compiled for " + level + ": " + log);
                continue;
            }
            ++made;
            machine = machine_of_object(*bytes);
            files.push_back({request.folder + '/' +
                                 prepared_name(prepared_key(plan.source, all[i]), machine, level),
                             std::move(*bytes)});
        }
        if (made == 0)
            throw error("the compiler cannot compile the kernel for " + level,
                        request.command + ": " + why,
                        "name a compiler for such processors, or another instruction set");
        said.push_back(plan.kernel + ": " + std::to_string(made) + " configurations for " +
                       machine + ' ' + level + ", by " + by);
        files.push_back({request.folder + '/' + prepared_by_name(machine), by + '\n'});
    }
    std::error_code failed;
    bool const is_new = std::filesystem::create_directories(request.folder, failed);
    if (failed)
        throw error("a folder cannot be made: " + failed.message(), request.folder,
                    "name another one, or see to the permissions of the folder that it is in");
    try {
        replace_files(files);
    } catch (...) {
        if (is_new) std::filesystem::remove(request.folder, failed); // it is empty
        throw;
    }
    return said;
}

} // namespace attune::inline ATTUNE_ABI::detail

// attune/ship/bake.ipp - reads a store, plans, and writes all files or none.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/source/source.hpp>
#include <attune/core/error.hpp>
#include <attune/core/fixed_string.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/posix/descriptor.hpp>
#include <attune/core/posix/replace_file.hpp>
#include <attune/core/shown_text.hpp>
#include <attune/core/version.hpp>
#include <attune/ship/bake.hpp>
#include <attune/ship/bake/bake_plan.hpp>
#include <attune/ship/bake/bake_text.hpp>
#include <attune/ship/bake/build_proofs.hpp>
#include <attune/ship/bake/device_images.hpp>
#include <attune/ship/bake/opencl_images.hpp>
#include <attune/ship/baked/instruction_level.hpp>
#include <attune/ship/prepared_compiler.hpp>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE std::vector<std::string> checked_levels(std::vector<std::string> const& levels)
{
    std::string known;
    for (std::string_view const name : instruction_level_names)
        known += (known.empty() ? "" : ", ") + std::string(name);
    for (std::string const& level : levels)
        if (std::find(instruction_level_names.begin(), instruction_level_names.end(), level) ==
            instruction_level_names.end())
            throw error("there is no instruction set of this name", level, "use one of " + known);
    std::vector<std::string> out;
    for (std::string_view const name : instruction_level_names)
        if (std::find(levels.begin(), levels.end(), name) != levels.end()) out.emplace_back(name);
    if (out.empty()) out.emplace_back(instruction_level_names.front());
    std::string_view const of_last = architecture_of_level(instruction_level_in(out.back()));
    for (std::string const& level : out) {
        std::string_view const of = architecture_of_level(instruction_level_in(level));
        if (!of.empty() && of != of_last)
            throw error("the instruction sets are of two architectures",
                        level + " of " + std::string(of) + ", " + out.back() + " of " +
                            std::string(of_last),
                        "make one release for each architecture");
    }
    return out;
}

/// The release's machine: the given one, else that of the levels, else that of this program.
/// @param levels  see checked_levels()
[[nodiscard]] inline std::string machine_of_release(std::string const& given,
                                                    std::vector<std::string> const& levels)
{
    std::string_view const of = architecture_of_level(instruction_level_in(levels.back()));
    if (!given.empty() && !of.empty() && of != architecture_of_machine(given))
        throw error("the release's machine does not have this instruction set",
                    levels.back() + " of " + std::string(of) + ", for " + given,
                    "leave out the machine, or use the instruction sets of its architecture");
    if (!given.empty()) return given;
    return of.empty() ? machine_of_program() : of == "x86" ? "x86_64" : "aarch64";
}

ATTUNE_INLINE std::string text_of_store(std::string const& path)
{
    std::error_code failed;
    bool const is_file = std::filesystem::is_regular_file(path, failed);
    std::ifstream in(is_file ? path : std::string(), std::ios::binary);
    if (!is_file || !in)
        throw error("the store cannot be read", path, "name the file that the program wrote");
    return {std::istreambuf_iterator<char>(in), {}};
}

inline void say_who_may_write(bake_plan& plan, std::string const& path)
{
    checked_file const store = open_checked(path, O_RDONLY);
    std::string why = store.file ? other_writer_of(store.file.get(), path) : std::string();
    if (why.empty()) why = store.replaced_by_other;
    if (!why.empty())
        plan.notices.push_back(path + ": another user may write it, and so what is baked: " + why);
}

/// A rule for make: `made` depends on each file of the kernel.
[[nodiscard]] inline std::string dependencies_text(std::string const& made,
                                                   kernel_source const& kernel)
{
    auto const escaped = [](std::string const& path) {
        std::string out;
        for (char const c : path) {
            if (c == ' ' || c == '#' || c == '\\') out += '\\';
            if (c == '$') out += '$';
            out += c;
        }
        return out;
    };
    std::string out = escaped(made) + ':';
    for (source_part const& part : source_parts(kernel))
        if (!part.path.empty()) // a generated kernel has none
            out += " \\\n " + escaped(part.path);
    return out + '\n';
}

/// Flags that name an instruction set are already left out.
inline void leave_out_foreign_flags(bake_plan& plan, std::string const& machine)
{
    auto const is_foreign = [&](std::string const& flag) {
        if (!is_foreign_flag(flag, machine)) return false;
        plan.notices.push_back(plan.kernel + ": " + flag + " is for " +
                               std::string(architecture_of_flag(flag)) + ", and left out for " +
                               machine);
        return true;
    };
    std::erase_if(plan.source.flags, is_foreign);
    for (planned_variant& one : plan.variants)
        std::erase_if(one.code.flags, is_foreign);
}

/// Another compiler does not have Clang's own flags. Some have an argument.
inline void leave_out_flags_of_clang(bake_plan& plan, std::string const& compiler)
{
    if (!compiler.starts_with("GNU")) return;
    std::string said;
    auto const keep_others = [&](std::vector<std::string>& flags) {
        std::vector<std::string> kept;
        for (std::size_t i = 0; i < flags.size(); ++i) {
            std::string const& flag = flags[i];
            bool const has_argument = flag == "-mllvm" || flag == "-Xclang";
            bool const is_own = flag.starts_with("-Rpass") || flag == "-fvectorize" ||
                                flag == "-fno-vectorize" || flag == "-fslp-vectorize" ||
                                flag == "-fno-slp-vectorize";
            if (!has_argument && !is_own) {
                kept.push_back(flag);
                continue;
            }
            std::string text = flag;
            if (has_argument && i + 1 < flags.size()) text += ' ' + flags[++i];
            if ((' ' + said + ',').find(' ' + text + ',') == std::string::npos)
                said += (said.empty() ? "" : ", ") + text;
        }
        flags = std::move(kept);
    };
    keep_others(plan.source.flags);
    for (planned_variant& one : plan.variants)
        keep_others(one.code.flags);
    if (!said.empty())
        plan.notices.push_back(plan.kernel + ": left out for " + compiler +
                               ", because they are Clang's: " + said);
}

/// "clang 19" of "clang 19.1.7 -O3 -march=native" and of "Clang 19.1.7".
[[nodiscard]] inline std::string compiler_and_release(std::string const& identity)
{
    std::string const out = in_small_letters(identity.substr(0, identity.find('.')));
    return out.starts_with("gnu ") ? "gcc" + out.substr(3) : out;
}

[[nodiscard]] inline bool has_content(file_content const& file)
{
    std::error_code failed;
    std::ifstream in(file.path, std::ios::binary);
    return std::filesystem::is_regular_file(file.path, failed) && in &&
           std::string(std::istreambuf_iterator<char>(in), {}) == file.text;
}

/// Writes all files or none. An unchanged file keeps its time, so nothing is compiled again. The
/// depfile is always written.
inline void write_where_new(std::string const& folder, std::vector<file_content> files,
                            std::string const& depfile)
{
    std::error_code failed;
    bool const is_new = std::filesystem::create_directories(folder, failed);
    if (failed)
        throw error("a folder cannot be made: " + failed.message(), folder,
                    "name another one, or see to the permissions of the folder that it is in");
    std::erase_if(files,
                  [&](file_content const& one) { return one.path != depfile && has_content(one); });
    try {
        replace_files(files);
    } catch (...) {
        if (is_new) std::filesystem::remove(folder, failed); // it is empty
        throw;
    }
}

using files_to_write = std::vector<std::pair<std::string, std::string>>;

/// Adds the compiled files: the default, and each variant for each level.
inline void add_units(files_to_write& files, bake_plan const& plan, baked_names const& names,
                      std::vector<std::string> const& levels, bake_request const& request)
{
    files.emplace_back("_default.cpp", default_text(plan, names));
    files.emplace_back("_default.flags", flags_text(plan.source.flags));
    for (std::size_t v = 0; v < request.most_variants; ++v) {
        bool const is_used = v < plan.variants.size();
        if (!is_used && request.writes_script) break;
        auto const has_build = [&](std::string const& level) {
            return is_used &&
                   std::any_of(plan.variants[v].builds.begin(), plan.variants[v].builds.end(),
                               [&](planned_build const& b) { return b.level == level; });
        };
        std::string const place = '_' + std::to_string(v);
        for (std::string const& level : levels)
            if (has_build(level) || !request.writes_script)
                files.emplace_back(place + '_' + level + ".cpp",
                                   has_build(level)
                                       ? variant_text(plan, names, v, level)
                                       : "// Not needed. Do not edit: attune_bake wrote it.\n");
        std::vector<std::string> flags = plan.source.flags;
        if (is_used)
            flags.insert(flags.end(), plan.variants[v].code.flags.begin(),
                         plan.variants[v].code.flags.end());
        files.emplace_back(place + ".flags", flags_text(flags));
    }
}

/// Writes all files, and the rule of their dependencies.
inline void write_files(bake_request const& request, bake_plan const& plan, files_to_write files)
{
    std::vector<file_content> written;
    for (auto& [name, content] : files)
        written.push_back({request.folder + '/' + request.stem + name, std::move(content)});
    if (!request.depfile.empty())
        written.push_back({request.depfile, dependencies_text(written.front().path, plan.source)});
    write_where_new(request.folder, std::move(written), request.depfile);
}

inline void say_where_nothing_is_faster(bake_plan& plan)
{
    if (plan.variants.empty())
        plan.notices.push_back(plan.kernel +
                               ": nothing is faster than the default where it was verified; "
                               "the release has the default alone");
}

/// @param text  text of the store
[[nodiscard]] inline std::vector<std::string> bake_for_devices(bake_request const& request,
                                                               std::string const& text,
                                                               kernel_source source,
                                                               std::string* table_said)
{
    bool const is_opencl = request.is_opencl;
    if (is_opencl && (!request.architectures.empty() || request.is_unverified))
        throw error("code for OpenCL has no architectures, and nothing is predicted for it",
                    request.kernel_file, "leave out SM and UNVERIFIED, or OPENCL");
    if (!request.levels.empty() || !request.shapes.empty())
        throw error("code for devices has no instruction sets and is not verified by the build",
                    request.kernel_file,
                    "bake it for processors apart: leave out SM there, and ISA and SHAPES here");
    std::vector<std::string> levels = architecture_levels(request.architectures);
    bake_plan plan =
        plan_of(text, request.store, std::move(source),
                {.kernel = request.kernel,
                 .most_variants = request.most_variants,
                 .kind = is_opencl ? baked_kind::opencl : baked_kind::cuda,
                 .is_unverified = request.is_unverified,
                 .flags_of = is_opencl ? opencl_flags_of_identity : flags_of_identity});
    say_who_may_write(plan, request.store);
    if (is_opencl)
        for (planned_device const& one : plan.devices)
            levels.push_back(one.name);
    add_proven_builds(plan, levels, {}, request.is_unverified);
    if (is_opencl)
        add_opencl_images(plan);
    else
        compile_images(plan, levels);
    if (table_said != nullptr) *table_said = proof_table(plan, levels);
    bool const has_prediction =
        std::any_of(plan.devices.begin(), plan.devices.end(),
                    [](planned_device const& one) { return one.is_predicted; });
    if (has_prediction && !request.is_unverified)
        plan.notices.push_back(plan.kernel +
                               ": what was predicted serves where a device proved it; "
                               "attune_bake(... UNVERIFIED) lets it serve always");
    say_where_nothing_is_faster(plan);
    baked_names const names{request.stem};
    files_to_write files;
    files.emplace_back("_table.cpp", table_text(plan, names));
    files.emplace_back("_images.cpp", images_text(plan, names));
    if (request.writes_script) files.emplace_back(".sh", script_text(plan, names.stem));
    write_files(request, plan, std::move(files));
    return plan.notices;
}

ATTUNE_INLINE std::vector<std::string> bake(bake_request const& request, std::string* table_said)
{
    if (!is_identifier(request.stem))
        throw error("the stem of the files is no identifier", request.stem, "use letters and _");
    std::string const text = text_of_store(request.store);
    kernel_source source;
    if (!request.kernel_file.empty())
        source = source_file(std::filesystem::absolute(request.kernel_file).string());
    if (source.path.find_first_of("\"\\\n") != std::string::npos)
        throw error("the path of the kernel file cannot be written into a source", source.path,
                    "it has a quote, a backslash or the end of a line");
    source.include_dirs = request.include_dirs;
    if (!request.architectures.empty() || request.is_opencl)
        return bake_for_devices(request, text, std::move(source), table_said);
    std::vector<std::string> const levels = checked_levels(request.levels);
    std::string const machine = machine_of_release(request.machine, levels);
    bake_plan plan = plan_of(text, request.store, std::move(source),
                             {.kernel = request.kernel, .most_variants = request.most_variants});
    say_who_may_write(plan, request.store);
    leave_out_foreign_flags(plan, machine);
    leave_out_flags_of_clang(plan, request.compiler);
    baked_names const names{request.stem};
    files_to_write files;
    if (request.shapes.empty())
        add_proven_builds(plan, levels, {});
    else
        add_all_builds(plan, levels);
    std::string table = table_text(plan, names);
    std::string const mark = table_mark(table);
    if (!request.checked.empty()) {
        checked_builds const checked =
            checked_builds_in(text_of_store(request.checked), request.checked, mark);
        for (planned_variant& one : plan.variants)
            one.builds.clear();
        plan.notices.clear(); // the first pass reported them
        add_proven_builds(plan, levels, checked);
        files.emplace_back("_table.cpp", table_text(plan, names));
    } else if (!request.shapes.empty()) {
        auto shapes = listed_shapes(plan, request.shapes);
        if (plan.facts.is_checked) {
            shapes.clear();
            plan.notices.push_back(plan.kernel +
                                   ": its code is not verified by this build: the kernel has a "
                                   "check of its own, kernel.check(f), which is not here");
        }
        files.emplace_back("_unproven.cpp", std::move(table));
        files.emplace_back("_check.cpp", check_text(plan, names, shapes, mark));
        add_units(files, plan, names, levels, request);
    } else {
        files.emplace_back("_table.cpp", std::move(table));
        add_units(files, plan, names, levels, request);
    }
    if (request.writes_script) files.emplace_back(".sh", script_text(plan, names.stem));
    write_files(request, plan, std::move(files));
    if (table_said != nullptr && (request.shapes.empty() || !request.checked.empty()))
        *table_said = proof_table(plan, levels);
    if (!request.checked.empty()) return plan.notices;
    say_where_nothing_is_faster(plan);
    std::vector<std::string> said = plan.notices;
    for (std::string const& compiler : plan.compilers)
        if (!request.compiler.empty() &&
            compiler_and_release(compiler) != compiler_and_release(request.compiler))
            said.push_back(plan.kernel + ": tuned with " + compiler + ", baked with " +
                           request.compiler);
    return said;
}

/// The arguments of a program, read one by one.
class bake_arguments {
public:
    explicit bake_arguments(std::span<char const* const> all)
        : all_(all)
    {
    }
    [[nodiscard]] bool is_empty() const noexcept { return at_ == all_.size(); }
    [[nodiscard]] std::string next(std::string const& after)
    {
        if (is_empty()) throw error("an argument is missing", "after " + after, "");
        return all_[at_++];
    }

private:
    std::span<char const* const> all_;
    std::size_t at_ = 0;
};

[[nodiscard]] inline bake_request request_in(std::span<char const* const> arguments)
{
    bake_request out;
    bake_arguments left(arguments);
    while (!left.is_empty()) {
        std::string const name = left.next("");
        std::string const value = left.next(name);
        if (name == "--store")
            out.store = value;
        else if (name == "--kernel-file")
            out.kernel_file = value;
        else if (name == "--kernel")
            out.kernel = value;
        else if (name == "--include")
            out.include_dirs.push_back(value);
        else if (name == "--level")
            out.levels.push_back(value);
        else if (name == "--sm")
            out.architectures.push_back(architecture_in("sm_" + value));
        else if (name == "--opencl")
            out.is_opencl = value == "yes";
        else if (name == "--unverified")
            out.is_unverified = value == "yes";
        else if (name == "--compiler")
            out.compiler = value;
        else if (name == "--machine")
            out.machine = value;
        else if (name == "--folder")
            out.folder = value;
        else if (name == "--stem")
            out.stem = value;
        else if (name == "--depfile")
            out.depfile = value;
        else if (name == "--shapes")
            out.shapes.push_back(value);
        else if (name == "--checked")
            out.checked = value;
        else if (name == "--variants") {
            auto const number = parse_number<decltype(out.most_variants)>(value);
            if (!number || *number > 10)
                throw error("there is no such number of variants", value, "use 0 to 10");
            out.most_variants = *number;
        } else
            throw error("there is no such argument", name,
                        "use --store, --kernel-file, --kernel, --folder, --stem, --include, "
                        "--level, --compiler, --variants, --depfile, --machine, --shapes, "
                        "--checked, --sm, --opencl or --unverified");
    }
    for (std::string const* const needed : {&out.store, &out.folder, &out.stem})
        if (needed->empty())
            throw error("an argument is missing", "bake", "give --store, --folder and --stem");
    return out;
}

ATTUNE_INLINE int bake_main(std::span<char const* const> arguments)
{
    try {
        std::string table;
        for (std::string const& said : bake(request_in(arguments), &table))
            std::fprintf(stderr, "attune: %s\n", shown_text(said).c_str());
        std::fputs(shown_lines(table).c_str(), stdout);
        return 0;
    } catch (std::exception const& problem) {
        std::fprintf(stderr, "%s\n", shown_lines(problem.what()).c_str());
        return 1;
    }
}

} // namespace attune::inline ATTUNE_ABI::detail

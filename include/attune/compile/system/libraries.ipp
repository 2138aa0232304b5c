// attune/compile/system/libraries.ipp - looks for libraries as a linker does.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/detail/elf_object.hpp>
#include <attune/compile/detail/file_text.hpp>
#include <attune/compile/system/libraries.hpp>
#include <attune/core/environment.hpp>
#include <attune/core/version.hpp>

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <link.h>
#include <string_view>
#include <system_error>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE library_flags take_library_flags(std::vector<std::string>& flags)
{
    library_flags out;
    std::vector<std::string> others;
    for (std::size_t i = 0; i < flags.size(); ++i) {
        bool const is_folder = flags[i].starts_with("-L");
        if (!is_folder && !flags[i].starts_with("-l")) {
            others.push_back(std::move(flags[i]));
            continue;
        }
        std::string value = flags[i].substr(2);
        if (value.empty() && i + 1 < flags.size()) value = flags[++i];
        std::error_code no_throw;
        if (is_folder)
            out.folders.push_back(std::filesystem::absolute(value, no_throw).string());
        else
            out.names.push_back(std::move(value));
    }
    flags = std::move(others);
    return out;
}

ATTUNE_INLINE std::vector<std::string> library_folders()
{
    namespace fs = std::filesystem;
    std::vector<std::string> out;
    std::string const named = environment_variable("LIBRARY_PATH");
    for (std::string_view all = named; !all.empty();) {
        std::size_t const colon = std::min(all.find(':'), all.size());
        if (colon > 0) out.emplace_back(all.substr(0, colon));
        all.remove_prefix(std::min(colon + 1, all.size()));
    }
    for (char const* const folder :
         {"/usr/local/lib/x86_64-linux-gnu", "/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu",
          "/usr/local/lib64", "/lib64", "/usr/lib64", "/usr/local/lib", "/lib", "/usr/lib"})
        out.emplace_back(folder);
    std::vector<std::pair<int, std::string>> own;
    for (char const* const target :
         {"x86_64-linux-gnu", "x86_64-redhat-linux", "x86_64-suse-linux"}) {
        std::error_code failed;
        fs::directory_iterator at(std::string("/usr/lib/gcc/") + target, failed);
        for (; !failed && at != fs::directory_iterator(); at.increment(failed))
            own.emplace_back(std::atoi(at->path().filename().c_str()), at->path().string());
    }
    std::sort(own.rbegin(), own.rend());
    for (auto& [version, folder] : own)
        out.push_back(std::move(folder));
    return out;
}

/// The shared objects that a linker script names by absolute path; archives are left out.
[[nodiscard]] inline std::vector<std::string> libraries_of_script(std::string const& path)
{
    std::string text = file_text(path).value_or(std::string{});
    text.resize(std::min<std::size_t>(text.size(), 65536));
    for (std::size_t at = 0; (at = text.find("/*", at)) != text.npos;)
        text.erase(at, std::min(text.find("*/", at + 2), text.size() - 2) + 2 - at);
    std::vector<std::string> out;
    constexpr std::string_view between = " \t\r\n(),;";
    for (std::size_t at = text.find_first_not_of(between); at != text.npos;) {
        std::size_t const end = std::min(text.find_first_of(between, at), text.size());
        std::string const word = text.substr(at, end - at);
        if (word.front() == '/' && word.find(".so") != word.npos && is_elf(word))
            out.push_back(word);
        at = text.find_first_not_of(between, end);
    }
    return out;
}

/// Where the loader finds a library by file name: in LD_LIBRARY_PATH, in its cache.
[[nodiscard]] inline std::string place_by_loader(std::string const& file_name)
{
    void* const handle = ::dlopen(file_name.c_str(), RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
    if (handle == nullptr) return {};
    link_map* loaded = nullptr;
    std::string path;
    if (::dlinfo(handle, RTLD_DI_LINKMAP, &loaded) == 0 && loaded != nullptr) path = loaded->l_name;
    ::dlclose(handle);
    return path;
}

[[nodiscard]] inline bool is_in_every_program(std::string const& name)
{
    constexpr std::string_view all[] = {"m",    "pthread", "dl",  "rt",   "c",
                                        "util", "stdc++",  "gcc", "gcc_s"};
    return std::find(std::begin(all), std::end(all), name) != std::end(all);
}

ATTUNE_INLINE std::variant<std::vector<std::string>, failure>
find_libraries(library_flags const& wanted)
{
    std::vector<std::string> folders = wanted.folders;
    for (std::string& more : library_folders())
        folders.push_back(std::move(more));
    std::vector<std::string> out;
    for (std::string const& name : wanted.names) {
        if (is_in_every_program(name)) continue;
        bool const is_file_name = name.starts_with(':');
        std::string const file = is_file_name ? name.substr(1) : "lib" + name + ".so";
        std::vector<std::string> found;
        std::string archive;
        for (std::string const& folder : folders) {
            std::string const path = folder + '/' + file;
            std::error_code no_throw;
            if (is_elf(path))
                found = {path};
            else
                found = libraries_of_script(path);
            if (!found.empty()) break;
            std::string const other = folder + "/lib" + name + ".a";
            if (archive.empty() && std::filesystem::exists(other, no_throw)) archive = other;
        }
        if (found.empty())
            if (std::string path = place_by_loader(file); !path.empty())
                found.push_back(std::move(path));
        if (found.empty()) {
            std::string const asked = "the library of the flag -l" + name;
            if (!archive.empty())
                return failure{failure_stage::load,
                               asked + " is an archive, " + archive +
                                   ", and in the process shared objects alone can be used; "
                                   "system_compiler can link it",
                               {}};
            std::string tried = "none of these files is there:\n";
            for (std::string const& folder : folders)
                tried += folder + '/' + file + '\n';
            return failure{failure_stage::load,
                           asked + " was not found: no " + file +
                               (wanted.folders.empty()
                                    ? " where linkers look; install what Debian calls the -dev "
                                      "package, or say where with -L"
                                    : " in the folders of -L, nor where linkers look"),
                           std::move(tried)};
        }
        for (std::string& path : found)
            if (std::find(out.begin(), out.end(), path) == out.end())
                out.push_back(std::move(path));
    }
    return out;
}

ATTUNE_INLINE std::vector<std::string> library_places(std::vector<std::string> const& given,
                                                      std::vector<std::string> const& names)
{
    std::vector<std::string> folders = given;
    for (std::string& more : library_folders())
        folders.push_back(std::move(more));
    std::vector<std::string> out;
    for (std::string const& name : names) {
        std::vector<std::string> files{name.substr(name.starts_with(':') ? 1 : 0)};
        if (!name.starts_with(':')) files = {"lib" + name + ".so", "lib" + name + ".a"};
        bool is_found = false;
        for (std::size_t i = 0; i < folders.size() && !is_found; ++i)
            for (std::string const& file : files) {
                std::error_code no_throw;
                out.push_back(folders[i] + '/' + file);
                is_found = std::filesystem::is_regular_file(out.back(), no_throw);
                if (is_found) break;
            }
    }
    return out;
}

ATTUNE_INLINE std::vector<std::string> linker_flags(library_flags const& wanted)
{
    std::vector<std::string> out;
    for (std::string const& folder : wanted.folders) {
        out.push_back("-L" + folder);
        out.push_back("-Wl,-rpath," + folder);
    }
    for (std::string const& name : wanted.names)
        out.push_back("-l" + name);
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail

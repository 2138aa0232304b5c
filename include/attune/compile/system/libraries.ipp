// attune/compile/system/libraries.ipp - searches for libraries like a linker, and in this process.
// SPDX-License-Identifier: MIT
// Source   System V ABI, chapter 5
#pragma once

#include <attune/compile/detail/elf_object.hpp>
#include <attune/compile/detail/file_stamp.hpp>
#include <attune/compile/system/libraries.hpp>
#include <attune/core/environment.hpp>
#include <attune/core/hash.hpp>
#include <attune/core/posix/detail/loaded_objects.hpp>
#include <attune/core/version.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <filesystem>
#include <link.h>
#include <set>
#include <system_error>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE std::vector<std::string> outside_names(std::string_view object)
{
    // Leaves out functions that start files mention in every shared object, and functions that a
    // linker adds. An object and its shared object then have the same names.
    constexpr std::string_view of_every_object[] = {"__cxa_finalize",
                                                    "__gmon_start__",
                                                    "_ITM_deregisterTMCloneTable",
                                                    "_ITM_registerTMCloneTable",
                                                    "_GLOBAL_OFFSET_TABLE_",
                                                    "__tls_get_addr"};
    std::set<std::string> out;
    elf_object const elf(object);
    if (!elf.usable()) return {};
    for (Elf64_Shdr const& table : elf.sections()) {
        if (table.sh_type != (elf.relocatable() ? SHT_SYMTAB : SHT_DYNSYM)) continue;
        for (std::size_t i = 1; i < table.sh_size / sizeof(Elf64_Sym); ++i) {
            auto const symbol = elf.entry<Elf64_Sym>(table, i);
            if (!symbol) break;
            std::string_view const name = elf.text(table.sh_link, symbol->st_name);
            if (symbol->st_shndx == SHN_UNDEF && !name.empty() &&
                std::find(std::begin(of_every_object), std::end(of_every_object), name) ==
                    std::end(of_every_object))
                out.emplace(name);
        }
    }
    return {out.begin(), out.end()};
}

/// A loaded library or program.
struct loaded_library {
    std::string path{};
    std::string name{}; ///< name in other libraries
    std::vector<std::string> needs{};
    std::string build_id{};
    std::vector<std::string_view> segments{}; ///< in memory
    std::vector<std::string_view> constant{}; ///< read-only segments: code, tables

    [[nodiscard]] bool holds(void const* address) const
    {
        auto const* const at = static_cast<char const*>(address);
        return std::any_of(segments.begin(), segments.end(), [&](std::string_view one) {
            return at >= one.data() && at < one.data() + one.size();
        });
    }
    [[nodiscard]] std::string fingerprint() const
    {
        content_hash hash;
        hash.add(name).add(build_id);
        file_stamp const stamp = stamp_of_any(path);
        hash.add(std::to_string(stamp.bytes)).add(std::to_string(stamp.modified_ns));
        if (!build_id.empty()) return hash.hex();
        hash.add(std::to_string(stamp.changed_ns)).add(std::to_string(stamp.number));
        constexpr std::size_t most = std::size_t{64} << 20; // takes 15 ms to read
        for (std::string_view const part : constant) {
            std::uint64_t words = part.size();
            std::uint64_t word = 0;
            for (std::size_t i = 0; i + sizeof word <= std::min(part.size(), most);
                 i += sizeof word) {
                std::memcpy(&word, part.data() + i, sizeof word);
                words = mixed(words, word);
            }
            hash.add(std::to_string(words));
        }
        return hash.hex();
    }
};

/// The build id in the notes of a loaded library; empty if it has none.
[[nodiscard]] inline std::string build_id_in(std::string_view notes)
{
    constexpr auto padded = [](std::size_t size) { return (size + 3) / 4 * 4; };
    Elf64_Nhdr head{};
    while (notes.size() >= sizeof head) {
        std::memcpy(&head, notes.data(), sizeof head);
        std::size_t const text = sizeof head + padded(head.n_namesz);
        if (text + head.n_descsz > notes.size()) break;
        if (head.n_type == NT_GNU_BUILD_ID &&
            notes.substr(sizeof head, 4) == std::string_view("GNU\0", 4))
            return content_hash{}.add(notes.substr(text, head.n_descsz)).hex();
        notes.remove_prefix(std::min(text + padded(head.n_descsz), notes.size()));
    }
    return {};
}

inline void read_dynamic(loaded_library& library, ElfW(Dyn) const* dynamic, std::uintptr_t base)
{
    char const* names = nullptr;
    for (auto const* one = dynamic; one->d_tag != DT_NULL; ++one)
        if (one->d_tag == DT_STRTAB) { // most loaders have added the base address
            std::uintptr_t const at = one->d_un.d_ptr;
            names = reinterpret_cast<char const*>(at < base ? at + base : at);
        }
    if (names == nullptr || !library.holds(names)) return;
    for (auto const* one = dynamic; one->d_tag != DT_NULL; ++one) {
        if (one->d_tag == DT_NEEDED) library.needs.emplace_back(names + one->d_un.d_val);
        if (one->d_tag == DT_SONAME) library.name = names + one->d_un.d_val;
    }
}

[[nodiscard]] inline loaded_library library_in(dl_phdr_info const& info)
{
    loaded_library out;
    out.path = info.dlpi_name != nullptr ? info.dlpi_name : "";
    if (out.path.empty()) out.path = "/proc/self/exe";
    out.name = out.path.substr(out.path.rfind('/') + 1);
    auto const content = [&](ElfW(Phdr) const& part) {
        return std::string_view(reinterpret_cast<char const*>(info.dlpi_addr + part.p_vaddr),
                                part.p_memsz);
    };
    ElfW(Dyn) const* dynamic = nullptr;
    for (std::size_t i = 0; i < info.dlpi_phnum; ++i) {
        ElfW(Phdr) const& part = info.dlpi_phdr[i];
        if (part.p_type == PT_LOAD) {
            out.segments.push_back(content(part));
            if ((part.p_flags & PF_W) == 0 && (part.p_flags & PF_R) != 0)
                out.constant.push_back(content(part));
        }
        if (part.p_type == PT_NOTE && out.build_id.empty())
            out.build_id = build_id_in(content(part));
        if (part.p_type == PT_DYNAMIC)
            dynamic = reinterpret_cast<ElfW(Dyn) const*>(info.dlpi_addr + part.p_vaddr);
    }
    if (dynamic != nullptr) read_dynamic(out, dynamic, info.dlpi_addr);
    return out;
}

[[nodiscard]] inline std::vector<loaded_library> loaded_libraries()
{
    std::vector<loaded_library> out;
    any_loaded([&out](dl_phdr_info const& info) {
        try {
            out.push_back(library_in(info));
            return false;
        } catch (...) {
            return true; // no memory: an unlisted library has no fingerprint
        }
    });
    return out;
}

ATTUNE_INLINE std::string key_with_callees(std::string const& key,
                                           std::vector<std::string> const& names,
                                           std::vector<std::string> const& libraries, void* loaded)
{
    if (names.empty()) return key;
    std::vector<loaded_library> const all = loaded_libraries();
    std::vector<void*> handles;
    for (std::string const& library : libraries)
        if (void* const handle = ::dlopen(library.c_str(), RTLD_LAZY | RTLD_NOLOAD))
            handles.push_back(handle);
    std::vector<bool> is_called(all.size(), false);
    std::vector<std::size_t> next;
    auto const call = [&](auto const& is_it) {
        for (std::size_t i = 0; i < all.size(); ++i)
            if (is_it(all[i])) {
                if (!is_called[i]) next.push_back(i);
                is_called[i] = true;
                return;
            }
    };
    for (std::string const& name : names) {
        void* at = ::dlsym(RTLD_DEFAULT, name.c_str());
        if (at == nullptr && loaded != nullptr) at = ::dlsym(loaded, name.c_str());
        for (std::size_t i = 0; at == nullptr && i < handles.size(); ++i)
            at = ::dlsym(handles[i], name.c_str());
        if (at != nullptr) call([&](loaded_library const& one) { return one.holds(at); });
    }
    for (void* const handle : handles)
        ::dlclose(handle);
    while (!next.empty()) {
        loaded_library const& from = all[next.back()];
        next.pop_back();
        for (std::string const& needed : from.needs)
            call([&](loaded_library const& one) {
                return one.name == needed || one.path.ends_with('/' + needed);
            });
    }
    std::set<std::string> called;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (is_called[i]) called.insert(all[i].fingerprint());
    if (called.empty()) return key;
    content_hash hash;
    hash.add("calls").add(key);
    for (std::string const& one : called)
        hash.add(one);
    return hash.hex();
}

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
#if defined(__aarch64__)
    std::string const machine = "aarch64";
#else
    std::string const machine = "x86_64";
#endif
    for (char const* const folder : {"/usr/local/lib/", "/lib/", "/usr/lib/"})
        out.push_back(folder + machine + "-linux-gnu");
    for (char const* const folder :
         {"/usr/local/lib64", "/lib64", "/usr/lib64", "/usr/local/lib", "/lib", "/usr/lib"})
        out.emplace_back(folder);
    std::vector<std::pair<int, std::string>> own;
    for (char const* const system : {"-linux-gnu", "-redhat-linux", "-suse-linux"}) {
        std::error_code failed;
        fs::directory_iterator at("/usr/lib/gcc/" + machine + system, failed);
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

/// The loader's place of a library by file name: in LD_LIBRARY_PATH, in its cache.
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
        out.insert(out.end(), {"-Xlinker", "-rpath=" + folder});
    }
    for (std::string const& name : wanted.names)
        out.push_back("-l" + name);
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail

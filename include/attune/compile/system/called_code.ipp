// attune/compile/system/called_code.ipp - what is loaded in this process, and what needs what.
// SPDX-License-Identifier: MIT
// Source   System V ABI, chapter 5
#pragma once

#include <attune/compile/detail/elf_object.hpp>
#include <attune/compile/detail/file_stamp.hpp>
#include <attune/compile/system/called_code.hpp>
#include <attune/core/hash.hpp>
#include <attune/core/posix/detail/loaded_objects.hpp>
#include <attune/core/version.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <set>
#include <string>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE std::vector<std::string> outside_names(std::string_view object)
{
    // Not the functions that start files mention in every shared object, and not those that a
    // linker adds: an object and its shared object then have the same names.
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

/// A library, or the program, as it is loaded.
struct loaded_library {
    std::string path{};
    std::string name{}; ///< as other libraries call it
    std::vector<std::string> needs{};
    std::string build_id{};
    std::vector<std::string_view> segments{}; ///< in memory
    std::vector<std::string_view> constant{}; ///< those that are not written to: code, tables

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
        constexpr std::size_t most = std::size_t{64} << 20; // read in 15 ms
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

/// The build id in the notes of a loaded library; empty: it has none.
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

/// Reads the dynamic section of a loaded library.
inline void read_dynamic(loaded_library& library, ElfW(Dyn) const* dynamic, std::uintptr_t base)
{
    char const* names = nullptr;
    for (auto const* one = dynamic; one->d_tag != DT_NULL; ++one)
        if (one->d_tag == DT_STRTAB) { // the loader has made it an address, on most machines
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

/// Everything that is loaded now.
[[nodiscard]] inline std::vector<loaded_library> loaded_libraries()
{
    std::vector<loaded_library> out;
    any_loaded([&out](dl_phdr_info const& info) {
        try {
            out.push_back(library_in(info));
            return false;
        } catch (...) {
            return true; // no memory: what is not listed has no fingerprint
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

} // namespace attune::inline ATTUNE_ABI::detail

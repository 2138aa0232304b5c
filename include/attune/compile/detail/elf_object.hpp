// attune/compile/detail/elf_object.hpp - messages of loaders; the sections of an ELF object, its symbols and noted facts.
// SPDX-License-Identifier: MIT
// Source   System V ABI, chapters 4 and 5
#pragma once

#include <attune/core/callable.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <elf.h>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// `void attune_initialize()` in an object runs its static constructors. An object without them
/// does not define it.
inline constexpr char const* initialize_symbol = "attune_initialize";
/// `void attune_finalize()` in an object with thread_local variables runs its static destructors.
/// The system's loader calls it after the last thread that needs the object.
inline constexpr char const* finalize_symbol = "attune_finalize";
/// A pointer in an object. By the pointer's address, functions that run destructors identify the
/// object.
inline constexpr char const* owner_symbol = "__dso_handle";

/// A 64-bit ELF object in this machine's byte order. Every access is checked for bounds.
class elf_object {
public:
    explicit elf_object(std::string_view bytes)
        : bytes_(bytes)
    {
        auto const header = at<Elf64_Ehdr>(0);
        unsigned char const order =
            std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
        if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
            header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != order ||
            header->e_shentsize != sizeof(Elf64_Shdr) || header->e_shnum == 0)
            return;
        relocatable_ = header->e_type == ET_REL;
        for (std::size_t i = 0; i < header->e_shnum; ++i) {
            auto const section = at<Elf64_Shdr>(header->e_shoff + i * sizeof(Elf64_Shdr));
            if (!section) return;
            sections_.push_back(*section);
        }
        if (header->e_shstrndx < sections_.size()) names_ = header->e_shstrndx;
        usable_ = true;
    }

    [[nodiscard]] bool usable() const noexcept { return usable_; }
    [[nodiscard]] bool relocatable() const noexcept { return relocatable_; }
    [[nodiscard]] std::vector<Elf64_Shdr> const& sections() const noexcept { return sections_; }
    [[nodiscard]] bool is_section(std::size_t index) const noexcept
    {
        return index < sections_.size();
    }

    /// The section's bytes; empty if the section exceeds the object.
    [[nodiscard]] std::optional<std::string_view> content(Elf64_Shdr const& section) const
    {
        if (section.sh_type == SHT_NOBITS) return std::string_view{};
        if (section.sh_offset > bytes_.size() ||
            section.sh_size > bytes_.size() - section.sh_offset)
            return {};
        return bytes_.substr(section.sh_offset, section.sh_size);
    }
    [[nodiscard]] std::string_view name(Elf64_Shdr const& section) const
    {
        return text(names_, section.sh_name);
    }
    /// The text at `offset` of a string section; empty if it is out of range.
    [[nodiscard]] std::string_view text(std::size_t section, std::size_t offset) const
    {
        if (!is_section(section)) return {};
        std::string_view const all = content(sections_[section]).value_or(std::string_view{});
        if (offset >= all.size()) return {};
        return all.substr(offset, all.find('\0', offset) - offset);
    }
    /// Element `index` of a section that holds an array of `T`.
    template <class T>
    [[nodiscard]] std::optional<T> entry(Elf64_Shdr const& section, std::size_t index) const
    {
        if (section.sh_type == SHT_NOBITS || index >= section.sh_size / sizeof(T)) return {};
        return at<T>(section.sh_offset + index * sizeof(T));
    }

    /// Calls f(name, symbol) for each symbol; in a shared object for exported and needed symbols.
    /// Names have no version.
    template <class F>
    void for_symbols(F const& f) const
    {
        auto const is = [](Elf64_Word type) {
            return [type](Elf64_Shdr const& section) { return section.sh_type == type; };
        };
        auto table = std::find_if(sections_.begin(), sections_.end(), is(SHT_SYMTAB));
        if (table == sections_.end())
            table = std::find_if(sections_.begin(), sections_.end(), is(SHT_DYNSYM));
        if (table == sections_.end()) return;
        for (std::size_t i = 1; auto const symbol = entry<Elf64_Sym>(*table, i); ++i) {
            std::string_view const name = text(table->sh_link, symbol->st_name);
            f(name.substr(0, name.find('@')), *symbol);
        }
    }

private:
    template <class T>
    [[nodiscard]] std::optional<T> at(std::size_t offset) const
    {
        static_assert(std::is_trivially_copyable_v<T>);
        if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T)) return {};
        T value;
        std::memcpy(&value, bytes_.data() + offset, sizeof value);
        return value;
    }

    std::string_view bytes_;
    std::vector<Elf64_Shdr> sections_{};
    std::size_t names_ = SHN_UNDEF;
    bool relocatable_ = false;
    bool usable_ = false;
};

/// Returns true if a file begins like an ELF object.
[[nodiscard]] inline bool is_elf(std::string const& path)
{
    std::ifstream file(path, std::ios::binary);
    char magic[4] = {};
    return file.read(magic, 4) && std::string_view(magic, 4) == "\x7f"
                                                                "ELF";
}

/// Names of empty sections. The first ends with a number: `.attune.addresses.4`.
inline constexpr std::string_view addresses_section = ".attune.addresses.";
inline constexpr std::string_view this_call_section = ".attune.this_call";

/// The facts that clang_compiler noted in a relocatable object; others are unknown.
[[nodiscard]] inline code_facts facts_noted_in(std::string_view object)
{
    code_facts out;
    elf_object const sections(object);
    for (Elf64_Shdr const& section : sections.sections()) {
        std::string_view const name = sections.name(section);
        if (name == this_call_section) out.depends_on_this_call_alone = true;
        for (std::uint32_t bytes = 1; bytes < code_facts{}.address_modulus; bytes *= 2)
            if (name.starts_with(addresses_section) &&
                name.substr(addresses_section.size()) == std::to_string(bytes))
                out.address_modulus = bytes;
    }
    return out;
}

/// The facts as one letter, for an entry of the cache.
[[nodiscard]] inline char letter_of(code_facts const& facts)
{
    int const power = std::countr_zero(facts.address_modulus);
    return static_cast<char>('A' + 2 * power + (facts.depends_on_this_call_alone ? 1 : 0));
}
[[nodiscard]] inline code_facts facts_of_letter(char letter)
{
    code_facts out;
    if (letter < 'A' || letter > letter_of({.depends_on_this_call_alone = true})) return out;
    out.address_modulus = 1u << ((letter - 'A') / 2);
    out.depends_on_this_call_alone = (letter - 'A') % 2 != 0;
    return out;
}

/// "helper(int)" for "_Z6helperi"; returns other names unchanged.
[[nodiscard]] inline std::string demangled(std::string const& symbol)
{
    int status = 0;
    char* const text = abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status);
    std::string result = (status == 0 && text != nullptr) ? text : symbol;
    std::free(text);
    return result;
}

/// A loader's message begins with this text if a constructor threw. attune does not load such code
/// again.
inline constexpr std::string_view static_object_threw =
    "a static object of the kernel threw an exception";

/// The first symbol that the message reports as missing; empty if there is none.
[[nodiscard]] inline std::string missing_symbol(std::string_view message)
{
    for (std::string_view const sign :
         {std::string_view("undefined symbol: "), std::string_view("Symbols not found: [ ")}) {
        std::size_t const at = message.find(sign);
        if (at == std::string_view::npos) continue;
        std::string_view const rest = message.substr(at + sign.size());
        return std::string(rest.substr(0, rest.find_first_of(" ,]\n")));
    }
    return {};
}

/// Possible causes of a missing symbol, and remedies.
[[nodiscard]] inline std::string missing_symbol_advice(std::string_view symbol)
{
    constexpr std::array<std::array<char const*, 2>, 4> sanitizers{{{"__asan_", "address"},
                                                                    {"__tsan_", "thread"},
                                                                    {"__msan_", "memory"},
                                                                    {"__hwasan_", "hwaddress"}}};
    for (auto const& [start, flag] : sanitizers)
        if (symbol.starts_with(start))
            return std::string("code that was compiled with -fsanitize=") + flag +
                   " runs only in a program that was linked with this flag";
    for (char const* const start : {"__ubsan_", "llvm_gc", "__llvm_prof"})
        if (symbol.starts_with(start))
            return "the library of a flag such as -fsanitize=undefined or --coverage has it, which "
                   "system_compiler can link";
    if (symbol.starts_with("__kmpc_") || symbol.starts_with("omp_"))
        return "LLVM's OpenMP library libomp.so.5 was not found (Debian: apt install libomp5-19)";
    if (symbol.starts_with("_ZGV"))
        return "the vector mathematics of glibc, libmvec.so.1, was not found";
    return "neither the program's exported symbols nor its libraries have it";
}

/// @param before  written before the advice
[[nodiscard]] inline failure load_failure(std::string message, std::string const& before = {})
{
    std::string const symbol = missing_symbol(message);
    failure f{failure_stage::load, {}, {}};
    if (symbol.empty())
        f.reason = message.substr(0, message.find('\n'));
    else
        f.reason = "undefined symbol: " + demangled(symbol) + " (" + before +
                   missing_symbol_advice(symbol) + ')';
    f.log = std::move(message);
    return f;
}

} // namespace attune::inline ATTUNE_ABI::detail

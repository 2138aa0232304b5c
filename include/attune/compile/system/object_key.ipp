// attune/compile/system/object_key.ipp - reads the sections of an object for its fingerprint and its sizes.
// SPDX-License-Identifier: MIT
// Source   System V ABI, chapters 4 and 5
#pragma once

#include <attune/compile/detail/elf_object.hpp>
#include <attune/compile/system/object_key.hpp>
#include <attune/core/hash.hpp>
#include <attune/core/version.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <elf.h>
#include <limits>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

struct function_sizes {
    std::size_t count = 0; ///< functions with two names count once
    std::uint64_t largest = 0;
};

[[nodiscard]] inline function_sizes functions_in(elf_object const& object, Elf64_Shdr const& table)
{
    function_sizes out;
    std::set<std::pair<Elf64_Section, Elf64_Addr>> seen;
    for (std::size_t i = 0;; ++i) {
        std::optional<Elf64_Sym> const symbol = object.entry<Elf64_Sym>(table, i);
        if (!symbol) return out;
        if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_shndx == SHN_UNDEF ||
            symbol->st_size == 0)
            continue;
        if (!seen.emplace(symbol->st_shndx, symbol->st_value).second) continue;
        ++out.count;
        out.largest = std::max<std::uint64_t>(out.largest, symbol->st_size);
    }
}

/// Reads an address and a number in LEB128 per function. Returns false if `content` is cut off.
[[nodiscard]] inline bool read_frames(std::string_view content, function_sizes& out)
{
    for (std::size_t i = 0; i < content.size(); ++out.count) {
        i += sizeof(Elf64_Addr);
        std::uint64_t frame = 0;
        bool goes_on = true;
        for (unsigned shift = 0; goes_on; shift += 7) {
            if (i >= content.size() || shift > 56) return false;
            auto const byte = static_cast<unsigned char>(content[i++]);
            frame |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
            goes_on = (byte & 0x80U) != 0;
        }
        out.largest = std::max(out.largest, frame);
    }
    return true;
}

ATTUNE_INLINE code_size size_of_code(std::string_view bytes)
{
    elf_object const object(bytes);
    code_size out;
    if (!object.usable()) return out;
    std::optional<function_sizes> all;
    std::optional<function_sizes> exported;
    std::optional<function_sizes> frames;
    for (Elf64_Shdr const& section : object.sections()) {
        if (section.sh_type == SHT_SYMTAB) all = functions_in(object, section);
        if (section.sh_type == SHT_DYNSYM) exported = functions_in(object, section);
        if (object.name(section) != frame_sizes_section) continue;
        std::optional<std::string_view> const content = object.content(section);
        if (!frames) frames.emplace();
        if (!content || !read_frames(*content, *frames)) return out;
    }
    function_sizes const functions = all ? *all : exported.value_or(function_sizes{});
    auto const whole = [](std::uint64_t n) {
        constexpr auto most = std::numeric_limits<std::int64_t>::max();
        return static_cast<std::int64_t>(std::min<std::uint64_t>(n, most));
    };
    if (functions.count > 0) out.code_bytes = whole(functions.largest);
    if (all && frames && frames->count > 0 && frames->count >= functions.count)
        out.stack_bytes = whole(frames->largest);
    return out;
}

class object_hasher {
public:
    explicit object_hasher(elf_object const& object)
        : object_(object)
    {
        // Loaded sections are numbered without the sections between them that are not loaded.
        for (Elf64_Shdr const& section : object.sections())
            place_.push_back(counts(section) ? ++loaded_ : 0);
    }

    /// @return  empty if the object is damaged
    [[nodiscard]] std::optional<std::string> run()
    {
        hash_.add(object_.relocatable() ? "relocatable" : "shared");
        for (Elf64_Shdr const& section : object_.sections()) {
            if (counts(section) && !add_content(section)) return {};
            bool const relocates =
                section.sh_type == SHT_RELA && object_.is_section(section.sh_info);
            if (object_.relocatable() && relocates && place_[section.sh_info] != 0 &&
                !add_relocations(section))
                return {};
            if (object_.relocatable() && section.sh_type == SHT_SYMTAB) add_roots(section);
        }
        return hash_.hex();
    }

private:
    [[nodiscard]] static bool counts(Elf64_Shdr const& section)
    {
        return (section.sh_flags & SHF_ALLOC) != 0 && section.sh_type != SHT_NOTE;
    }

    void add_number(std::uint64_t number)
    {
        char bytes[sizeof number];
        std::memcpy(bytes, &number, sizeof number);
        hash_.add({bytes, sizeof bytes});
    }

    [[nodiscard]] bool add_content(Elf64_Shdr const& section)
    {
        auto const content = object_.content(section);
        if (!content) return false;
        add_number(section.sh_type);
        add_number(section.sh_flags & (SHF_WRITE | SHF_EXECINSTR | SHF_TLS));
        add_number(section.sh_addralign);
        add_number(section.sh_size);
        add_number(section.sh_addr);
        // The name decides the order of initialisers.
        if (section.sh_type == SHT_INIT_ARRAY || section.sh_type == SHT_FINI_ARRAY)
            hash_.add(object_.name(section));
        hash_.add(*content);
        return true;
    }

    /// Hashes a symbol: a defined one by its place, an undefined one by its name.
    void add_symbol(Elf64_Shdr const& table, Elf64_Sym const& symbol)
    {
        bool const inside = symbol.st_shndx != SHN_UNDEF && symbol.st_shndx < place_.size() &&
                            place_[symbol.st_shndx] != 0;
        if (inside) {
            add_number(place_[symbol.st_shndx]);
            add_number(symbol.st_value);
            return;
        }
        hash_.add(object_.text(table.sh_link, symbol.st_name));
        add_number(symbol.st_shndx);
        add_number(symbol.st_value);
        add_number(symbol.st_size);
        add_number(symbol.st_info);
    }

    [[nodiscard]] bool add_relocations(Elf64_Shdr const& section)
    {
        if (!object_.is_section(section.sh_link)) return false;
        Elf64_Shdr const& symbols = object_.sections()[section.sh_link];
        add_number(place_[section.sh_info]);
        for (std::size_t i = 0; i < section.sh_size / sizeof(Elf64_Rela); ++i) {
            auto const relocation = object_.entry<Elf64_Rela>(section, i);
            if (!relocation) return false;
            auto const symbol = object_.entry<Elf64_Sym>(symbols, ELF64_R_SYM(relocation->r_info));
            if (!symbol) return false;
            add_number(relocation->r_offset);
            add_number(ELF64_R_TYPE(relocation->r_info));
            add_number(static_cast<std::uint64_t>(relocation->r_addend));
            add_symbol(symbols, *symbol);
        }
        return true;
    }

    /// Hashes the symbols that the loader looks up: attune_entry, attune_initialize.
    void add_roots(Elf64_Shdr const& table)
    {
        for (std::size_t i = 0; i < table.sh_size / sizeof(Elf64_Sym); ++i) {
            auto const symbol = object_.entry<Elf64_Sym>(table, i);
            if (!symbol) return;
            std::string_view const name = object_.text(table.sh_link, symbol->st_name);
            if (!name.starts_with("attune_") || symbol->st_shndx == SHN_UNDEF) continue;
            hash_.add(name);
            add_symbol(table, *symbol);
        }
    }

    elf_object const& object_;
    std::vector<std::uint64_t> place_{}; ///< number of each loaded section; 0: not loaded
    std::uint64_t loaded_ = 0;
    content_hash hash_{};
};

ATTUNE_INLINE std::string object_key(std::string_view object)
{
    detail::elf_object const elf(object);
    if (elf.usable())
        if (std::optional<std::string> key = detail::object_hasher(elf).run())
            return std::move(*key);
    return content_hash{}.add(object).hex();
}

} // namespace attune::inline ATTUNE_ABI::detail

// attune/compile/system/code_size.ipp - reads the symbol table and the section .stack_sizes.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/detail/elf_object.hpp>
#include <attune/compile/system/code_size.hpp>
#include <attune/core/version.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// The functions of an object.
struct function_sizes {
    std::size_t count = 0; ///< functions with two names once
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

/// Reads an address and a number in LEB128 per function. False: `content` is cut off.
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

} // namespace attune::inline ATTUNE_ABI::detail

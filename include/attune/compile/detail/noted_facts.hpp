// attune/compile/detail/noted_facts.hpp - what an object says of its own code, by sections that are not loaded.
// SPDX-License-Identifier: MIT
// tested by compile/clang/address_facts.cpp
#pragma once

#include <attune/compile/callable.hpp>
#include <attune/compile/detail/elf_object.hpp>
#include <attune/core/version.hpp>

#include <bit>
#include <cstdint>
#include <elf.h>
#include <string>
#include <string_view>

namespace attune::inline ATTUNE_ABI::detail {

/// Names of empty sections. The first ends with a number: `.attune.addresses.4`.
inline constexpr std::string_view addresses_section = ".attune.addresses.";
inline constexpr std::string_view this_call_section = ".attune.this_call";

/// The facts that clang_compiler noted in a relocatable object; what is not noted is unknown.
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

} // namespace attune::inline ATTUNE_ABI::detail

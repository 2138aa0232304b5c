// attune/compile/nvrtc/cubin.ipp - reads the sections and attributes of a CUBIN.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/detail/elf_object.hpp>
#include <attune/compile/nvrtc/cubin.hpp>
#include <attune/core/hash.hpp>
#include <attune/core/version.hpp>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// An attribute of a `.nv.info` section.
struct cubin_attribute {
    unsigned id = 0;
    std::string_view value{};

    /// The 32-bit number at `index`; 0 if there is none.
    [[nodiscard]] std::uint32_t number(std::size_t index) const
    {
        std::uint32_t n = 0;
        if (value.size() >= (index + 1) * sizeof n)
            std::memcpy(&n, value.data() + index * sizeof n, sizeof n);
        return n;
    }
};

enum cubin_attribute_id : unsigned {
    attribute_max_threads = 0x05, ///< of a kernel: x, y, z
    attribute_frame_size = 0x11,  ///< of the program: symbol, bytes
    attribute_least_stack = 0x12, ///< of the program: symbol, bytes, with called functions
    attribute_registers = 0x2f,   ///< of the program: symbol, count
};

/// Each attribute has a format byte, an id byte, and two bytes: the value, or its size in format 4.
[[nodiscard]] inline std::vector<cubin_attribute> attributes_of(std::string_view section)
{
    std::vector<cubin_attribute> found;
    while (section.size() >= 4) {
        auto const byte = [&](std::size_t i) { return static_cast<unsigned char>(section[i]); };
        unsigned const format = byte(0);
        unsigned const id = byte(1);
        std::size_t const bytes = format == 4 ? byte(2) + 256U * byte(3) : 0;
        if (section.size() - 4 < bytes) break;
        found.push_back({id, section.substr(4, bytes)});
        section.remove_prefix(4 + bytes);
    }
    return found;
}

class cubin_reader {
public:
    static constexpr std::uint16_t machine = 190; ///< EM_CUDA

    cubin_reader(std::string_view image, std::string_view entry)
        : elf_(image)
        , entry_(entry)
    {
        if (!elf_.usable() || image.size() < sizeof(Elf64_Ehdr)) return;
        Elf64_Ehdr header;
        std::memcpy(&header, image.data(), sizeof header);
        is_cubin_ = header.e_machine == machine;
        // Toolkit 12 stores the architecture in the lowest byte, 13 (ABI 8) in the next one.
        architecture_ = (header.e_flags >> (header.e_ident[EI_ABIVERSION] >= 8 ? 8 : 0)) & 0xff;
        for (Elf64_Shdr const& section : elf_.sections())
            if (is_cubin_ && section.sh_type == SHT_SYMTAB) find_symbol(section);
    }

    [[nodiscard]] bool is_cubin() const noexcept { return is_cubin_; }
    [[nodiscard]] bool has_kernel() const { return symbol_ != 0 && section(".text."); }
    [[nodiscard]] elf_object const& elf() const noexcept { return elf_; }

    /// The section `name` + the kernel's name. Without `of_kernel`, the section `name`.
    [[nodiscard]] std::optional<Elf64_Shdr> section(std::string_view name,
                                                    bool of_kernel = true) const
    {
        for (Elf64_Shdr const& candidate : elf_.sections()) {
            std::string_view const full = elf_.name(candidate);
            if (full.starts_with(name) &&
                full.substr(name.size()) == (of_kernel ? entry_ : std::string_view{}))
                return candidate;
        }
        return {};
    }
    [[nodiscard]] std::vector<cubin_attribute> attributes(bool of_kernel) const
    {
        auto const info = section(of_kernel ? ".nv.info." : ".nv.info", of_kernel);
        if (!info) return {};
        return attributes_of(elf_.content(*info).value_or(std::string_view{}));
    }
    /// The number that the program's attributes state for the kernel; 0 if there is none.
    [[nodiscard]] std::int64_t figure(unsigned id) const
    {
        for (cubin_attribute const& attribute : attributes(false))
            if (attribute.id == id && attribute.number(0) == symbol_) return attribute.number(1);
        return 0;
    }
    /// The size of all constant banks: the kernel's, and those that the program's kernels share.
    [[nodiscard]] std::int64_t constant_bytes() const
    {
        std::uint64_t bytes = 0;
        for (Elf64_Shdr const& candidate : elf_.sections()) {
            std::string_view name = elf_.name(candidate);
            if (!name.starts_with(".nv.constant")) continue;
            name.remove_prefix(std::string_view(".nv.constant").size());
            std::size_t const digits = std::min(name.find_first_not_of("0123456789"), name.size());
            name.remove_prefix(digits);
            if (name.empty() || (name.front() == '.' && name.substr(1) == entry_))
                bytes += candidate.sh_size;
        }
        return static_cast<std::int64_t>(bytes);
    }
    /// The section's size without the bytes that the system reserves.
    [[nodiscard]] std::int64_t shared_bytes() const
    {
        auto const shared = section(".nv.shared.");
        if (!shared) return 0;
        auto const bytes = static_cast<std::int64_t>(shared->sh_size);
        return architecture_ >= 90 ? std::max<std::int64_t>(bytes - 1024, 0) : bytes;
    }

private:
    void find_symbol(Elf64_Shdr const& table)
    {
        for (std::size_t i = 0; i < table.sh_size / sizeof(Elf64_Sym); ++i) {
            auto const symbol = elf_.entry<Elf64_Sym>(table, i);
            if (!symbol) return;
            if (ELF64_ST_TYPE(symbol->st_info) == STT_FUNC &&
                elf_.text(table.sh_link, symbol->st_name) == entry_)
                symbol_ = i;
        }
    }

    elf_object elf_;
    std::string_view entry_;
    std::size_t symbol_ = 0;
    unsigned architecture_ = 0;
    bool is_cubin_ = false;
};

ATTUNE_INLINE std::int64_t numbers_before(std::string_view line, std::string_view unit)
{
    std::int64_t sum = 0;
    for (std::size_t at = 0; (at = line.find(unit, at)) != line.npos; ++at) {
        std::size_t begin = at;
        while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9')
            --begin;
        std::int64_t number = 0;
        std::from_chars(line.data() + begin, line.data() + at, number);
        sum += number;
    }
    return sum;
}

ATTUNE_INLINE std::optional<code_resources> resources_of_cubin(std::string_view image,
                                                               std::string_view entry)
{
    cubin_reader const cubin(image, entry);
    if (!cubin.is_cubin() || !cubin.has_kernel()) return {};
    code_resources found;
    found.registers = cubin.figure(attribute_registers);
    found.stack_bytes =
        std::max(cubin.figure(attribute_frame_size), cubin.figure(attribute_least_stack));
    found.static_shared_bytes = cubin.shared_bytes();
    found.constant_bytes = cubin.constant_bytes();
    for (cubin_attribute const& attribute : cubin.attributes(true))
        if (attribute.id == attribute_max_threads)
            found.most_threads = std::int64_t{attribute.number(0)} *
                                 std::max(attribute.number(1), 1U) *
                                 std::max(attribute.number(2), 1U);
    return found;
}

ATTUNE_INLINE std::optional<code_resources> resources_of_log(std::string_view log,
                                                             std::string_view entry)
{
    code_resources found;
    bool is_entry = false;    // the line is about the kernel or a function that it calls
    bool is_function = false; // the next line is about the kernel itself
    bool seen = false;
    std::int64_t shared_constants = 0;
    while (!log.empty()) {
        std::string_view const line = log.substr(0, log.find('\n'));
        log.remove_prefix(std::min(line.size() + 1, log.size()));
        if (line.find(" bytes gmem") != line.npos)
            shared_constants = numbers_before(line, " bytes cmem[");
        if (line.find("Compiling entry function '") != line.npos)
            is_entry = line.find('\'' + std::string(entry) + '\'') != line.npos;
        if (std::size_t const of = line.find("Function properties for "); of != line.npos)
            is_function = line.substr(of + 24) == entry;
        if (is_entry && is_function && line.find(" bytes stack frame") != line.npos) {
            found.stack_bytes = numbers_before(line, " bytes stack frame");
            found.spill_bytes = numbers_before(line, " bytes spill stores") +
                                numbers_before(line, " bytes spill loads");
        }
        if (is_entry && line.find(": Used ") != line.npos) {
            seen = true;
            found.registers = numbers_before(line, " registers");
            found.stack_bytes =
                std::max(found.stack_bytes, numbers_before(line, " bytes cumulative stack size"));
            found.static_shared_bytes = numbers_before(line, " bytes smem");
            found.constant_bytes = numbers_before(line, " bytes cmem[");
            if (found.constant_bytes > 0) found.constant_bytes += shared_constants;
        }
    }
    return seen ? std::optional(found) : std::nullopt;
}

ATTUNE_INLINE std::optional<code_resources>
resources_of_kernel(std::string_view image, std::string_view log, std::string_view entry)
{
    std::optional<code_resources> found = resources_of_cubin(image, entry);
    std::optional<code_resources> const said = resources_of_log(log, entry);
    if (found && said) found->spill_bytes = said->spill_bytes;
    return found;
}

ATTUNE_INLINE std::string cubin_key(std::string_view image, std::string_view entry)
{
    cubin_reader const cubin(image, entry);
    if (!cubin.is_cubin()) return content_hash{}.add(image).hex();
    content_hash hash;
    auto const number = [&](std::uint64_t n) { hash.add(std::to_string(n)); };
    for (Elf64_Shdr const& section : cubin.elf().sections()) {
        std::string_view const name = cubin.elf().name(section);
        bool const is_text = section.sh_type == SHT_STRTAB || section.sh_type == SHT_NOTE;
        if (is_text || name.starts_with(".debug") || name.starts_with(".nv_debug") ||
            name.starts_with(".rela.debug") || name.starts_with(".rel.debug"))
            continue;
        std::string kind(name); // without the kernel's own name
        if (kind.ends_with(entry)) kind.resize(kind.size() - entry.size());
        hash.add(kind);
        number(section.sh_type);
        number(section.sh_flags);
        number(section.sh_size);
        if (section.sh_type == SHT_SYMTAB) {
            for (std::size_t i = 0; i < section.sh_size / sizeof(Elf64_Sym); ++i) {
                auto symbol = cubin.elf().entry<Elf64_Sym>(section, i).value_or(Elf64_Sym{});
                for (std::uint64_t const n :
                     {std::uint64_t{symbol.st_info}, std::uint64_t{symbol.st_other},
                      std::uint64_t{symbol.st_shndx}, std::uint64_t{symbol.st_value},
                      std::uint64_t{symbol.st_size}})
                    number(n);
            }
            continue;
        }
        hash.add(cubin.elf().content(section).value_or(image));
    }
    return hash.hex();
}

ATTUNE_INLINE callable callable_of_device(device_variant v)
{
    auto const kept = std::make_shared<device_variant>(std::move(v));
    callable made;
    made.address = kept.get();
    made.object_key = content_hash{}
                          .add(cubin_key(kept->code.image, kept->code.entry))
                          .add(text_of(kept->launch))
                          .hex();
    made.code = kept;
    return made;
}

} // namespace attune::inline ATTUNE_ABI::detail

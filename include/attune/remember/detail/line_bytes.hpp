// attune/remember/detail/line_bytes.hpp - lines as bytes: checksum, hash, kind, damage.
// SPDX-License-Identifier: MIT
// Source   CRC-32 of ISO 3309, as zlib and gzip have it; slicing by 8 (Kounavis, Berry 2005)
#pragma once

#include <attune/core/version.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// Remainders of a byte followed by 0 to 7 zero bytes.
inline constexpr auto crc_tables = [] {
    std::array<std::array<std::uint32_t, 256>, 8> out{};
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
        std::uint32_t rest = byte;
        for (int bit = 0; bit < 8; ++bit)
            rest = (rest >> 1) ^ ((rest & 1u) != 0 ? 0xedb88320u : 0u);
        out[0][byte] = rest;
    }
    for (std::size_t zeros = 1; zeros < 8; ++zeros)
        for (std::size_t byte = 0; byte < 256; ++byte) {
            std::uint32_t const before = out[zeros - 1][byte];
            out[zeros][byte] = (before >> 8) ^ out[0][before & 255u];
        }
    return out;
}();

/// The checksum of Python's zlib.crc32(): any change of up to 32 bits in a row changes it.
/// Cost  0.5 ns a byte
[[nodiscard]] constexpr std::uint32_t crc32_of(std::string_view text) noexcept
{
    auto const byte = [&](std::size_t i) {
        return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i]));
    };
    auto const& t = crc_tables;
    std::uint32_t crc = 0xffffffffu;
    std::size_t at = 0;
    for (; at + 8 <= text.size(); at += 8) {
        std::uint32_t const low =
            crc ^ (byte(at) | byte(at + 1) << 8 | byte(at + 2) << 16 | byte(at + 3) << 24);
        crc = t[7][low & 255u] ^ t[6][low >> 8 & 255u] ^ t[5][low >> 16 & 255u] ^ t[4][low >> 24] ^
              t[3][byte(at + 4)] ^ t[2][byte(at + 5)] ^ t[1][byte(at + 6)] ^ t[0][byte(at + 7)];
    }
    for (; at < text.size(); ++at)
        crc = (crc >> 8) ^ t[0][(crc ^ byte(at)) & 255u];
    return ~crc;
}

/// FNV-1a, 64 bits.
/// @param before  hash of the text before it
[[nodiscard]] inline std::uint64_t
hash_of_text(std::string_view text, std::uint64_t before = 14695981039346656037u) noexcept
{
    std::uint64_t out = before;
    for (char const c : text)
        out = (out ^ static_cast<unsigned char>(c)) * 1099511628211u;
    return out;
}

[[nodiscard]] inline std::optional<std::uint64_t> hexadecimal(std::string_view digits) noexcept
{
    std::uint64_t out = 0;
    for (char const c : digits) {
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))) return std::nullopt;
        out = out << 4 | static_cast<std::uint64_t>(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    return out;
}

/// The text between two texts, both as attune writes them; empty if they are not there.
[[nodiscard]] inline std::string_view text_between(std::string_view line, std::string_view before,
                                                   std::string_view after) noexcept
{
    if (!line.starts_with(before)) return {};
    line.remove_prefix(before.size());
    std::size_t const end = line.find(after);
    return end == line.npos ? std::string_view() : line.substr(0, end);
}

[[nodiscard]] inline std::string_view trimmed_line(std::string_view line) noexcept
{
    constexpr std::string_view blanks = " \t\r";
    std::size_t const first = line.find_first_not_of(blanks);
    if (first == line.npos) return {};
    return line.substr(first, line.find_last_not_of(blanks) + 1 - first);
}

enum class line_kind : std::uint8_t {
    unknown, ///< not in the form that attune writes: parse it
    problem,
    tried,
    won,
    proven,
    over,
    calls,
    later, ///< line about a problem, of a kind of a later release
};

struct line_form {
    line_kind kind = line_kind::unknown;
    std::string_view id{}; ///< id of the problem
};

/// The kind of a line whose checksum is right.
[[nodiscard]] inline line_form form_of(std::string_view line) noexcept
{
    constexpr std::size_t id_length = 25; // "9f3c0011aabbccdd-1f2e3d4c"
    constexpr std::string_view at = "{\"at\":\"", problem = "{\"problem\":\"";
    if (std::string_view const id = text_between(line, at, "\",\""); id.size() == id_length) {
        std::string_view const rest = line.substr(at.size() + id_length + 3);
        if (rest.starts_with("try\":[")) return {line_kind::tried, id};
        if (rest.starts_with("won\":[")) return {line_kind::won, id};
        if (rest.starts_with("shape\":[")) return {line_kind::proven, id};
        if (rest.starts_with("over\":")) return {line_kind::over, id};
        if (rest.starts_with("calls\":[")) return {line_kind::calls, id};
        return {line_kind::later, id};
    }
    std::string_view const id = text_between(line, problem, "\",\"kernel\":");
    if (id.size() == id_length) return {line_kind::problem, id};
    return {};
}

/// Returns true if the verdict of a proven line is "wrong". In a line that attune writes, only the
/// checksum follows the verdict.
[[nodiscard]] inline bool is_refutation(std::string_view line) noexcept
{
    constexpr std::string_view verdict = "\"right\":false,";
    constexpr std::size_t behind = std::string_view("\"sum\":\"00000000\"}").size();
    return line.size() >= verdict.size() + behind &&
           line.substr(line.size() - verdict.size() - behind).starts_with(verdict);
}

/// Unreadable lines of a file.
struct damaged_lines {
    std::size_t count = 0;
    std::size_t first = 0; ///< number of the first one, from 1
    std::string why{};     ///< of the first one

    void add(std::size_t line, std::string reason)
    {
        if (count++ > 0 && line > first) return;
        first = line;
        why = std::move(reason);
    }
    /// "a.attune:7: this and 2 more damaged lines are skipped (why)"; empty if there is none.
    [[nodiscard]] std::string text(std::string const& file) const
    {
        if (count == 0) return {};
        return file + ':' + std::to_string(first) +
               (count == 1 ? ": this damaged line is skipped ("
                           : ": this and " + std::to_string(count - 1) +
                                 " more damaged lines are skipped (") +
               why + ')';
    }
};

} // namespace attune::inline ATTUNE_ABI::detail

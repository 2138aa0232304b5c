// attune/remember/files/captured_call.hpp - the arguments of one call of a kernel in a file: a line that describes them, then their bytes.
// SPDX-License-Identifier: MIT
//
// The first line is JSON, filled up with blanks to a multiple of 64 bytes; the arrays' bytes follow
// it. A checksum is of the line, another one of the bytes.
#pragma once

#include <attune/core/posix/descriptor.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/record.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

struct captured_array {
    static constexpr std::uint64_t nowhere = static_cast<std::uint64_t>(-1);
    /// `element` of an array of pointers, whose own bytes are not kept.
    static constexpr std::string_view pointers = "pointer";

    std::string element{}; ///< the form of an element: "f32", "16 bytes: f64 at 0, i32 at 8"
    std::uint64_t element_bytes = 0;
    /// Of a span its length; of a view slices, rows, columns, then strides; all in elements.
    std::vector<std::uint64_t> lengths{};
    std::uint64_t range = nowhere; ///< of captured_call::ranges; nowhere: it is null
    std::uint64_t offset = 0;      ///< bytes from the beginning of the range
    std::uint64_t at = 0;          ///< where its content begins, among the bytes of the file
    std::uint64_t bytes = 0;       ///< of its content: rows without the gaps between them
};

struct captured_argument {
    std::string type{};                    ///< "std::span<float const>"
    std::optional<captured_array> array{}; ///< else `value`
    std::string value{};                   ///< its bytes
    std::vector<captured_array> targets{}; ///< of an array of pointers: what each points to
};

/// Memory that arrays share where they overlap.
struct captured_range {
    static constexpr std::uint64_t page = 4096;

    std::uint64_t place = 0; ///< address modulo a page
    std::uint64_t bytes = 0;
};

struct captured_call {
    std::string kernel{};
    std::string signature{}; ///< "void(std::span<float const>, int)"
    std::string schema{};    ///< hash of what else decides whether a program's calls are like it
    named_texts inputs{};    ///< bound ones, with their values
    std::vector<captured_argument> arguments{};
    std::vector<captured_range> ranges{};
    std::uint64_t bytes = 0; ///< of all arrays together
    std::string when{};      ///< "2026-01-31T12:00:00Z"
    std::string attune{};    ///< version of the release that wrote it
};

/// The text of a file.
/// @param append  appends the content of all arrays, call.bytes bytes
[[nodiscard]] std::string capture_text(captured_call const& call,
                                       std::function<void(std::string& to)> const& append);

/// Whether a text begins as that of a capture does.
[[nodiscard]] bool begins_as_capture(std::string_view text) noexcept;

/// A file, or the text of one, that is read in two steps. What it gives is consistent: all arrays
/// lie within their ranges, and their contents within the bytes.
class capture_reader {
public:
    /// Reads the first line.
    /// Errors   attune::error: there is no such file, it is no capture, it is damaged, a newer
    ///          release or another kind of machine wrote it
    [[nodiscard]] static capture_reader of_file(std::string const& path);
    /// @param name  of where the text is from, for errors
    [[nodiscard]] static capture_reader of_text(std::string text, std::string name);

    [[nodiscard]] captured_call const& call() const noexcept { return call_; }
    /// Reads the rest, and gives the bytes of all arrays.
    /// Errors   attune::error: as above; std::bad_alloc
    [[nodiscard]] std::string take_bytes();

private:
    capture_reader() = default;
    void read_line();
    [[noreturn]] void refuse(std::string const& why) const;

    std::string name_{};
    descriptor file_{};     ///< stays open: another process may replace the file meanwhile
    std::string text_{};    ///< what was read so far
    std::size_t begin_ = 0; ///< of the arrays' bytes
    std::uint32_t checksum_ = 0;
    captured_call call_{};
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/remember/files/captured_call.ipp>
#endif

// attune/remember/files/captured_call.hpp - the arguments of a call in a file: a line of JSON, then bytes.
// SPDX-License-Identifier: MIT
//
// The first line is JSON, filled up with blanks to a multiple of 64 bytes. The arrays' bytes
// follow. The line and the bytes have a checksum each.
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
    /// `element` of an array of pointers. The file has no bytes of it.
    static constexpr std::string_view pointers = "pointer";

    std::string element{}; ///< the form of an element: "f32", "16 bytes: f64 at 0, i32 at 8"
    std::uint64_t element_bytes = 0;
    /// For a span its length; for a view slices, rows, columns, then strides; all in elements.
    std::vector<std::uint64_t> lengths{};
    std::uint64_t range = nowhere; ///< index in captured_call::ranges; nowhere: null pointer
    std::uint64_t offset = 0;      ///< bytes from the beginning of the range
    std::uint64_t at = 0;          ///< start of its content, among the bytes of the file
    std::uint64_t bytes = 0;       ///< bytes of its content: rows without gaps
};

struct captured_argument {
    std::string type{};                    ///< "std::span<float const>"
    std::optional<captured_array> array{}; ///< an array; otherwise see `value`
    std::string value{};                   ///< its bytes
    std::vector<captured_array> targets{}; ///< for an array of pointers: the targets
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
    std::string schema{};    ///< hash of further facts that make a program's calls similar
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

/// Returns true if a text begins like that of a capture.
[[nodiscard]] bool begins_as_capture(std::string_view text) noexcept;

/// Reads a file, or the text of one, in two steps. The results are consistent: all arrays lie
/// within their ranges, and their contents within the bytes.
class capture_reader {
public:
    /// Reads the first line.
    /// Errors   attune::error: there is no such file, it is no capture, it is damaged, a newer
    ///          release or another kind of machine wrote it
    [[nodiscard]] static capture_reader of_file(std::string const& path);
    /// @param name  origin of the text, for errors
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
    std::string text_{};    ///< the text read so far
    std::size_t begin_ = 0; ///< start of the arrays' bytes
    std::uint32_t checksum_ = 0;
    captured_call call_{};
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/remember/files/captured_call.ipp>
#endif

// attune/remember/files/captured_call.ipp - a call as a line of JSON and bytes, and back.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/remember/detail/json_fields.hpp>
#include <attune/remember/detail/line_bytes.hpp>
#include <attune/remember/files/captured_call.hpp>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

inline constexpr std::string_view capture_begin = "{\"attune_capture\":";
inline constexpr std::uint64_t capture_format = 1;
inline constexpr std::string_view native_order =
    std::endian::native == std::endian::little ? "little" : "big";
inline constexpr std::size_t capture_line_multiple = 64;
/// The longest line: it has some ten thousand arrays.
inline constexpr std::size_t longest_capture_line = std::size_t{64} << 20;
/// Largest memory of a call's arrays, in bytes: the range of an address.
inline constexpr std::uint64_t most_captured_memory = std::uint64_t{1} << 46;

[[nodiscard]] inline std::string digits_of_bytes(std::string_view bytes)
{
    std::string out;
    for (char const c : bytes) {
        auto const byte = static_cast<unsigned char>(c);
        out += "0123456789abcdef"[byte >> 4];
        out += "0123456789abcdef"[byte & 15];
    }
    return out;
}

// --- to a text ---------------------------------------------------------------------------------

inline void write_array(record_json& to, captured_array const& from)
{
    to["element"] = from.element;
    to["element_bytes"] = from.element_bytes;
    to["lengths"] = from.lengths;
    if (from.range != captured_array::nowhere) {
        to["range"] = from.range;
        to["offset"] = from.offset;
    }
    to["at"] = from.at;
    to["bytes"] = from.bytes;
}

/// The line without the checksums, and without the brace at the end.
[[nodiscard]] inline std::string capture_line(captured_call const& call)
{
    record_json out;
    out["attune_capture"] = capture_format;
    out["kernel"] = text_to_json(call.kernel);
    out["signature"] = text_to_json(call.signature);
    out["schema"] = call.schema;
    out["inputs"] = record_json::object();
    for (auto const& [name, value] : call.inputs)
        out["inputs"][name] = value;
    out["arguments"] = record_json::array();
    for (captured_argument const& one : call.arguments) {
        record_json json;
        json["type"] = text_to_json(one.type);
        if (one.array)
            write_array(json, *one.array);
        else
            json["value"] = digits_of_bytes(one.value);
        for (captured_array const& target : one.targets)
            write_array(json["targets"].emplace_back(record_json::object()), target);
        out["arguments"].push_back(std::move(json));
    }
    out["ranges"] = record_json::array();
    for (captured_range const& one : call.ranges)
        out["ranges"].push_back({one.place, one.bytes});
    out["bytes"] = call.bytes;
    out["byte_order"] = native_order;
    out["when"] = call.when;
    out["attune"] = call.attune;
    std::string line = out.dump();
    line.pop_back();
    return line;
}

inline constexpr std::string_view before_bytes_sum = ",\"bytes_crc\":\"";
inline constexpr std::string_view before_line_sum = "\",\"crc\":\"";

ATTUNE_INLINE std::string capture_text(captured_call const& call,
                                       std::function<void(std::string& to)> const& append)
{
    std::string text = capture_line(call);
    std::size_t const sums = text.size() + before_bytes_sum.size();
    // Each checksum has eight digits; the line ends with "} and a line feed.
    std::size_t const least = sums + 8 + before_line_sum.size() + 8 + 3;
    std::size_t const length =
        (least + capture_line_multiple - 1) / capture_line_multiple * capture_line_multiple;
    text.reserve(length + call.bytes);
    text.resize(length, ' ');
    append(text);
    std::string end(before_bytes_sum);
    end += digits_of(crc32_of(std::string_view(text).substr(length)));
    std::size_t const begin = sums - before_bytes_sum.size();
    text.replace(begin, end.size(), end);
    std::uint32_t const line_sum = crc32_of(std::string_view(text).substr(0, begin + end.size()));
    end = std::string(before_line_sum) + digits_of(line_sum) + "\"}";
    text.replace(sums + 8, end.size(), end);
    text[length - 1] = '\n';
    return text;
}

ATTUNE_INLINE bool begins_as_capture(std::string_view text) noexcept
{
    return text.starts_with(capture_begin);
}

// --- and back ----------------------------------------------------------------------------------

[[nodiscard]] inline captured_array array_in(record_json const& json)
{
    captured_array out;
    out.element = text_field(json, "element");
    out.element_bytes = count_field(json, "element_bytes");
    for (record_json const& one : json_field(json, "lengths")) {
        if (!one.is_number_unsigned()) throw record_json_problem("a length is not a count");
        out.lengths.push_back(one.get<std::uint64_t>());
    }
    if (has_field(json, "range")) {
        out.range = count_field(json, "range");
        out.offset = count_field(json, "offset");
    }
    out.at = count_field(json, "at");
    out.bytes = count_field(json, "bytes");
    return out;
}

[[nodiscard]] inline captured_call call_in(record_json const& json)
{
    captured_call out;
    out.kernel = text_field(json, "kernel");
    out.signature = text_field(json, "signature");
    out.schema = text_field(json, "schema");
    for (auto const& [name, value] : json_field(json, "inputs").items())
        out.inputs.emplace_back(name, json_to_text(value, "an input"));
    for (record_json const& one : json_field(json, "arguments")) {
        captured_argument& to = out.arguments.emplace_back();
        to.type = text_field(one, "type");
        if (has_field(one, "value")) {
            record_json value;
            value["bytes"] = json_field(one, "value");
            to.value = json_to_text(value, "a value");
            continue;
        }
        to.array = array_in(one);
        if (has_field(one, "targets"))
            for (record_json const& target : json_field(one, "targets"))
                to.targets.push_back(array_in(target));
    }
    for (record_json const& one : json_field(json, "ranges")) {
        if (!one.is_array() || one.size() != 2 || !one[0].is_number_unsigned() ||
            !one[1].is_number_unsigned())
            throw record_json_problem("a range is no pair of counts");
        out.ranges.push_back({one[0].get<std::uint64_t>(), one[1].get<std::uint64_t>()});
    }
    out.bytes = count_field(json, "bytes");
    out.when = text_field(json, "when");
    out.attune = text_field(json, "attune");
    return out;
}

/// A number that keeps its largest value on overflow.
class saturating {
public:
    static constexpr std::uint64_t most = std::uint64_t{1} << 62;

    saturating(std::uint64_t value) noexcept
        : value_(std::min(value, most))
    {
    }
    [[nodiscard]] friend saturating operator*(saturating a, saturating b) noexcept
    {
        if (a.value_ == 0 || b.value_ == 0) return 0;
        return a.value_ > most / b.value_ ? most : a.value_ * b.value_;
    }
    [[nodiscard]] friend saturating operator+(saturating a, saturating b) noexcept
    {
        return a.value_ + b.value_; // at most 2^63
    }
    [[nodiscard]] bool is_over(std::uint64_t limit) const noexcept { return value_ > limit; }
    [[nodiscard]] bool is(std::uint64_t other) const noexcept
    {
        return value_ < most && value_ == other;
    }

private:
    std::uint64_t value_;
};

/// Elements of an array, without gaps and with them.
struct captured_elements {
    saturating content;
    saturating extent;
};

[[nodiscard]] inline captured_elements elements_of(captured_array const& a)
{
    std::vector<std::uint64_t> const& n = a.lengths;
    if (n.size() == 1) return {n[0], n[0]};
    bool const is_volume = n.size() == 5;
    if (!is_volume && n.size() != 3) throw record_json_problem("lengths are not those of an array");
    std::uint64_t const slices = is_volume ? n[0] : 1;
    std::uint64_t const rows = n[is_volume ? 1 : 0], columns = n[is_volume ? 2 : 1];
    if (slices == 0 || rows == 0 || columns == 0) return {0, 0};
    saturating const matrix = saturating(rows - 1) * n.back() + columns;
    return {saturating(slices) * rows * columns,
            is_volume ? saturating(slices - 1) * n[3] + matrix : matrix};
}

inline void require_sound(captured_array const& a, captured_call const& call)
{
    captured_elements const elements = elements_of(a);
    saturating const extent = elements.extent * a.element_bytes;
    if (a.element_bytes == 0) throw record_json_problem("an element has no bytes");
    if (a.range == captured_array::nowhere) {
        if (extent.is_over(0)) throw record_json_problem("an array lies nowhere");
    } else if (a.range >= call.ranges.size() ||
               (saturating(a.offset) + extent).is_over(call.ranges[a.range].bytes)) {
        throw record_json_problem("an array lies outside of its memory");
    }
    bool const is_pointers = a.element == captured_array::pointers;
    if (is_pointers && (a.element_bytes != sizeof(void*) || a.lengths.size() != 1))
        throw record_json_problem("an array of pointers is of another machine");
    if (is_pointers && a.range != captured_array::nowhere &&
        (call.ranges[a.range].place + a.offset) % alignof(void*) != 0)
        throw record_json_problem("an array of pointers begins within a pointer");
    saturating const content = is_pointers ? saturating(0) : elements.content * a.element_bytes;
    if (!content.is(a.bytes) || (saturating(a.at) + a.bytes).is_over(call.bytes))
        throw record_json_problem("the content of an array is not of its size");
}

inline void require_sound(captured_call const& call)
{
    saturating memory = 0;
    for (captured_range const& one : call.ranges) {
        if (one.place >= captured_range::page)
            throw record_json_problem("a range begins outside of a page");
        memory = memory + one.bytes + 2 * captured_range::page;
    }
    if (memory.is_over(most_captured_memory)) throw record_json_problem("it is too large");
    std::vector<std::size_t> used(call.ranges.size()); // number of arrays in each range
    auto const check = [&](captured_array const& a) {
        require_sound(a, call);
        if (a.range != captured_array::nowhere) ++used[a.range];
    };
    for (captured_argument const& one : call.arguments) {
        if (!one.array) continue;
        check(*one.array);
        bool const is_pointers = one.array->element == captured_array::pointers;
        std::uint64_t const targets = is_pointers ? one.array->lengths[0] : 0;
        if (one.targets.size() != targets)
            throw record_json_problem("an array of pointers has not as many targets");
        for (captured_array const& target : one.targets) {
            if (target.element == captured_array::pointers || target.lengths.size() != 1)
                throw record_json_problem("a target is no array of values");
            check(target);
        }
    }
    for (captured_argument const& one : call.arguments)
        if (!one.targets.empty() && used[one.array->range] != 1)
            throw record_json_problem("an array of pointers shares its memory");
}

ATTUNE_INLINE void capture_reader::refuse(std::string const& why) const
{
    throw error("the capture " + why, name_, "capture the call again, with ATTUNE_CAPTURE=KERNEL");
}

ATTUNE_INLINE void capture_reader::read_line()
{
    std::string_view line(text_);
    if (!begins_as_capture(line))
        throw error("the file is no capture of a call", name_,
                    "name one that a program wrote which was started with ATTUNE_CAPTURE=KERNEL");
    std::size_t const end = line.find('\n');
    if (end == line.npos || (end + 1) % capture_line_multiple != 0)
        refuse("is damaged: its first line has no end");
    begin_ = end + 1;
    line = line.substr(0, line.find_last_not_of(' ', end - 1) + 1);
    std::size_t const tail = before_line_sum.size() + 8 + 2;
    std::size_t const first_sum = before_bytes_sum.size() + 8;
    if (line.size() < tail + first_sum || !line.ends_with("\"}"))
        refuse("is damaged: its first line has no checksum");
    std::string_view const covered = line.substr(0, line.size() - tail);
    std::string const expected =
        std::string(before_line_sum) + digits_of(crc32_of(covered)) + "\"}";
    if (line.substr(covered.size()) != expected)
        refuse("is damaged: its first line has another checksum");
    try {
        record_json const json = record_json::parse(line);
        if (count_field(json, "attune_capture") != capture_format)
            throw error("the capture has a format that this release does not know", name_,
                        "read it with the release of attune that wrote it");
        if (text_field(json, "byte_order") != native_order)
            throw error("the capture is of a machine with another order of bytes", name_,
                        "replay it on such a machine");
        call_ = call_in(json);
        require_sound(call_);
        std::string const sum = text_field(json, "bytes_crc");
        if (sum.size() != 8 || sum.find_first_not_of("0123456789abcdef") != sum.npos)
            throw record_json_problem("the checksum of the arrays is no such number");
        checksum_ = static_cast<std::uint32_t>(std::stoul(sum, nullptr, 16));
    } catch (record_json_problem const& e) {
        refuse(std::string("cannot be read: ") + e.what());
    } catch (record_json::exception const&) {
        refuse("cannot be read: its first line is no JSON");
    }
}

/// Appends the file's bytes from `text.size()` on, until there are `bytes` or a line ends.
/// @return  0 or an errno
[[nodiscard]] inline int read_more(int file, std::string& text, std::size_t bytes, bool only_a_line)
{
    constexpr std::size_t piece = std::size_t{64} << 10;
    while (text.size() < bytes) {
        std::size_t const old = text.size();
        text.resize(old + (only_a_line ? std::min(piece, bytes - old) : bytes - old));
        ::ssize_t const got =
            ::pread(file, text.data() + old, text.size() - old, static_cast<::off_t>(old));
        text.resize(old + static_cast<std::size_t>(std::max<::ssize_t>(got, 0)));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return errno;
        if (got == 0 || (only_a_line && text.find('\n', old) != text.npos)) return 0;
        if (only_a_line && !begins_as_capture(text)) return 0;
    }
    return 0;
}

[[noreturn]] inline void refuse_to_read(std::string const& path, std::string const& why)
{
    throw error("the capture cannot be read: " + why, path,
                "name a file that a program wrote which was started with ATTUNE_CAPTURE=KERNEL");
}

ATTUNE_INLINE capture_reader capture_reader::of_file(std::string const& path)
{
    capture_reader out;
    out.name_ = path;
    out.file_ = descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct ::stat status{};
    if (!out.file_.is_open() || ::fstat(out.file_.get(), &status) != 0)
        refuse_to_read(path, std::generic_category().message(errno));
    if (!S_ISREG(status.st_mode)) refuse_to_read(path, "it is not a regular file");
    if (int const e = read_more(out.file_.get(), out.text_, longest_capture_line, true); e != 0)
        refuse_to_read(path, std::generic_category().message(e));
    out.read_line();
    return out;
}

ATTUNE_INLINE capture_reader capture_reader::of_text(std::string text, std::string name)
{
    capture_reader out;
    out.name_ = std::move(name);
    out.text_ = std::move(text);
    out.read_line();
    return out;
}

ATTUNE_INLINE std::string capture_reader::take_bytes()
{
    std::uint64_t const whole = begin_ + call_.bytes;
    if (file_.is_open()) {
        struct ::stat status{};
        if (::fstat(file_.get(), &status) != 0)
            refuse_to_read(name_, std::generic_category().message(errno));
        auto const there = static_cast<std::uint64_t>(status.st_size);
        if (there != whole)
            refuse("is damaged: it has " + std::to_string(there) + " bytes instead of " +
                   std::to_string(whole));
        if (int const e = read_more(file_.get(), text_, whole, false); e != 0)
            refuse_to_read(name_, std::generic_category().message(e));
    }
    if (text_.size() != whole)
        refuse("is damaged: it has " + std::to_string(text_.size()) + " bytes instead of " +
               std::to_string(whole));
    if (crc32_of(std::string_view(text_).substr(begin_)) != checksum_)
        refuse("is damaged: its arrays have another checksum");
    std::string out = std::exchange(text_, {});
    out.erase(0, begin_);
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail

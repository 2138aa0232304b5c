// attune/tune/capture/call_capture.ipp - describes a call and writes it to a file.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/source/source.hpp>
#include <attune/core/environment.hpp>
#include <attune/core/error.hpp>
#include <attune/core/hash.hpp>
#include <attune/core/posix/fork_gate.hpp>
#include <attune/core/posix/replace_file.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/text.hpp>
#include <attune/measure/arrays/content.hpp>
#include <attune/tune/capture/call_capture.hpp>
#include <attune/tune/dispatch/choice/session_record.hpp>
#include <attune/tune/kernel/owned_call.hpp>
#include <attune/tune/kernel/problem.hpp>
#include <attune/tune/report.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <mutex>
#include <set>
#include <system_error>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

// --- the request -------------------------------------------------------------------------------

/// "64MiB", "1G", "4096".
[[nodiscard]] inline std::optional<std::uint64_t> bytes_in(std::string_view text)
{
    std::uint64_t count = 0;
    auto const [end, problem] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (problem != std::errc{}) return {};
    std::string_view const unit = text.substr(static_cast<std::size_t>(end - text.data()));
    for (auto const& [bits, names] :
         {std::pair{0u, std::array<std::string_view, 3>{"", "B", "bytes"}},
          std::pair{10u, std::array<std::string_view, 3>{"K", "KB", "KiB"}},
          std::pair{20u, std::array<std::string_view, 3>{"M", "MB", "MiB"}},
          std::pair{30u, std::array<std::string_view, 3>{"G", "GB", "GiB"}}})
        if (std::find(names.begin(), names.end(), unit) != names.end()) {
            if (count > std::numeric_limits<std::uint64_t>::max() >> bits) return {};
            return count << bits;
        }
    return {};
}

ATTUNE_INLINE std::optional<capture_wish> capture_wish_in(std::string_view text)
{
    capture_wish out;
    std::size_t const equals = text.find('=');
    if (equals != text.npos) {
        out.path = text.substr(equals + 1);
        if (out.path.empty()) return {};
        text = text.substr(0, equals);
    }
    // The "::" in a name does not begin a limit.
    std::size_t const colon = text.rfind(':');
    if (colon != text.npos && (colon == 0 || text[colon - 1] != ':')) {
        auto const limit = bytes_in(text.substr(colon + 1));
        if (!limit) return {};
        out.most_bytes = *limit;
        text = text.substr(0, colon);
    }
    if (text.empty() || text.ends_with(':')) return {};
    out.kernel = text;
    return out;
}

ATTUNE_INLINE std::string capture_name_of(std::string_view kernel)
{
    std::string out;
    for (char const c : kernel.substr(0, 150)) {
        bool const is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                              (c >= '0' && c <= '9') || c == '_' || c == '-' ||
                              (c == '.' && !out.empty());
        out += is_plain ? c : '_';
    }
    return out + ".capture";
}

// --- the call ----------------------------------------------------------------------------------

ATTUNE_INLINE std::string element_form(buffer const& b)
{
    if (b.run_count == 0) return std::string(element_types[b.type].name);
    std::string out = std::to_string(b.structure) + " bytes:";
    for (std::uint32_t i = 0; i < b.run_count; ++i) {
        element_run const& run = b.runs[i];
        out += (i == 0 ? " " : ", ") + std::string(element_types[run.type].name);
        if (run.count != 1) out += " x " + std::to_string(run.count);
        out += " at " + std::to_string(run.offset);
    }
    return out;
}

ATTUNE_INLINE std::string call_schema(kernel_description const& kernel)
{
    content_hash out;
    out.add(signature_text(kernel.signature)).add(kernel.signature.declarations);
    for (input_argument const& input : kernel.inputs)
        out.add(input.input).add(std::to_string(input.position));
    return out.hex();
}

/// Gives each array its place among ranges of memory.
class described_ranges {
public:
    explicit described_ranges(call_frame const& frame)
        : of_(ranges_of(frame))
    {
        for (call_range const& one : of_)
            out_.push_back({one.first % captured_range::page, one.last - one.first});
    }
    void place(captured_array& to, buffer const& b)
    {
        if (b.data == nullptr) return;
        auto const at = reinterpret_cast<std::uintptr_t>(b.data);
        if (b.bytes == 0) { // its address is part of the shape of the call
            to.range = out_.size();
            out_.push_back({at % captured_range::page, 0});
            return;
        }
        auto const after = std::upper_bound(
            of_.begin(), of_.end(), at,
            [](std::uintptr_t here, call_range const& r) { return here < r.first; });
        auto const of = std::prev(after);
        to.range = static_cast<std::uint64_t>(of - of_.begin());
        to.offset = at - of->first;
    }
    [[nodiscard]] std::vector<captured_range> take() { return std::move(out_); }

private:
    std::vector<call_range> of_;
    std::vector<captured_range> out_{};
};

/// Returns true if a capture has the array's own bytes.
[[nodiscard]] inline bool has_content(buffer const& b) noexcept
{
    return b.argument != buffer::result && b.first_target == buffer::none;
}

ATTUNE_INLINE captured_call describe_call(kernel_description const& kernel,
                                          std::vector<number> const& inputs,
                                          call_frame const& frame)
{
    captured_call out;
    out.kernel = kernel.name;
    out.signature = signature_text(kernel.signature);
    out.schema = call_schema(kernel);
    for (std::size_t i = 0; i < inputs.size(); ++i)
        out.inputs.emplace_back(kernel.inputs[i].input, text_of_number(inputs[i]));
    out.when = text_of_now();
    out.attune = version;
    for (std::size_t i = 0; i < frame.arguments.size(); ++i) {
        call_argument const& from = frame.arguments[i];
        captured_argument& to = out.arguments.emplace_back();
        to.type = kernel.signature.arguments[i];
        for (std::byte const b : from.value)
            to.value += static_cast<char>(b);
    }
    described_ranges memory(frame);
    for (buffer const& b : frame.buffers) {
        if (b.argument == buffer::result) continue;
        call_argument const& from = frame.arguments[b.argument];
        captured_argument& to = out.arguments[b.argument];
        captured_array made;
        made.element = element_form(b);
        made.element_bytes = from.element_bytes;
        if (b.target != buffer::none || from.is_pointer) {
            made.lengths = {b.bytes / from.element_bytes};
        } else {
            made.lengths.assign(from.lengths.begin(), from.lengths.end());
            if (from.target) made.element_bytes = sizeof(void*);
            if (from.target) made.element = captured_array::pointers;
        }
        memory.place(made, b);
        made.at = out.bytes;
        made.bytes = has_content(b) ? content_bytes(b) : 0;
        out.bytes += made.bytes;
        if (b.target == buffer::none)
            to.array = std::move(made);
        else
            to.targets.push_back(std::move(made));
    }
    out.ranges = memory.take();
    return out;
}

ATTUNE_INLINE void append_content(std::string& to, call_frame const& frame)
{
    for (buffer const& b : frame.buffers)
        if (has_content(b))
            for_each_row(b, [&to](std::byte const* first, std::size_t bytes) {
                to.append(reinterpret_cast<char const*>(first), bytes);
            });
}

// --- the file ----------------------------------------------------------------------------------

ATTUNE_INLINE call_capture::call_capture(std::string const& kernel)
    : wish_(capture_wish_in(environment_variable("ATTUNE_CAPTURE")))
    , is_due_(wish_ && wish_->kernel == kernel)
{
}

/// Returns true once in this process for each file: two objects may have the same kernel.
[[nodiscard]] inline bool is_first_capture(std::string const& path)
{
    static fork_safe_mutex& lock = *new fork_safe_mutex;
    static std::set<std::string>& done = *new std::set<std::string>;
    std::scoped_lock<fork_safe_mutex> const here(lock);
    return done.insert(path).second;
}

[[nodiscard]] inline std::string path_of_capture(capture_wish const& wish)
{
    std::filesystem::path path = wish.path;
    std::error_code no;
    if (path.empty() || std::filesystem::is_directory(path, no))
        path /= capture_name_of(wish.kernel);
    std::filesystem::path const whole = std::filesystem::absolute(path, no);
    return no ? path.string() : whole.string();
}

/// Returns true if the file exists and is not a capture.
[[nodiscard]] inline bool is_file_of_others(std::string const& path)
{
    std::error_code no;
    if (!std::filesystem::is_regular_file(path, no)) return false; // reading a pipe would block
    std::string begin(64, '\0');
    std::ifstream there(path, std::ios::binary);
    there.read(begin.data(), static_cast<std::streamsize>(begin.size()));
    return there.gcount() > 0 && !begins_as_capture(begin);
}

/// "N=512, 3145728 bytes".
[[nodiscard]] inline std::string text_of_size(captured_call const& call)
{
    std::string out;
    for (auto const& [name, value] : call.inputs)
        out += name + '=' + value + ", ";
    return out + std::to_string(call.bytes) + " bytes";
}

ATTUNE_INLINE std::string call_capture::write(dispatched_kernel const& of,
                                              std::vector<number> const& inputs, call_frame frame,
                                              void* stream) const
{
    set_extents(frame, of.kernel, of.values_of(inputs));
    std::optional<owned_call> there; // arrays of a device, in host memory
    if (std::ranges::any_of(frame.arguments, &call_argument::on_device)) {
        auto const device = of.target();
        device->require_device(of.kernel.name);
        device->wait_for_caller(stream);
        device->require_arrays(frame);
        there.emplace(frame, device.get(), array_copy::to_host);
        frame = there->frame();
    }
    captured_call const call = describe_call(of.kernel, inputs, frame);
    std::string const path = path_of_capture(*wish_);
    if (!is_first_capture(path)) return {};
    if (call.bytes > wish_->most_bytes)
        return "no call is captured: the arrays of the first one (" + text_of_size(call) +
               ") take more than the limit of " + std::to_string(wish_->most_bytes) +
               " bytes; ATTUNE_CAPTURE=" + wish_->kernel + ':' +
               std::to_string((call.bytes + (1u << 20) - 1) >> 20) + "MiB allows them";
    if (is_file_of_others(path))
        return "no call is captured: a file that is no capture is not overwritten (" + path +
               "); ATTUNE_CAPTURE=" + wish_->kernel + "=FILE names another place";
    try {
        replace_file(path,
                     capture_text(call, [&frame](std::string& to) { append_content(to, frame); }),
                     file_readers::owner);
    } catch (error const& e) {
        return "no call is captured: " + sentence_of(e) + "; ATTUNE_CAPTURE=" + wish_->kernel +
               "=FILE names another place";
    }
    return "a call (" + text_of_size(call) + ") is captured in " + path + "; attune retune " +
           std::filesystem::path(path).filename().string() + " -- PROGRAM tunes on it";
}

ATTUNE_INLINE std::string call_capture::take(dispatched_kernel const& of,
                                             std::vector<number> const& inputs,
                                             call_frame const& frame, void* stream) noexcept
try {
    if (frame.has_only_empty_arrays() && of.kernel.extents.empty()) return {};
    if (!is_due_.exchange(false)) return {};
    return write(of, inputs, frame, stream);
} catch (...) {
    try {
        return "no call is captured: " + in_one_line(text_of_exception());
    } catch (...) {
        return {};
    }
}

} // namespace attune::inline ATTUNE_ABI::detail

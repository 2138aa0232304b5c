// attune/remember/files/sample_file.ipp - checks and appends lines.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/remember/detail/checksum.hpp>
#include <attune/remember/detail/store_file.hpp>
#include <attune/remember/detail/text_hash.hpp>
#include <attune/remember/files/sample_file.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

inline constexpr std::string_view first_line_of_samples = "attune_samples 1\n";
inline constexpr char const* no_sample_file = "the file is none of samples";

/// Takes what stands before `end` off the front; all where there is none.
[[nodiscard]] inline std::string_view take_until(std::string_view& from, char end)
{
    std::string_view const out = from.substr(0, from.find(end));
    from.remove_prefix(std::min(out.size() + 1, from.size()));
    return out;
}

ATTUNE_INLINE sample_file::sample_file(std::string path, std::string_view meaning)
    : path_(std::move(path))
    , meaning_(std::to_string(hash_of_text(meaning)))
{
}

/// The whole lines of a meaning, in order.
[[nodiscard]] inline std::vector<std::string_view> sample_lines_in(std::string_view text,
                                                                   std::string_view meaning)
{
    std::vector<std::string_view> out;
    while (text.find('\n') != text.npos) {
        std::string_view line = take_until(text, '\n');
        std::string_view const its = take_until(line, '\t');
        std::string_view const sum = take_until(line, '\t');
        if (its == meaning && !line.empty() && sum == std::to_string(crc32_of(line)))
            out.push_back(line);
    }
    return out;
}

ATTUNE_INLINE std::string
sample_file::last(std::size_t most, std::string_view but_not, std::size_t bytes)
{
    store_file file = store_file::open_to_read(path_);
    if (!file.usable()) {
        if (!file.absent() && problem_.empty()) problem_ = file.why();
        return {};
    }
    std::string text;
    unlocked_at_end const unlocked(file);
    if (!file.lock(store_file::sharing::shared) || !file.read_all(text)) {
        if (problem_.empty()) problem_ = file.why();
        return {};
    }
    if (first_line_of_samples.starts_with(text)) return {}; // its first writer was killed
    if (!text.starts_with(first_line_of_samples)) {
        if (problem_.empty()) problem_ = no_sample_file;
        return {};
    }
    std::vector<std::string_view> found = sample_lines_in(text, meaning_);
    if (!but_not.empty())
        std::erase_if(found, [&](std::string_view line) { return line.starts_with(but_not); });
    std::size_t first = found.size();
    while (first > 0 && found.size() - first < most && found[first - 1].size() < bytes) {
        --first;
        bytes -= found[first].size() + 1;
    }
    std::string out;
    for (std::size_t i = first; i < found.size(); ++i) {
        out += found[i];
        out += '\n';
    }
    return out;
}

ATTUNE_INLINE void sample_file::add(std::string_view lines) { add_locked(lines, nullptr); }
ATTUNE_INLINE void
sample_file::add_beside(std::function<std::string(std::string_view known)> const& more)
{
    add_locked({}, &more);
}

ATTUNE_INLINE void
sample_file::add_locked(std::string_view lines,
                        std::function<std::string(std::string_view known)> const* more)
{
    if (!problem_.empty()) return;
    store_file file = store_file::open_to_append(path_);
    auto const fail = [&](std::string why) {
        if (problem_.empty()) problem_ = std::move(why);
    };
    if (!file.usable()) return fail(file.why());
    unlocked_at_end const unlocked(file);
    if (!file.lock(store_file::sharing::exclusive)) return fail(file.why());
    auto const bytes = static_cast<std::uint64_t>(file.stamp().bytes);
    if (bytes > most_bytes) return fail("the file is full; delete it, or name another one");
    std::string out;
    if (bytes == 0) {
        out = first_line_of_samples;
    } else {
        std::size_t const length = std::min<std::uint64_t>(bytes, first_line_of_samples.size());
        std::string head;
        std::string end;
        if (!file.read(0, length, head) || !file.read(bytes - 1, 1, end)) return fail(file.why());
        if (bytes < first_line_of_samples.size() && first_line_of_samples.starts_with(head)) {
            out = first_line_of_samples.substr(length); // the first writer was killed
            end = "\n";
        } else if (head != first_line_of_samples) {
            return fail(no_sample_file);
        }
        if (end != "\n") out = '\n'; // ends a line whose writer was killed
    }
    std::string made;
    if (more != nullptr) {
        std::string text;
        if (bytes > 0 && !file.read_all(text)) return fail(file.why());
        if (!text.empty() && text.back() != '\n')
            text += '\n'; // as it is written below: that line may be whole
        std::string known;
        for (std::string_view const line : sample_lines_in(text, meaning_)) {
            known += line;
            known += '\n';
        }
        made = (*more)(known);
        if (made.empty() && out != "\n") return;
        lines = made;
    }
    while (!lines.empty()) {
        std::string_view const line = take_until(lines, '\n');
        out += meaning_ + '\t' + std::to_string(crc32_of(line)) + '\t';
        out += line;
        out += '\n';
    }
    if (!file.append(out)) fail(file.why());
}

} // namespace attune::inline ATTUNE_ABI::detail

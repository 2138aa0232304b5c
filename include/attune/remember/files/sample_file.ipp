// attune/remember/files/sample_file.ipp - checks, appends and sums up lines.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/posix/replace_file.hpp>
#include <attune/core/xxh64.hpp>
#include <attune/remember/detail/store_file.hpp>
#include <attune/remember/files/sample_file.hpp>

#include <algorithm>
#include <charconv>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

inline constexpr std::string_view first_line_of_samples = "attune_samples 1\n";
inline constexpr char const* no_sample_file = "the file is none of samples";

/// Removes the front up to `end` and returns it; the whole text if there is no `end`.
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

/// The whole lines of a text.
struct sample_lines {
    std::vector<std::string_view> of_meaning{}; ///< without meaning and checksum
    std::vector<std::size_t> numbers{};         ///< line numbers of these
    std::size_t count = 0;                      ///< number of all lines, and of those before
    std::size_t bytes = 0;                      ///< bytes of all lines
    damaged_lines damaged{};
};
/// @param lines_before  lines of the file before the text; some are damaged
[[nodiscard]] inline sample_lines sample_lines_in(std::string_view text, std::string_view meaning,
                                                  std::size_t lines_before = 0,
                                                  damaged_lines damaged_before = {})
{
    sample_lines out{
        .count = lines_before, .bytes = text.rfind('\n') + 1, .damaged = std::move(damaged_before)};
    for (std::string_view rest = text.substr(0, out.bytes); !rest.empty();) {
        std::string_view line = take_until(rest, '\n');
        bool const is_head = ++out.count == 1;
        if (is_head || line.empty()) continue;
        std::string_view const its = take_until(line, '\t');
        std::string_view const sum = take_until(line, '\t');
        if (line.empty() || its.find_first_not_of("0123456789") != its.npos) {
            out.damaged.add(out.count, "it has no checksum");
        } else if (its == meaning && sum == std::to_string(crc32_of(line))) {
            out.of_meaning.push_back(line);
            out.numbers.push_back(out.count);
        } else if (its == meaning) {
            out.damaged.add(out.count, "its checksum is wrong");
        }
    }
    return out;
}

struct sample_file::opened {
    store_file file;
    std::uint64_t bytes = 0; ///< whole lines, except those of killed writers
};

ATTUNE_INLINE void sample_file::fail(std::string why)
{
    if (problem_.empty()) problem_ = std::move(why);
}

/// Empty if it cannot be read (see problem()), or has no lines.
ATTUNE_INLINE std::optional<sample_file::opened> sample_file::open_to_read()
{
    opened out{store_file::open_to_read(path_)};
    if (!out.file.usable()) {
        if (!out.file.absent()) fail(out.file.why());
        return {};
    }
    if (std::string const others = out.file.by_others(); !others.empty()) {
        fail("another user may write the file: " + others);
        return {};
    }
    {
        // Under the lock no line is half written. Other processes append during the reading below.
        unlocked_at_end const unlocked(out.file);
        if (!out.file.lock(store_file::sharing::shared)) {
            fail(out.file.why());
            return {};
        }
        out.bytes = static_cast<std::uint64_t>(out.file.stamp().bytes);
    }
    std::string head;
    if (out.bytes > store_file::largest)
        fail("the file is too large");
    else if (!out.file.read(0, std::min<std::uint64_t>(out.bytes, first_line_of_samples.size()),
                            head))
        fail(out.file.why());
    else if (head == first_line_of_samples)
        return out;
    else if (!first_line_of_samples.starts_with(head)) // otherwise its first writer was killed
        fail(no_sample_file);
    return {};
}

ATTUNE_INLINE std::string sample_file::last(std::size_t most, std::string_view but_not,
                                            std::size_t bytes)
{
    std::optional<opened> const from = open_to_read();
    if (!from) return {};
    std::string text;
    if (!from->file.read(0, from->bytes, text)) {
        fail(from->file.why());
        return {};
    }
    std::vector<std::string_view> found = sample_lines_in(text, meaning_).of_meaning;
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

// --- FILE.sums -----------------------------------------------------------------------------------

inline constexpr std::string_view first_word_of_sums = "attune_sums 1";
inline constexpr std::uint64_t most_after_sum = std::uint64_t{256} << 10; // bytes; read in 1 ms
inline constexpr std::uint64_t hashed_block = std::uint64_t{256} << 10;   // bytes; stay in a cache

/// Replaces the lines at the beginning of a file.
struct beginning_sum {
    std::uint64_t bytes = 0;
    std::uint64_t hash = 0; ///< hash_of_blocks()
    std::size_t lines = 0;  ///< lines of any meaning
    damaged_lines damaged{};
    std::string text{}; ///< lines
};

/// The hash of a text that begins at a multiple of hashed_block in its file.
/// @param before  hash of the text before it
[[nodiscard]] inline std::uint64_t hash_of_blocks(std::string_view text, std::uint64_t before)
{
    for (; !text.empty(); text.remove_prefix(std::min(hashed_block, text.size())))
        before = xxh64_of(text.substr(0, hashed_block), before);
    return before;
}
/// The hash of the first blocks of a file; empty if they cannot be read.
[[nodiscard]] inline std::optional<std::uint64_t> hash_of_beginning(store_file const& file,
                                                                    std::uint64_t bytes)
{
    std::uint64_t out = 0;
    std::string block;
    for (std::uint64_t at = 0; at < bytes; at += hashed_block) {
        if (!file.read(at, hashed_block, block)) return {};
        out = hash_of_blocks(block, out);
    }
    return out;
}

/// The sum is empty if the file is missing, damaged, or of another meaning.
[[nodiscard]] inline beginning_sum read_sum(std::string const& path, std::string_view meaning)
{
    store_file const file = store_file::open_to_read(path);
    std::string all;
    if (!file.usable() || !file.by_others().empty() || !file.read_all(all)) return {};
    std::string_view rest = all;
    if (take_until(rest, '\t') != first_word_of_sums) return {};
    std::string_view const sum = take_until(rest, '\n');
    if (sum != std::to_string(crc32_of(rest))) return {};
    std::string_view fields = take_until(rest, '\n');
    if (take_until(fields, '\t') != meaning) return {};
    auto const number = [&] {
        std::string_view const text = take_until(fields, '\t');
        std::uint64_t out = 0;
        std::from_chars(text.data(), text.data() + text.size(), out);
        return out;
    };
    beginning_sum out;
    out.bytes = number();
    out.hash = number();
    out.lines = number();
    out.damaged.count = number();
    out.damaged.first = number();
    out.damaged.why = fields;
    out.text = rest;
    return out;
}

inline void write_sum(std::string const& path, std::string const& meaning, beginning_sum const& sum)
{
    std::string rest = meaning;
    for (std::uint64_t const number :
         {sum.bytes, sum.hash, sum.lines, sum.damaged.count, sum.damaged.first})
        rest += '\t' + std::to_string(number);
    rest += '\t' + sum.damaged.why + '\n' + sum.text;
    std::string all(first_word_of_sums);
    all += '\t' + std::to_string(crc32_of(rest)) + '\n' + rest;
    try {
        replace_file(path, all);
    } catch (error const&) { // such as a read-only folder: a sum only saves time
    }
}

ATTUNE_INLINE damaged_lines sample_file::sum_up(line_sum const& sum,
                                                std::function<std::string()> const& text)
{
    static_cast<void>(sum({}));
    std::optional<opened> const from = open_to_read();
    if (!from) return {};
    std::string const beside = path_ + ".sums";
    // A sum counts only for the text from which it was made; without it, all lines are read.
    for (beginning_sum known = read_sum(beside, meaning_);; known = {}) {
        bool const is_last_try = known.bytes == 0;
        std::uint64_t const begin = known.bytes - known.bytes % hashed_block;
        if (known.bytes > from->bytes) continue;
        auto const hash = hash_of_beginning(from->file, begin);
        std::string text_from_begin;
        if (!hash || !from->file.read(begin, from->bytes - begin, text_from_begin)) {
            if (!is_last_try) continue;
            fail(from->file.why());
            return {};
        }
        std::string_view const text_after = text_from_begin;
        std::string_view const summed = text_after.substr(0, known.bytes - begin);
        if (hash_of_blocks(summed, *hash) != known.hash) continue;
        sample_lines found =
            sample_lines_in(text_after.substr(summed.size()), meaning_, known.lines, known.damaged);
        std::vector<std::string_view> lines;
        for (std::string_view left = known.text; !left.empty();)
            lines.push_back(take_until(left, '\n'));
        std::size_t const sums = lines.size();
        lines.insert(lines.end(), found.of_meaning.begin(), found.of_meaning.end());
        std::vector<std::size_t> const unread = sum(lines);
        if (!unread.empty() && unread.front() < sums)
            continue; // the sum is of a release with other lines
        for (std::size_t const i : unread)
            found.damaged.add(found.numbers[i - sums], "it cannot be read");
        if (found.bytes > most_after_sum)
            write_sum(beside, meaning_,
                      {known.bytes + found.bytes,
                       hash_of_blocks(text_after.substr(0, summed.size() + found.bytes), *hash),
                       found.count, found.damaged, text()});
        return found.damaged;
    }
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
    if (!file.usable()) return fail(file.why());
    if (std::string const others = file.by_others(); !others.empty())
        return fail("another user may write the file: " + others);
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
            text += '\n'; // its writer was killed, but the line may be whole
        std::string known;
        for (std::string_view const line : sample_lines_in(text, meaning_).of_meaning) {
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

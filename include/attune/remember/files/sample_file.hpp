// attune/remember/files/sample_file.hpp - what tunings measured, in a file that they share.
// SPDX-License-Identifier: MIT
//
// Measured programs with their features, or what techniques gained. Beside a store, not in it:
// features are longer than the values that they follow from, and worth nothing to a library that
// counts others. A file may be deleted at any time.
//
//   attune_samples 1
//   <hash of what the numbers mean> TAB <CRC-32 of the rest> TAB <one sample>
//
// A long file whose lines are summed up gets FILE.sums beside it. It follows from the lines, counts
// only as long as FILE begins with those that it sums up, and may be deleted at any time, too.
//
//   attune_sums 1 TAB <CRC-32 of the rest>
//   <as above> TAB <bytes that it sums up> TAB <hash> TAB <lines> TAB <damaged> TAB <first> TAB
//   <why> <lines that come to the same, without meaning and CRC-32>
#pragma once

#include <attune/core/version.hpp>
#include <attune/remember/lines/damaged_lines.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Lines of text. Processes share the file: each add() is one write under a lock. Lines that are
/// damaged, or that mean something else, are skipped; a file that begins with other text, or that
/// another user may write, is neither read nor written.
class sample_file {
public:
    /// Opens nothing yet.
    /// @param meaning  of the numbers in a line, such as all their names
    sample_file(std::string path, std::string_view meaning);

    /// A file beyond it takes no more lines.
    static constexpr std::uint64_t most_bytes = std::uint64_t{64} << 20;

    /// The last lines of this meaning, each with its line end, oldest first.
    /// @param most     so many at most
    /// @param but_not  lines that begin so do not count; empty: all count
    /// @param bytes    so many at most, of whole lines
    [[nodiscard]] std::string last(std::size_t most, std::string_view but_not = {},
                                   std::size_t bytes = std::string_view::npos);
    using line_sum =
        std::function<std::vector<std::size_t>(std::span<std::string_view const> lines)>;
    /// Gives all lines of this meaning, without their ends and oldest first, to `sum`; in place of
    /// those at the beginning what `text` once made of them. A file with much behind these gets a
    /// new FILE.sums, unless that cannot be written.
    /// @param sum   of these lines and no others; may be called twice; returns the places of those
    ///              that cannot be read, ascending
    /// @param text  lines, each with its line end, that come to what sum() was given last
    /// @return  lines of the file that are damaged, or that sum() could not read
    damaged_lines sum_up(line_sum const& sum, std::function<std::string()> const& text);
    /// Appends lines; creates the file and its folder where they are missing. Does nothing once
    /// there was a problem.
    /// @param lines  each with its line end
    void add(std::string_view lines);
    /// The same with what `more` makes of all lines of this meaning, each with its line end. No
    /// other process adds lines in between.
    void add_beside(std::function<std::string(std::string_view known)> const& more);

    /// Why the file was not read or written, at first; empty: it was.
    [[nodiscard]] std::string const& problem() const noexcept { return problem_; }

private:
    struct opened;
    [[nodiscard]] std::optional<opened> open_to_read();
    void fail(std::string why);
    void add_locked(std::string_view lines,
                    std::function<std::string(std::string_view known)> const* more);

    std::string path_;
    std::string meaning_;
    std::string problem_;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/remember/files/sample_file.ipp>
#endif

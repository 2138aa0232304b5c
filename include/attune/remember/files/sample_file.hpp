// attune/remember/files/sample_file.hpp - measurements of tunings, in a file that tunings share.
// SPDX-License-Identifier: MIT
//
// Measured programs with their features, or gains of techniques. The file is beside a store, not in
// it. Features are longer than the values from which they follow, and a release that counts other
// features cannot use them. A file may be deleted at any time.
//
//   attune_samples 1
//   <hash of what the numbers mean> TAB <CRC-32 of the rest> TAB <one sample>
//
// A long file with summed-up lines gets FILE.sums beside it. FILE.sums is made from the lines. It
// counts only while FILE begins with the same lines, and may be deleted at any time.
//
//   attune_sums 1 TAB <CRC-32 of the rest>
//   <as above> TAB <bytes that it sums up> TAB <hash> TAB <lines> TAB <damaged> TAB <first> TAB
//   <why> <lines equivalent to the summed-up lines, without meaning and CRC-32>
#pragma once

#include <attune/core/version.hpp>
#include <attune/remember/detail/line_bytes.hpp>

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
/// damaged, or have another meaning, are skipped. A file that begins with other text, or that
/// another user may write, is neither read nor written.
class sample_file {
public:
    /// Opens nothing yet.
    /// @param meaning  of the numbers in a line, such as all their names
    sample_file(std::string path, std::string_view meaning);

    /// A file beyond this size takes no more lines.
    static constexpr std::uint64_t most_bytes = std::uint64_t{64} << 20;

    /// The last lines of this meaning, each with its line end, oldest first.
    /// @param most     largest number of lines
    /// @param but_not  lines with this start do not count; empty: all count
    /// @param bytes    largest size, of whole lines
    [[nodiscard]] std::string last(std::size_t most, std::string_view but_not = {},
                                   std::size_t bytes = std::string_view::npos);
    using line_sum =
        std::function<std::vector<std::size_t>(std::span<std::string_view const> lines)>;
    /// Gives `sum` all lines of this meaning, without their ends, oldest first. The lines of
    /// FILE.sums, an earlier result of `text`, replace the first lines. If much text follows these,
    /// it writes FILE.sums anew, if possible.
    /// @param sum   receives these lines and no others; may be called twice; returns the places of
    ///              unreadable lines, ascending
    /// @param text  lines, each with its line end, that are equivalent to the last lines given to
    ///              sum()
    /// @return  lines of the file that are damaged, or that sum() could not read
    damaged_lines sum_up(line_sum const& sum, std::function<std::string()> const& text);
    /// Appends lines. Creates the file and its folder if they are missing. Does nothing after a
    /// problem.
    /// @param lines  each with its line end
    void add(std::string_view lines);
    /// Appends lines that `more` makes from all lines of this meaning, each with its line end. No
    /// other process adds lines in between.
    void add_beside(std::function<std::string(std::string_view known)> const& more);

    /// The first reason why the file was not read or written; empty if it was.
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

// attune/remember/lines/line_index.hpp - the places of a store's lines, by problem.
// SPDX-License-Identifier: MIT
// Bench    bench/remember/store.cpp
// tested by remember/lines/record_table.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/remember/detail/line_bytes.hpp>
#include <attune/remember/problem/problem.hpp>
#include <attune/remember/record.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// An index over the lines of a store, without the text: offsets, by problem. A line of format 2 is
/// parsed on request; its checksum and its first bytes show its kind. Lines without a checksum, of
/// format 1 or edited by hand, are parsed at once.
///
/// Movable; one thread at a time.
/// Cost  0.3 us and 24 bytes a line of format 2
class line_index {
public:
    /// Reads all complete lines of `text`.
    /// @param offset  of `text`, equal to the end of the last call
    /// @return  bytes read: up to and with the last newline
    std::size_t take(std::string_view text, std::uint64_t offset);

    /// Reads a last line without newline.
    /// @param is_final  true: no process is writing the line
    /// @return  false: the line is neither whole nor final, and is left for later
    bool take_last(std::string_view line, std::uint64_t offset, bool is_final);

    /// Returns true if a header is of a newer release. The index then takes no more lines.
    [[nodiscard]] bool is_newer() const noexcept { return newer_.has_value(); }
    [[nodiscard]] std::string newer_format() const { return newer_.value_or(""); }
    /// Returns true if there are lines, but none of a store.
    [[nodiscard]] bool is_foreign() const noexcept
    {
        return !has_header_ && entries_.empty() && problems_.empty() && is_strange_;
    }
    /// Damage found since the last call.
    [[nodiscard]] damaged_lines take_damage() { return std::exchange(damaged_, {}); }

protected:
    static constexpr std::uint32_t nothing = std::numeric_limits<std::uint32_t>::max();

    struct place {
        std::uint64_t offset = 0;
        std::uint32_t length = 0;
        std::uint32_t sum = 0; ///< sum_of() the line
    };
    struct entry {
        place at{};
        std::uint32_t next = nothing;
    };
    struct chain {
        std::uint32_t first = nothing;
        std::uint32_t last = nothing;
        std::uint32_t length = 0;
    };
    struct dated_record {
        record entry{};
        std::uint64_t offset = 0;
    };
    struct parsed_problem {
        stored_problem problem{};
        std::vector<dated_record> best{}; ///< one for each schema
        std::uint32_t folded = nothing;   ///< the last entry of `won` that `best` includes
        std::uint64_t finished = 0;       ///< offset of the line that ended the last tuning
    };
    struct known_problem {
        place line{}; ///< length 0: not seen
        chain won{};
        chain tried{};
        chain proven{};
        chain refuted{};        ///< shapes with a wrong variant
        chain calls{};          ///< of programs that ended; not counted in `latest`
        std::uint64_t over = 0; ///< offset of the last such line
        std::uint32_t next_of_identity = nothing;
        std::uint32_t next_of_kernel = nothing;
        std::uint64_t latest = 0; ///< offset of the last line of a tuning or a proof
        std::unique_ptr<parsed_problem> parsed{};
    };

    /// Returns null if no line is of this problem.
    [[nodiscard]] known_problem const* find_problem(std::string_view id) const;

    std::vector<entry> entries_{};
    std::vector<known_problem> problems_{};
    std::unordered_map<std::uint64_t, std::uint32_t> by_identity_{}; ///< the latest one
    std::unordered_map<std::uint64_t, std::uint32_t> by_kernel_{};   ///< the latest one

private:
    bool take_line(std::string_view line, std::uint64_t offset, bool is_final);
    bool take_in_form(std::string_view line, place at);
    void take_parsed(std::string_view line, place at, bool is_final, bool& is_left);
    void add_damage(std::string why, std::string_view line);
    known_problem& problem_at(std::string_view id);
    void place_problem(known_problem& of, place at, std::uint64_t identity, std::size_t kernel);
    void append(chain& to, known_problem& of, place at);
    void append(chain& to, place at);

    std::unordered_map<std::uint64_t, std::uint32_t> by_id_{};
    std::uint64_t last_id_ = 0; ///< a hash
    std::uint32_t last_problem_ = nothing;
    std::uint64_t last_kernel_ = 0; ///< a hash
    std::uint32_t* latest_of_kernel_ = nullptr;
    std::size_t lines_ = 0;
    bool skips_newline_ = false; ///< the last line was read without its newline
    bool has_header_ = false;
    bool is_strange_ = false;
    std::optional<std::string> newer_{};
    damaged_lines damaged_{};
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/remember/lines/line_index.ipp>
#endif

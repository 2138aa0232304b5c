// attune/remember/lines/line_index.hpp - where the lines of a store are, by problem.
// SPDX-License-Identifier: MIT
// Bench    bench/remember/store.cpp
// tested by remember/lines/record_table.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/remember/lines/damaged_lines.hpp>
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

/// An index over the lines of a store, wherever the text is: offsets, by problem. A line of format
/// 2 is parsed when it is asked for; its checksum and its first bytes say what it is. Lines without
/// a checksum, which are those of format 1 and those edited by hand, are parsed when they are taken
/// in.
///
/// Movable; one thread at a time.
/// Cost  0.3 us and 24 bytes a line of format 2
class line_index {
public:
    /// Takes in all complete lines of `text`.
    /// @param offset  of `text`, where the last call ended
    /// @return  bytes taken: up to the last newline and with it
    std::size_t take(std::string_view text, std::uint64_t offset);

    /// Takes in a last line without newline.
    /// @param is_final  no process is writing it; else a line that is not whole is left for later
    /// @return  false: it was left
    bool take_last(std::string_view line, std::uint64_t offset, bool is_final);

    /// A header says that a newer release wrote here. The table takes in nothing more.
    [[nodiscard]] bool is_newer() const noexcept { return newer_.has_value(); }
    [[nodiscard]] std::string newer_format() const { return newer_.value_or(""); }
    /// There are lines, none of which is a store's.
    [[nodiscard]] bool is_foreign() const noexcept
    {
        return !has_header_ && entries_.empty() && problems_.empty() && is_strange_;
    }
    /// What was found damaged since this was last called.
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
        std::vector<dated_record> best{}; ///< one of each schema
        std::uint32_t folded = nothing;   ///< the last entry of `won` that `best` includes
        std::uint64_t finished = 0;       ///< offset of the last tuning that ended
    };
    struct known_problem {
        place line{}; ///< length 0: not seen
        chain won{};
        chain tried{};
        chain proven{};
        chain refuted{};        ///< shapes for which a variant was wrong
        std::uint64_t over = 0; ///< offset of the last line that says so
        std::uint32_t next_of_identity = nothing;
        std::uint32_t next_of_kernel = nothing;
        std::uint64_t latest = 0; ///< offset of the last line that refers to it
        std::unique_ptr<parsed_problem> parsed{};
    };

    /// Null: no line is of this problem.
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

    std::unordered_map<std::uint64_t, std::uint32_t> by_id_{};
    std::uint64_t last_id_ = 0; ///< a hash
    std::uint32_t last_problem_ = nothing;
    std::uint64_t last_kernel_ = 0; ///< a hash
    std::uint32_t* latest_of_kernel_ = nullptr;
    std::size_t lines_ = 0;
    bool skips_newline_ = false; ///< the last line was taken in without its newline
    bool has_header_ = false;
    bool is_strange_ = false;
    std::optional<std::string> newer_{};
    damaged_lines damaged_{};
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/remember/lines/line_index.ipp>
#endif

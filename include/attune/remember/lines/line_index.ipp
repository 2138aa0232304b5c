// attune/remember/lines/line_index.ipp - reads lines into the index.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/remember/detail/json_fields.hpp>
#include <attune/remember/lines/line_index.hpp>
#include <attune/remember/lines/record_line.hpp>
#include <attune/remember/problem/matching.hpp>

#include <algorithm>
#include <variant>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE std::size_t line_index::take(std::string_view text, std::uint64_t offset)
{
    std::size_t taken = 0;
    while (taken < text.size()) {
        std::size_t const end = text.find('\n', taken);
        if (end == text.npos) break;
        if (!std::exchange(skips_newline_, false) || end > taken) {
            ++lines_;
            take_line(text.substr(taken, end - taken), offset + taken, true);
        }
        taken = end + 1;
    }
    return taken;
}

ATTUNE_INLINE bool line_index::take_last(std::string_view line, std::uint64_t offset, bool is_final)
{
    ++lines_;
    if (!take_line(line, offset, is_final)) {
        --lines_;
        return false;
    }
    skips_newline_ = true;
    return true;
}

/// @return  false: the line is not whole and not final
ATTUNE_INLINE bool line_index::take_line(std::string_view line, std::uint64_t offset, bool is_final)
{
    if (newer_) return true;
    std::size_t const blanks = static_cast<std::size_t>(
        std::find_if_not(line.begin(), line.end(),
                         [](char c) { return c == ' ' || c == '\t' || c == '\r'; }) -
        line.begin());
    line = trimmed_line(line);
    if (line.empty()) return true;
    place const at{offset + blanks, static_cast<std::uint32_t>(line.size()), sum_of(line)};
    switch (check_of(line)) {
    case line_check::right:
        if (take_in_form(line, at)) return true;
        break;
    case line_check::wrong:
        if (!is_final) return false;
        add_damage("its checksum is wrong", line);
        return true;
    case line_check::missing:
        break;
    }
    bool is_left = false;
    take_parsed(line, at, is_final, is_left);
    return !is_left;
}

/// A line in the form that attune writes.
ATTUNE_INLINE bool line_index::take_in_form(std::string_view line, place at)
{
    line_form const form = form_of(line);
    if (form.kind == line_kind::unknown) return false;
    if (form.kind != line_kind::problem) {
        known_problem& of = problem_at(form.id);
        if (form.kind == line_kind::tried) append(of.tried, of, at);
        if (form.kind == line_kind::won) append(of.won, of, at);
        if (form.kind == line_kind::proven)
            append(is_refutation(line) ? of.refuted : of.proven, of, at);
        if (form.kind == line_kind::over) of.over = at.offset;
        if (form.kind == line_kind::calls) append(of.calls, at);
        return true;
    }
    auto const identity = hexadecimal(form.id.substr(0, 16));
    std::string_view const rest =
        line.substr(std::string_view("{\"problem\":\"\",").size() + form.id.size());
    std::string_view const kernel = text_between(rest, "\"kernel\":", ",\"source\":");
    if (!identity || kernel.empty()) return false;
    place_problem(problem_at(form.id), at, *identity, hash_of_text(kernel));
    return true;
}

/// A line that is parsed now, to find its kind.
ATTUNE_INLINE void line_index::take_parsed(std::string_view line, place at, bool is_final,
                                           bool& is_left)
{
    auto const kernel_of = [](record_key const& key) {
        return hash_of_text(text_to_json(key.kernel).dump());
    };
    auto const identity = [](record_key const& key) {
        return hexadecimal(identity_of(key)).value_or(0);
    };
    line_content content = read_line(line);
    if (auto const* const header = std::get_if<store_header>(&content)) {
        has_header_ = true;
        if (header->known) return;
        newer_ = header->format;
        entries_.clear();
        problems_.clear();
        by_id_.clear();
        by_identity_.clear();
        by_kernel_.clear();
        last_problem_ = nothing;
        latest_of_kernel_ = nullptr;
        damaged_ = {};
    } else if (auto const* const one = std::get_if<record>(&content)) {
        stored_problem problem = problem_of(*one);
        known_problem& of = problem_at(id_of(problem));
        if (of.line.length == 0) {
            place_problem(of, at, identity(problem.key), kernel_of(problem.key));
            of.parsed = std::make_unique<parsed_problem>();
            of.parsed->problem = std::move(problem);
        }
        append(of.won, of, at);
    } else if (auto const* const p = std::get_if<problem_entry>(&content)) {
        place_problem(problem_at(p->id), at, identity(p->problem.key), kernel_of(p->problem.key));
    } else if (auto const* const row = std::get_if<tried_entry>(&content)) {
        known_problem& of = problem_at(row->at);
        append(of.tried, of, at);
    } else if (auto const* const won = std::get_if<won_entry>(&content)) {
        known_problem& of = problem_at(won->at);
        append(of.won, of, at);
    } else if (auto const* const proven = std::get_if<proven_entry>(&content)) {
        known_problem& of = problem_at(proven->at);
        append(proven->proof.is_right ? of.proven : of.refuted, of, at);
    } else if (auto const* const calls = std::get_if<calls_entry>(&content)) {
        append(problem_at(calls->at).calls, at);
    } else if (auto* const wrong = std::get_if<damaged_line>(&content)) {
        is_left = !is_final;
        if (is_final) add_damage(std::move(wrong->why), line);
    }
}

ATTUNE_INLINE void line_index::add_damage(std::string why, std::string_view line)
{
    // A cut header is expected if its writer was killed.
    is_strange_ = is_strange_ || !(header_line().starts_with(line) ||
                                   std::string_view("{\"attune_store\":1").starts_with(line));
    damaged_.add(lines_, std::move(why));
}

ATTUNE_INLINE line_index::known_problem const* line_index::find_problem(std::string_view id) const
{
    auto const at = by_id_.find(hash_of_text(id));
    return at == by_id_.end() ? nullptr : &problems_[at->second];
}

ATTUNE_INLINE line_index::known_problem& line_index::problem_at(std::string_view id)
{
    std::uint64_t const hash = hash_of_text(id);
    if (last_problem_ != nothing && hash == last_id_ && last_problem_ < problems_.size())
        return problems_[last_problem_];
    auto const [at, is_new] =
        by_id_.try_emplace(hash, static_cast<std::uint32_t>(problems_.size()));
    if (is_new) problems_.emplace_back();
    last_id_ = hash;
    last_problem_ = at->second;
    return problems_[at->second];
}

ATTUNE_INLINE void line_index::place_problem(known_problem& of, place at, std::uint64_t identity,
                                             std::size_t kernel)
{
    if (of.line.length != 0) return; // another process has written it too
    of.line = at;
    auto const link = [&](auto& map, std::uint64_t hash, std::uint32_t& next) {
        auto const mine = static_cast<std::uint32_t>(&of - problems_.data());
        auto const [where, is_new] = map.try_emplace(hash, mine);
        if (!is_new) next = std::exchange(where->second, mine);
    };
    link(by_identity_, identity, of.next_of_identity);
    if (latest_of_kernel_ != nullptr && last_kernel_ == kernel) {
        of.next_of_kernel =
            std::exchange(*latest_of_kernel_, static_cast<std::uint32_t>(&of - problems_.data()));
        return;
    }
    link(by_kernel_, kernel, of.next_of_kernel);
    last_kernel_ = kernel;
    latest_of_kernel_ = &by_kernel_[kernel]; // nodes of this map do not move
}

ATTUNE_INLINE void line_index::append(chain& to, known_problem& of, place at)
{
    append(to, at);
    of.latest = at.offset;
}

ATTUNE_INLINE void line_index::append(chain& to, place at)
{
    auto const mine = static_cast<std::uint32_t>(entries_.size());
    entries_.push_back({at, nothing});
    (to.first == nothing ? to.first : entries_[to.last].next) = mine;
    to.last = mine;
    ++to.length;
}

} // namespace attune::inline ATTUNE_ABI::detail

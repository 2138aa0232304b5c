// attune/remember/lines/record_table.ipp - reads the lines of a problem, and finds problems.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/remember/detail/json_fields.hpp>
#include <attune/remember/detail/line_bytes.hpp>
#include <attune/remember/lines/record_line.hpp>
#include <attune/remember/lines/record_table.hpp>
#include <attune/remember/problem/matching.hpp>

#include <algorithm>
#include <limits>
#include <memory>
#include <ranges>
#include <set>
#include <utility>
#include <variant>

namespace attune::inline ATTUNE_ABI::detail {

/// Reads the problem's own line. @return  false: it is missing, or cannot be read
ATTUNE_INLINE bool record_table::load(known_problem& of, text_source const& text)
{
    if (of.parsed) return true;
    std::string line;
    if (of.line.length == 0 || !text(of.line.offset, of.line.length, line)) return false;
    line_content content = read_line(line);
    auto made = std::make_unique<parsed_problem>();
    if (auto* const p = std::get_if<problem_entry>(&content))
        made->problem = std::move(p->problem);
    else if (auto const* const r = std::get_if<record>(&content))
        made->problem = problem_of(*r);
    else
        return false;
    of.parsed = std::move(made);
    return true;
}

ATTUNE_INLINE std::uint32_t record_table::first_read(chain const& lines, std::uint64_t end,
                                                     std::uint32_t most) const
{
    if (lines.length <= most) return lines.first;
    std::uint32_t count = 0;
    for (std::uint32_t at = lines.first; at != nothing && entries_[at].at.offset < end;
         at = entries_[at].next)
        ++count;
    std::uint32_t out = lines.first;
    for (; count > most; --count)
        out = entries_[out].next;
    return out;
}

/// Brings `best` up to date.  @pre  load(of)
ATTUNE_INLINE void record_table::fold(known_problem& of, text_source const& text)
{
    parsed_problem& to = *of.parsed;
    std::string line;
    constexpr std::uint64_t end = std::numeric_limits<std::uint64_t>::max();
    std::uint32_t at = to.folded == nothing ? first_read(of.won, end) : entries_[to.folded].next;
    for (; at != nothing; at = entries_[at].next) {
        place const where = entries_[at].at;
        if (!text(where.offset, where.length, line)) return;
        to.folded = at;
        line_content content = read_line(line);
        record now;
        if (auto* const r = std::get_if<record>(&content))
            now = std::move(*r);
        else if (auto* const w = std::get_if<won_entry>(&content);
                 w != nullptr && w->entry.configuration.size() == to.problem.parameters.size())
            now = record_of(std::move(*w), to.problem);
        else
            continue;
        if (!now.interrupted) to.finished = where.offset;
        auto const same = std::find_if(to.best.begin(), to.best.end(), [&](auto const& known) {
            return known.entry.key.schema == now.key.schema;
        });
        if (same == to.best.end())
            to.best.push_back({std::move(now), where.offset});
        else if (supersedes(now, same->entry))
            *same = {std::move(now), where.offset};
    }
}

ATTUNE_INLINE record_table::found_record record_table::best_of(known_problem& of,
                                                               std::string const& schema) const
{
    for (dated_record const& one : of.parsed->best)
        if (one.entry.key.schema == schema) return &one;
    return nullptr;
}

ATTUNE_INLINE std::uint32_t
record_table::first_of(std::unordered_map<std::uint64_t, std::uint32_t> const& in,
                       std::uint64_t hash) const
{
    auto const at = in.find(hash);
    return at == in.end() ? nothing : at->second;
}

ATTUNE_INLINE lookup_result record_table::find(record_key const& key, text_source const& text)
{
    if (problems_.empty()) return {};
    found_record best = nullptr;
    // Problems have no schema; best_of() searches that of the key.
    auto const fit_of = [&](known_problem const& of) {
        return compare_but_schema(of.parsed->problem.key, key);
    };
    std::uint64_t const identity = hexadecimal(identity_of(key)).value_or(0);
    for (std::uint32_t i = first_of(by_identity_, identity); i != nothing;
         i = problems_[i].next_of_identity) {
        known_problem& of = problems_[i];
        if (of.won.first == nothing || !load(of, text) || fit_of(of).how != record_match::exact)
            continue;
        fold(of, text);
        found_record const one = best_of(of, key.schema);
        if (one == nullptr) continue;
        bool const is_later = best != nullptr && one->offset > best->offset;
        if (best == nullptr ||
            (is_later ? supersedes(one->entry, best->entry) : !supersedes(best->entry, one->entry)))
            best = one;
    }
    if (best != nullptr) return {best->entry, record_match::exact, 0.0};

    closeness fit{record_match::none, std::numeric_limits<double>::infinity()};
    std::uint64_t const kernel = hash_of_text(text_to_json(key.kernel).dump());
    for (std::uint32_t i = first_of(by_kernel_, kernel); i != nothing;
         i = problems_[i].next_of_kernel) {
        known_problem& of = problems_[i];
        if (of.won.first == nothing || !load(of, text)) continue;
        closeness const now = fit_of(of);
        if (now.how == record_match::none || !now.no_worse_than(fit)) continue;
        fold(of, text);
        found_record const one = best_of(of, key.schema);
        if (one == nullptr) continue;
        bool const is_equal = fit.no_worse_than(now);
        if (best != nullptr && is_equal && one->offset < best->offset) continue;
        best = one;
        fit = now;
    }
    if (best == nullptr) return {};
    return {best->entry, fit.how, fit.distance};
}

ATTUNE_INLINE past_calls record_table::calls_of(known_problem const& of,
                                                text_source const& text) const
{
    past_calls out;
    std::string line;
    for (std::uint32_t at = of.calls.first; at != nothing; at = entries_[at].next) {
        place const where = entries_[at].at;
        if (!text(where.offset, where.length, line)) break;
        line_content content = read_line(line);
        if (auto* const one = std::get_if<calls_entry>(&content)) out.take(std::move(one->calls));
    }
    return out;
}

/// Adds rows and the best record of a problem.  @pre  load(of)
ATTUNE_INLINE void record_table::add_history(problem_history& to, known_problem& of,
                                             text_source const& text)
{
    fold(of, text);
    std::string line;
    std::uint64_t const ended = std::max(of.parsed->finished, of.over);
    for (std::uint32_t at = first_read(of.tried, ended, most_outcomes); at != nothing;
         at = entries_[at].next) {
        place const where = entries_[at].at;
        if (!text(where.offset, where.length, line)) break;
        line_content content = read_line(line);
        auto* const row = std::get_if<tried_entry>(&content);
        if (row == nullptr || row->row.values.size() != of.parsed->problem.parameters.size())
            continue;
        to.rows.push_back(std::move(row->row));
        if (where.offset < ended) to.open = to.rows.size();
    }
    dated_record const* latest = nullptr;
    for (dated_record const& one : of.parsed->best)
        if (latest == nullptr || one.offset > latest->offset) latest = &one;
    if (latest != nullptr && (!to.best || supersedes(latest->entry, *to.best)))
        to.best = latest->entry;
}

ATTUNE_INLINE problem_history record_table::recall(stored_problem const& wanted,
                                                   text_source const& text)
{
    problem_history out{.problem = wanted};
    if (problems_.empty()) return out;
    std::vector<std::uint32_t> same;
    std::uint64_t const identity = hexadecimal(identity_of(wanted.key)).value_or(0);
    for (std::uint32_t i = first_of(by_identity_, identity); i != nothing;
         i = problems_[i].next_of_identity)
        if (load(problems_[i], text) &&
            relate(problems_[i].parsed->problem, wanted).how == problem_difference::none &&
            problems_[i].parsed->problem.parameters == wanted.parameters)
            same.push_back(i);
    std::reverse(same.begin(), same.end()); // the oldest first
    for (std::uint32_t const i : same)
        add_history(out, problems_[i], text);
    return out;
}

ATTUNE_INLINE std::vector<related_problem>
record_table::related(stored_problem const& wanted, std::size_t most, text_source const& text)
{
    if (problems_.empty()) return {};
    struct candidate {
        std::uint32_t index;
        problem_relation how;
    };
    std::vector<candidate> all;
    std::uint64_t const kernel = hash_of_text(text_to_json(wanted.key.kernel).dump());
    for (std::uint32_t i = first_of(by_kernel_, kernel); i != nothing;
         i = problems_[i].next_of_kernel) {
        known_problem& of = problems_[i];
        bool const is_empty = of.won.first == nothing && of.tried.first == nothing;
        if (is_empty || !load(of, text) || of.parsed->problem.key.kernel != wanted.key.kernel)
            continue;
        all.push_back({i, relate(of.parsed->problem, wanted)});
    }
    auto const is_nearer = [&](candidate const& a, candidate const& b) {
        if (a.how.distance != b.how.distance) return a.how.distance < b.how.distance;
        return problems_[a.index].latest > problems_[b.index].latest;
    };
    std::size_t const count = std::min(most, all.size());
    std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count), all.end(),
                      is_nearer);
    std::vector<related_problem> out;
    for (std::size_t i = 0; i < count; ++i) {
        known_problem& of = problems_[all[i].index];
        out.push_back({{.problem = of.parsed->problem}, std::move(all[i].how)});
        add_history(out.back().past, of, text);
    }
    return out;
}

ATTUNE_INLINE std::vector<proven_shape>
record_table::proofs(stored_problem const& wanted, std::string const& code, text_source const& text)
{
    std::vector<proven_shape> out;
    if (code.empty() || problems_.empty()) return out;
    std::vector<std::uint32_t> of_device;
    std::uint64_t const kernel = hash_of_text(text_to_json(wanted.key.kernel).dump());
    for (std::uint32_t i = first_of(by_kernel_, kernel); i != nothing;
         i = problems_[i].next_of_kernel) {
        known_problem& of = problems_[i];
        bool const is_empty = of.proven.first == nothing && of.refuted.first == nothing;
        if (is_empty || !load(of, text)) continue;
        record_key const& key = of.parsed->problem.key;
        if (key.kernel == wanted.key.kernel && key.device == wanted.key.device &&
            may_be_same(key.signature, wanted.key.signature))
            of_device.push_back(i);
    }
    std::reverse(of_device.begin(), of_device.end());
    constexpr std::uint64_t end = std::numeric_limits<std::uint64_t>::max();
    std::string const has_code = "\"code\":" + text_to_json(code).dump();
    std::string line;
    for (std::uint32_t const i : of_device) {
        std::uint32_t right = first_read(problems_[i].proven, end);
        std::uint32_t wrong = problems_[i].refuted.first;
        while (right != nothing || wrong != nothing) { // in the order of the text
            std::uint32_t& next =
                right == nothing || (wrong != nothing && wrong < right) ? wrong : right;
            place const where = entries_[std::exchange(next, entries_[next].next)].at;
            if (!text(where.offset, where.length, line)) break;
            if (line.find(has_code) == line.npos && check_of(line) == line_check::right) continue;
            line_content content = read_line(line);
            auto* const proven = std::get_if<proven_entry>(&content);
            if (proven != nullptr && proven->proof.code == code)
                out.push_back(std::move(proven->proof));
        }
    }
    std::set<std::pair<std::vector<std::int64_t>, bool>> later;
    std::vector<proven_shape> latest;
    for (proven_shape& one : std::views::reverse(out))
        if (later.emplace(one.shape, one.is_right).second) latest.push_back(std::move(one));
    std::reverse(latest.begin(), latest.end());
    return latest;
}

ATTUNE_INLINE bool record_table::says(stored_problem const& problem, proven_shape const& proof,
                                      text_source const& text) const
{
    std::string const id = id_of(problem);
    known_problem const* const of = find_problem(id);
    if (of == nullptr) return false;
    proven_shape contrary = proof;
    contrary.is_right = !proof.is_right;
    std::string line;
    // Entry numbers grow with their places in the text.
    auto const last_like = [&](proven_shape const& wanted) {
        std::string const its = proven_line(id, wanted);
        std::uint32_t out = 0; // its number plus one; 0: none
        for (std::uint32_t at = (wanted.is_right ? of->proven : of->refuted).first; at != nothing;
             at = entries_[at].next)
            if (entries_[at].at.length == its.size() && entries_[at].at.sum == sum_of(its) &&
                text(entries_[at].at.offset, its.size(), line) && line == its)
                out = at + 1;
        return out;
    };
    std::uint32_t const same = last_like(proof);
    return same != 0 && last_like(contrary) < same;
}

ATTUNE_INLINE bool record_table::is_mostly_past() const noexcept
{
    auto const beyond = [](std::uint32_t lines, std::uint32_t read) {
        return lines > read ? lines - read : 0;
    };
    std::size_t past = 0;
    for (known_problem const& of : problems_) {
        past += beyond(of.won.length, 1) + beyond(of.proven.length, most_read) +
                beyond(of.calls.length, 1);
        if (of.over != 0 || of.won.first != nothing) past += beyond(of.tried.length, most_outcomes);
    }
    return past > most_read && 2 * past > entries_.size();
}

ATTUNE_INLINE std::vector<listed_problem>
record_table::list(std::size_t most, text_source const& text, bool with_called)
{
    std::vector<std::pair<std::uint64_t, std::uint32_t>> all; // last line, number
    for (std::uint32_t i = 0; i < problems_.size(); ++i) {
        known_problem const& of = problems_[i];
        if (of.won.first != nothing || of.tried.first != nothing)
            all.emplace_back(of.latest, i);
        else if (with_called && of.calls.first != nothing)
            all.emplace_back(entries_[of.calls.last].at.offset, i);
    }
    std::sort(all.begin(), all.end());
    std::vector<listed_problem> out;
    for (std::size_t i = all.size() - std::min(most, all.size()); i < all.size(); ++i) {
        known_problem& of = problems_[all[i].second];
        if (!load(of, text)) continue;
        fold(of, text);
        listed_problem one{.number = all[i].second, .problem = of.parsed->problem};
        std::vector<dated_record> best = of.parsed->best;
        std::sort(best.begin(), best.end(),
                  [](auto const& a, auto const& b) { return a.offset < b.offset; });
        for (dated_record& r : best)
            one.best.push_back(std::move(r.entry));
        one.tried = of.tried.length;
        one.proven = of.proven.length + of.refuted.length;
        one.calls = calls_of(of, text);
        std::uint64_t const ended = std::max(of.parsed->finished, of.over);
        one.is_open = of.tried.last != nothing && entries_[of.tried.last].at.offset > ended;
        out.push_back(std::move(one));
    }
    return out;
}

ATTUNE_INLINE problem_history record_table::history(listed_problem const& of,
                                                    text_source const& text)
{
    problem_history out{.problem = of.problem};
    if (of.number < problems_.size() && load(problems_[of.number], text))
        add_history(out, problems_[of.number], text);
    return out;
}

ATTUNE_INLINE std::vector<record> record_table::all_records(text_source const& text)
{
    std::vector<dated_record> all;
    std::string line;
    for (known_problem& of : problems_) {
        if (of.won.first == nothing || !load(of, text)) continue;
        for (std::uint32_t at = of.won.first; at != nothing; at = entries_[at].next) {
            place const where = entries_[at].at;
            if (!text(where.offset, where.length, line)) break;
            line_content content = read_line(line);
            if (auto* const r = std::get_if<record>(&content))
                all.push_back({std::move(*r), where.offset});
            else if (auto* const w = std::get_if<won_entry>(&content))
                all.push_back({record_of(std::move(*w), of.parsed->problem), where.offset});
        }
    }
    std::sort(all.begin(), all.end(),
              [](auto const& a, auto const& b) { return a.offset < b.offset; });
    std::vector<record> out;
    for (dated_record& one : all)
        out.push_back(std::move(one.entry));
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail

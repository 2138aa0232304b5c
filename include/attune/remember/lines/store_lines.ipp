// attune/remember/lines/store_lines.ipp - sorts lines by problem and tuning.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/posix/replace_file.hpp>
#include <attune/remember/detail/line_bytes.hpp>
#include <attune/remember/detail/store_file.hpp>
#include <attune/remember/lines/record_line.hpp>
#include <attune/remember/lines/store_content.hpp>
#include <attune/remember/lines/store_lines.hpp>

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The lines of a store, by problem, in its order.
struct store_lines::reading {
    struct read_line {
        std::string text{};
        std::size_t line_counts::* count = &line_counts::others;
        bool ends = false;    ///< ends the tuning, with a winner
        bool is_over = false; ///< ends the tuning, without a winner
        std::string when{};
    };
    std::map<std::string, std::vector<read_line>> of{};
};

ATTUNE_INLINE void store_lines::add(std::string_view text, std::string const& name)
{
    // Refuses a text that is no store.
    static_cast<void>(store_content::of_text(std::string(text), name));
    ++stores_;
    reading now;
    auto const add_line = [&](std::string const& id, reading::read_line line) {
        now.of[id].push_back(std::move(line));
    };
    auto const winner = [](std::string_view line, record const& r) {
        return reading::read_line{std::string(line), &line_counts::winners, !r.interrupted, false,
                                  r.when};
    };
    auto const parsed = [&](std::string_view line) {
        line_content const content = read_line(line);
        if (std::holds_alternative<store_header>(content)) return;
        if (std::holds_alternative<damaged_line>(content))
            ++removed_.damaged;
        else if (auto const* const r = std::get_if<record>(&content))
            add_line(id_of(problem_of(*r)), winner(line, *r));
        else if (auto const* const p = std::get_if<problem_entry>(&content))
            problems_[p->id].introductions.emplace(line);
        else if (auto const* const t = std::get_if<tried_entry>(&content))
            add_line(t->at, {std::string(line), &line_counts::outcomes});
        else if (auto const* const v = std::get_if<proven_entry>(&content))
            add_line(v->at, {std::string(line), &line_counts::shapes});
        else if (auto const* const c = std::get_if<calls_entry>(&content))
            add_line(c->at, {std::string(line), &line_counts::calls});
        else if (auto const* const w = std::get_if<won_entry>(&content))
            add_line(w->at, winner(line, w->entry));
        else if (!others_.emplace(line).second)
            ++removed_.repeated;
    };
    while (!text.empty()) {
        std::size_t const end = std::min(text.find('\n'), text.size());
        std::string_view const line = trimmed_line(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.empty()) continue;
        line_check const check = check_of(line);
        if (check == line_check::wrong) {
            ++removed_.damaged;
            continue;
        }
        line_form const form = check == line_check::right ? form_of(line) : line_form{};
        std::string const id(form.id);
        switch (form.kind) {
        case line_kind::problem:
            problems_[id].introductions.emplace(line);
            break;
        case line_kind::tried:
            add_line(id, {std::string(line), &line_counts::outcomes});
            break;
        case line_kind::proven:
            add_line(id, {std::string(line), &line_counts::shapes});
            break;
        case line_kind::calls:
            add_line(id, {std::string(line), &line_counts::calls});
            break;
        case line_kind::later:
            add_line(id, {std::string(line)});
            break;
        case line_kind::over:
            add_line(id, {.text = std::string(line), .is_over = true});
            break;
        case line_kind::won:
        case line_kind::unknown:
            parsed(line);
            break;
        }
    }
    for (auto& [id, lines] : now.of) {
        kept_problem& to = problems_[id];
        line_place ended{.ended_by = ending::open};
        for (std::size_t i = lines.size(); i-- > 0;) {
            reading::read_line& line = lines[i];
            if (line.is_over) {
                to.has_over = true;
                if (ended.ended_by == ending::open) ended = {.ended_by = ending::over};
                continue;
            }
            if (line.ends) ended = {ending::won, line.when, line.text};
            line_place place = ended;
            place.is_winner = line.ends;
            place.number = i;
            auto const [at, is_new] =
                to.lines.try_emplace(std::move(line.text), kept_line{line.count, place, i});
            if (is_new) continue;
            ++removed_.repeated;
            at->second.last = std::max(at->second.last, i);
            at->second.place = std::min(at->second.place, place);
        }
    }
}

/// The time of the last winner; empty if there is none.
ATTUNE_INLINE std::string store_lines::last_winner(kept_problem const& of)
{
    std::string out;
    for (auto const& [text, line] : of.lines)
        if (line.place.is_winner) out = std::max(out, line.place.when);
    return out;
}

ATTUNE_INLINE std::string store_lines::text() const
{
    // The last tuned problem comes last, as in a file of one program.
    std::vector<std::pair<std::string, std::string const*>> order;
    for (auto const& [id, problem] : problems_)
        order.emplace_back(last_winner(problem), &id);
    std::sort(order.begin(), order.end(), [](auto const& a, auto const& b) {
        return a.first != b.first ? a.first < b.first : *a.second < *b.second;
    });
    std::string out = header_line() + '\n';
    for (auto const& [when, id] : order) {
        kept_problem const& problem = problems_.at(*id);
        for (std::string const& line : problem.introductions)
            out += line + '\n';
        using entry = std::pair<std::string const, kept_line>;
        std::vector<entry const*> lines;
        for (entry const& one : problem.lines)
            lines.push_back(&one);
        std::sort(lines.begin(), lines.end(), [](entry const* a, entry const* b) {
            auto const order_of = a->second.place <=> b->second.place;
            return order_of != 0 ? order_of < 0 : a->first < b->first;
        });
        bool is_over_due = problem.has_over;
        auto const add_over = [&, of = *id] {
            if (std::exchange(is_over_due, false)) out += over_line(of) + '\n';
        };
        for (entry const* const one : lines) {
            if (one->second.place.ended_by == ending::open) add_over();
            out += one->first + '\n';
        }
        add_over();
    }
    for (std::string const& line : others_)
        out += line + '\n';
    return out;
}

ATTUNE_INLINE line_counts store_lines::kept() const
{
    line_counts out;
    out.others = others_.size();
    for (auto const& [id, problem] : problems_) {
        ++out.problems;
        for (auto const& [text, line] : problem.lines)
            ++(out.*line.count);
    }
    return out;
}

// --- pruning -----------------------------------------------------------------------------------

ATTUNE_INLINE void store_lines::remove(kept_problem& from, std::string const& line)
{
    auto const at = from.lines.find(line);
    ++(removed_.*at->second.count);
    // Lines before a winner stay the past of a tuning that ended.
    if (at->second.place.is_winner) from.has_over = true;
    from.lines.erase(at);
}

ATTUNE_INLINE void store_lines::remove_problems(condition const& is_meant)
{
    for (auto at = problems_.begin(); at != problems_.end();) {
        std::optional<stored_problem> what;
        for (std::string const& line : at->second.introductions) {
            line_content const content = read_line(line);
            if (auto const* const p = std::get_if<problem_entry>(&content)) what = p->problem;
        }
        for (auto const& [line, kept] : at->second.lines) {
            if (what) break;
            line_content const content = read_line(line);
            if (auto const* const r = std::get_if<record>(&content)) what = problem_of(*r);
        }
        // The condition cannot be applied to a problem without its own line.
        if (!what || !is_meant(*what, last_winner(at->second))) {
            ++at;
            continue;
        }
        for (auto const& [line, kept] : at->second.lines)
            ++(removed_.*kept.count);
        ++removed_.problems;
        at = problems_.erase(at);
    }
}

ATTUNE_INLINE void store_lines::remove_outcomes()
{
    for (auto& [id, problem] : problems_)
        removed_.outcomes += std::erase_if(problem.lines, [](auto const& one) {
            return one.second.count == &line_counts::outcomes;
        });
}

/// Damaged lines stay.
ATTUNE_INLINE void store_lines::join_calls(std::string const& id, kept_problem& of)
{
    struct ended {
        std::string line{};
        kept_line kept{};
        past_calls calls{};
    };
    std::vector<ended> all;
    for (auto const& [line, kept] : of.lines) {
        if (kept.count != &line_counts::calls) continue;
        line_content content = read_line(line);
        if (auto* const one = std::get_if<calls_entry>(&content))
            all.push_back({line, kept, std::move(one->calls)});
    }
    if (all.size() < 2) return;
    std::sort(all.begin(), all.end(), [&](ended const& a, ended const& b) {
        if (stores_ == 1) return a.kept.last < b.kept.last;
        return a.calls.to_s != b.calls.to_s ? a.calls.to_s < b.calls.to_s : a.line < b.line;
    });
    past_calls sum;
    for (ended& one : all) {
        sum.take(std::move(one.calls));
        remove(of, one.line);
    }
    --removed_.calls;
    of.lines.emplace(calls_line(id, sum), all.back().kept);
}

ATTUNE_INLINE void store_lines::remove_superseded()
{
    struct winner {
        std::string line{};
        kept_line kept{};
        record entry{};
    };
    for (auto& [id, problem] : problems_) {
        join_calls(id, problem);
        std::vector<winner> all;
        for (auto const& [line, kept] : problem.lines) {
            if (kept.count != &line_counts::winners) continue;
            line_content content = read_line(line);
            if (auto* const w = std::get_if<won_entry>(&content))
                all.push_back({line, kept, std::move(w->entry)});
            else if (auto* const r = std::get_if<record>(&content))
                all.push_back({line, kept, std::move(*r)});
        }
        // In the order of a single store. Several stores have only the order of times.
        std::sort(all.begin(), all.end(), [&](winner const& a, winner const& b) {
            if (stores_ == 1) return a.kept.last < b.kept.last;
            auto const order = a.kept.place <=> b.kept.place;
            return order != 0 ? order < 0 : a.line < b.line;
        });
        std::map<std::string, std::size_t> best; // by schema
        for (std::size_t i = 0; i < all.size(); ++i) {
            auto const [at, is_first] = best.try_emplace(all[i].entry.key.schema, i);
            if (is_first) continue;
            bool const stands = supersedes(all[i].entry, all[at->second].entry);
            remove(problem, all[stands ? at->second : i].line);
            if (stands) at->second = i;
        }
    }
}

// --- the file ----------------------------------------------------------------------------------

ATTUNE_INLINE void rewrite_store(std::string const& path,
                                 std::function<std::string(std::string const& now)> const& make)
{
    for (int attempt = 0; attempt < 10; ++attempt) {
        store_file file = store_file::open_to_replace(path);
        if (!file.usable()) refuse_store_file(file, path);
        if (!file.lock(store_file::sharing::exclusive))
            throw error("the store cannot be locked: " + file.why(), path, "try again later");
        if (!file.is_locked())
            throw error("its file system has no locks: what is written meanwhile would be lost",
                        path, "work on a copy on a local disk");
        if (!file.still_at(path)) continue; // replaced meanwhile
        std::string now;
        if (!file.read_all(now)) refuse_store_file(file, path);
        std::string const made = make(now);
        // Writers that wait for the lock then find that the file was replaced.
        if (made != now) replace_file(path, made);
        return;
    }
    throw error("the store is replaced all the time", path, "try again when no process prunes it");
}

} // namespace attune::inline ATTUNE_ABI::detail

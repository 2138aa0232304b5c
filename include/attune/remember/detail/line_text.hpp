// attune/remember/detail/line_text.hpp - lines of a store in memory, and combined answers of two stores.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/remember/detail/shared_file.hpp>
#include <attune/remember/lines/record_line.hpp>
#include <attune/remember/lines/record_table.hpp>
#include <attune/remember/problem/problem.hpp>
#include <attune/remember/record.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Makes lines, and keeps the name of the last problem.
class line_maker {
public:
    [[nodiscard]] waiting_line operator()(record const& entry)
    {
        stored_problem problem = problem_of(entry);
        std::string line = won_line(id_for(problem), entry);
        return {last_id_, std::move(problem), std::move(line)};
    }
    [[nodiscard]] waiting_line operator()(stored_problem const& problem, tried_row const& row)
    {
        std::string line = tried_line(id_for(problem), row);
        return {last_id_, problem, std::move(line)};
    }
    [[nodiscard]] waiting_line operator()(stored_problem const& problem, proven_shape const& proof)
    {
        std::string line = proven_line(id_for(problem), proof);
        return {last_id_, problem, std::move(line)};
    }

    [[nodiscard]] waiting_line operator()(stored_problem const& problem, past_calls const& calls)
    {
        std::string line = calls_line(id_for(problem), calls);
        return {last_id_, problem, std::move(line)};
    }

    /// A line for a tuning that ended without a kept winner.
    [[nodiscard]] waiting_line operator()(stored_problem const& problem)
    {
        std::string line = over_line(id_for(problem));
        return {last_id_, problem, std::move(line)};
    }

private:
    /// Keeps the id of the last problem, because rows of a problem follow each other.
    [[nodiscard]] std::string const& id_for(stored_problem const& problem)
    {
        if (last_id_.empty() || !(problem == last_)) {
            last_id_ = id_of(problem);
            last_ = problem;
        }
        return last_id_;
    }
    stored_problem last_{};
    std::string last_id_{};
};

/// Lines and the index over them. Movable; one thread at a time.
class line_text {
public:
    void add(waiting_line const& one)
    {
        std::string now = text_.empty() ? header_line() + '\n' : std::string();
        if (introduced_.insert(one.id).second) now += problem_line(one.id, one.problem) + '\n';
        now += one.line + '\n';
        table_.take(now, text_.size());
        text_ += now;
    }
    /// Adds the text of another store. Skips a damaged line.
    void add(std::string text)
    {
        std::size_t const at = text_.size();
        if (at == 0)
            text_ = std::move(text);
        else
            text_ += text;
        if (!text_.empty() && text_.back() != '\n') text_ += '\n';
        table_.take(std::string_view(text_).substr(at), at);
    }
    [[nodiscard]] std::string const& text() const noexcept { return text_; }
    [[nodiscard]] record_table& table() noexcept { return table_; }
    [[nodiscard]] record_table::text_source source() const
    {
        return [this](std::uint64_t offset, std::size_t length, std::string& out) {
            if (offset + length > text_.size()) return false;
            out.assign(text_, static_cast<std::size_t>(offset), length);
            return true;
        };
    }

private:
    std::string text_{};
    record_table table_{};
    std::set<std::string> introduced_{};
};

/// The answers of a store that another user could have written: the caller must verify them.
[[nodiscard]] inline lookup_result unbelieved(lookup_result found)
{
    if (found.how == record_match::exact) found.how = record_match::unverified;
    return found;
}
[[nodiscard]] inline std::vector<related_problem> unbelieved(std::vector<related_problem> all)
{
    for (related_problem& one : all) {
        one.is_believed = false;
        if (one.how.how == problem_difference::none)
            one.how.why = "for these inputs, says a store that another user may write";
    }
    return all;
}
/// The notice about such a store.
/// @param why  result of other_writer_of()
[[nodiscard]] inline std::string unbelieved_notice(std::string const& path, std::string const& why)
{
    return path + ": another user may write it: " + why +
           "; no winner of it serves before it is verified here";
}

/// @param later  preferred if both answers fit equally well, unless `first`'s record supersedes it
[[nodiscard]] inline lookup_result better_of(lookup_result first, lookup_result later)
{
    if (!later.best || (first.best && first.how < later.how)) return first;
    if (!first.best || later.how < first.how) return later;
    if (later.how <= record_match::unverified)
        return supersedes(*later.best, *first.best) ? std::move(later) : std::move(first);
    return later.distance <= first.distance ? std::move(later) : std::move(first);
}

inline void add_to(problem_history& to, problem_history more)
{
    std::size_t const had = to.rows.size();
    for (tried_row& row : more.rows)
        to.rows.push_back(std::move(row));
    if (more.open > 0) to.open = had + more.open;
    if (more.best && (!to.best || supersedes(*more.best, *to.best))) to.best = std::move(more.best);
}

/// Merges entries of the same problem. The nearest come first.
inline void add_to(std::vector<related_problem>& to, std::vector<related_problem> more,
                   std::size_t most)
{
    for (related_problem& one : more) {
        auto const same = std::find_if(to.begin(), to.end(), [&](related_problem const& known) {
            return known.is_believed == one.is_believed &&
                   id_of(known.past.problem) == id_of(one.past.problem);
        });
        if (same != to.end()) {
            add_to(same->past, std::move(one.past));
            continue;
        }
        auto const behind = std::find_if(to.begin(), to.end(), [&](related_problem const& known) {
            return known.how.distance > one.how.distance;
        });
        to.insert(behind, std::move(one));
    }
    if (to.size() > most) to.resize(most);
}

} // namespace attune::inline ATTUNE_ABI::detail

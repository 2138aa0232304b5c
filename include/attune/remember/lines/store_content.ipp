// attune/remember/lines/store_content.ipp - the text of a store, the index over it, and its needed lines.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/remember/detail/line_bytes.hpp>
#include <attune/remember/detail/line_text.hpp>
#include <attune/remember/detail/shared_file.hpp>
#include <attune/remember/detail/store_file.hpp>
#include <attune/remember/lines/record_line.hpp>
#include <attune/remember/lines/store_content.hpp>
#include <attune/remember/record.hpp>

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>

namespace attune::inline ATTUNE_ABI::detail {

struct store_content::state {
    line_text lines{};
    std::string damage{};
    std::string by_others{};
};

ATTUNE_INLINE void require_store(record_table const& table, std::string const& name)
{
    if (table.is_newer())
        throw error("the store was written by a newer attune (store format " +
                        table.newer_format() + ", this one knows " + std::to_string(store_format) +
                        ')',
                    name, "use the attune that wrote it");
    if (table.is_foreign())
        throw error("this file is not an attune store", name,
                    "name a file that attune::store wrote");
}

ATTUNE_INLINE store_content store_content::of_file(std::string const& path)
{
    store_file file = store_file::open_to_read(path);
    std::string text;
    if (!file.usable()) refuse_store_file(file, path);
    // Under the lock no writer is in the middle of a line. The wait is short, because a writer may
    // be stopped.
    static_cast<void>(file.lock(store_file::sharing::shared, 0.5));
    if (!file.read_all(text)) refuse_store_file(file, path);
    store_content out = of_text(std::move(text), path);
    out.state_->by_others = file.by_others();
    return out;
}

ATTUNE_INLINE store_content store_content::of_text(std::string text, std::string const& name)
{
    auto made = std::make_unique<state>();
    made->lines.add(std::move(text));
    record_table& table = made->lines.table();
    require_store(table, name);
    made->damage = table.take_damage().text(name);
    return store_content(std::move(made));
}

ATTUNE_INLINE store_content::store_content(std::unique_ptr<state> made) noexcept
    : state_(std::move(made))
{
}
ATTUNE_INLINE store_content::store_content(store_content&&) noexcept = default;
ATTUNE_INLINE store_content& store_content::operator=(store_content&&) noexcept = default;
ATTUNE_INLINE store_content::~store_content() = default;

ATTUNE_INLINE std::vector<listed_problem> store_content::problems(std::size_t most,
                                                                  bool with_called)
{
    return state_->lines.table().list(most, state_->lines.source(), with_called);
}
ATTUNE_INLINE problem_history store_content::history(listed_problem const& of)
{
    return state_->lines.table().history(of, state_->lines.source());
}
ATTUNE_INLINE lookup_result store_content::find(record_key const& key)
{
    return state_->lines.table().find(key, state_->lines.source());
}
ATTUNE_INLINE std::vector<related_problem> store_content::related(stored_problem const& wanted,
                                                                  std::size_t most)
{
    return state_->lines.table().related(wanted, most, state_->lines.source());
}
ATTUNE_INLINE std::vector<proven_shape> store_content::proofs(stored_problem const& wanted,
                                                              std::string const& code)
{
    return state_->lines.table().proofs(wanted, code, state_->lines.source());
}
ATTUNE_INLINE std::string const& store_content::damage() const noexcept { return state_->damage; }
ATTUNE_INLINE std::string const& store_content::by_others() const noexcept
{
    return state_->by_others;
}
ATTUNE_INLINE std::string const& store_content::text() const noexcept
{
    return state_->lines.text();
}

struct followed_store::reading {
    std::string path;
    store_reader lines;
    store_file::identity seen{};
};

ATTUNE_INLINE followed_store::followed_store(std::string path)
    : reading_(std::make_unique<reading>(reading{path, store_reader(path)}))
{
}
ATTUNE_INLINE followed_store::followed_store(followed_store&&) noexcept = default;
ATTUNE_INLINE followed_store& followed_store::operator=(followed_store&&) noexcept = default;
ATTUNE_INLINE followed_store::~followed_store() = default;

ATTUNE_INLINE followed_store::state followed_store::refresh()
{
    store_file::identity const now = store_file::stamp_at(reading_->path);
    if (now.known && now == reading_->seen) return state::same;
    switch (reading_->lines.refresh()) {
    case store_reader::state::absent:
        reading_->seen = {};
        return state::absent;
    case store_reader::state::unreadable:
        throw error("the store cannot be read: " + reading_->lines.why(), reading_->path,
                    "name another file");
    case store_reader::state::read:
        break;
    }
    require_store(reading_->lines.table(), reading_->path);
    reading_->seen = now; // the next call sees later text
    return state::changed;
}

ATTUNE_INLINE std::vector<listed_problem> followed_store::problems(std::size_t most)
{
    return reading_->lines.table().list(most, reading_->lines.source());
}
ATTUNE_INLINE problem_history followed_store::history(listed_problem const& of)
{
    return reading_->lines.table().history(of, reading_->lines.source());
}

/// The lines of a text, and a mark for those that stay.
class line_sieve {
public:
    /// Reads a text. Returns false if it stays unchanged.
    [[nodiscard]] bool take(std::string_view text)
    {
        text_ = text;
        for (std::size_t at = 0; at < text.size();) {
            std::size_t const end = std::min(text.find('\n', at), text.size());
            std::string_view const line = trimmed_line(text.substr(at, end - at));
            if (!take_line(line)) return false;
            at = std::min(end + 1, text.size());
        }
        return true;
    }

    [[nodiscard]] std::string kept()
    {
        for (auto& [id, of] : problems_)
            sift(id, of);
        std::string out;
        std::size_t number = 0;
        for (std::size_t at = 0; at < text_.size(); ++number) {
            std::size_t const end = std::min(text_.find('\n', at) + 1, text_.size());
            std::size_t const next = end == 0 ? text_.size() : end;
            if (auto const instead = instead_.find(number); instead != instead_.end())
                out += instead->second + '\n';
            else if (stays_[number])
                out += text_.substr(at, next - at);
            at = next;
        }
        return out;
    }

private:
    using numbers = std::vector<std::size_t>; ///< of lines, ascending
    struct problem_lines {
        numbers introductions{}, tried{}, won{}, right{}, wrong{}, over{}, calls{};
        std::size_t latest = 0; ///< the last one that record_table uses
    };

    [[nodiscard]] bool take_line(std::string_view line)
    {
        std::size_t const number = lines_.size();
        lines_.push_back(line);
        stays_.push_back(true);
        if (line.empty()) return true;
        line_check const check = check_of(line);
        if (check == line_check::wrong) return true;
        line_form const form = check == line_check::right ? form_of(line) : line_form{};
        if (form.kind == line_kind::unknown) {
            line_content const content = read_line(line);
            auto const* const header = std::get_if<store_header>(&content);
            bool const is_skipped = std::holds_alternative<damaged_line>(content) ||
                                    std::holds_alternative<other_entry>(content);
            return header != nullptr ? header->known : is_skipped;
        }
        problem_lines& of = problems_[form.id];
        auto const add = [&](numbers& to) {
            to.push_back(number);
            of.latest = number;
        };
        switch (form.kind) {
        case line_kind::problem:
            of.introductions.push_back(number);
            break;
        case line_kind::tried:
            add(of.tried);
            break;
        case line_kind::won:
            add(of.won);
            break;
        case line_kind::proven:
            add(is_refutation(line) ? of.wrong : of.right);
            break;
        case line_kind::over:
            of.over.push_back(number);
            break;
        case line_kind::calls:
            of.calls.push_back(number);
            break;
        case line_kind::later:
        case line_kind::unknown:
            break;
        }
        return true;
    }

    void leave_out(std::size_t number, problem_lines const& of)
    {
        stays_[number] = number == of.latest;
    }
    /// Leaves out all but the latest `most` ones, of the first `count`.
    void leave_out_unread(numbers const& all, std::size_t count, std::size_t most,
                          problem_lines const& of)
    {
        for (std::size_t i = 0; i + most < count; ++i)
            leave_out(all[i], of);
    }
    void leave_out_repeated(numbers const& all, problem_lines const& of)
    {
        std::unordered_set<std::string_view> later;
        for (std::size_t i = all.size(); i-- > 0;)
            if (stays_[all[i]] && !later.insert(lines_[all[i]]).second) leave_out(all[i], of);
    }

    void sift(std::string_view id, problem_lines& of)
    {
        for (std::size_t i = 1; i + 1 < of.introductions.size(); ++i)
            stays_[of.introductions[i]] = false;
        sift_calls(id, of.calls);
        leave_out_unread(of.right, of.right.size(), record_table::most_read, of);
        leave_out_repeated(of.right, of);
        leave_out_repeated(of.wrong, of);
        // 0 is the header's number, with which no tuning ends.
        std::size_t const finished = sift_winners(of);
        std::size_t const ended = std::max(finished, of.over.empty() ? 0 : of.over.back());
        for (std::size_t const number : of.over)
            stays_[number] = number == ended;
        // A tuning ended there, with or without a winner.
        if (ended != 0 && !stays_[ended]) instead_[ended] = over_line(std::string(id));
        auto const open = std::lower_bound(of.tried.begin(), of.tried.end(), ended);
        leave_out_unread(of.tried, static_cast<std::size_t>(open - of.tried.begin()),
                         record_table::most_outcomes, of);
    }

    /// Makes one line of all calls, in the place of the last one. Damaged lines stay.
    void sift_calls(std::string_view id, numbers const& all)
    {
        if (all.size() < 2) return;
        past_calls sum;
        std::optional<std::size_t> last;
        for (std::size_t const number : all) {
            line_content content = read_line(lines_[number]);
            auto* const one = std::get_if<calls_entry>(&content);
            if (one == nullptr) continue;
            sum.take(std::move(one->calls));
            stays_[number] = false;
            last = number;
        }
        if (last) instead_[*last] = calls_line(std::string(id), sum);
    }

    /// Folds winners like record_table. @return  the line that ended the last tuning; 0: none
    std::size_t sift_winners(problem_lines const& of)
    {
        std::size_t parameters = 0;
        if (!of.introductions.empty()) {
            line_content const content = read_line(lines_[of.introductions.front()]);
            if (auto const* const p = std::get_if<problem_entry>(&content))
                parameters = p->problem.parameters.size();
        }
        struct winner {
            record entry{};
            std::size_t number = 0;
        };
        std::vector<winner> best;
        std::size_t finished = 0;
        std::size_t const count = of.won.size();
        std::size_t const first = count - std::min<std::size_t>(count, record_table::most_read);
        for (std::size_t i = 0; i < first; ++i)
            leave_out(of.won[i], of);
        for (std::size_t i = first; i < count; ++i) {
            std::size_t const number = of.won[i];
            line_content content = read_line(lines_[number]);
            auto* const won = std::get_if<won_entry>(&content);
            if (won == nullptr || won->entry.configuration.size() != parameters) continue;
            if (!won->entry.interrupted) finished = number;
            auto const same = std::find_if(best.begin(), best.end(), [&](winner const& known) {
                return known.entry.key.schema == won->entry.key.schema;
            });
            if (same == best.end()) {
                best.push_back({std::move(won->entry), number});
            } else if (supersedes(won->entry, same->entry)) {
                leave_out(same->number, of);
                *same = {std::move(won->entry), number};
            } else {
                leave_out(number, of);
            }
        }
        return finished;
    }

    std::string_view text_{};
    std::vector<std::string_view> lines_{};
    std::vector<bool> stays_{};
    std::unordered_map<std::string_view, problem_lines> problems_{};
    std::unordered_map<std::size_t, std::string>
        instead_{}; ///< replacements of lines that are left out
};

ATTUNE_INLINE std::string compacted(std::string_view text)
{
    line_sieve sieve;
    return sieve.take(text) ? sieve.kept() : std::string(text);
}

} // namespace attune::inline ATTUNE_ABI::detail

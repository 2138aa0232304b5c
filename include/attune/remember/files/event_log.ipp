// attune/remember/files/event_log.ipp - reads and appends events.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/remember/detail/event_line.hpp>
#include <attune/remember/detail/line_bytes.hpp>
#include <attune/remember/detail/store_file.hpp>
#include <attune/remember/files/event_log.hpp>

#include <array>
#include <cstdio>
#include <exception>
#include <optional>
#include <utility>
#include <variant>

namespace attune::inline ATTUNE_ABI {

namespace detail {

[[nodiscard]] inline bool ended(logged_session const& s)
{
    return !s.events.empty() && s.events.back().kind == event_kind::chosen;
}

/// The sessions in a text. Ignores a last line without a line end, because it was interrupted. Also
/// ignores a line before an empty one: the next writer marks an interrupted line so.
struct event_text {
    std::vector<logged_session> sessions{};
    std::vector<std::uint64_t> hashes{}; ///< hash of each session's lines
    std::vector<std::size_t> starts{};   ///< first line of each, from 1
    std::vector<session_tag> tags{};
    std::size_t last_at = 0;             ///< byte at which the last session begins
    bool last_is_partial = false;        ///< its lines are right, but fewer than promised
    std::vector<log_problem> problems{}; ///< line 0: an end is missing
};

/// An event with a tag belongs to the session with that tag, even after unreadable lines. An event
/// of an earlier version has no tag and belongs to the last session, unless an unreadable line
/// before it may have begun another.
/// @param after_damage  true: a damaged session also has the events behind the damaged line
[[nodiscard]] inline event_text events_in(std::string_view text, bool after_damage = false)
{
    event_text out;
    std::optional<std::uint64_t> promised; // number of events that the session's first line states
    bool is_known = false;                 // a session for the next lines exists
    auto const wrong = [&](std::size_t line, std::string what) {
        out.problems.push_back({line, std::move(what)});
        if (!out.sessions.empty() && !ended(out.sessions.back()))
            out.sessions.back().damaged = true;
    };
    auto const finish = [&] {
        out.last_is_partial = promised && !out.sessions.back().damaged &&
                              out.sessions.back().events.size() < *promised;
        if (out.last_is_partial) {
            wrong(0, "its end is missing");
            out.sessions.back().damaged = true;
        }
        promised = {};
    };
    std::string_view const whole = text;
    for (std::size_t number = 1; !text.empty(); ++number) {
        std::size_t const end = text.find('\n');
        if (end == std::string_view::npos) break;
        std::string_view const line = text.substr(0, end);
        text.remove_prefix(end + 1);
        if (line.empty() || text.starts_with('\n')) continue;
        auto const skip = [&](std::string const& why) {
            wrong(number, why);
            bool const begins = line.find(session_field) != line.npos;
            if (begins) finish();
            is_known = is_known && !begins && names_event(line) && !ended(out.sessions.back());
        };
        try {
            auto read = read_event_line(line);
            if (auto* const start = std::get_if<session_start>(&read)) {
                finish();
                out.last_at = static_cast<std::size_t>(line.data() - whole.data());
                out.sessions.push_back({std::move(start->key), start->seed});
                out.hashes.push_back(hash_of_text({}));
                out.starts.push_back(number);
                promised = start->events;
                out.tags.push_back(start->tag);
                is_known = true;
            } else {
                auto& [happened, of] = std::get<logged_event>(read);
                bool const is_of_last = !out.sessions.empty() && of == out.tags.back();
                if (of && !is_of_last && is_known)
                    wrong(number, "it is of a session whose first line is lost");
                if (of) is_known = is_of_last;
                if (is_known && (after_damage || !out.sessions.back().damaged))
                    out.sessions.back().events.push_back(std::move(happened));
            }
            if (is_known)
                out.hashes.back() = hash_of_text("\n", hash_of_text(line, out.hashes.back()));
        } catch (record_json::parse_error const& syntax) {
            skip("not JSON (byte " + std::to_string(syntax.byte) + ")");
        } catch (record_json_problem const& thrown) {
            skip(thrown.what());
        } catch (std::exception const&) { // another exception of nlohmann
            skip("a field is missing or of another kind");
        }
    }
    finish();
    return out;
}

inline constexpr char const* which_log = "give the path that tuning_options::event_log had";

[[nodiscard]] inline std::string text_of_log(std::string const& path)
{
    store_file const file = store_file::open_to_read(path);
    std::string text;
    if (!file.usable() || !file.read_all(text))
        throw error("the event log cannot be read: " + file.why(), path, which_log);
    return text;
}

/// "line 7 cannot be read (why)", or "3 lines cannot be read: 7, 9 and 12 (the first: why)".
/// @param first  first line that counts
[[nodiscard]] inline std::string unread_lines(std::vector<log_problem> const& problems,
                                              std::size_t first)
{
    constexpr std::size_t most_listed = 8;
    std::vector<log_problem const*> all;
    for (log_problem const& one : problems)
        if (one.line >= first) all.push_back(&one);
    if (all.empty()) return {};
    std::string const why = all.front()->what + ')';
    if (all.size() == 1)
        return "line " + std::to_string(all.front()->line) + " cannot be read (" + why;
    std::string out = std::to_string(all.size()) + " lines cannot be read: ";
    std::size_t const listed = all.size() <= most_listed ? all.size() : most_listed;
    for (std::size_t i = 0; i < listed; ++i)
        out += (i == 0 ? "" : i + 1 == all.size() ? " and " : ", ") + std::to_string(all[i]->line);
    if (listed < all.size()) out += " and " + std::to_string(all.size() - listed) + " more";
    return out + " (the first: " + why;
}

[[nodiscard]] inline std::string text_of_hash(std::uint64_t hash)
{
    std::array<char, 17> out{};
    std::snprintf(out.data(), out.size(), "%016llx", static_cast<unsigned long long>(hash));
    return out.data();
}

} // namespace detail

ATTUNE_INLINE std::vector<logged_session> read_event_log(std::string const& path)
{
    std::vector<logged_session> sessions = detail::events_in(detail::text_of_log(path)).sessions;
    if (sessions.empty())
        throw error("no session was found in the event log", path, detail::which_log);
    return sessions;
}

ATTUNE_INLINE detail::salvaged_log detail::salvage_event_log(std::string const& path)
{
    std::string const text = text_of_log(path);
    event_text read = events_in(text, true);
    if (read.sessions.empty() && text.find_first_not_of(" \n") != text.npos &&
        text.find(session_field) == text.npos)
        throw error("no session was found in the event log", path, which_log);
    salvaged_log out;
    for (std::size_t i = 0; i < read.sessions.size(); ++i)
        out.sessions.push_back({std::move(read.sessions[i]), text_of_hash(read.hashes[i])});
    std::erase_if(read.problems, [](log_problem const& p) { return p.line == 0; });
    out.problems = std::move(read.problems);
    return out;
}

ATTUNE_INLINE std::string text_of(logged_session const& session)
{
    std::string out = detail::session_line(session.key, session.seed, session.events.size());
    for (event const& e : session.events)
        out += detail::event_line(e);
    return out;
}

ATTUNE_INLINE logged_session read_session(std::string_view text)
{
    detail::event_text read = detail::events_in(text);
    std::string problem;
    if (!read.problems.empty()) {
        detail::log_problem const& first = read.problems.front();
        problem = first.line > 0 ? "line " + std::to_string(first.line) + ": " : "";
        problem += first.what;
    }
    if (problem.empty() && read.sessions.size() != 1)
        problem = read.sessions.empty() ? "it has no session" : "it has more than one session";
    if (!problem.empty())
        throw error("a session cannot be read: " + problem, {},
                    "give the text that text_of() returned, unchanged");
    return std::move(read.sessions.front());
}

struct event_log::file {
    std::string path;
    std::string key;
    std::uint64_t seed;
    detail::store_file opened;
    detail::unlocked_at_end unlocked{opened};
    std::uint64_t hash = 0;    ///< hash of the session's lines
    detail::session_tag tag{}; ///< of the session; none: an earlier version began it
    std::string unwritten{};   ///< precedes the next appended text

    /// Tag of a session that begins after the one with `hash`.
    [[nodiscard]] std::uint32_t next_tag() const
    {
        std::uint64_t const all = detail::hash_of_text(detail::session_line(key, seed), hash);
        return static_cast<std::uint32_t>(all ^ all >> 32);
    }

    [[nodiscard]] bool append(std::string const& lines)
    {
        if (!opened.append(unwritten + lines)) return false;
        unwritten.clear();
        return true;
    }
    [[nodiscard]] std::string beginning(std::vector<event> const& known)
    {
        std::optional<std::uint64_t> count;
        if (!known.empty()) count = known.size();
        tag = next_tag();
        std::string out = detail::session_line(key, seed, count, tag);
        for (event const& e : known)
            out += detail::event_line(e, tag);
        hash = detail::hash_of_text(out);
        return out;
    }
};

ATTUNE_INLINE event_log::event_log() = default;
ATTUNE_INLINE event_log::~event_log() = default;
ATTUNE_INLINE event_log::event_log(event_log&&) noexcept = default;
ATTUNE_INLINE event_log& event_log::operator=(event_log&&) noexcept = default;

ATTUNE_INLINE event_log::event_log(std::string path, std::string key, std::uint64_t seed)
{
    std::unique_ptr<file> made(
        new file{path, std::move(key), seed, detail::store_file::open_to_append(path)});
    // The holder may be a killed process that is about to end.
    bool const is_ours =
        made->opened.usable() && made->opened.lock(detail::store_file::sharing::exclusive);
    if (!is_ours) notices_.push_back(path + ": events are not logged: " + made->opened.why());
    std::string text;
    if (!made->opened.usable() || !made->opened.read_all(text)) {
        if (is_ours) notices_.push_back(path + ": events are not logged: " + made->opened.why());
        return;
    }
    detail::event_text read = detail::events_in(text, true);
    std::vector<logged_session>& sessions = read.sessions;
    bool const is_cut_start =
        detail::session_line(made->key, made->seed).starts_with(text) ||
        detail::session_line(made->key, made->seed, {}, made->next_tag()).starts_with(text);
    bool const is_log =
        !sessions.empty() || is_cut_start || text.find_first_not_of(" \n") == std::string::npos;
    if (!is_log) {
        if (is_ours) notices_.push_back(path + ": events are not logged: the file is no event log");
        return;
    }
    std::string const others = made->opened.by_others();
    if (!others.empty() && !sessions.empty())
        notices_.push_back(path + ": another user may write it: " + others +
                           "; no tuning goes on from it");
    auto const is_unfinished = [&] {
        return others.empty() && !sessions.empty() && !detail::ended(sessions.back()) &&
               sessions.back().key == made->key && sessions.back().seed == made->seed;
    };
    // The writer of a session's start was killed: the session before has the same events.
    bool const is_partial = read.last_is_partial && is_unfinished();
    if (!sessions.empty()) made->hash = read.hashes.back();
    std::size_t const whole = is_partial ? read.last_at : text.rfind('\n') + 1;
    bool const has_rest = whole < text.size() && !(is_ours && made->opened.cut_to(whole));
    if (is_partial) {
        sessions.pop_back();
        read.hashes.pop_back();
        read.starts.pop_back();
        read.tags.pop_back();
    }
    // Without a lock the rest cannot be cut off; an empty line after it marks it.
    if (has_rest && text.back() != '\n') made->unwritten = "\n\n";
    bool const goes_on = is_unfinished();
    if (goes_on) (sessions.back().damaged ? salvaged_ : past_) = std::move(sessions.back().events);
    if (goes_on && sessions.back().damaged) {
        std::string const lines = detail::unread_lines(read.problems, read.starts.back());
        notices_.push_back(path + ": the log of the interrupted tuning is damaged: " +
                           (lines.empty() ? "its end is missing" : lines));
    }
    if (!is_ours) return;
    file_ = std::move(made);
    if (goes_on && !sessions.back().damaged && !(is_partial && has_rest)) {
        file_->hash = read.hashes.back();
        file_->tag = read.tags.back();
    } else if (goes_on) { // begins with the next event; until then the damaged session stays
                          // readable
        file_->unwritten += file_->beginning(past_);
    } else {
        begin_anew();
    }
}

ATTUNE_INLINE void event_log::begin_anew(std::vector<event> known)
{
    past_ = std::move(known);
    salvaged_.clear();
    if (!file_) return;
    if (file_->unwritten.starts_with('\n')) // the rest of a session that does not begin now
        file_->unwritten.resize(2);
    else
        file_->unwritten.clear();
    if (file_->append(file_->beginning(past_))) return;
    notices_.push_back(file_->path + ": events are not logged: " + file_->opened.why());
    file_.reset();
}

ATTUNE_INLINE void event_log::add(event const& happened)
{
    if (!file_) return;
    std::string const line = detail::event_line(happened, file_->tag);
    file_->hash = detail::hash_of_text(line, file_->hash);
    if (file_->append(line)) return;
    notices_.push_back(file_->path + ": no more events are logged: " + file_->opened.why());
    file_.reset();
}

ATTUNE_INLINE std::string event_log::id() const
{
    return file_ ? detail::text_of_hash(file_->hash) : std::string();
}

ATTUNE_INLINE std::vector<std::string> event_log::notices() { return std::exchange(notices_, {}); }

} // namespace attune::inline ATTUNE_ABI

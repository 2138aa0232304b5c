// attune/remember/files/event_log.ipp - reading and appending events.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/detail/event_line.hpp>
#include <attune/remember/detail/store_file.hpp>
#include <attune/remember/files/event_log.hpp>

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// The sessions in a text. A last line without a line end was interrupted: it is ignored.
struct event_text {
    std::vector<logged_session> sessions{};
    std::string problem{}; ///< the first wrong line; empty: no line is wrong
};

[[nodiscard]] inline event_text events_in(std::string_view text)
{
    event_text out;
    std::optional<std::uint64_t> promised; // number of events that the session's first line states
    auto const wrong = [&](std::string const& what) {
        if (out.problem.empty()) out.problem = what;
        if (!out.sessions.empty()) out.sessions.back().damaged = true;
    };
    auto const finish = [&] {
        if (promised && !out.sessions.back().damaged &&
            out.sessions.back().events.size() < *promised)
            wrong("its end is missing");
        promised = {};
    };
    for (std::size_t number = 1; !text.empty(); ++number) {
        std::size_t const end = text.find('\n');
        if (end == std::string_view::npos) break;
        std::string_view const line = text.substr(0, end);
        text.remove_prefix(end + 1);
        if (line.empty()) continue;
        try {
            auto read = read_event_line(line);
            if (auto* const start = std::get_if<session_start>(&read)) {
                finish();
                out.sessions.push_back({std::move(start->key), start->seed});
                promised = start->events;
            } else if (!out.sessions.empty() && !out.sessions.back().damaged) {
                out.sessions.back().events.push_back(std::get<event>(std::move(read)));
            }
        } catch (std::exception const& thrown) { // record_json_problem, or one of nlohmann's
            wrong("line " + std::to_string(number) + ": " + thrown.what());
        }
    }
    finish();
    return out;
}

[[nodiscard]] inline bool ended(logged_session const& s)
{
    return !s.events.empty() && s.events.back().kind == event_kind::chosen;
}

} // namespace detail

ATTUNE_INLINE std::vector<logged_session> read_event_log(std::string const& path)
{
    detail::store_file const file = detail::store_file::open_to_read(path);
    std::string text;
    if (!file.usable() || !file.read_all(text))
        throw error("the event log cannot be read: " + file.why(),
                    path,
                    "give the path that tuning_options::event_log had");
    std::vector<logged_session> sessions = detail::events_in(text).sessions;
    if (sessions.empty())
        throw error("no session was found in the event log",
                    path,
                    "give the path that tuning_options::event_log had");
    return sessions;
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
    std::string problem = std::move(read.problem);
    if (problem.empty() && read.sessions.size() != 1)
        problem = read.sessions.empty() ? "it has no session" : "it has more than one session";
    if (!problem.empty())
        throw error("a session cannot be read: " + problem,
                    {},
                    "give the text that text_of() returned, unchanged");
    return std::move(read.sessions.front());
}

struct event_log::file {
    std::string path;
    std::string key;
    std::uint64_t seed;
    detail::store_file opened;
};

ATTUNE_INLINE event_log::event_log() = default;
ATTUNE_INLINE event_log::~event_log() = default;
ATTUNE_INLINE event_log::event_log(event_log&&) noexcept = default;
ATTUNE_INLINE event_log& event_log::operator=(event_log&&) noexcept = default;

ATTUNE_INLINE event_log::event_log(std::string path, std::string key, std::uint64_t seed)
{
    std::unique_ptr<file> made(
        new file{path, std::move(key), seed, detail::store_file::open_to_append(path)});
    if (made->opened.usable() && !made->opened.try_lock()) {
        notices_.push_back(path + ": events are not logged: " + made->opened.why());
        return;
    }
    std::string text;
    if (!made->opened.usable() || !made->opened.read_all(text)) {
        notices_.push_back(path + ": events are not logged: " + made->opened.why());
        return;
    }
    std::vector<logged_session> sessions = detail::events_in(text).sessions;
    bool const is_cut_start = detail::session_line(made->key, made->seed).starts_with(text);
    if (sessions.empty() && !is_cut_start && text.find_first_not_of(" \n") != std::string::npos) {
        notices_.push_back(path + ": events are not logged: the file is no event log");
        return;
    }
    file_ = std::move(made);
    if (std::size_t const whole = text.rfind('\n') + 1; whole < text.size())
        static_cast<void>(file_->opened.cut_to(whole)); // a line whose writer was killed
    bool const unfinished = !sessions.empty() && !detail::ended(sessions.back()) &&
                            sessions.back().key == file_->key &&
                            sessions.back().seed == file_->seed;
    if (unfinished && sessions.back().damaged)
        notices_.push_back(path +
                           ": the interrupted tuning cannot be continued: its log is damaged");
    if (unfinished && !sessions.back().damaged)
        past_ = std::move(sessions.back().events);
    else
        begin_anew();
}

ATTUNE_INLINE void event_log::begin_anew()
{
    past_.clear();
    if (file_ && !file_->opened.append(detail::session_line(file_->key, file_->seed))) {
        notices_.push_back(file_->path + ": events are not logged: " + file_->opened.why());
        file_.reset();
    }
}

ATTUNE_INLINE void event_log::add(event const& happened)
{
    if (!file_ || file_->opened.append(detail::event_line(happened))) return;
    notices_.push_back(file_->path + ": no more events are logged: " + file_->opened.why());
    file_.reset();
}

ATTUNE_INLINE std::vector<std::string> event_log::notices() { return std::exchange(notices_, {}); }

} // namespace attune::inline ATTUNE_ABI

// attune/remember/event_log.ipp - the file behind an event log.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/detail/event_line.hpp>
#include <attune/remember/detail/store_file.hpp>
#include <attune/remember/event_log.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// A last line without its end was cut by the end of its writer: it counts as not written.
[[nodiscard]] inline std::vector<logged_session> sessions_in(std::string_view text)
{
    std::vector<logged_session> out;
    while (!text.empty()) {
        std::size_t const end = text.find('\n');
        if (end == std::string_view::npos) break;
        std::string_view const line = text.substr(0, end);
        text.remove_prefix(end + 1);
        if (line.empty()) continue;
        try {
            auto read = read_event_line(line);
            if (auto* fresh = std::get_if<logged_session>(&read))
                out.push_back(std::move(*fresh));
            else if (!out.empty() && !out.back().damaged)
                out.back().events.push_back(std::get<event>(std::move(read)));
        } catch (std::exception const&) { // ours, or one of nlohmann's
            if (!out.empty()) out.back().damaged = true;
        }
    }
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
    std::vector<logged_session> sessions = detail::sessions_in(text);
    if (sessions.empty())
        throw error("no session was found in the event log",
                    path,
                    "give the path that tuning_options::event_log had");
    return sessions;
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
        notices_.push_back(path + ": events are not logged: another tuning logs there now");
        return;
    }
    std::string text;
    if (!made->opened.usable() || !made->opened.read_all(text)) {
        notices_.push_back(path + ": events are not logged: " + made->opened.why());
        return;
    }
    std::vector<logged_session> sessions = detail::sessions_in(text);
    bool const is_cut_start = detail::session_line(made->key, made->seed).starts_with(text);
    if (sessions.empty() && !is_cut_start && text.find_first_not_of(" \n") != std::string::npos) {
        notices_.push_back(path + ": events are not logged: the file is no event log");
        return;
    }
    file_ = std::move(made);
    if (std::size_t const whole = text.rfind('\n') + 1; whole < text.size())
        static_cast<void>(file_->opened.cut_to(whole)); // its writer was killed in that line
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

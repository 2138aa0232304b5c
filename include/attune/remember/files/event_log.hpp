// attune/remember/files/event_log.hpp - the events of tunings, in a file that is only appended to.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/event.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// All sessions of a log, oldest first.
/// Errors   attune::error: the file cannot be read, or is no event log
[[nodiscard]] std::vector<logged_session> read_event_log(std::string const& path);

namespace detail {

/// A line of a log that says nothing.
struct log_problem {
    std::size_t line = 0; ///< from 1
    std::string what{};
};
/// All that a damaged log still says.
struct salvaged_log {
    struct entry {
        logged_session session{}; ///< of a damaged one the events after the line, too
        std::string id{};         ///< as event_log::id()
    };
    std::vector<entry> sessions{}; ///< oldest first
    std::vector<log_problem> problems{};
};
/// Every line that can be read. Events of a session whose first line cannot be read are left out;
/// in a log of before sessions had tags, all events behind a line that may be such a one. A last
/// line without its end is no problem: its writer was killed, or is at work. An empty file is a log
/// without sessions.
/// Errors   attune::error: the file cannot be read, or is no event log
[[nodiscard]] salvaged_log salvage_event_log(std::string const& path);

} // namespace detail

/// A session as text: a line of JSON for the session, and one for each event.
[[nodiscard]] std::string text_of(logged_session const& session);

/// Reads a text of text_of().
/// Errors   attune::error: a wrong line, with its number; a missing end
[[nodiscard]] logged_session read_session(std::string_view text);

/// Logs one session. When add() returns, the event is written (one write, no fsync). A file that
/// cannot be written leads to a notice; the tuning continues.
class event_log {
public:
    /// A log that keeps nothing.
    event_log();
    /// Continues the last session of `path` if it has this key and seed and no end; else begins a
    /// new session. Waits 3 s at most for another process that logs to `path`, and after that logs
    /// nothing; past() is read all the same. A session of a file that another user could have
    /// written is not continued.
    event_log(std::string path, std::string key, std::uint64_t seed);
    ~event_log();
    event_log(event_log&&) noexcept;
    event_log& operator=(event_log&&) noexcept;

    /// The events of the session that is continued, or those that begin_anew() wrote.
    [[nodiscard]] std::vector<event> const& past() const noexcept { return past_; }
    /// The events that can be read of such a session where it is damaged; then past() is empty.
    [[nodiscard]] std::vector<event> const& salvaged() const noexcept { return salvaged_; }
    /// Begins a new session with `known`, which is then past(), by one write: when that is cut
    /// short, the session before is still the last one. Clears salvaged().
    void begin_anew(std::vector<event> known = {});
    void add(event const& happened);
    /// A hash of all that the session's lines say so far; empty: nothing is logged. Equal texts
    /// have equal ones, and a copy of the file knows its sessions again.
    [[nodiscard]] std::string id() const;
    /// Sentences on problems since the last call.
    [[nodiscard]] std::vector<std::string> notices();

private:
    struct file;
    std::unique_ptr<file> file_;
    std::vector<event> past_;
    std::vector<event> salvaged_;
    std::vector<std::string> notices_;
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/remember/files/event_log.ipp>
#endif

// attune/remember/files/event_log.hpp - the events of tunings, in a file that only grows.
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

/// An unreadable line of a log.
struct log_problem {
    std::size_t line = 0; ///< from 1
    std::string what{};
};
/// The readable part of a damaged log.
struct salvaged_log {
    struct entry {
        logged_session session{}; ///< for a damaged session with the events after the damaged line
        std::string id{};         ///< as event_log::id()
    };
    std::vector<entry> sessions{}; ///< oldest first
    std::vector<log_problem> problems{};
};
/// Reads every readable line. Leaves out events of a session whose first line is unreadable. In old
/// logs, which have no session tags, it leaves out all events behind a line that may be such a
/// first line. A last line without its end is no problem: its writer was killed or is still
/// writing. An empty file is a log without sessions.
/// Errors   attune::error: the file cannot be read, or is no event log
[[nodiscard]] salvaged_log salvage_event_log(std::string const& path);

} // namespace detail

/// A session as text: a line of JSON for the session, and one for each event.
[[nodiscard]] std::string text_of(logged_session const& session);

/// Reads a text of text_of().
/// Errors   attune::error: a wrong line, with its number; a missing end
[[nodiscard]] logged_session read_session(std::string_view text);

/// Logs a session. When add() returns, the event is written (one write, no fsync). An unwritable
/// file causes a notice; the tuning continues.
class event_log {
public:
    /// A log that keeps nothing.
    event_log();
    /// Continues the last session of `path` if it has this key and seed and no end; otherwise
    /// begins a new session. Waits 3 s at most for another process that logs to `path`; after that
    /// it logs nothing, but reads past(). If another user could have written the file, its session
    /// is not continued.
    event_log(std::string path, std::string key, std::uint64_t seed);
    ~event_log();
    event_log(event_log&&) noexcept;
    event_log& operator=(event_log&&) noexcept;

    /// The events of the continued session, or those that begin_anew() wrote.
    [[nodiscard]] std::vector<event> const& past() const noexcept { return past_; }
    /// The readable events of the last session, if that could be continued but is damaged; past()
    /// is empty then.
    [[nodiscard]] std::vector<event> const& salvaged() const noexcept { return salvaged_; }
    /// Begins a new session with `known`, which becomes past(), by one write. If that write is cut
    /// short, the former session remains the last one. Clears salvaged().
    void begin_anew(std::vector<event> known = {});
    void add(event const& happened);
    /// A hash of the session's lines so far; empty if nothing is logged. Equal texts have equal
    /// hashes, so a copy of the file has the same sessions.
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

// attune/remember/files/event_log.hpp - the events of tunings, in a file that is only appended to.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/event.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// All sessions of a log, oldest first.
/// Errors   attune::error: the file cannot be read, or is no event log
[[nodiscard]] std::vector<logged_session> read_event_log(std::string const& path);

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
    /// new session. Logs nothing while another process logs to `path`.
    event_log(std::string path, std::string key, std::uint64_t seed);
    ~event_log();
    event_log(event_log&&) noexcept;
    event_log& operator=(event_log&&) noexcept;

    /// The events of the interrupted session that is continued; empty for a new session.
    [[nodiscard]] std::vector<event> const& past() const noexcept { return past_; }
    /// Clears past() and begins a new session.
    void begin_anew();
    void add(event const& happened);
    /// Sentences on problems since the last call.
    [[nodiscard]] std::vector<std::string> notices();

private:
    struct file;
    std::unique_ptr<file> file_;
    std::vector<event> past_;
    std::vector<std::string> notices_;
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/remember/files/event_log.ipp>
#endif

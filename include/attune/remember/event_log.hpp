// attune/remember/event_log.hpp - what a tuning did, event by event, in a file that only grows.
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

/// All sessions of a log, the oldest first.
/// Errors   attune::error when the file cannot be read or is no event log
[[nodiscard]] std::vector<logged_session> read_event_log(std::string const& path);

/// A session as text: a line of JSON for the session, and one for each event.
[[nodiscard]] std::string text_of(logged_session const& session);

/// Reads what text_of() wrote.
/// Errors   attune::error: a line is wrong, with its number, or the end of the text is missing
[[nodiscard]] logged_session read_session(std::string_view text);

/// The log of one session. Each event is with the system, in one write, when add() returns. A file
/// that cannot be written costs a notice, never the tuning.
class event_log {
public:
    /// Keeps nothing.
    event_log();
    /// Continues the last session of `path` when it has this key and seed and did not end; begins a
    /// new one otherwise. Another process that logs there now keeps this one from logging.
    event_log(std::string path, std::string key, std::uint64_t seed);
    ~event_log();
    event_log(event_log&&) noexcept;
    event_log& operator=(event_log&&) noexcept;

    /// What the session did before it was interrupted; empty for a new one.
    [[nodiscard]] std::vector<event> const& past() const noexcept { return past_; }
    /// Forgets the past and begins a session of its own.
    void begin_anew();
    void add(event const& happened);
    /// What went wrong since the last call, as sentences.
    [[nodiscard]] std::vector<std::string> notices();

private:
    struct file;
    std::unique_ptr<file> file_;
    std::vector<event> past_;
    std::vector<std::string> notices_;
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/remember/event_log.ipp>
#endif

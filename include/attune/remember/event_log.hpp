// attune/remember/event_log.hpp - what a tuning did, event by event, in a file that only grows.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/timing_record.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// What happened, in the order in which it happens to a configuration.
enum class event_kind : std::uint8_t {
    asked,     ///< the search was asked for `wanted` points and proposed `points`
    compiled,  ///< `seconds` in the compiler; `text` is the key of the code; or a failure
    first_run, ///< `seconds` in the child
    sampled,   ///< `timing`: its single times; `text` is "final" for those of the final
    told,      ///< the search was told `result`
    chosen,    ///< the session ended and installs this configuration
    revealed,  ///< the search was shown `numbers`, such as what the code takes
};

/// One line of the log. Members that an event does not have stand at their defaults.
struct event {
    event_kind kind{};
    std::vector<point> points{}; ///< those asked for; of every other event, the one it is about
    std::size_t wanted = 0;
    double seconds = 0;
    std::string text{};
    std::optional<outcome> result{};
    std::optional<timing_record> timing{};
    std::vector<double> numbers{}; ///< NaN: there is none
};

/// A session in a file.
struct logged_session {
    std::string key; ///< what the outcomes depend on: equal keys, comparable outcomes
    std::uint64_t seed = 0;
    std::vector<event> events{};
    bool damaged = false; ///< a line in the middle could not be read: what follows is missing
};

/// All sessions of a log, the oldest first.
/// Errors   attune::error when the file cannot be read or is no event log
[[nodiscard]] std::vector<logged_session> read_event_log(std::string const& path);

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

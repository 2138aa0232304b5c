// attune/tune/loop/session.hpp - one tuning until its budget is spent, what it begins with, and how many are at work.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/callable.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/event.hpp>
#include <attune/declare/point.hpp>
#include <attune/remember/record.hpp>
#include <attune/search/searcher.hpp>
#include <attune/search/transfer/past_session.hpp>
#include <attune/tune/kernel/problem.hpp>
#include <attune/tune/options.hpp>
#include <attune/tune/report.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

struct known_outcome;
struct session_result;

/// Measurements or gains of other tunings, with which a session begins. The session logs them, so
/// that a replay needs only the log.
class lesson {
public:
    lesson() = default;
    virtual ~lesson() = default;
    lesson(lesson const&) = delete;
    lesson& operator=(lesson const&) = delete;

    /// @return  false if the lesson is empty, or if the search does not learn from its kind
    virtual bool tell(any_searcher& to) const = 0;
    /// Text of event_kind::informed. The first character is a letter; a digit begins the text of a
    /// past session.
    [[nodiscard]] virtual std::string text() const = 0;
    /// @param logged  events of a session that continues
    /// @param make    its search
    /// @return  a sentence if the session began with another lesson that matters; otherwise empty
    [[nodiscard]] virtual std::string why_other(std::vector<event> const& /*logged*/,
                                                std::function<any_searcher()> const& /*make*/) const
    {
        return {};
    }
};
using lesson_list = std::vector<std::shared_ptr<lesson const>>;

/// The lessons in the files of one tuning. One thread uses this object.
class kept_lessons {
public:
    kept_lessons() = default;
    virtual ~kept_lessons() = default;
    kept_lessons(kept_lessons const&) = delete;
    kept_lessons& operator=(kept_lessons const&) = delete;

    [[nodiscard]] virtual lesson_list read() = 0;
    virtual void keep(known_outcome const& fresh) = 0;
    /// Called at the end of the tuning, in its last slice.
    virtual void end(session_result const& result) = 0;
    /// Sentences that say why files were not used.
    [[nodiscard]] virtual std::vector<std::string> problems() const = 0;
};

/// The offer of the optional part attune::lessons. See offer.hpp.
struct tuning_lessons {
    struct subject {
        tuning_search const& search;
        record_key const& problem;
        chain_of_trees const& space;
        bool predict; ///< see tuning_problem::predict

        /// Returns true if tuning_search::samples applies.
        [[nodiscard]] bool has_programs() const;
    };
    /// @pre  the objects that `of` refers to outlive the result
    std::unique_ptr<kept_lessons> (*open)(subject const& of) = nullptr;
    /// @param text  of event_kind::informed
    /// @return  null if it cannot be read
    std::shared_ptr<lesson const> (*read)(std::string_view text) = nullptr;
};

/// @param text  of event_kind::informed
[[nodiscard]] bool is_of_lesson(std::string_view text) noexcept;
/// Returns null if the text cannot be read, or if the program lacks attune::lessons.
[[nodiscard]] std::shared_ptr<lesson const> lesson_in(std::string_view text);

/// Returns a sentence if the tuning needs attune::lessons and the program lacks it.
[[nodiscard]] std::string missing_lessons(tuning_lessons::subject const& of);

class trials_elsewhere;

struct known_outcome {
    point at{};
    outcome result{};
    std::string code{};     ///< object key; empty: unknown
    double predicted_s = 0; ///< expected by the search's model; 0: no model chose it
    std::string proposer{}; ///< technique of the search; empty: unknown, or not proposed by one
};

/// Values are those that the search minimises: see problem_objective::turned().
struct session_memory {
    /// Outcomes of earlier sessions, oldest first, each point once. The outcomes count as
    /// evaluations, and the session does not measure them again.
    std::vector<known_outcome> known{};
    bool was_cut_short = false; ///< the last of them come from a session without an end
    /// Outcomes at other inputs, on other devices, of other versions, with which a new session
    /// begins. The session measures these configurations again, and does not count them.
    std::vector<past_session> related{};
    lesson_list lessons{};
    /// Object keys with the outcomes of equal code at these inputs on this device, from another
    /// source text or compiler. Such code is not measured again.
    std::vector<std::pair<std::string, outcome>> known_code{};
    /// Wall seconds of reading all of this, part of the session's budget and of its search time.
    double read_s = 0;
    /// Called with each measured outcome, before the next one is measured; may be empty.
    std::function<void(known_outcome const&)> keep{};
    /// Places that try configurations for the session; null: it tries them itself.
    trials_elsewhere* elsewhere = nullptr;
};

/// Returns the outcomes with which a session can continue: the default's first, because all others
/// are compared with it. Empty without the default's time.
[[nodiscard]] inline std::vector<known_outcome> from_default(std::vector<known_outcome> known,
                                                             point const& default_at)
{
    auto const first = std::find_if(known.begin(), known.end(), [&](known_outcome const& one) {
        auto const* const m = std::get_if<measurement>(&one.result);
        return one.at == default_at && m != nullptr && __builtin_isfinite(m->value) && m->value > 0;
    });
    if (first == known.end()) return {};
    std::rotate(known.begin(), first, first + 1);
    return known;
}

/// An object exists while a session tunes. Other work of attune in this process waits meanwhile,
/// because it would disturb the session's times.
class session_at_work {
public:
    session_at_work() noexcept;
    ~session_at_work();
    session_at_work(session_at_work const&) = delete;
    session_at_work& operator=(session_at_work const&) = delete;

    /// Number of these objects in this process. Objects of a parent process do not count.
    [[nodiscard]] static std::uint32_t count() noexcept;

private:
    std::uint32_t process_;
};

struct session_result {
    point at;      ///< the configuration to install
    callable code; ///< its code, loaded
    callable default_code{};
    /// True if a call takes less than a microsecond, or no time at all. The session then tunes
    /// nothing, and its measurements make no record.
    bool is_too_short = false;
    std::string ended{};       ///< see record::ended
    std::vector<point> ties{}; ///< configurations that the final could not distinguish from `at`
    /// Gain of each technique of the search. A search of one technique is listed by the name of its
    /// strategy, if that is known.
    std::vector<search::technique_use> techniques{};
    std::string strategy{};  ///< any_searcher::strategy()
    std::string logged_as{}; ///< event_log::id()
    tuning_report report;
};

/// Facts by which a caller decides if a session continues.
struct session_state {
    std::vector<double> best{}; ///< seconds of the best configuration after each evaluation
    double least_s = 0; ///< least seconds that the best can take, by the roofline; 0: unknown
    /// Share of the best that the search's model expects to gain; empty: no model yet.
    std::optional<double> expected_gain{};
    double elapsed_s = 0; ///< wall seconds, without rests
    double longest_s = 0; ///< wall seconds of the longest step so far
    double final_s = 0;   ///< seconds that the final may take
};

/// A tuning in steps. Call rest() before the thread or the program does other work.
class stepped_session {
public:
    /// Evaluates the default configuration, the baseline, and `rival` and `guard` of the problem.
    /// @param options  limits.seconds bounds the time of the final
    /// @pre     problem and options outlive this object; wants_tuning(options.limits); one thread
    ///          calls
    /// Errors   errors of run_session()
    stepped_session(tuning_problem const& problem, tuning_options const& options,
                    session_memory memory);
    ~stepped_session();
    stepped_session(stepped_session const&) = delete;
    stepped_session& operator=(stepped_session const&) = delete;

    /// Evaluates as many configurations as the benches measure at once, unless a limit or rule ends
    /// the tuning.
    /// @return  true if another step is possible
    bool step();
    /// Sets the evaluations and seconds that are left, including the seconds of the final.
    void allow(std::uint64_t evaluations, double seconds);
    /// Stops the clock until the next step() or finish(). Until then the session compiles nothing
    /// and pins no thread. The program handles Ctrl-C, and exit() on another thread does not wait
    /// for the session.
    void rest();
    /// Cost  one prediction by the search's model for every second evaluation
    [[nodiscard]] session_state state();
    /// Runs the final, and returns the result. Call it once.
    [[nodiscard]] session_result finish();

private:
    struct parts;
    std::unique_ptr<parts> parts_;
};

/// Tunes the problem. The session evaluates the default configuration first. Another configuration
/// replaces the default only if it is faster in the final beyond the 95 % interval; see finals.hpp.
/// The time budget covers all work, also compilers and the final. An evaluation begins only if the
/// time left is enough for the final and for an evaluation as long as the longest so far. The
/// session restores the caller's data.
/// @param memory  results of earlier sessions; an event log that can be continued has priority
/// @pre     wants_tuning(options.limits)
/// Errors   attune::error: a default configuration that does not work
[[nodiscard]] session_result run_session(tuning_problem const& problem,
                                         tuning_options const& options, session_memory memory = {});

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/loop/session.ipp>
#endif

// attune/tune/loop/session_memory.hpp - the lessons and outcomes with which a session begins, and their receivers.
// SPDX-License-Identifier: MIT
// tested by tune/resume.cpp
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/event.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/searcher.hpp>
#include <attune/search/transfer/past_session.hpp>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI {

struct record_key;
struct tuning_search;

namespace detail {

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

} // namespace detail

} // namespace attune::inline ATTUNE_ABI

namespace attune::inline ATTUNE_ABI::detail {

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

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/loop/session_memory.ipp>
#endif

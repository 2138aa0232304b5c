// attune/tune/loop/tuning_lessons.hpp - what other tunings say to a search, and who keeps it.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/event.hpp>
#include <attune/search/searcher.hpp>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI {

struct record_key;
struct tuning_search;

namespace detail {

struct known_outcome;
struct session_result;

/// What other tunings measured, or gained: a session begins with it. It is logged, so that a replay
/// needs nothing but the log.
class lesson {
public:
    lesson() = default;
    virtual ~lesson() = default;
    lesson(lesson const&) = delete;
    lesson& operator=(lesson const&) = delete;

    /// @return  false: nothing is known, or the search does not learn from such
    virtual bool tell(any_searcher& to) const = 0;
    /// Of event_kind::informed. Begins with a letter; the text of a past session, with a digit.
    [[nodiscard]] virtual std::string text() const = 0;
    /// @param logged  events of a session that goes on
    /// @param make    its search
    /// @return  that it began with something else; empty: it did not, or it does not matter
    [[nodiscard]] virtual std::string why_other(std::vector<event> const& /*logged*/,
                                                std::function<any_searcher()> const& /*make*/) const
    {
        return {};
    }
};
using lesson_list = std::vector<std::shared_ptr<lesson const>>;

/// The files of one tuning. One thread.
class kept_lessons {
public:
    kept_lessons() = default;
    virtual ~kept_lessons() = default;
    kept_lessons(kept_lessons const&) = delete;
    kept_lessons& operator=(kept_lessons const&) = delete;

    [[nodiscard]] virtual lesson_list read() = 0;
    virtual void keep(known_outcome const& fresh) = 0;
    /// The tuning ended, in its last slice.
    virtual void end(session_result const& result) = 0;
    /// Why files were not used, as sentences.
    [[nodiscard]] virtual std::vector<std::string> problems() const = 0;
};

/// What a part of the program offers that keeps lessons: attune::lessons. See offer.hpp.
struct tuning_lessons {
    struct subject {
        tuning_search const& search;
        record_key const& problem;
        chain_of_trees const& space;
        bool predict; ///< see tuning_problem::predict

        /// Whether tuning_search::samples counts.
        [[nodiscard]] bool has_programs() const;
    };
    /// @pre  what `of` refers to outlives the result
    std::unique_ptr<kept_lessons> (*open)(subject const& of) = nullptr;
    /// @param text  of event_kind::informed
    /// @return  null: it cannot be read
    std::shared_ptr<lesson const> (*read)(std::string_view text) = nullptr;
};

/// @param text  of event_kind::informed
[[nodiscard]] bool is_of_lesson(std::string_view text) noexcept;
/// Null: the text cannot be read, or no part of this program keeps lessons.
[[nodiscard]] std::shared_ptr<lesson const> lesson_in(std::string_view text);

/// What the tuning asks for and no part of this program does, as a sentence; empty: nothing.
[[nodiscard]] std::string missing_lessons(tuning_lessons::subject const& of);

} // namespace detail

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/loop/tuning_lessons.ipp>
#endif

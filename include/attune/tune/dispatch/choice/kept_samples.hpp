// attune/tune/dispatch/choice/kept_samples.hpp - measured programs that a tuning learns from, and adds to.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/remember/files/sample_file.hpp>
#include <attune/remember/record.hpp>
#include <attune/search/cost/cost_samples.hpp>
#include <attune/search/cost/expected_rows.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/tune/loop/session_memory.hpp>
#include <attune/tune/loop/tuning_lessons.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Measured programs of other tasks, which a search with a model of programs learns first.
class samples_lesson final : public lesson {
public:
    explicit samples_lesson(cost_samples others)
        : others_(std::move(others))
    {
    }
    /// Null: the text of event_kind::informed is none of programs.
    [[nodiscard]] static std::shared_ptr<lesson const> in(std::string_view text);

    bool tell(any_searcher& to) const override
    {
        return others_.size() > 0 && to.learn_from(others_);
    }
    [[nodiscard]] std::string text() const override;
    [[nodiscard]] std::string why_other(std::vector<event> const& logged,
                                        std::function<any_searcher()> const& make) const override;

private:
    cost_samples others_;
};

/// The file of tuning_search::samples, as one problem sees it. The problem's own programs are of
/// the task with its name, whose samples are not among others(): its outcomes are in the store.
class kept_samples {
public:
    /// @param space  of the problem, with rows that have names
    kept_samples(std::string const& path, record_key const& problem, chain_of_trees const& space);

    /// The last programs of other tasks in the file: at most 2000, and of 2 MiB.
    [[nodiscard]] cost_samples others();
    void keep(known_outcome const& fresh);
    /// Why the file was not used; empty: it was.
    [[nodiscard]] std::string const& problem() const noexcept { return file_.problem(); }

private:
    sample_file file_;
    expected_rows rows_;
    std::size_t width_; ///< of expected_rows
    std::string task_;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/dispatch/choice/kept_samples.ipp>
#endif

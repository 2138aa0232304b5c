// attune/tune/lessons.ipp - files of measured programs, and of the gains of techniques.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/offer.hpp>
#include <attune/core/posix/program_end.hpp>
#include <attune/core/version.hpp>
#include <attune/search/transfer/other_programs.hpp>
#include <attune/tune/dispatch/choice/kept_lessons.hpp>
#include <attune/tune/lessons.hpp>
#include <attune/tune/loop/session.hpp>
#include <attune/tune/options.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The lessons in the files of tuning_search.
class lessons_in_files final : public kept_lessons {
public:
    explicit lessons_in_files(tuning_lessons::subject const& of)
        : search_(of.search)
    {
        if (of.has_programs()) samples_.emplace(search_.samples, of.problem, of.space);
        if (!search_.techniques.empty())
            techniques_.emplace(search_.techniques, of.problem.kernel, of.space.describe());
    }

    /// Returns both lessons, also without a file: the log of a session may have begun with one.
    [[nodiscard]] lesson_list read() override
    {
        lesson_list out;
        out.push_back(
            std::make_shared<samples_lesson>(samples_ ? samples_->others() : cost_samples{}));
        if (techniques_) out.push_back(std::make_shared<techniques_lesson>(techniques_->all()));
        return out;
    }
    void keep(known_outcome const& fresh) override
    {
        if (samples_) samples_->keep(fresh);
    }
    void end(session_result const& result) override
    {
        if (!techniques_) return;
        double const best = result.report.best.value;
        techniques_->keep(result.techniques, best > 0 ? result.report.default_time.value / best : 0,
                          result.logged_as, result.strategy);
    }
    [[nodiscard]] std::vector<std::string> problems() const override
    {
        std::vector<std::string> out;
        auto const add = [&out](std::string const& path, char const* what, auto const& file) {
            if (file && !file->problem().empty())
                out.push_back(path + ": " + what + " not used or kept: " + file->problem());
        };
        add(search_.samples, "measured programs are", samples_);
        add(search_.techniques, "gains of techniques are", techniques_);
        return out;
    }

private:
    tuning_search const& search_;
    std::optional<kept_samples> samples_{};
    std::optional<kept_techniques> techniques_{};
};

[[nodiscard]] inline std::unique_ptr<kept_lessons> open_lessons(tuning_lessons::subject const& of)
{
    return std::make_unique<lessons_in_files>(of);
}

[[nodiscard]] inline std::shared_ptr<lesson const> read_lesson(std::string_view text)
{
    if (std::shared_ptr<lesson const> programs = samples_lesson::in(text)) return programs;
    return techniques_lesson::in(text);
}

ATTUNE_INLINE void keep_lessons() noexcept
{
    keep_this_library_loaded();
    static constexpr tuning_lessons of_files{&open_lessons, &read_lesson};
    exchange_offer(&of_files);
    programs_as_session = &session_of_programs; // static objects do not exist yet
}

} // namespace attune::inline ATTUNE_ABI::detail

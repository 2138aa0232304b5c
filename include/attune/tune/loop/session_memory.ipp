// attune/tune/loop/session_memory.ipp - lessons of the optional part, or none.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/offer.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/loop/session_memory.hpp>
#include <attune/tune/options.hpp>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE bool tuning_lessons::subject::has_programs() const
{
    return !search.samples.empty() && !predict && !space.describe().row_names.empty();
}

ATTUNE_INLINE bool is_of_lesson(std::string_view text) noexcept
{
    return !text.empty() && text.front() >= 'a' && text.front() <= 'z';
}

ATTUNE_INLINE std::shared_ptr<lesson const> lesson_in(std::string_view text)
{
    auto const* const part = offer_of_program<tuning_lessons>();
    return part != nullptr ? part->read(text) : nullptr;
}

ATTUNE_INLINE std::string missing_lessons(tuning_lessons::subject const& of)
{
    if (offer_of_program<tuning_lessons>() != nullptr) return {};
    std::string files = of.has_programs() ? of.search.samples : std::string();
    if (!of.search.techniques.empty()) files += (files.empty() ? "" : ", ") + of.search.techniques;
    if (files.empty()) return {};
    return files + ": these lessons are neither used nor extended: include "
                   "<attune/tune/lessons.hpp> and link attune::lessons";
}

} // namespace attune::inline ATTUNE_ABI::detail

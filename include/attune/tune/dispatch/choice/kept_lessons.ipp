// attune/tune/dispatch/choice/kept_lessons.ipp - outcomes as lines of a file of samples.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/dispatch/choice/kept_lessons.hpp>

#include <algorithm>
#include <optional>
#include <variant>

namespace attune::inline ATTUNE_ABI::detail {

/// Beginning of text().
inline constexpr std::string_view informed_by_samples = "programs\n";

ATTUNE_INLINE std::shared_ptr<lesson const> samples_lesson::in(std::string_view text)
{
    if (!text.starts_with(informed_by_samples)) return nullptr;
    try {
        return std::make_shared<samples_lesson>(
            read_cost_samples(text.substr(informed_by_samples.size())));
    } catch (error const&) {
        return nullptr;
    }
}

ATTUNE_INLINE std::string samples_lesson::text() const
{
    return std::string(informed_by_samples) + text_of(others_);
}

ATTUNE_INLINE std::string samples_lesson::why_other(std::vector<event> const& logged,
                                                    std::function<any_searcher()> const& make) const
{
    auto const first = std::find_if(logged.begin(), logged.end(), [](event const& e) {
        return e.kind == event_kind::informed && e.text.starts_with(informed_by_samples);
    });
    if ((first == logged.end() ? informed_by_samples : first->text) == text() ||
        !make().learn_from(cost_samples{}))
        return {};
    return "the interrupted tuning continues with the measured programs that it began with; the "
           "file of tuning_search::samples has changed";
}

/// Returns a text that identifies the features: numbers under other names have another meaning.
/// @param columns  description::row_names
[[nodiscard]] inline std::string meaning_of_features(std::vector<std::string> const& columns)
{
    std::string names;
    for (std::string const& name : columns)
        names += name + ' ';
    return names + "expected";
}

/// Returns the task within which times are comparable, without tabs and line ends.
[[nodiscard]] inline std::string task_of(record_key const& key)
{
    std::string out = key.kernel + " " + key.source;
    for (auto const* const list : {&key.inputs, &key.setting})
        for (auto const& [name, value] : *list)
            out += " " + name + "=" + value;
    out += " on " + key.device + " by " + key.compiler;
    for (char& c : out)
        if (c == '\t' || c == '\n') c = ' ';
    return out;
}

ATTUNE_INLINE kept_samples::kept_samples(std::string const& path, record_key const& problem,
                                         chain_of_trees const& space)
    : file_(path, meaning_of_features(space.describe().row_names))
    , rows_(space)
    , width_(space.describe().row_names.size() + 1)
    , task_(task_of(problem))
{
}

/// Most bytes of others(), because a tuning writes its lessons to its event log.
inline constexpr std::size_t most_sample_bytes = std::size_t{2} << 20;

ATTUNE_INLINE cost_samples kept_samples::others()
{
    constexpr std::size_t most = 2000;
    cost_samples out;
    std::string const text = file_.last(most, task_ + '\t', most_sample_bytes);
    for (std::string_view rest = text; !rest.empty();) {
        std::string_view const line = rest.substr(0, rest.find('\n') + 1);
        rest.remove_prefix(line.size());
        try {
            cost_samples const one = read_cost_samples(line);
            bool const fits = one.size() == 1 && one.programs().front().width == width_;
            if (fits && one.task(0) != task_) out.add(one);
        } catch (error const&) { // another program wrote the line, with a right checksum
        }
    }
    return out;
}

ATTUNE_INLINE void kept_samples::keep(known_outcome const& fresh)
{
    // Failures to compile and to load may be temporary failures of this machine.
    if (auto const* const why = std::get_if<failure>(&fresh.result);
        why != nullptr &&
        (why->stage == failure_stage::compile || why->stage == failure_stage::load))
        return;
    std::optional<program_rows> rows = rows_.of(fresh.at);
    if (!rows || rows->width != width_) return;
    auto const* const m = std::get_if<measurement>(&fresh.result);
    bool const worked = m != nullptr && __builtin_isfinite(m->value) && m->value > 0;
    cost_samples one;
    one.add(task_, std::move(*rows), worked ? std::optional(m->value) : std::nullopt);
    file_.add(text_of(one));
}

} // namespace attune::inline ATTUNE_ABI::detail

// attune/remember/study/study_board.ipp - the rules by which lines count.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/core/shown_text.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/study/study_board.hpp>

#include <algorithm>
#include <cmath>
#include <variant>

namespace attune::inline ATTUNE_ABI::detail {

/// One text for equal values.
[[nodiscard]] inline std::string key_of_values(value_texts const& values)
{
    std::string out;
    for (std::string const& one : values)
        out += one + '\0';
    return out;
}

ATTUNE_INLINE std::string text_of_values(std::optional<study_header> const& header,
                                         value_texts const& values)
{
    std::string out;
    for (std::size_t i = 0; i < values.size(); ++i) {
        bool const has_name = header && i < header->parameters.size();
        out += (i == 0 ? "" : " ") + (has_name ? header->parameters[i] + '=' : "") + values[i];
    }
    return shown_text(out);
}

ATTUNE_INLINE open_claim const* study_board::holder_of(value_texts const& values) const
{
    auto const found = std::ranges::find(open_, values, &open_claim::values);
    return found == open_.end() ? nullptr : &*found;
}

ATTUNE_INLINE bool study_board::has_outcome(value_texts const& values) const
{
    return told_.contains(key_of_values(values));
}

ATTUNE_INLINE void study_board::pass(double seconds)
{
    for (std::size_t i = 0; i < workers_.size(); ++i)
        quiet_s_[i] += std::min(seconds, workers_[i].lease_s / 4);
}

ATTUNE_INLINE void study_board::take(std::string_view line)
{
    study_content const content = read_study_line(line);
    if (auto const* const header = std::get_if<study_header>(&content)) {
        if (!header_) header_ = *header;
    } else if (auto const* const said = std::get_if<study_line>(&content)) {
        take(*said);
    } else if (damaged_++ == 0) {
        notices_.push_back("a damaged line of the study is skipped: " +
                           std::get<damaged_line>(content).why);
    }
}

ATTUNE_INLINE void study_board::take(study_line const& line)
{
    if (auto const* const said = std::get_if<study_join>(&line.says)) return join(line, *said);
    auto const found = places_.find(line.worker);
    if (found == places_.end()) {
        if (strangers_++ == 0)
            notices_.push_back("a line of a worker that has not joined the study is refused: '" +
                               shown_text(shortened(line.worker, 60)) + '\'');
        return;
    }
    std::size_t const by = found->second;
    study_worker& worker = workers_[by];
    quiet_s_[by] = 0;
    worker.last_s = line.when_s;
    worker.is_lost = false;
    if (auto const* const said = std::get_if<study_claim>(&line.says)) claim(by, *said);
    if (auto const* const said = std::get_if<study_told>(&line.says)) tell(by, *said);
    if (std::holds_alternative<study_leave>(line.says)) {
        worker.has_left = true;
        std::erase_if(open_, [&](open_claim const& one) { return one.worker == by; });
    }
}

ATTUNE_INLINE void study_board::join(study_line const& line, study_join const& said)
{
    auto const [place, is_new] = places_.try_emplace(line.worker, workers_.size());
    if (!is_new) return refuse(place->second, "it joins twice");
    bool const has_lease = std::isfinite(said.lease_s) && said.lease_s > 0;
    workers_.push_back(
        {.id = line.worker,
         .name = shown_text(shortened(said.host, 60)) + ':' + std::to_string(said.process),
         .host = said.host,
         .lease_s = has_lease ? said.lease_s : 0.0,
         .joined_s = line.when_s,
         .last_s = line.when_s});
    quiet_s_.push_back(0);
}

ATTUNE_INLINE void study_board::refuse(std::size_t by, std::string const& why)
{
    study_worker& worker = workers_[by];
    if (worker.refused++ > 0) return;
    worker.first_refused = why;
    notices_.push_back("a line of " + worker.name + " is refused: " + why);
}

ATTUNE_INLINE void study_board::claim(std::size_t by, study_claim const& said)
{
    std::string const key = key_of_values(said.values);
    if (told_.contains(key)) return;
    open_claim const* const holder = holder_of(said.values);
    bool const is_over = holder != nullptr && said.over &&
                         *said.over == claim_name{workers_[holder->worker].id, holder->number};
    if (holder != nullptr && !is_over) return; // the other one was first
    if (std::string const why = objects_ ? objects_(said.values, nullptr) : ""; !why.empty())
        return refuse(by, why);
    if (!claims_.try_emplace({by, said.number}, key).second)
        return refuse(by, "it claims twice under one number");
    open_claim now{.worker = by, .number = said.number, .values = said.values};
    if (holder != nullptr) {
        study_worker& before = workers_[holder->worker];
        now.lost = holder->lost;
        now.lost.push_back(holder->worker);
        ++before.losses;
        before.is_lost = true;
        notices_.push_back(before.name + " was lost (nothing was heard of it for " +
                           formatted("%.3g", before.lease_s) + " s) while it evaluated " +
                           text_of_values(header_, said.values) + ", which " + workers_[by].name +
                           " takes over");
        open_.erase(open_.begin() + (holder - open_.data()));
    }
    open_.push_back(std::move(now));
}

ATTUNE_INLINE void study_board::tell(std::size_t by, study_told const& said)
{
    std::string key = key_of_values(said.values);
    auto const known = claims_.find({by, said.number});
    if (known == claims_.end() || known->second != key)
        return refuse(by, "it tells an outcome of what it has not claimed");
    study_worker& worker = workers_[by];
    if (told_.contains(key)) {
        ++worker.late;
        return;
    }
    auto const* const m = std::get_if<measurement>(&said.seen.result);
    std::string why = m != nullptr && !std::isfinite(m->value) ? "its value is not finite" : "";
    if (why.empty() && objects_) why = objects_(said.values, &said.seen);
    if (!why.empty()) { // another worker evaluates it
        std::erase_if(open_, [&](open_claim const& one) {
            return one.worker == by && one.number == said.number;
        });
        return refuse(by, why + ", at " + text_of_values(header_, said.values));
    }
    told_.insert(std::move(key));
    std::erase_if(open_, [&](open_claim const& one) { return one.values == said.values; });
    ++worker.evaluations;
    if (auto const* const failed = std::get_if<failure>(&said.seen.result)) {
        ++worker.failures[static_cast<std::size_t>(failed->stage)];
        if (said.is_fault && worker.first_fault.empty()) worker.first_fault = failed->reason;
    }
    outcomes_.push_back({by, said.values, said.seen, said.is_fault});
}

} // namespace attune::inline ATTUNE_ABI::detail

// attune/remember/study.ipp - writes and reads lines; opens, locks, appends; counts claims and outcomes.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/shown_text.hpp>
#include <attune/remember/detail/event_line.hpp>
#include <attune/remember/detail/json_fields.hpp>
#include <attune/remember/detail/store_file.hpp>
#include <attune/remember/study.hpp>

#include <algorithm>
#include <cmath>
#include <exception>

namespace attune::inline ATTUNE_ABI::detail {

inline constexpr char const* study_header_field = "attune_study";

/// "X (11), Y (real)"
[[nodiscard]] inline std::string parameters_text(study_header const& of)
{
    std::string out;
    for (std::size_t i = 0; i < of.parameters.size(); ++i)
        out += (i == 0 ? "" : ", ") + of.parameters[i] +
               (i < of.sizes.size() ? " (" + of.sizes[i] + ')' : "");
    return out.empty() ? "no parameter" : out;
}

[[nodiscard]] inline std::string inputs_text(named_texts const& of)
{
    std::string out;
    for (auto const& [name, value] : of)
        out += (out.empty() ? "" : ", ") + name + '=' + value;
    return out.empty() ? "no input" : out;
}

ATTUNE_INLINE std::string difference_of_studies(study_header const& here, study_header const& own)
{
    auto const differ = [](std::string const& what, std::string const& a, std::string const& b) {
        return "the study is of " + what + ' ' + a + ", this program of " + b;
    };
    if (here.objective != own.objective)
        return differ("the objective", '\'' + here.objective + '\'', '\'' + own.objective + '\'');
    if (here.inputs != own.inputs)
        return differ("a space with", inputs_text(here.inputs), inputs_text(own.inputs));
    std::string const a = parameters_text(here), b = parameters_text(own);
    if (a != b) return differ("a space with", a, b);
    if (here.space != own.space)
        return differ("a space with other values or constraints of " + a + ':', here.space,
                      own.space);
    auto const bounds = [](std::string const& text) { return text.empty() ? "none" : text; };
    if (here.bounds != own.bounds) return differ("bounds", bounds(here.bounds), bounds(own.bounds));
    return {};
}

ATTUNE_INLINE std::string text_of_line(study_header const& header)
{
    record_json json = record_json::object();
    json[study_header_field] = header.format;
    json["objective"] = text_to_json(header.objective);
    json["goal"] = "lowest";
    json["space"] = text_to_json(header.space);
    json["parameters"] = list_to_json(header.parameters);
    json["sizes"] = list_to_json(header.sizes);
    json["inputs"] = texts_to_json(header.inputs);
    json["bounds"] = text_to_json(header.bounds);
    return with_sum(json);
}

ATTUNE_INLINE std::string text_of_line(study_line const& line)
{
    record_json json = record_json::object();
    json["by"] = text_to_json(line.worker);
    json["at"] = std::round(line.when_s * 1000) / 1000;
    if (auto const* const join = std::get_if<study_join>(&line.says)) {
        json["join"] = text_to_json(join->host);
        json["process"] = join->process;
        json["lease"] = number_to_json(join->lease_s);
    } else if (auto const* const claim = std::get_if<study_claim>(&line.says)) {
        json["claim"] = list_to_json(claim->values);
        json["number"] = claim->number;
        if (claim->over) {
            json["over"] = text_to_json(claim->over->worker);
            json["over_number"] = claim->over->number;
        }
    } else if (auto const* const told = std::get_if<study_told>(&line.says)) {
        json["told"] = list_to_json(told->values);
        json["number"] = told->number;
        add_outcome(json, told->seen.result);
        add_quantities(json, told->seen.quantities);
        if (told->is_fault) json["fault"] = true;
    } else if (std::holds_alternative<study_beat>(line.says)) {
        json["beat"] = true;
    } else if (std::holds_alternative<study_leave>(line.says)) {
        json["left"] = true;
    }
    return with_sum(json);
}

[[nodiscard]] inline study_header study_header_in(record_json const& json)
{
    study_header out{.format = count_field(json, study_header_field)};
    if (out.format > study_format) return out; // its fields are unknown
    out.objective = text_field(json, "objective");
    out.space = text_field(json, "space");
    out.parameters = json_to_list(json_field(json, "parameters"), "parameters");
    out.sizes = json_to_list(json_field(json, "sizes"), "sizes");
    out.inputs = texts_field(json, "inputs");
    out.bounds = text_field(json, "bounds");
    return out;
}

[[nodiscard]] inline study_line study_line_in(record_json const& json)
{
    study_line out{.worker = text_field(json, "by"), .when_s = number_field(json, "at")};
    if (json.contains("join")) {
        out.says = study_join{text_field(json, "join"), count_field(json, "process"),
                              number_field(json, "lease")};
    } else if (json.contains("claim")) {
        study_claim claim{count_field(json, "number"), json_to_list(json["claim"], "claim")};
        if (json.contains("over"))
            claim.over = claim_name{text_field(json, "over"), count_field(json, "over_number")};
        out.says = std::move(claim);
    } else if (json.contains("told")) {
        std::optional<outcome> result = outcome_in(json);
        if (!result) throw record_json_problem("nothing was told");
        out.says = study_told{count_field(json, "number"),
                              json_to_list(json["told"], "told"),
                              {*std::move(result), quantities_in(json)},
                              flag_field_or_no(json, "fault")};
    } else if (json.contains("beat")) {
        out.says = study_beat{};
    } else if (json.contains("left")) {
        out.says = study_leave{};
    }
    return out;
}

ATTUNE_INLINE study_content read_study_line(std::string_view line)
{
    line_check const check = check_of(line);
    if (check != line_check::right)
        return damaged_line{check == line_check::wrong ? "its checksum is wrong"
                                                       : "it has no checksum"};
    try {
        record_json const json = record_json::parse(line);
        if (!json.is_object()) return damaged_line{"not a JSON object"};
        if (json.contains(study_header_field)) return study_header_in(json);
        return study_line_in(json);
    } catch (record_json_problem const& thrown) {
        return damaged_line{thrown.what()};
    } catch (std::exception const&) { // an exception of nlohmann
        return damaged_line{"no JSON, or a field is missing or of another kind"};
    }
}

struct study_file::opened {
    store_file file;
};

ATTUNE_INLINE study_file::study_file(std::string path)
    : path_(std::move(path))
{
}

ATTUNE_INLINE bool study_file::take_up_to_end(opened& from, taken const& take)
{
    constexpr std::uint64_t block = std::uint64_t{1} << 20;
    store_file::identity const now = from.file.stamp();
    if (!now.known) {
        why_ = "its size is not known";
        return false;
    }
    bool const is_first = device_ == 0 && number_ == 0;
    auto const size = static_cast<std::uint64_t>(now.bytes);
    if (!is_first && (device_ != now.device || number_ != now.number || size < end_))
        throw error("the file of the study was replaced or cut while processes take part", path_,
                    "begin a study of another name");
    device_ = now.device;
    number_ = now.number;
    std::string text;
    for (std::uint64_t step = block; end_ < size;) {
        auto const length = static_cast<std::size_t>(std::min(step, size - end_));
        if (!from.file.read(end_, length, text)) {
            why_ = from.file.why();
            return false;
        }
        std::size_t const whole = text.rfind('\n') + 1; // 0: none
        if (whole == 0 && length == size - end_) break; // a process is writing the line
        if (whole == 0) step *= 2;
        std::string_view rest = std::string_view(text).substr(0, whole);
        end_ += whole; // a line for which take() throws is not taken again
        while (!rest.empty()) {
            std::size_t const line = rest.find('\n');
            if (line > 0) take(rest.substr(0, line));
            rest.remove_prefix(line + 1);
        }
    }
    return true;
}

ATTUNE_INLINE bool study_file::look(taken const& take)
{
    opened from{store_file::open_to_read(path_)};
    if (!from.file.usable()) {
        why_ = from.file.why();
        return false;
    }
    return take_up_to_end(from, take);
}

ATTUNE_INLINE bool study_file::exchange(taken const& take, made const& make, bool creates)
{
    opened to{creates ? store_file::open_to_append(path_, true)
                      : store_file::open_to_extend(path_)};
    if (!to.file.usable()) {
        why_ = to.file.why();
        return false;
    }
    if (!take_up_to_end(to, take)) return false; // others then wait only for the remaining lines
    if (!to.file.lock(store_file::sharing::exclusive)) {
        why_ = to.file.why();
        return false;
    }
    {
        unlocked_at_end const unlocked(to.file);
        if (!take_up_to_end(to, take)) return false;
        std::string text = make();
        if (text.empty()) return true;
        std::uint64_t const end = static_cast<std::uint64_t>(to.file.stamp().bytes);
        // Ends a line whose writer was killed; without a lock, another process may be writing it.
        if (end > end_ || !to.file.is_locked()) text.insert(0, 1, '\n');
        if (!to.file.append(text, end)) {
            why_ = to.file.why();
            return false;
        }
    }
    return take_up_to_end(to, take);
}

ATTUNE_INLINE std::string who_may_tell(std::string const& path)
{
    store_file const file = store_file::open_to_read(path);
    return file.usable() ? file.by_others() : std::string();
}

/// A text that is equal for equal values.
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
    if (holder != nullptr && !is_over) return; // the other claim was first
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

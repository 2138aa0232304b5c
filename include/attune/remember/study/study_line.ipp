// attune/remember/study/study_line.ipp - the lines of a study as JSON, and back.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/remember/detail/event_line.hpp>
#include <attune/remember/detail/json_fields.hpp>
#include <attune/remember/detail/json_texts.hpp>
#include <attune/remember/detail/line_sum.hpp>
#include <attune/remember/study/study_line.hpp>

#include <cmath>
#include <cstddef>
#include <exception>
#include <utility>
#include <vector>

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
    } catch (std::exception const&) { // one of nlohmann's
        return damaged_line{"no JSON, or a field is missing or of another kind"};
    }
}

} // namespace attune::inline ATTUNE_ABI::detail

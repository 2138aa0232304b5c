// attune/remember/lines/record_line.ipp - records, rows and problems as lines of JSON.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/core/shown_text.hpp>
#include <attune/remember/detail/json_fields.hpp>
#include <attune/remember/detail/line_bytes.hpp>
#include <attune/remember/detail/line_json.hpp>
#include <attune/remember/lines/record_line.hpp>

#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

inline constexpr char const* store_header_field = "attune_store";

/// Words by failure_stage.
inline constexpr std::array<char const*, failure_stage_count> stage_words{
    "compile", "load", "launch", "crash", "timeout", "verify", "bound"};

ATTUNE_INLINE line_check check_of(std::string_view line) noexcept
{
    if (line.size() < sum_tail || !line.ends_with("\"}")) return line_check::missing;
    std::string_view const text = line.substr(0, line.size() - sum_tail);
    std::string_view const tail = line.substr(text.size());
    if (!tail.starts_with(sum_field)) return line_check::missing;
    return tail.substr(sum_field.size(), sum_digits) == digits_of(crc32_of(text))
               ? line_check::right
               : line_check::wrong;
}

ATTUNE_INLINE std::uint32_t sum_of(std::string_view line) noexcept
{
    if (line.size() < sum_tail) return 0;
    return static_cast<std::uint32_t>(
        hexadecimal(line.substr(line.size() - sum_digits - 2, sum_digits)).value_or(0));
}

// --- fields ------------------------------------------------------------------------------------

[[nodiscard]] inline record_json lists_to_json(std::vector<value_texts> const& lists)
{
    record_json out = record_json::array();
    for (value_texts const& list : lists)
        out.push_back(list_to_json(list));
    return out;
}

template <json_like Json>
[[nodiscard]] std::vector<value_texts> lists_field(Json const& object, char const* name)
{
    auto const lists = field_or_none(object, name);
    if (!lists) return {};
    if (!lists->is_array()) throw record_json_problem(std::string(name) + " is not a list");
    std::vector<value_texts> out;
    for (auto const& list : *lists)
        out.push_back(json_to_list(list, name));
    return out;
}

template <json_like Json>
[[nodiscard]] std::string text_field_or_none(Json const& object, char const* name)
{
    auto const text = field_or_none(object, name);
    return text ? json_to_text(*text, name) : std::string();
}

template <json_like Json>
[[nodiscard]] std::uint32_t small_count(Json const& json, char const* name)
{
    if (!json.is_number_unsigned() ||
        json.template get<std::uint64_t>() > std::numeric_limits<std::uint32_t>::max())
        throw record_json_problem(std::string(name) + " is not a small count");
    return json.template get<std::uint32_t>();
}

/// [value, low, high, samples]
[[nodiscard]] inline record_json times_to_json(double value, double low, double high,
                                               std::uint32_t samples)
{
    return record_json::array(
        {number_to_json(value), number_to_json(low), number_to_json(high), samples});
}

template <json_like Json>
[[nodiscard]] measurement times_field(Json const& object, char const* name)
{
    auto const& json = json_field(object, name);
    if (!json.is_array() || json.size() != 4)
        throw record_json_problem(std::string(name) + " is not [value, low, high, samples]");
    return {json_to_number(json[0], name), json_to_number(json[1], name),
            json_to_number(json[2], name), small_count(json[3], name)};
}

// --- format 1 ----------------------------------------------------------------------------------

template <json_like Json>
[[nodiscard]] record json_to_record(Json const& json)
{
    record entry;
    entry.key.kernel = text_field(json, "kernel");
    entry.key.source = text_field(json, "source");
    entry.key.schema = text_field(json, "schema");
    entry.key.compiler = text_field(json, "compiler");
    entry.key.device = text_field(json, "device");
    entry.key.inputs = texts_field(json, "inputs");
    entry.configuration = texts_field(json, "configuration");
    entry.best_s = number_field(json, "best_s");
    entry.default_s = number_field(json, "default_s");
    entry.evaluations = count_field(json, "evaluations");
    entry.failures = count_field(json, "failures");
    entry.seed = count_field(json, "seed");
    entry.when = text_field(json, "when");
    entry.attune = text_field(json, "attune");
    entry.interrupted = flag_field(json, "interrupted");
    if (has_field(json, "disturbed")) entry.disturbed = flag_field(json, "disturbed");
    if (has_field(json, "least_s")) {
        entry.least_s = number_field(json, "least_s");
        entry.memory_bound = flag_field(json, "memory_bound");
    }
    if (has_field(json, "shape")) entry.shape = text_field(json, "shape");
    return entry;
}

// --- format 2 ----------------------------------------------------------------------------------

template <json_like Json>
[[nodiscard]] problem_entry json_to_problem(Json const& json)
{
    problem_entry out{.id = text_field(json, "problem")};
    record_key& key = out.problem.key;
    key.kernel = text_field(json, "kernel");
    key.source = text_field(json, "source");
    key.compiler = text_field(json, "compiler");
    key.device = text_field(json, "device");
    key.inputs = texts_field(json, "inputs");
    if (auto const setting = field_or_none(json, "setting"))
        key.setting = json_to_texts(*setting, "setting");
    key.signature = text_field_or_none(json, "signature");
    if (auto const facts = field_or_none(json, "facts"))
        out.problem.facts = json_to_texts(*facts, "facts");
    out.problem.parameters = json_to_list(json_field(json, "parameters"), "parameters");
    return out;
}

/// Ascending places in a list of `size` values.
template <json_like Json>
[[nodiscard]] std::vector<std::uint32_t> json_to_places(Json const& json, std::size_t size)
{
    if (!json.is_array()) throw record_json_problem("inactive is not a list");
    std::vector<std::uint32_t> out;
    for (auto const& place : json) {
        std::uint32_t const at = small_count(place, "inactive");
        if (at >= size || (!out.empty() && at <= out.back()))
            throw record_json_problem("inactive names no value");
        out.push_back(at);
    }
    return out;
}

template <json_like Json>
[[nodiscard]] tried_entry json_to_tried(std::string at, Json const& json)
{
    tried_entry out{.at = std::move(at)};
    out.row.values = json_to_list(json_field(json, "try"), "try");
    out.row.code = text_field_or_none(json, "code");
    if (auto const expected = field_or_none(json, "expected"))
        out.row.predicted_s = json_to_number(*expected, "expected");
    out.row.proposer = text_field_or_none(json, "by");
    if (auto const inactive = field_or_none(json, "inactive"))
        out.row.inactive = json_to_places(*inactive, out.row.values.size());
    if (!has_field(json, "failed")) {
        out.row.result = times_field(json, "s");
        return out;
    }
    std::string const word = text_field(json, "failed");
    for (std::size_t i = 0; i < stage_words.size(); ++i)
        if (word == stage_words[i]) {
            out.row.result = failure{static_cast<failure_stage>(i), text_field(json, "why")};
            return out;
        }
    throw record_json_problem("failed is no stage");
}

template <json_like Json>
[[nodiscard]] proven_entry json_to_proven(std::string at, Json const& json)
{
    proven_entry out{.at = std::move(at)};
    out.proof.code = text_field(json, "code");
    out.proof.is_right = flag_field(json, "right");
    auto const& words = json_field(json, "shape");
    if (!words.is_array()) throw record_json_problem("shape is not a list");
    for (auto const& word : words) {
        if (!word.is_number_integer()) throw record_json_problem("a word of shape is no integer");
        out.proof.shape.push_back(word.template get<std::int64_t>());
    }
    return out;
}

/// A list of `Count` numbers.
template <std::size_t Count, json_like Json>
[[nodiscard]] std::array<double, Count> numbers_in(Json const& json, char const* name)
{
    if (!json.is_array() || json.size() != Count)
        throw record_json_problem(std::string(name) + " is not a list of " + std::to_string(Count) +
                                  " numbers");
    std::array<double, Count> out{};
    for (std::size_t i = 0; i < Count; ++i)
        out[i] = json_to_number(json[i], name);
    return out;
}

[[nodiscard]] inline std::int64_t count_in(std::string const& text, char const* name)
{
    auto const out = parse_number<std::int64_t>(text);
    if (!out || *out < 0)
        throw record_json_problem(std::string(name) + " has a text that is no count");
    return *out;
}

/// A loop as texts: name, depth, number of times, kind, then each array and its bytes.
[[nodiscard]] inline value_texts texts_of_loop(placed_loop const& loop)
{
    value_texts out{loop.name, std::to_string(loop.depth), std::to_string(loop.times), loop.how};
    for (auto const& [array, bytes] : loop.bytes) {
        out.push_back(array);
        out.push_back(std::to_string(bytes));
    }
    return out;
}

[[nodiscard]] inline placed_loop loop_in(value_texts const& texts)
{
    if (texts.size() < 4 || texts.size() % 2 != 0)
        throw record_json_problem("a loop is not [name, depth, times, how, array, bytes ...]");
    placed_loop out{.name = texts[0],
                    .depth = static_cast<std::uint32_t>(count_in(texts[1], "loops")),
                    .times = count_in(texts[2], "loops"),
                    .how = texts[3]};
    for (std::size_t i = 4; i < texts.size(); i += 2)
        out.bytes.emplace_back(texts[i], count_in(texts[i + 1], "loops"));
    return out;
}

template <json_like Json>
[[nodiscard]] generated_code json_to_generated(Json const& json)
{
    generated_code out{.shared = text_field_or_none(json, "shared"),
                       .text = text_field(json, "text"),
                       .fallback = text_field(json, "fallback"),
                       .is_plain = flag_field_or_no(json, "plain"),
                       .print = text_field(json, "print")};
    for (value_texts const& loop : lists_field(json, "loops"))
        out.loops.push_back(loop_in(loop));
    if (auto const levels = field_or_none(json, "levels"))
        for (auto const& [level, bytes] : json_to_texts(*levels, "levels"))
            out.levels.emplace_back(level, count_in(bytes, "levels"));
    return out;
}

[[nodiscard]] inline record_json generated_to_json(generated_code const& code)
{
    record_json json = record_json::object();
    if (!code.shared.empty()) json["shared"] = text_to_json(code.shared);
    json["text"] = text_to_json(code.text);
    json["fallback"] = text_to_json(code.fallback);
    if (code.is_plain) json["plain"] = true;
    json["print"] = text_to_json(code.print);
    std::vector<value_texts> loops;
    for (placed_loop const& loop : code.loops)
        loops.push_back(texts_of_loop(loop));
    if (!loops.empty()) json["loops"] = lists_to_json(loops);
    named_texts levels;
    for (auto const& [level, bytes] : code.levels)
        levels.emplace_back(level, std::to_string(bytes));
    if (!levels.empty()) json["levels"] = texts_to_json(levels);
    return json;
}

/// Finite seconds that are not negative.
inline void require_seconds(double seconds, char const* name)
{
    if (!(seconds >= 0 && seconds <= std::numeric_limits<double>::max()))
        throw record_json_problem(std::string(name) + " is no number of seconds");
}

template <json_like Json>
[[nodiscard]] uncovered_calls json_to_uncovered(Json const& json)
{
    if (!json.is_array() || json.size() != 4 || !json[2].is_number_unsigned())
        throw record_json_problem("rest has no [shape, why, calls, seconds]");
    uncovered_calls out{.shape = json_to_text(json[0], "rest"),
                        .why = json_to_text(json[1], "rest"),
                        .calls = json[2].template get<std::uint64_t>(),
                        .seconds = json_to_number(json[3], "rest")};
    require_seconds(out.seconds, "rest");
    return out;
}

template <json_like Json>
[[nodiscard]] calls_entry json_to_calls(std::string at, Json const& json)
{
    calls_entry out{.at = std::move(at)};
    call_coverage& of = out.calls.coverage;
    auto const& counts = json_field(json, "calls");
    if (!counts.is_array() || counts.size() != 2 || !counts[0].is_number_unsigned() ||
        !counts[1].is_number_unsigned())
        throw record_json_problem("calls is not [all, by the winner]");
    of.calls = counts[0].template get<std::uint64_t>();
    of.by_winner = counts[1].template get<std::uint64_t>();
    auto const seconds = numbers_in<2>(json_field(json, "s"), "s");
    auto const ran = numbers_in<2>(json_field(json, "ran"), "ran");
    of.seconds = seconds[0];
    of.winner_s = seconds[1];
    out.calls.from_s = ran[0];
    out.calls.to_s = ran[1];
    for (double const one : {of.seconds, of.winner_s, ran[0], ran[1]})
        require_seconds(one, "a number of calls");
    if (of.by_winner > of.calls || of.winner_s > of.seconds || ran[0] > ran[1])
        throw record_json_problem("a part of calls is more than all");
    if (auto const more = field_or_none(json, "more"); more && more->is_number_unsigned())
        of.more_shapes = more->template get<std::uint64_t>();
    auto const rest = field_or_none(json, "rest");
    if (!rest) return out;
    if (!rest->is_array() || rest->size() > most_uncovered_shapes)
        throw record_json_problem("rest is no list of at most 16 shapes");
    for (auto const& one : *rest)
        of.rest.push_back(json_to_uncovered(one));
    return out;
}

/// A power of two, at most 64; other values are ignored.
template <json_like Json>
[[nodiscard]] std::uint32_t address_modulus_in(Json const& json)
{
    std::uint32_t const bytes = small_count(json, "address_modulus");
    std::uint32_t const unknown = record{}.address_modulus;
    return std::has_single_bit(bytes) && bytes < unknown ? bytes : unknown;
}

template <json_like Json>
[[nodiscard]] won_entry json_to_won(std::string at, Json const& json)
{
    won_entry out{.at = std::move(at)};
    record& r = out.entry;
    for (std::string& value : json_to_list(json_field(json, "won"), "won"))
        r.configuration.emplace_back(std::string(), std::move(value));
    r.key.schema = text_field(json, "space");
    measurement const best = times_field(json, "s"), own = times_field(json, "default_s");
    r.best_s = best.value;
    r.best_interval = {best.low, best.high, best.samples};
    r.default_s = own.value;
    r.default_interval = {own.low, own.high, own.samples};
    if (field_or_none(json, "baseline_s")) {
        measurement const baseline = times_field(json, "baseline_s");
        r.baseline_s = baseline.value;
        r.baseline_interval = {baseline.low, baseline.high, baseline.samples};
    }
    r.code = text_field_or_none(json, "code");
    r.default_code = text_field_or_none(json, "default_code");
    if (auto const bytes = field_or_none(json, "address_modulus"))
        r.address_modulus = address_modulus_in(*bytes);
    r.ties = lists_field(json, "ties");
    r.evaluations = count_field(json, "evaluations");
    r.failures = count_field(json, "failures");
    if (auto const asked = field_or_none(json, "asked")) {
        if (!asked->is_array() || asked->size() != 2 || !(*asked)[0].is_number_unsigned())
            throw record_json_problem("asked is not [evaluations, seconds]");
        r.asked = {(*asked)[0].template get<std::uint64_t>(), json_to_number((*asked)[1], "asked")};
    }
    r.ended = text_field_or_none(json, "ended");
    if (auto const threads = field_or_none(json, "threads"))
        r.threads = small_count(*threads, "threads");
    r.replaces = lists_field(json, "replaces");
    r.interrupted = flag_field_or_no(json, "interrupted");
    r.disturbed = flag_field_or_no(json, "disturbed");
    if (auto const least = field_or_none(json, "least_s"))
        r.least_s = json_to_number(*least, "least_s");
    r.memory_bound = flag_field_or_no(json, "memory_bound");
    if (auto const roof = field_or_none(json, "roof")) {
        auto const of = numbers_in<4>(*roof, "roof");
        r.roof = {of[0], of[1], of[2], of[3]};
    }
    if (auto const spent = field_or_none(json, "spent")) {
        auto const of = numbers_in<3>(*spent, "spent");
        r.spent = {of[0], of[1], of[2]};
    }
    if (auto const code = field_or_none(json, "generated")) r.generated = json_to_generated(*code);
    r.shape = text_field_or_none(json, "shape");
    r.strategy = text_field_or_none(json, "strategy");
    r.seed = count_field(json, "seed");
    r.when = text_field(json, "when");
    r.attune = text_field(json, "attune");
    return out;
}

template <json_like Json>
[[nodiscard]] line_content json_to_content(Json const& json, bool has_sum)
{
    if (has_field(json, "problem")) return json_to_problem(json);
    if (auto const id = field_or_none(json, "at")) {
        std::string at = json_to_text(*id, "at");
        if (has_field(json, "try")) return json_to_tried(std::move(at), json);
        if (has_field(json, "won")) return json_to_won(std::move(at), json);
        if (has_field(json, "shape")) return json_to_proven(std::move(at), json);
        if (has_field(json, "calls")) return json_to_calls(std::move(at), json);
        if (has_field(json, "over")) return other_entry{}; // record_table recognises it by its form
    }
    if (has_sum) return other_entry{};
    return json_to_record(json);
}

ATTUNE_INLINE std::string header_line()
{
    record_json json = record_json::object();
    json[store_header_field] = store_format;
    return json.dump();
}

ATTUNE_INLINE std::string problem_line(std::string const& id, stored_problem const& problem)
{
    record_json json;
    json["problem"] = text_to_json(id);
    json["kernel"] = text_to_json(problem.key.kernel);
    json["source"] = text_to_json(problem.key.source);
    json["compiler"] = text_to_json(problem.key.compiler);
    json["device"] = text_to_json(problem.key.device);
    json["inputs"] = texts_to_json(problem.key.inputs);
    if (!problem.key.setting.empty()) json["setting"] = texts_to_json(problem.key.setting);
    if (!problem.key.signature.empty()) json["signature"] = text_to_json(problem.key.signature);
    if (!problem.facts.empty()) json["facts"] = texts_to_json(problem.facts);
    json["parameters"] = list_to_json(problem.parameters);
    return with_sum(json);
}

ATTUNE_INLINE std::string tried_line(std::string const& id, tried_row const& row)
{
    record_json json;
    json["at"] = text_to_json(id);
    json["try"] = list_to_json(row.values);
    if (auto const* m = std::get_if<measurement>(&row.result)) {
        json["s"] = times_to_json(m->value, m->low, m->high, m->samples);
    } else {
        failure const& f = std::get<failure>(row.result);
        json["failed"] = stage_words[static_cast<std::size_t>(f.stage)];
        json["why"] = text_to_json(f.reason);
    }
    if (!row.code.empty()) json["code"] = text_to_json(row.code);
    if (row.predicted_s != 0) json["expected"] = number_to_json(row.predicted_s);
    if (!row.proposer.empty()) json["by"] = text_to_json(row.proposer);
    if (!row.inactive.empty()) json["inactive"] = row.inactive;
    return with_sum(json);
}

ATTUNE_INLINE std::string proven_line(std::string const& id, proven_shape const& proof)
{
    record_json json;
    json["at"] = text_to_json(id);
    json["shape"] = proof.shape;
    json["code"] = text_to_json(proof.code);
    json["right"] = proof.is_right;
    return with_sum(json);
}

ATTUNE_INLINE std::string over_line(std::string const& id)
{
    record_json json;
    json["at"] = text_to_json(id);
    json["over"] = true;
    return with_sum(json);
}

ATTUNE_INLINE std::string calls_line(std::string const& id, past_calls const& calls)
{
    constexpr std::size_t most_characters = 300;
    auto const text = [](std::string const& of) {
        return text_to_json(shortened(of, most_characters));
    };
    auto const pair = [](double a, double b) {
        return record_json::array({number_to_json(a), number_to_json(b)});
    };
    call_coverage const& of = calls.coverage;
    record_json json;
    json["at"] = text_to_json(id);
    json["calls"] = record_json::array({of.calls, of.by_winner});
    json["s"] = pair(of.seconds, of.winner_s);
    json["ran"] = pair(calls.from_s, calls.to_s);
    record_json rest = record_json::array();
    for (uncovered_calls const& one : of.rest)
        rest.push_back(record_json::array(
            {text(one.shape), text(one.why), one.calls, number_to_json(one.seconds)}));
    if (!rest.empty()) json["rest"] = std::move(rest);
    if (of.more_shapes > 0) json["more"] = of.more_shapes;
    return with_sum(json);
}

ATTUNE_INLINE std::string won_line(std::string const& id, record const& entry)
{
    auto const times = [](double value, time_interval const& in) {
        return times_to_json(value, in.low_s, in.high_s, in.samples);
    };
    record_json json;
    json["at"] = text_to_json(id);
    json["won"] = list_to_json(values_of(entry.configuration));
    json["s"] = times(entry.best_s, entry.best_interval);
    json["default_s"] = times(entry.default_s, entry.default_interval);
    if (entry.baseline_s > 0) json["baseline_s"] = times(entry.baseline_s, entry.baseline_interval);
    json["space"] = text_to_json(entry.key.schema);
    if (!entry.code.empty()) json["code"] = text_to_json(entry.code);
    if (!entry.default_code.empty()) json["default_code"] = text_to_json(entry.default_code);
    if (entry.address_modulus != record{}.address_modulus)
        json["address_modulus"] = entry.address_modulus;
    if (!entry.ties.empty()) json["ties"] = lists_to_json(entry.ties);
    json["evaluations"] = entry.evaluations;
    json["failures"] = entry.failures;
    if (!(entry.asked == tuning_effort{}))
        json["asked"] =
            record_json::array({entry.asked.evaluations, number_to_json(entry.asked.seconds)});
    if (!entry.ended.empty()) json["ended"] = text_to_json(entry.ended);
    if (entry.threads > 0) json["threads"] = entry.threads;
    if (!entry.replaces.empty()) json["replaces"] = lists_to_json(entry.replaces);
    if (entry.interrupted) json["interrupted"] = true;
    if (entry.disturbed) json["disturbed"] = true;
    if (entry.least_s != 0) json["least_s"] = number_to_json(entry.least_s);
    if (entry.memory_bound) json["memory_bound"] = true;
    auto const list = [](auto const&... numbers) {
        return record_json::array({number_to_json(numbers)...});
    };
    if (roofline_facts const& of = entry.roof; !(of == roofline_facts{}))
        json["roof"] = list(of.flops, of.bytes, of.flops_per_s, of.bytes_per_s);
    if (tuning_seconds const& of = entry.spent; !(of == tuning_seconds{}))
        json["spent"] = list(of.total_s, of.code_s, of.search_s);
    if (!entry.generated.text.empty()) json["generated"] = generated_to_json(entry.generated);
    if (!entry.shape.empty()) json["shape"] = text_to_json(entry.shape);
    if (!entry.strategy.empty()) json["strategy"] = text_to_json(entry.strategy);
    json["seed"] = entry.seed;
    json["when"] = text_to_json(entry.when);
    json["attune"] = text_to_json(entry.attune);
    return with_sum(json);
}

/// The content of a line that is no header.
template <json_like Json>
[[nodiscard]] line_content content_of(Json const& json, bool has_sum)
{
    try {
        return json_to_content(json, has_sum);
    } catch (record_json_problem const& problem) {
        return damaged_line{problem.what()};
    }
}

ATTUNE_INLINE line_content read_line(std::string_view line)
{
    line_check const check = check_of(line);
    if (check == line_check::wrong) return damaged_line{"its checksum is wrong"};
    if (check == line_check::right)
        if (std::optional<line_json> const own = line_json::read(line);
            own && own->root().is_object() && !has_field(own->root(), store_header_field))
            return content_of(own->root(), true);
    record_json json;
    try {
        json = record_json::parse(line);
    } catch (record_json::parse_error const& problem) {
        return damaged_line{"not JSON (byte " + std::to_string(problem.byte) + ")"};
    } catch (record_json::exception const&) { // a number too large for a double
        return damaged_line{"a number is out of range"};
    }
    if (!json.is_object()) return damaged_line{"not a JSON object"};
    if (auto const format = json.find(store_header_field); format != json.end()) {
        bool const is_known =
            format->is_number_unsigned() && *format >= 1 && *format <= store_format;
        // Shows only a number, because a deeply nested text would overflow the stack.
        return store_header{is_known,
                            format->is_primitive() ? format->dump(-1, ' ', true) : "unknown"};
    }
    return content_of(json, check == line_check::right);
}

ATTUNE_INLINE record record_of(won_entry won, stored_problem const& problem)
{
    std::string schema = std::move(won.entry.key.schema);
    record out = std::move(won.entry);
    out.key = problem.key;
    out.key.schema = std::move(schema);
    for (std::size_t i = 0; i < out.configuration.size() && i < problem.parameters.size(); ++i)
        out.configuration[i].first = problem.parameters[i];
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail

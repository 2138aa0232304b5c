// attune/remember/files/t4.ipp - reads and writes the documents of other tuners.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/shown_text.hpp>
#include <attune/declare/kind_rules.hpp>
#include <attune/remember/detail/json_fields.hpp>
#include <attune/remember/files/python_json.hpp>
#include <attune/remember/files/t4.hpp>
#include <attune/remember/problem/matching.hpp>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

namespace attune::inline ATTUNE_ABI::detail {

[[noreturn]] inline void refuse_t4(std::string const& why)
{
    throw error("these results cannot be read", why,
                "give import_t4() the text of a T4 results file (\"results\": [...]) or of a cache "
                "file of Kernel Tuner (\"cache\": {...})");
}

[[nodiscard]] inline std::string plain_text(record_json const& v)
{
    return v.is_string() ? v.get<std::string>() : v.dump();
}

/// Reads the whole lines of a cache that its writer has not finished, or of another document.
/// @param is_cut  set if a line is not whole
[[nodiscard]] inline record_json parse_open(std::string const& text, bool& is_cut)
{
    foreign_json<record_json> whole = read_foreign_json<record_json>(text);
    if (whole.value.is_object()) return std::move(whole.value);
    std::string lines = text;
    for (int i = 0; i < 2; ++i) {
        std::size_t const end = lines.find_last_not_of(" \t\r\n,");
        if (end == lines.npos) break;
        lines.resize(end + 1);
        for (char const* const closing : {"}}", "}"}) {
            record_json closed = read_foreign_json<record_json>(lines + closing).value;
            if (closed.is_object() && (closed.contains("cache") || closed.contains("results")))
                return closed;
        }
        std::size_t const line = lines.rfind('\n');
        if (line == lines.npos) break;
        lines.resize(line);
        is_cut = true;
    }
    if (whole.problem.empty()) refuse_t4("the text is JSON, and no object");
    refuse_t4((whole.is_cut ? "the text is cut: " : "the text is no JSON object: ") +
              whole.problem);
}

/// Seconds of a unit of time, in any usual spelling; empty if it is no time.
[[nodiscard]] inline std::optional<double> seconds_per(std::string const& unit)
{
    struct spelling {
        double seconds;
        std::initializer_list<char const*> words;
    };
    static std::initializer_list<spelling> const known = {
        {1.0, {"s", "sec", "secs", "second", "seconds"}},
        {1e-3, {"ms", "msec", "msecs", "millisecond", "milliseconds", "milli"}},
        {1e-6,
         {"us", "usec", "usecs", "microsecond", "microseconds", "micro", "\u00b5s", "\u03bcs"}},
        {1e-9, {"ns", "nsec", "nsecs", "nanosecond", "nanoseconds", "nano"}},
        {60.0, {"min", "minute", "minutes"}}};
    std::size_t const first = unit.find_first_not_of(" \t[(");
    std::size_t const last = unit.find_last_not_of(" \t])");
    if (first == unit.npos || last == unit.npos || last < first) return std::nullopt;
    std::string const word = in_small_letters(unit.substr(first, last - first + 1));
    for (spelling const& one : known)
        for (char const* const is : one.words)
            if (word == is) return one.seconds;
    return std::nullopt;
}

/// A name in small letters without blanks, `_` and `-`: "Higher_is_better" becomes
/// "higherisbetter".
[[nodiscard]] inline std::string folded_name(std::string_view name)
{
    std::string out = in_small_letters(std::string(name));
    std::erase_if(out, [](char c) { return c == ' ' || c == '_' || c == '-'; });
    return out;
}

[[nodiscard]] inline bool is_name_of_time(std::string_view name)
{
    static std::initializer_list<char const*> const known = {
        "time",        "times",         "runtime",       "runtimes",
        "duration",    "latency",       "elapsed",       "elapsedtime",
        "walltime",    "wallclocktime", "executiontime", "exectime",
        "kerneltime",  "timeofkernel",  "kernelruntime", "kernelexecutiontime",
        "gputime",     "cputime",       "devicetime",    "totaltime",
        "averagetime", "avgtime",       "meantime",      "mediantime",
        "mintime"};
    return std::ranges::find(known, folded_name(name)) != known.end();
}

/// Returns true for rates, energies and the like: a file that gives one of them a unit of time is
/// wrong.
[[nodiscard]] inline bool is_name_of_other_quantity(std::string const& objective)
{
    std::string name = ' ' + in_small_letters(objective) + ' ';
    for (std::size_t at = 0; (at = name.find("/s", at)) != name.npos; at += 2) {
        bool const is_longer = name[at + 2] >= 'a' && name[at + 2] <= 'z'; // as in us/step
        if (is_longer && name.compare(at + 2, 2, "ec") != 0) continue;
        if (!is_name_of_time(name.substr(0, at))) return true;
    }
    std::replace_if(name.begin(), name.end(), [](char c) { return c < 'a' || c > 'z'; }, ' ');
    auto const has = [&](char const* word) { return name.find(word) != name.npos; };
    if (has(" per s ") || has(" per second ")) return true;
    return !has(" time ") && (has("flop") || has(" energy ") || has(" power ") || has(" edp ") ||
                              has(" throughput ") || has(" bandwidth ") || has(" rate ") ||
                              has(" speed ") || has(" speedup ") || has(" efficiency "));
}

/// The objective of a file must be a time.
/// @param unit        its unit; empty: none, and the name may have it, as in "time_us"
/// @param usual_unit  unit of times in the document; empty: none
/// @return  seconds of the unit
[[nodiscard]] inline double require_time(std::string const& objective, std::string unit,
                                         std::string const& usual_unit)
{
    if (unit.empty()) {
        std::size_t const last = objective.find_last_of("_ ([");
        if (last != objective.npos && is_name_of_time(objective.substr(0, last))) {
            if (objective[last] == '_' && objective.substr(last + 1) == "min") // the lowest time
                return require_time(objective.substr(0, last), {}, usual_unit);
            if (auto const seconds = seconds_per(objective.substr(last + 1))) return *seconds;
        }
        if (is_name_of_time(objective)) unit = usual_unit;
        if (unit.empty() && folded_name(objective) == "time") return 1e-3; // Kernel Tuner's unit
    }
    if (auto const seconds = seconds_per(unit); seconds && !is_name_of_other_quantity(objective))
        return *seconds;
    refuse_t4("its objective is " + objective +
              (unit.empty() ? ", without a unit" : " in " + unit) + ", and a time is needed");
}

/// A member that says whether higher or lower values are better.
struct direction_name {
    char const* folded;
    char const* if_true = "";   ///< the direction that `true` means; empty: none
    bool has_other_use = false; ///< the member may have another meaning: ignore unknown words
};
inline constexpr direction_name direction_names[] = {{"higherisbetter", "max"},
                                                     {"objectivehigherisbetter", "max"},
                                                     {"maximize", "max"},
                                                     {"maximise", "max"},
                                                     {"lowerisbetter", "min"},
                                                     {"objectivelowerisbetter", "min"},
                                                     {"minimize", "min"},
                                                     {"minimise", "min"},
                                                     {"direction"},
                                                     {"objectivedirection"},
                                                     {"optimizationdirection"},
                                                     {"optimisationdirection"},
                                                     {"sense"},
                                                     {"objectivesense"},
                                                     {"optimizationgoal"},
                                                     {"goal", "", true},
                                                     {"mode", "", true},
                                                     {"optimize", "", true},
                                                     {"optimise", "", true}};

/// Returns true for a whole word of a direction: "max", but not "max-autotune".
[[nodiscard]] inline bool is_direction(std::string const& folded)
{
    static std::initializer_list<char const*> const known = {
        "max",          "min",          "maximum",        "minimum",
        "maximize",     "minimize",     "maximise",       "minimise",
        "maximization", "minimization", "maximisation",   "minimisation",
        "high",         "low",          "higher",         "lower",
        "highest",      "lowest",       "higherisbetter", "lowerisbetter"};
    return std::ranges::find(known, folded) != known.end();
}

/// Refuses an object with a member that says that a higher value of the objective is better, or
/// nothing that is known. The member is a word, a list as long as "objectives" beside it, or an
/// object by the names of objectives.
inline void refuse_higher(record_json const& of, std::string const& objective)
{
    if (!of.is_object()) return;
    auto const is_objective = [&](record_json const& name) {
        return plain_text(name) == objective;
    };
    for (auto const& [name, value] : of.items()) {
        std::string const folded = folded_name(name);
        auto const* const known = std::ranges::find_if(
            direction_names, [&](auto const& n) { return folded == n.folded; });
        if (known == std::end(direction_names)) continue;
        record_json said = value;
        if (value.is_array()) {
            record_json const names = of.value("objectives", record_json());
            auto const at = std::ranges::find_if(names, is_objective) - names.begin();
            auto const index = static_cast<std::size_t>(at);
            said = value.empty() ? record_json() : value[index < value.size() ? index : 0];
        } else if (value.is_object()) {
            said = value.value(objective, record_json());
        }
        if (said.is_null()) continue;
        std::string word = folded_name(plain_text(said));
        bool const is_no = word == "false" || word == "0" || word == "0.0" || word == "no";
        if (word == "true" || word == "1" || word == "1.0" || word == "yes" || is_objective(said))
            word = known->if_true;
        else if (is_no && *known->if_true != '\0')
            word = known->if_true == std::string_view("max") ? "min" : "max";
        if (known->has_other_use && !is_direction(word)) continue;
        if (word.starts_with("max") || word.starts_with("high"))
            refuse_t4("a higher " + objective + " is better, as \"" + name +
                      "\" says, and a time is needed");
        if (!word.starts_with("min") && !word.starts_with("low"))
            refuse_t4("its \"" + name + "\" is " + said.dump() + ", which is no direction of " +
                      objective + ": neither \"maximize\" nor \"minimize\"");
    }
}

/// @param times  single times, in `times_s` seconds; may be empty
[[nodiscard]] inline std::optional<outcome>
outcome_of_time(double value, double unit_s, record_json const& times, double times_s)
{
    if (value >= time_of_failure) return failure{failure_stage::crash, "its time is 1e20"};
    if (!std::isfinite(value) || value <= 0) return std::nullopt;
    measurement out = measurement::exact(value * unit_s);
    if (!times.is_array() || times.size() < 2) return out;
    double sum = 0, squares = 0;
    for (record_json const& t : times) {
        if (!t.is_number()) return out;
        sum += t.get<double>();
        squares += t.get<double>() * t.get<double>();
    }
    double const n = static_cast<double>(times.size());
    double const variance = std::max(0.0, (squares - sum * sum / n) / (n - 1));
    double const half = 1.96 * std::sqrt(variance / n) * times_s;
    out.low = std::max(0.0, out.value - half);
    out.high = out.value + half;
    out.samples = static_cast<std::uint32_t>(times.size());
    return out;
}

inline void leave_out(imported_results& to, std::string const& why)
{
    if (to.left_out++ == 0) to.why_left_out = why;
}

/// Returns true for the words of T4 and of caches for a configuration that was never compiled.
[[nodiscard]] inline bool is_word_of_constraint(std::string const& word)
{
    std::string const is = in_small_letters(word);
    return is == "constraints" || is == "invalidconfig";
}

/// The failure that a word of T4 or of a cache file means; empty for another word.
[[nodiscard]] inline std::optional<failure_stage> stage_of_foreign_word(std::string const& word)
{
    std::string const is = in_small_letters(word);
    if (is == "compile" || is == "compilationfailedconfig") return failure_stage::compile;
    if (is == "timeout") return failure_stage::timeout;
    if (is == "correctness") return failure_stage::verify;
    if (is == "runtime" || is == "runtimefailedconfig" || is == "crash")
        return failure_stage::crash;
    return std::nullopt;
}

/// Returns true for an "invalidity" of a result that has none.
[[nodiscard]] inline bool is_valid(record_json const& invalidity)
{
    if (invalidity.is_null() || invalidity == false || invalidity == 0) return true;
    if (!invalidity.is_string()) return invalidity.empty();
    std::string const word = folded_name(invalidity.get<std::string>());
    return word.empty() || word == "correct" || word == "ok" || word == "valid" || word == "none" ||
           word == "null" || word == "success";
}

/// Adds the outcome of an objective that is no number: a word of failure, NaN, null, or a number as
/// text.
/// @param add  takes the outcome
template <class Add>
void add_without_number(imported_results& to, std::string const& objective,
                        record_json const& value, Add const& add)
{
    std::string const text = plain_text(value);
    bool const is_word = text.find_first_not_of("+-.0123456789") == 0;
    bool const is_number_of_python =
        text == "NaN" || text == "Infinity" || text == "-Infinity" || text == "+Infinity";
    if (value.is_null() || is_number_of_python)
        add(failure{failure_stage::crash, "its " + objective + " is " + text});
    else if (!value.is_string() || !is_word)
        leave_out(to, "it has no number as " + objective);
    else if (is_word_of_constraint(text))
        leave_out(to, "it breaks a constraint");
    else
        add(failure{stage_of_foreign_word(text).value_or(failure_stage::crash), text});
}

/// The way to a value of the document whose text this is.
struct value_place {
    std::string_view text;
    std::vector<std::string> way;

    [[noreturn]] void refuse(std::string const& why) const
    {
        refuse_t4(why + ", " + place_in(text, offset_of_value(text, way)));
    }
};

/// Adds a configuration with the names of the first one.
inline void add_row(imported_results& to, record_json const& configuration,
                    value_place const& place, outcome result)
{
    tried_row row{.result = std::move(result)};
    for (std::string const& name : to.problem.parameters) {
        auto const at = configuration.find(name);
        if (at == configuration.end()) place.refuse("a configuration has no " + name);
        row.values.push_back(usual_spelling(plain_text(*at)));
    }
    to.rows.push_back(std::move(row));
}

/// "timeunit" of a document or of its metadata; empty: none.
[[nodiscard]] inline std::string unit_of_document(record_json const& root,
                                                  record_json const& metadata)
{
    for (record_json const* const of : {&metadata, &root})
        if (of->is_object() && of->contains("timeunit") && !(*of)["timeunit"].is_null())
            return plain_text((*of)["timeunit"]);
    return {};
}

inline void read_results(imported_results& to, record_json const& root, std::string_view text)
{
    record_json const& results = root["results"];
    if (!results.is_array()) value_place{text, {"results"}}.refuse("\"results\" is no list");
    record_json const metadata = root.value("metadata", record_json());
    std::string const usual_unit = unit_of_document(root, metadata);
    std::string first_objective;
    value_place place{text, {"results", "", "configuration"}};
    for (std::size_t i = 0; i < results.size(); ++i) {
        record_json const& one = results[i];
        place.way[1] = std::to_string(i);
        if (!one.is_object() || !one.contains("configuration") || !one["configuration"].is_object())
            place.refuse("a result has no configuration");
        record_json const& configuration = one["configuration"];
        if (to.problem.parameters.empty())
            for (auto const& [name, value] : configuration.items())
                to.problem.parameters.push_back(name);
        std::string objective = "time";
        if (auto const o = one.find("objectives"); o != one.end() && !o->empty()) {
            objective = plain_text(o->is_array() ? (*o)[0] : *o);
            if (to.unread_objectives.empty())
                for (std::size_t k = 1; o->is_array() && k < o->size(); ++k)
                    to.unread_objectives += (k == 1 ? "" : ", ") + plain_text((*o)[k]);
        }
        for (record_json const* const of : {&one, &root, &metadata})
            refuse_higher(*of, objective);
        auto const add = [&](outcome result) {
            add_row(to, configuration, place, std::move(result));
            std::vector<std::string> const& names = to.problem.parameters;
            for (auto const& [name, value] : configuration.items())
                if (std::ranges::find(names, name) == names.end())
                    place.refuse("the first configuration has no " + name + ", and this one has");
        };
        record_json const invalidity = one.value("invalidity", record_json());
        record_json const is_correct = one.value("correctness", record_json());
        std::string const word = plain_text(invalidity);
        if (is_valid(invalidity) && (is_correct == 0 || is_correct == false)) {
            add(failure{failure_stage::verify, "its correctness is 0"});
            continue;
        }
        if (!is_valid(invalidity)) {
            if (is_word_of_constraint(word))
                leave_out(to, "it breaks a constraint");
            else if (auto const stage = stage_of_foreign_word(word))
                add(failure{*stage, word});
            else
                leave_out(to, "its invalidity is " + word + ", which is no word of T4");
            continue;
        }
        if (first_objective.empty()) first_objective = objective;
        if (objective != first_objective) {
            leave_out(to, "its objective is " + objective + ", and that of others is " +
                              first_objective);
            continue;
        }
        record_json times;
        if (auto const t = one.find("times"); t != one.end() && t->is_object())
            times = t->value("runtimes", record_json());
        record_json const* measured = nullptr;
        if (auto const all = one.find("measurements"); all != one.end() && all->is_array())
            for (record_json const& m : *all)
                if (measured == nullptr && m.is_object() && m.contains("name") &&
                    m.contains("value") && plain_text(m["name"]) == objective)
                    measured = &m;
        if (measured != nullptr) refuse_higher(*measured, objective);
        std::string unit;
        if (measured != nullptr && measured->contains("unit") && !(*measured)["unit"].is_null())
            unit = plain_text((*measured)["unit"]);
        double const unit_s = require_time(objective, unit, usual_unit);
        if (measured == nullptr || !(*measured)["value"].is_number()) {
            if (measured == nullptr)
                leave_out(to, "it has no number as " + objective);
            else
                add_without_number(to, objective, (*measured)["value"], add);
            continue;
        }
        double const times_s =
            usual_unit.empty() ? unit_s : require_time(objective, usual_unit, "");
        double const value = (*measured)["value"].get<double>();
        if (auto result = outcome_of_time(value, unit_s, times, times_s))
            add(*std::move(result));
        else
            leave_out(to, "its " + objective + " is not above 0");
    }
}

inline void read_cache(imported_results& to, record_json const& root, std::string_view text)
{
    record_json const& cache = root["cache"];
    auto const names = root.find("tune_params_keys");
    if (!cache.is_object()) value_place{text, {"cache"}}.refuse("\"cache\" is no object");
    if (names == root.end() || !names->is_array())
        value_place{text, {"tune_params_keys"}}.refuse(
            "the cache has no list \"tune_params_keys\"");
    for (record_json const& name : *names)
        to.problem.parameters.push_back(plain_text(name));
    std::string const objective =
        root.contains("objective") ? plain_text(root["objective"]) : "time";
    record_json const metadata = root.value("metadata", record_json());
    double const unit_s = require_time(objective, "", unit_of_document(root, metadata));
    refuse_higher(root, objective);
    refuse_higher(metadata, objective);
    value_place place{text, {"cache", ""}};
    for (auto const& [key, one] : cache.items()) {
        place.way[1] = key;
        auto const error_word = one.is_object() ? one.find("__error__") : one.end();
        bool const has_error =
            one.is_object() && error_word != one.end() && error_word->is_string();
        if (!one.is_object() || !(has_error || one.contains(objective))) {
            leave_out(to, "it has no " + objective);
            continue;
        }
        record_json const& value = has_error ? *error_word : one[objective];
        if (value.is_number()) {
            record_json const times = one.value("times", record_json());
            if (auto result = outcome_of_time(value.get<double>(), unit_s, times, unit_s))
                add_row(to, one, place, *std::move(result));
            else
                leave_out(to, "its " + objective + " is not above 0");
        } else {
            add_without_number(to, objective, value,
                               [&](outcome result) { add_row(to, one, place, std::move(result)); });
        }
    }
}

ATTUNE_INLINE imported_results read_t4(std::string const& text, result_origin const& of)
{
    bool is_cut = false;
    record_json const root = parse_open(text, is_cut);
    if (std::string const twice = problem_of_names(text); !twice.empty()) refuse_t4(twice);
    imported_results out;
    record_key& key = out.problem.key;
    key.kernel = of.kernel;
    key.source = foreign_source;
    key.device = of.device;
    key.inputs = of.inputs;
    if (root.contains("results"))
        read_results(out, root, text);
    else if (root.contains("cache"))
        read_cache(out, root, text);
    else
        refuse_t4("it has neither \"results\" nor \"cache\"");
    if (is_cut) leave_out(out, "the file ends inside of it");
    auto const said = [&](char const* name) {
        return root.contains(name) && root[name].is_string() ? root[name].get<std::string>()
                                                             : std::string();
    };
    if (key.kernel.empty()) key.kernel = said("kernel_name");
    if (key.device.empty()) key.device = said("device_name");
    if (key.kernel.empty()) refuse_t4("nothing says of which kernel they are: set origin.kernel");
    if (auto const size = root.find("problem_size"); key.inputs.empty() && size != root.end()) {
        std::size_t axis = 0;
        if (!size->is_array())
            key.inputs.emplace_back("problem_size", plain_text(*size));
        else
            for (record_json const& n : *size)
                key.inputs.emplace_back("problem_size." + std::to_string(axis++), plain_text(n));
    }
    return out;
}

/// A value as a number, if it is one.
[[nodiscard]] inline record_json plain_value(std::string const& text)
{
    record_json value = record_json::parse(text, nullptr, false);
    bool const is_plain = (value.is_number() || value.is_boolean()) && value.dump() == text;
    return is_plain ? value : text_to_json(text);
}

[[nodiscard]] inline char const* invalidity_of(failure_stage stage) noexcept
{
    switch (stage) {
    case failure_stage::compile:
    case failure_stage::load:
        return "compile";
    case failure_stage::launch:
    case failure_stage::crash:
        return "runtime";
    case failure_stage::timeout:
        return "timeout";
    case failure_stage::verify:
    case failure_stage::bound:
        return "correctness";
    }
    return "runtime";
}

ATTUNE_INLINE std::string t4_text(problem_history const& of)
{
    record_json results = record_json::array();
    problem_objective const objective = objective_of(of.problem.key);
    char const* const name = objective.is_seconds ? "time" : "value";
    for (tried_row const& row : of.rows) {
        record_json one;
        one["timestamp"] = "";
        record_json configuration = record_json::object();
        for (std::size_t i = 0; i < row.values.size() && i < of.problem.parameters.size(); ++i)
            configuration[of.problem.parameters[i]] = plain_value(row.values[i]);
        one["configuration"] = std::move(configuration);
        one["times"]["runtimes"] = record_json::array();
        auto const* const why = std::get_if<failure>(&row.result);
        one["invalidity"] = why == nullptr ? "correct" : invalidity_of(why->stage);
        one["correctness"] = why != nullptr && why->stage >= failure_stage::verify ? 0 : 1;
        one["measurements"] = record_json::array();
        if (auto const* m = std::get_if<measurement>(&row.result)) {
            record_json time;
            time["name"] = name;
            time["value"] = number_to_json(m->value * (objective.is_seconds ? 1e3 : 1.0));
            time["unit"] = objective.is_seconds ? "ms" : objective.unit;
            one["measurements"].push_back(std::move(time));
        }
        one["objectives"] = record_json::array({name});
        results.push_back(std::move(one));
    }
    record_json root;
    root["results"] = std::move(results);
    if (objective.is_higher_better) root["higher_is_better"] = true;
    root["schema_version"] = "1.0.0";
    return root.dump(1) + '\n';
}

} // namespace attune::inline ATTUNE_ABI::detail

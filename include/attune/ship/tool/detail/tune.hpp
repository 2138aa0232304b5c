// attune/ship/tool/detail/tune.hpp - attune tune: the layers of a model, tuned together; their winners as C++.
// SPDX-License-Identifier: MIT
// tested by ship/tool/tune.cpp
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/model/tasks/tasks_of.hpp>
#include <attune/ship/tool/command.hpp>
#include <attune/ship/tool/detail/files.hpp>
#include <attune/ship/tool/detail/long_work.hpp>
#include <attune/ship/tool/detail/problems.hpp>
#include <attune/tune/model/tune_model.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail::tool {

inline constexpr option shape_option{"--shape", "NAME=1x3x48x320",
                                     "extents of an input that has none; may be repeated"};

/// Seconds in "10min", "90s", "1h" or "600".
/// Errors   words_error: it is none of these, or not above 0
[[nodiscard]] inline double seconds_in(std::string const& text, std::string const& command)
{
    char* end = nullptr;
    double const number = std::strtod(text.c_str(), &end);
    std::string_view const unit(end);
    double const factor = unit.empty() || unit == "s"    ? 1
                          : unit == "min" || unit == "m" ? 60
                          : unit == "h"                  ? 3600
                                                         : 0;
    double const out = number * factor;
    if (end == text.c_str() || !(out > 0 && out < 1e9))
        throw words_error(command + ": --budget is a time, such as 10min, 90s or 1h, not '" + text +
                          "'");
    return out;
}

/// Errors   words_error: no name, or no extents
[[nodiscard]] inline std::map<std::string, std::vector<std::int64_t>>
shapes_in(std::vector<std::string> const& given, std::string const& command)
{
    std::map<std::string, std::vector<std::int64_t>> out;
    for (std::string const& one : given) {
        std::size_t const equal = one.rfind('=');
        std::vector<std::int64_t> extents;
        std::size_t at = equal == one.npos ? one.size() : equal + 1;
        bool is_read = equal != one.npos && equal > 0 && at < one.size();
        while (is_read && at <= one.size()) {
            std::size_t const end = std::min(one.find_first_of("x,", at), one.size());
            std::string const number = one.substr(at, end - at);
            is_read = !number.empty() && number.size() < 10 &&
                      number.find_first_not_of("0123456789") == number.npos;
            if (is_read) extents.push_back(std::atoll(number.c_str()));
            at = end + 1;
        }
        if (!is_read)
            throw words_error(command +
                              ": --shape is a name and extents, such as x=1x3x48x320, "
                              "not '" +
                              one + "'");
        out[one.substr(0, equal)] = std::move(extents);
    }
    return out;
}

/// The state of all tasks, from their events.
class model_progress {
public:
    model_progress(model_tasks const& model, console& on, double seconds)
        : shown_(on)
        , seconds_(seconds)
    {
        for (model_task const& task : model.tasks)
            tasks_[task.name].calls = static_cast<double>(task.calls.size());
    }
    void note(progress const& event)
    {
        state& task = tasks_[event.name];
        if (event.has_best) task.best_s = event.best_value;
        if (event.default_value > 0) task.default_s = event.default_value;
        if (event.event == progress_event::evaluated) ++evaluations_;
        shown_.note([this] { return text(); });
    }

private:
    struct state {
        double calls = 0;
        double best_s = 0;
        double default_s = 0;
    };
    [[nodiscard]] std::string text() const
    {
        std::size_t known = 0;
        double best_s = 0;
        double default_s = 0;
        for (auto const& [name, task] : tasks_) {
            if (!(task.best_s > 0)) continue;
            ++known;
            best_s += task.calls * task.best_s;
            default_s += task.calls * (task.default_s > 0 ? task.default_s : task.best_s);
        }
        return "attune: tune: " + std::to_string(known) + " of " + std::to_string(tasks_.size()) +
               " tasks, " + std::to_string(evaluations_) + " evaluations" +
               formatted(", %.3g ms so far", best_s * 1e3) +
               formatted(", by the defaults %.3g ms", default_s * 1e3) +
               formatted(", %.0f s left", std::max(0.0, seconds_ - shown_.seconds()));
    }

    work_progress shown_;
    double seconds_;
    std::map<std::string, state> tasks_;
    std::size_t evaluations_ = 0;
};

/// Writes the code of each task into a folder: NAME.cpp.
inline void write_codes(tuned_model const& model, std::string const& folder)
{
    std::error_code no;
    std::filesystem::create_directories(folder, no);
    if (!std::filesystem::is_directory(folder, no))
        throw error("the folder cannot be made", folder, "choose another name");
    for (tuned_task const& task : model.tasks)
        write_output((std::filesystem::path(folder) / (task.name + ".cpp")).string(), task.code);
}

[[nodiscard]] inline tool_json json_of(tuned_model const& model)
{
    tool_json out;
    out["model"] = model.name;
    out["best_s"] = model.best_s();
    out["default_s"] = model.default_s();
    out["covered"] = model.covered;
    out["evaluations"] = model.evaluations;
    out["elapsed_s"] = model.elapsed_s;
    out["interrupted"] = model.interrupted;
    out["tasks"] = tool_json::array();
    for (tuned_task const& task : model.tasks) {
        tool_json one;
        one["name"] = task.name;
        one["operators"] = task.operators;
        one["calls"] = task.calls;
        one["operations"] = task.operations;
        one["best_s"] = task.best_s;
        if (task.default_s > 0) one["default_s"] = task.default_s;
        one["configuration"] = task.configuration;
        if (task.roofline) one["roofline"] = task.roofline->fraction;
        if (!task.reason.empty()) one["reason"] = task.reason;
        out["tasks"].push_back(std::move(one));
    }
    out["outside"] = tool_json::array();
    for (outside_operator const& one : model.outside) {
        tool_json row;
        row["op"] = one.op;
        row["nodes"] = one.nodes;
        row["operations"] = one.operations;
        row["reason"] = one.reason;
        out["outside"].push_back(std::move(row));
    }
    return out;
}

/// The tasks of a model, without times: calls, operations, part of all operations.
inline void list_tasks(model_tasks const& model, console& on)
{
    text_table table{.head = {"layer", ">calls", ">operations", ">share", "operators"}};
    double const all = model.operations();
    for (model_task const& task : model.tasks) {
        double const operations = task.operations * static_cast<double>(task.calls.size());
        table.rows.push_back({task.name, std::to_string(task.calls.size()),
                              formatted("%.3g", operations),
                              formatted("%.1f %%", 100 * operations / all), task.operators});
    }
    table.write(on);
    for (outside_operator const& one : model.outside)
        on.out << "outside: " << printable(one.op) << ", " << one.nodes.size() << ", "
               << formatted("%.1f %% of the operations: ", 100 * one.operations / all)
               << printable(one.reason) << '\n';
}

/// @param budget  of no evaluations: times the winners of the store
[[nodiscard]] inline tuned_model tuned_here(words const& given, std::string const& command,
                                            std::string const& path, search_limits const& budget,
                                            std::string const& store, console& on)
{
#ifdef ATTUNE_TOOL_HAS_TASKS
    model_tasks const model = tasks_of(path, {shapes_in(given.values("--shape"), command)});
    model_progress shown(model, on, budget.seconds);
    return tune_model(model, {.budget = budget,
                              .store = store,
                              .seed = given.number("--seed", 0),
                              .progress = [&shown](progress const& event) { shown.note(event); }});
#else
    static_cast<void>(given);
    static_cast<void>(budget);
    static_cast<void>(store);
    static_cast<void>(on);
    throw error("this program was built without libonnx, so that it has no " + command +
                    " of models",
                path, "install libonnx-dev and libprotobuf-dev, and build attune again");
#endif
}

[[nodiscard]] inline int run_tune(words const& given, console& on)
{
    std::string const& path = given.plain[0];
#ifdef ATTUNE_TOOL_HAS_TASKS
    if (given.has("--list")) {
        list_tasks(tasks_of(path, {shapes_in(given.values("--shape"), "tune")}), on);
        return done;
    }
#endif
    search_limits const budget{
        .evaluations = given.number("--evaluations", search_limits::any_number),
        .seconds = seconds_in(given.value("--budget").value_or("10min"), "tune")};
    if (auto const page = given.value("--output")) refuse_store(*page);
    tuned_model const found =
        tuned_here(given, "tune", path, budget, given.value("--store").value_or(""), on);
    if (given.has("--json"))
        on.out << line_of(json_of(found)) << '\n';
    else
        on.out << found.table();
    if (auto const page = given.value("--output"))
        write_output(*page, "# " + path + "\n\n" + found.table());
    if (auto const folder = given.value("--code")) {
        write_codes(found, *folder);
        on.err << "attune: tune: " << printable(*folder) << " has " << found.tasks.size()
               << (found.tasks.size() == 1 ? " file\n" : " files\n");
    }
    return found.interrupted ? interrupted : done;
}

[[nodiscard]] inline command tune_command()
{
    return {
        .name = "tune",
        .usage = "MODEL.onnx [options]",
        .what = "Tunes the layers of a model together, and writes the winners as C++.",
        .options = {shape_option,
                    {"--budget", "TIME", "of all layers together: 10min, 90s, 1h (10min)"},
                    {"--evaluations", "NUMBER", "so many at most"},
                    {"--store", "FILE", "keeps winners there; what it has is not tuned again"},
                    {"--code", "FOLDER", "writes each winner there as C++ that compiles alone"},
                    {"--output", "FILE", "writes the table there, as Markdown", 'o'},
                    {"--list", "", "names the layers and their operations; tunes nothing"},
                    seed_option,
                    json_option},
        .more = "  attune tune model.onnx --list\n"
                "  attune tune model.onnx --shape x=1x3x48x320 --budget 10min --store model.attune "
                "--code kernels/\n\n"
                "Operators are fused as an inference engine fuses them: norms and factors are part "
                "of the\n"
                "weights, activations and residual sums belong to the layer before them. Layers of "
                "one shape\n"
                "are tuned once. Weights are those of the file, inputs random. Arrays that "
                "convolutions write\n"
                "have the channels last in memory. ms and share are of all calls of a layer, on "
                "one thread.\n"
                "Operators without a formula are named behind the table.\n",
        .least = 1,
        .most = 1,
        .run = run_tune,
    };
}

} // namespace attune::inline ATTUNE_ABI::detail::tool

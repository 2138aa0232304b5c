// attune/ship/tool/detail/ask.hpp - attune ask: ask and tell as lines of JSON, for any language.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/files/python_json.hpp>
#include <attune/search/optimizer.hpp>
#include <attune/search/search_limits.hpp>
#include <attune/ship/tool/command.hpp>
#include <attune/ship/tool/detail/files.hpp>
#include <attune/ship/tool/detail/import.hpp>

#include <istream>
#include <ostream>
#include <string>

namespace attune::inline ATTUNE_ABI::detail::tool {

/// {"value": 1.5}, with "low" and "high" or without; {"failed": "crash", "why": "..."}.
[[nodiscard]] inline outcome outcome_in(tool_json const& line)
{
    tool_json const failed = line.value("failed", tool_json());
    if (!failed.is_null() && failed != false) {
        if (line.contains("value"))
            throw error("this line has both \"value\" and \"failed\"", line_of(line), "say one");
        std::string const word = failed == true       ? "crash"
                                 : failed.is_string() ? failed.get<std::string>()
                                                      : line_of(failed);
        auto const stage = stage_of_word(word);
        if (!stage)
            throw error("there is no such failure", word,
                        "say compile, load, launch, crash, timeout or verify");
        auto const why = line.find("why");
        return failure{*stage, why == line.end() ? "reported as failed" : value_in_json(*why)};
    }
    auto const number = [&](char const* name) {
        tool_json const& at = line[name];
        if (!at.is_number())
            throw error(std::string("\"") + name + "\" is no number", line_of(at),
                        "write a number; a run without one is \"failed\": \"crash\"");
        return at.get<double>();
    };
    if (!line.contains("value"))
        throw error("there is no value", line_of(line), "add \"value\": NUMBER, or \"failed\"");
    measurement out = measurement::exact(number("value"));
    out.low = line.contains("low") ? number("low") : out.value;
    out.high = line.contains("high") ? number("high") : out.value;
    if (!(out.low <= out.value && out.value <= out.high))
        throw error("the value is not in its interval", line_of(line), "low <= value <= high");
    return out;
}

/// @param is_higher_better  the search has each value with the other sign
[[nodiscard]] inline tool_json reply_to(std::string const& text, optimizer_core& search,
                                        bool is_higher_better)
{
    auto const told = [&](outcome result) {
        auto* const m = std::get_if<measurement>(&result);
        if (m != nullptr && is_higher_better) *m = {-m->value, -m->high, -m->low, m->samples};
        return result;
    };
    description const& space = search.space().describe();
    foreign_json<tool_json> const read = read_foreign_json<tool_json>(text);
    tool_json const& line = read.value;
    if (!line.is_object())
        throw error("this is no JSON object" + (read.problem.empty() ? "" : ": " + read.problem),
                    text.substr(0, 80), "write one in a line");
    if (auto const twice = name_twice(text))
        throw error("this line has a member twice", std::string(*twice), "name it once");
    std::string asked;
    for (char const* const one : {"ask", "tell", "observe", "best"}) {
        if (!line.contains(one)) continue;
        if (!asked.empty())
            throw error("this line asks for two things", asked + " and " + one, "write two lines");
        asked = one;
    }
    tool_json out;
    if (line.contains("ask")) {
        if (!line["ask"].is_number_unsigned() || line["ask"] > 100'000)
            throw error("ask takes a number", line_of(line["ask"]), "write {\"ask\": 1}");
        out["ask"] = tool_json::array();
        for (point const& at : search.ask(line["ask"].get<std::size_t>()))
            out["ask"].push_back(json_of(space, at));
        if (out["ask"].empty() && search.stopped()) out["stopped"] = search.stopped()->text;
    } else if (line.contains("tell")) {
        search.tell(point_of(space, line["tell"]), told(outcome_in(line)));
        out["told"] = true;
    } else if (line.contains("observe")) {
        search.observe(point_of(space, line["observe"]), told(outcome_in(line)));
        out["told"] = true;
    } else if (line.contains("best")) {
        out["best"] = search.best() ? json_of(space, search.best()->first) : tool_json();
        if (search.best())
            out["value"] = 0.0 + (is_higher_better ? -1.0 : 1.0) * search.best()->second; // no -0
    } else {
        throw error("this asks for nothing", text.substr(0, 80), "use ask, tell, observe or best");
    }
    return out;
}

[[nodiscard]] inline int run_ask(words const& given, console& on)
{
    read_space const read = space_of(given.plain[0], given, on);
    search_limits limits;
    limits.evaluations = given.number("--evaluations", search_limits::any_number);
    limits.seconds = given.real("--seconds", search_limits::any_time);
    optimizer_core search(read.space, search_of(given), given.number("--seed", 0), false, limits);
    for (std::string line; std::getline(on.in, line);) {
        tool_json reply;
        try {
            reply = reply_to(line, search, given.has("--maximize"));
        } catch (error const& e) {
            reply = {{"error", sentence_of(e) + (e.next().empty() ? "" : "; " + e.next())}};
        } catch (tool_json::exception const&) {
            reply = {{"error", "a member of this line is of another kind; see attune ask --help"}};
        }
        on.out << line_of(reply) << '\n' << std::flush;
        if (!on.out) break; // the reader has gone
    }
    return done;
}

[[nodiscard]] inline command ask_command()
{
    return {
        .name = "ask",
        .usage = "SPACE.json [options]",
        .what = "Ask and tell by lines of JSON on standard input and output, for any language.",
        .options = {space_option,
                    space_input_option,
                    {"--maximize", "", "the highest value is best"},
                    search_option,
                    seed_option,
                    {"--evaluations", "NUMBER", "asks for nothing after so many outcomes"},
                    {"--seconds", "NUMBER", "nor after so much time"}},
        .more = "  {\"ask\": 2}                                  {\"ask\": [{\"TILE\": 8}, "
                "{\"TILE\": 64}]}\n"
                "  {\"tell\": {\"TILE\": 8}, \"value\": 1.25}        {\"told\": true}\n"
                "  {\"tell\": {\"TILE\": 64}, \"failed\": \"crash\"}   {\"told\": true}\n"
                "  {\"best\": true}                              {\"best\": {\"TILE\": 8}, "
                "\"value\": 1.25}\n\n"
                "Each line has one reply. The lowest value is best, with --maximize the highest; "
                "\"low\" and \"high\"\n"
                "may be its interval. \"observe\" tells what was not asked for. A failure is "
                "compile, load, launch,\n"
                "crash, timeout or verify, with \"why\". What is wrong has the reply "
                "{\"error\": \"...\"}, and nothing\nis changed.\n"
                "SPACE.json is a space of attune's own form, T1 or NNI's.\n",
        .least = 1,
        .most = 1,
        .run = run_ask,
    };
}

} // namespace attune::inline ATTUNE_ABI::detail::tool

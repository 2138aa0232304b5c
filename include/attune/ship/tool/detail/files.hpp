// attune/ship/tool/detail/files.hpp - the text of a file, the file of --output, and spaces in files.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/posix/replace_file.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/activity.hpp>
#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/group.hpp>
#include <attune/declare/table.hpp>
#include <attune/declare/text.hpp>
#include <attune/search/automatic.hpp>
#include <attune/search/local/annealing.hpp>
#include <attune/search/local/populations.hpp>
#include <attune/search/random.hpp>
#include <attune/search/searcher.hpp>
#include <attune/ship/tool/command.hpp>
#include <attune/ship/tool/detail/long_work.hpp>
#include <attune/ship/tool/detail/problems.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/files/nni.hpp>
#include <attune/space/files/read_json.hpp>
#include <attune/space/files/t1.hpp>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail::tool {

/// Errors  attune::error: it cannot be read, or is UTF-16
[[nodiscard]] inline std::string text_of_file(std::string const& path)
{
    std::error_code no;
    bool const is_folder = std::filesystem::is_directory(path, no);
    errno = 0;
    std::ifstream in(path, std::ios::binary);
    std::string out;
    if (in && !is_folder) out.assign(std::istreambuf_iterator<char>(in), {});
    if (!in || is_folder || in.bad())
        throw error("the file cannot be read: " +
                        std::generic_category().message(is_folder ? EISDIR : errno),
                    path, "name another file");
    std::string_view const begin = std::string_view(out).substr(0, 2);
    if (begin == "\xff\xfe" || begin == "\xfe\xff" ||
        (begin.size() == 2 && (begin[0] == '\0') != (begin[1] == '\0') &&
         std::max(begin[0], begin[1]) >= ' '))
        throw error("the file is UTF-16", path, "save it as UTF-8");
    return out;
}

inline constexpr option output_option{"--output", "FILE", "writes there, whole or not at all", 'o'};

/// Returns true if both names are of the same existing file.
[[nodiscard]] inline bool is_same_file(std::string const& a, std::string const& b)
{
    std::error_code no;
    return std::filesystem::equivalent(a, b, no);
}

/// Recognises a store by its first line, which has the format.
[[nodiscard]] inline bool begins_as_store(std::string_view text)
{
    return text.substr(0, text.find('\n')).find("\"attune_store\"") != text.npos;
}

/// Errors   attune::error: a store is at `path`, whose results would be lost
inline void refuse_store(std::string const& path)
{
    std::error_code no;
    if (!std::filesystem::is_regular_file(path, no)) return; // a pipe would block
    std::ifstream there(path);
    std::string line;
    if (there && std::getline(there, line) && begins_as_store(line))
        throw error("the output is a store, which would be lost", path, "choose another name");
}

/// Like replace_file(), but does not replace a store.
inline void write_output(std::string const& path, std::string_view text)
{
    refuse_store(path);
    replace_file(path, text);
}

/// Writes a store.
/// Errors   attune::error: the file exists
inline void create_output(std::string const& path, std::string_view text, std::string const& next)
{
    if (!create_file(path, text)) throw error("the output exists already", path, next);
}

inline constexpr option space_option{"--space", "NAME",
                                     "the space of this name, of several in the file"};
inline constexpr option space_input_option{"--input", "NAME=VALUE",
                                           "a value of an input of the space; may be repeated"};
inline constexpr option seed_option{"--seed", "NUMBER",
                                    "of the search (0); equal seeds, equal searches"};
inline constexpr option search_option{"--search", "automatic|annealing|genetic|random",
                                      "the search (automatic)"};

/// A space that was read, and the outside form of its configurations.
struct read_space {
    std::string name{};
    chain_of_trees space;
};

[[nodiscard]] inline search_factory search_of(words const& given)
{
    std::string const name = given.value("--search").value_or("automatic");
    if (name == "automatic") return default_search();
    if (name == "annealing") return search_with<annealing>();
    if (name == "genetic") return search_with<genetic>();
    if (name == "random") return search_with<random_searcher>();
    throw words_error("--search is automatic, annealing, genetic or random, not '" + name + "'");
}

/// Returns true if a text is a search space of NNI: an object whose members have a "_type".
[[nodiscard]] inline bool is_nni(std::string const& text)
{
    if (text.find("\"_type\"") == text.npos) return false;
    tool_json const json = tool_json::parse(text, nullptr, false);
    return json.is_object() && !json.empty() && json.front().is_object() &&
           json.front().contains("_type");
}

[[nodiscard]] inline std::vector<named_space> spaces_in(std::string const& text,
                                                        std::string const& path)
{
    if (is_nni(text)) return {read_nni(text, path)};
    bool const is_t1 = text.find("\"ConfigurationSpace\"") != text.npos;
    return is_t1 ? std::vector<named_space>{read_t1(text, path)} : read_spaces_json(text, path);
}

/// Reads a file of attune's own form, T1 or NNI.
/// @param on  receives a line if the work takes seconds
[[nodiscard]] inline read_space space_of(std::string const& path, words const& given, console& on)
{
    std::string const text = text_of_file(path);
    std::vector<named_space> const all = spaces_in(text, path);
    auto const wanted = given.value("--space");
    if (all.empty()) throw error("the file has no space", path, "add one to its list");
    named_space const* found = nullptr;
    std::string names;
    std::set<std::string> taken;
    for (named_space const& one : all) {
        if (!taken.insert(one.name).second && (!wanted || one.name == *wanted))
            throw error("the file has two spaces of the name '" + one.name + "'", path,
                        "give each its own \"name\"");
        names += (names.empty() ? "" : ", ") + one.name;
        if (!wanted || one.name == *wanted) found = &one;
    }
    if (found == nullptr)
        throw error("there is no such space in the file", path, "choose one of: " + names);
    if (!wanted && all.size() > 1)
        throw words_error(path + " has several spaces; choose one by --space: " + names);
    std::vector<input_value> inputs;
    for (auto const& [name, value] : pairs_of(given, "--input")) {
        std::uint32_t const at = found->space.find_input(name);
        if (at == no_index) throw words_error("the space has no input " + name);
        auto const real = real_in_text(value);
        auto const whole = parse_integers(value);
        bool const is_real = found->space.inputs[at].type == value_kind::real;
        if (!real || (!is_real && (!whole || whole->size() != 1)))
            throw words_error("--input " + name + " takes a " + (is_real ? "" : "whole ") +
                              "number, not '" + value + "'");
        inputs.emplace_back(name, is_real ? number::of(*real) : number::of((*whole)[0]));
    }
    slow_notice const notice([&] {
        on.err << "attune: building the space takes seconds: "
               << count_text(found->space.constraints.size(), "constraint") << " on "
               << count_text(found->space.parameters.size(), "parameter") << std::endl;
    });
    return {found->name.empty() ? path : found->name,
            chain_of_trees(bind_inputs(found->space, inputs))};
}

// --- configurations as JSON --------------------------------------------------------------------

[[nodiscard]] inline tool_json json_of(parameter_description const& parameter, coordinate at)
{
    std::string text = attune::text_of(parameter, at);
    if (parameter.type == value_kind::text) return text;
    if (parameter.type == value_kind::list && text.size() >= 2) {
        text.front() = '[';
        text.back() = ']';
    }
    tool_json const out = tool_json::parse(text, nullptr, false);
    return out.is_discarded() ? tool_json(text) : out;
}

[[nodiscard]] inline tool_json json_of(description const& space, point const& at)
{
    tool_json out = tool_json::object();
    for (named_value const& v : named_values(space)) {
        tool_json& value = out[std::string(v.name)];
        if (v.group == nullptr)
            value = json_of(space.parameters[v.first], at[v.first]);
        else if (v.is_long_order())
            value = order_of(space, v.first, at);
        else
            for (std::uint32_t i = v.first; i < v.first + v.count; ++i)
                value.push_back(json_of(space.parameters[i], at[i]));
    }
    return out;
}

/// The text of a value in JSON, as coordinate_of() reads it.
[[nodiscard]] inline std::string value_in_json(tool_json const& json)
{
    if (json.is_string()) return json.get<std::string>();
    if (!json.is_array()) return json.dump();
    std::vector<std::string> parts;
    for (tool_json const& part : json)
        parts.push_back(value_in_json(part));
    return text_of_elements(parts);
}

/// Inactive parameters may be missing, and may have any value.
/// Errors  attune::error: a parameter is missing, unknown, or has no such value
/// @param space  of a chain of trees
[[nodiscard]] inline point point_of(description const& space, tool_json const& json)
{
    if (!json.is_object())
        throw error("a configuration is an object", line_of(json), "write {\"NAME\": value, ...}");
    for (auto const& [name, value] : json.items())
        if (!find_value(space, name))
            throw error("the space has no such parameter", name, "leave it out");
    point out(space.parameters.size());
    std::vector<named_value> missing;
    for (named_value const& v : named_values(space)) {
        std::string const name(v.name);
        auto const at = json.find(name);
        if (at == json.end()) {
            missing.push_back(v);
            for (std::uint32_t i = v.first; i < v.first + v.count; ++i)
                out[i] = space.parameters[i].active.otherwise;
            continue;
        }
        std::string const text = value_in_json(*at);
        if (!set_value(space, v, out, text))
            throw error("a parameter has no such value", name + " = " + text,
                        "give one of its values");
    }
    for (named_value const& v : missing)
        if (is_active(space, v, out))
            throw error("a parameter has no value", std::string(v.name),
                        "give all parameters that count");
    settle(space, out);
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail::tool

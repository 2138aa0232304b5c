// attune/ship/tool/detail/program_problem.hpp - a program's words and the properties that separate its outcomes.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/system/process.hpp>
#include <attune/core/environment.hpp>
#include <attune/core/fixed_string.hpp>
#include <attune/core/hash.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/group.hpp>
#include <attune/declare/table.hpp>
#include <attune/remember/lines/store_content.hpp>
#include <attune/remember/problem/matching.hpp>
#include <attune/ship/tool/command.hpp>
#include <attune/ship/tool/detail/files.hpp>
#include <attune/ship/tool/detail/program_run.hpp>
#include <attune/tune/dispatch/choice/session_record.hpp>
#include <attune/tune/kernel/problem.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <ostream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail::tool {

/// A part of a program's word: fixed text, or a name in braces.
struct word_part {
    std::string text{};
    bool is_name = false; ///< "" names the whole configuration
};

/// `{{` and `}}` are braces, and so is `${...}` of a shell. A brace without a name stays.
[[nodiscard]] inline std::vector<word_part> parts_of(std::string_view word)
{
    constexpr std::string_view letters =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    std::vector<word_part> out{{}};
    std::size_t doubled = 0; // `{{` without a closing `}}`
    for (std::size_t i = 0; i < word.size(); ++i) {
        std::string_view const rest = word.substr(i);
        std::size_t const end = rest.find_first_not_of(letters, 1);
        bool const is_pair = rest[0] == '{' && end != rest.npos && rest[end] == '}';
        if (rest.starts_with("{{")) {
            ++doubled;
            out.back().text += '{';
            ++i;
        } else if (doubled > 0 && rest.starts_with("}}")) {
            --doubled;
            out.back().text += '}';
            ++i;
        } else if (is_pair && i > 0 && word[i - 1] == '$') {
            out.back().text += rest.substr(0, end + 1);
            i += end;
        } else if (is_pair) {
            out.push_back({std::string(rest.substr(1, end - 1)), true});
            out.push_back({});
            i += end;
        } else {
            out.back().text += rest[0];
        }
    }
    return out;
}

/// A command line with the names of parameters and inputs in braces.
struct command_template {
    std::vector<std::string> text{};

    /// The words for a configuration; "{}" is the configuration as JSON.
    [[nodiscard]] std::vector<std::string> filled(description const& space, point const& at) const
    {
        std::vector<std::string> out;
        for (std::string const& word : text) {
            std::string& made = out.emplace_back();
            for (word_part const& part : parts_of(word)) {
                if (!part.is_name)
                    made += part.text;
                else if (part.text.empty())
                    made += line_of(json_of(space, at));
                else if (auto const v = find_value(space, part.text))
                    made += text_at(space, *v, at);
                else
                    made += input_text(space, part.text);
            }
        }
        return out;
    }

    /// Errors  words_error: a parameter without a word; a name in braces that is no parameter
    void check(description const& space) const
    {
        std::vector<std::string_view> names;
        for (named_value const& v : named_values(space))
            names.push_back(v.name);
        std::set<std::string> used;
        for (std::string const& word : text)
            for (word_part const& part : parts_of(word)) {
                if (!part.is_name) continue;
                used.insert(part.text);
                if (part.text.empty() || find_value(space, part.text) ||
                    space.find_input(part.text) != no_index)
                    continue;
                std::string const near = nearest_word(part.text, names);
                throw words_error("minimize: the space has no parameter " + part.text +
                                  (near.empty() ? "" : "; did you mean {" + near + "}?") +
                                  "; write {{" + part.text + "}} for these braces themselves");
            }
        for (std::string_view const name : names)
            if (!used.contains("") && !used.contains(std::string(name)))
                throw words_error("minimize: the program is not told " + std::string(name) +
                                  "; write {" + std::string(name) +
                                  "} in one of its words, or {} for all as JSON");
    }

    /// A word in which {} is only a part, while other words have each parameter; empty: none. Such
    /// a word may be text of Python or of a shell.
    [[nodiscard]] std::string doubtful_braces(description const& space) const
    {
        std::set<std::string> used;
        std::string out;
        for (std::string const& word : text)
            for (word_part const& part : parts_of(word)) {
                if (!part.is_name) continue;
                used.insert(part.text);
                if (part.text.empty() && word != "{}") out = word;
            }
        for (named_value const& v : named_values(space))
            if (!used.contains(std::string(v.name))) return {};
        return out;
    }

private:
    [[nodiscard]] static std::string input_text(description const& space, std::string const& name)
    {
        number const value = space.inputs[space.find_input(name)].value.value();
        return value.is_real ? formatted("%.17g", value.real) : std::to_string(value.integer);
    }
};

/// Adds the bytes of a file, or the size and time of a long file.
inline void add_file(content_hash& to, std::string const& path)
{
    constexpr std::uintmax_t most_bytes = std::uintmax_t{64} << 20U;
    std::error_code no;
    if (!std::filesystem::is_regular_file(path, no)) return;
    std::uintmax_t const size = std::filesystem::file_size(path, no);
    std::ifstream in(path, std::ios::binary);
    if (no || !in) return;
    if (size > most_bytes) {
        auto const when = std::filesystem::last_write_time(path, no).time_since_epoch().count();
        to.add(std::to_string(size)).add(std::to_string(when));
        return;
    }
    to.add(std::string(std::istreambuf_iterator<char>(in), {}));
}

/// The text of a script, which begins with "#!"; empty for other files.
[[nodiscard]] inline std::string text_of_script(std::string const& path)
{
    constexpr std::uintmax_t most_bytes = std::uintmax_t{1} << 20U;
    std::error_code no;
    if (!std::filesystem::is_regular_file(path, no)) return {};
    if (std::filesystem::file_size(path, no) > most_bytes || no) return {};
    std::ifstream in(path, std::ios::binary);
    std::string text(std::istreambuf_iterator<char>(in), {});
    return text.starts_with("#!") ? text : std::string();
}

/// Adds the variables of the environment that a program's speed usually depends on, those that
/// the user names, and those that a word or a script names as $NAME, ${NAME} or, in quotation
/// marks, to `getenv` or `environ`.
/// @param declared  names that the user gave
inline void add_environment(content_hash& to, command_template const& program,
                            std::vector<std::string> const& declared)
{
    // A shell changes these, and no result depends on them.
    constexpr std::string_view of_shell[] = {"PWD", "OLDPWD", "SHLVL", "_"};
    constexpr std::string_view usual[] = {"OMP_",
                                          "GOMP_",
                                          "KMP_",
                                          "MKL_",
                                          "OPENBLAS_",
                                          "BLIS_",
                                          "CUDA_",
                                          "HIP_",
                                          "ROCR_",
                                          "HSA_",
                                          "MALLOC_",
                                          "OMPI_",
                                          "LD_PRELOAD=",
                                          "LD_LIBRARY_PATH=",
                                          "GLIBC_TUNABLES=",
                                          "CC=",
                                          "CXX=",
                                          "CFLAGS=",
                                          "CXXFLAGS=",
                                          "LDFLAGS=",
                                          "MAKEFLAGS="};
    std::vector<std::string> texts = program.text;
    for (std::string const& word : program.text)
        texts.push_back(text_of_script(&word == program.text.data() ? find_program(word) : word));
    std::vector<std::string> all = environment_of_children();
    std::sort(all.begin(), all.end());
    for (std::string const& variable : all) {
        std::string const name = variable.substr(0, variable.find('='));
        auto const begins = [&](std::string_view one) { return variable.starts_with(one); };
        auto const is_named = [&](std::string const& word) {
            for (std::string const& form : {'$' + name, "${" + name})
                for (std::size_t at = 0; (at = word.find(form, at)) != word.npos; ++at)
                    if (!is_identifier('_' + word.substr(at + form.size(), 1)) ||
                        at + form.size() == word.size())
                        return true; // not the begin of a longer name
            if (word.find("environ") == word.npos && word.find("getenv") == word.npos) return false;
            return word.find('"' + name + '"') != word.npos ||
                   word.find('\'' + name + '\'') != word.npos;
        };
        bool const is_declared =
            std::find(declared.begin(), declared.end(), name) != declared.end();
        bool const is_of_shell =
            std::find(std::begin(of_shell), std::end(of_shell), name) != std::end(of_shell);
        if (is_declared || std::any_of(std::begin(usual), std::end(usual), begins) ||
            (!is_of_shell && std::any_of(texts.begin(), texts.end(), is_named)))
            to.add(variable);
    }
}

/// A file inside a text for a shell, as in sh -c './run {A} data', that was changed after the
/// store; empty: none. Such a file is no part of the problem, because a run may write the file.
[[nodiscard]] inline std::string newer_file(command_template const& program,
                                            std::string const& store)
{
    std::error_code no;
    auto const when = std::filesystem::last_write_time(store, no);
    if (no) return {};
    for (std::string const& word : program.text) {
        std::string text = word;
        if (text.find_first_of(" \t\n;&|<>") == text.npos) continue;
        std::replace_if(
            text.begin(), text.end(),
            [](char c) {
                return std::string_view("\t\n;&|<>()'\"=`").find(c) != std::string_view::npos;
            },
            ' ');
        std::istringstream names(text);
        for (std::string name; names >> name;)
            if (std::filesystem::is_regular_file(name, no) && !is_same_file(name, store) &&
                std::filesystem::last_write_time(name, no) > when)
                return name;
    }
    return {};
}

/// The problem under which --store keeps outcomes. The source has the words of the command, the
/// bytes of the program's file, the bytes of each file that is a word or stands behind `=` in a
/// word, and variables of the environment. The setting has the measured number, and the limit.
[[nodiscard]] inline stored_problem
problem_of_program(read_space const& read, command_template const& program, run_options const& how)
{
    stored_problem out;
    content_hash source;
    for (std::string const& word : program.text) {
        source.add(word);
        add_file(source, &word == program.text.data() ? find_program(word) : word);
        if (std::size_t const equals = word.find('='); equals != word.npos)
            add_file(source, word.substr(equals + 1));
    }
    add_environment(source, program, how.environment);
    out.key.kernel = read.name;
    out.key.source = source.hex();
    out.key.compiler = minimize_compiler;
    out.key.device = device_name();
    out.key.inputs = texts_of_inputs(read.space.describe());
    if (how.measured.from != measured_number::source::last_number)
        out.key.setting.emplace_back("measured", how.measured.name());
    if (how.limit_s != usual_limit_s)
        out.key.setting.emplace_back("timeout", formatted("%.9g", how.limit_s));
    add_objective(out.key.setting, {.unit = how.unit, .is_higher_better = how.is_higher_better});
    for (named_value const& v : named_values(read.space.describe()))
        out.parameters.emplace_back(v.name);
    out.facts = facts_of_processor();
    return out;
}

/// The problem in the form of attune 0.4, whose key had only the words. Empty: such outcomes look
/// like others in 0.4.
[[nodiscard]] inline std::optional<stored_problem> problem_of_0_4(stored_problem now,
                                                                  command_template const& program)
{
    if (!now.key.setting.empty()) return std::nullopt;
    content_hash source;
    for (std::string const& word : program.text)
        source.add(word);
    now.key.source = source.hex();
    return now;
}

/// Reports outcomes of this space in the store that are not used because of a single difference.
/// @param old  the form of attune 0.4, if there is one
inline void tell_others(std::string const& path, stored_problem const& now,
                        std::optional<stored_problem> const& old, console& on)
{
    std::error_code none;
    if (!std::filesystem::exists(path, none)) return;
    store_content store = store_content::of_file(path);
    std::map<std::string, std::size_t> counts;
    for (listed_problem const& one : store.problems()) {
        record_key key = one.problem.key;
        bool const is_elsewhere = key.device != now.key.device;
        bool const is_other =
            key.source != now.key.source && !(old && key.source == old->key.source);
        key.device = now.key.device;
        key.source = now.key.source;
        key.schema = now.key.schema;
        if (key != now.key || is_other == is_elsewhere) continue;
        counts[is_other ? "of a program whose files, arguments or environment were others"
                        : "of another processor (" + printable(one.problem.key.device) + ')'] +=
            one.tried;
    }
    for (auto const& [why, count] : counts)
        on.err << "attune: minimize: " << printable(path) << " has " << count
               << (count == 1 ? " outcome " : " outcomes ") << why << "; not taken\n";
}

} // namespace attune::inline ATTUNE_ABI::detail::tool

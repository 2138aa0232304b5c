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
#include <attune/declare/text.hpp>
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
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <ostream>
#include <sched.h>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>
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
        std::string const text = text_of_number(value); // a whole real number has ".0"
        return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
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

/// The text of a file, such as a script; empty for a program's code, and for a long file.
[[nodiscard]] inline std::string text_of_script(std::string const& path)
{
    constexpr std::uintmax_t most_bytes = std::uintmax_t{1} << 20U;
    std::error_code no;
    if (!std::filesystem::is_regular_file(path, no)) return {};
    if (std::filesystem::file_size(path, no) > most_bytes || no) return {};
    std::ifstream in(path, std::ios::binary);
    std::string text(std::istreambuf_iterator<char>(in), {});
    return text.find('\0') == text.npos ? text : std::string();
}

/// A word with each combination of its parameters' values; as it stands if there are more than 64.
[[nodiscard]] inline std::vector<std::string> values_of_word(description const& space,
                                                             std::string const& word)
{
    constexpr std::uint64_t most = 64;
    std::set<std::uint32_t> read;
    for (word_part const& part : parts_of(word))
        if (auto const v = part.is_name ? find_value(space, part.text) : std::nullopt)
            for (std::uint32_t i = v->first; i < v->first + v->count; ++i)
                read.insert(i);
    std::uint64_t count = 1;
    for (std::uint32_t const i : read) {
        parameter_description const& p = space.parameters[i];
        count *= p.traits().is_interval ? most + 1 : p.value_count();
        if (count > most) return {word};
    }
    std::vector<std::string> out;
    point at(space.parameters.size());
    for (std::uint64_t setting = 0; setting < count; ++setting) {
        std::uint64_t rest = setting;
        for (std::uint32_t const i : read) {
            at[i].index = static_cast<std::uint32_t>(rest % space.parameters[i].value_count());
            rest /= space.parameters[i].value_count();
        }
        out.push_back(command_template{{word}}.filled(space, at)[0]);
    }
    return out;
}

/// The paths that parts of words name: of a text for a shell, as in sh -c './run {A} data', of an
/// option such as -fdata, of a module of Python, and with a value, as in ./v{A}. A run may make
/// files at them.
[[nodiscard]] inline std::set<std::string> paths_inside(description const& space,
                                                        command_template const& program)
{
    std::set<std::string> out;
    constexpr std::string_view signs = "\t\n;&|<>()'\"=`";
    for (std::string const& word : program.text)
        for (std::string text : values_of_word(space, word)) {
            bool const is_program = &word == program.text.data();
            if (text != word) out.insert(is_program ? find_program(text) : text);
            if (text.starts_with('-') && text.size() > 2) out.insert(text.substr(2));
            bool const is_shell = text.find_first_of(" \t\n;&|<>") != text.npos;
            std::replace_if(
                text.begin(), text.end(), [&](char c) { return signs.find(c) != signs.npos; }, ' ');
            std::istringstream parts(text);
            for (std::string part; parts >> part;) {
                if (is_shell && part.find('/') == part.npos) out.insert(find_program(part));
                if (is_shell || text != word) out.insert(part);
                std::replace(part.begin(), part.end(), '.', '/');
                out.insert(part + ".py");
                out.insert(part + "/__main__.py");
            }
        }
    return out;
}

/// The files at these paths, without the store.
[[nodiscard]] inline std::set<std::string> files_at(std::set<std::string> const& paths,
                                                    std::string const& store)
{
    std::set<std::string> out;
    for (std::string const& path : paths) {
        std::error_code no;
        if (std::filesystem::is_regular_file(path, no) && !is_same_file(path, store))
            out.insert(path);
    }
    return out;
}

/// The sizes and times of files. A run that writes one of them changes this text.
[[nodiscard]] inline std::string state_of(std::set<std::string> const& files)
{
    std::string out;
    for (std::string const& path : files) {
        std::error_code no;
        auto const when = std::filesystem::last_write_time(path, no).time_since_epoch().count();
        out += path + ' ' + std::to_string(std::filesystem::file_size(path, no)) + ' ' +
               std::to_string(when) + '\n';
    }
    return out;
}

/// Adds the variables of the environment that a program's speed usually depends on, those that
/// the user names, and those that a word or a file's text names as $NAME, ${NAME}, $(NAME),
/// ENV{NAME}, env.NAME, `printenv NAME` or, in quotation marks, beside `env` in any case.
/// @param inside    files besides the program and its words
/// @param declared  names that the user gave
inline void add_environment(content_hash& to, command_template const& program,
                            std::set<std::string> const& inside,
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
                                          "GOMAXPROCS=",
                                          "RAYON_",
                                          "JULIA_",
                                          "NUMBA_",
                                          "TBB_",
                                          "KOKKOS_",
                                          "XLA_",
                                          "NCCL_",
                                          "PYTHONPATH=",
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
    for (std::string const& path : inside)
        texts.push_back(text_of_script(path));
    std::vector<std::string> all = environment_of_children();
    std::sort(all.begin(), all.end());
    for (std::string const& variable : all) {
        std::string const name = variable.substr(0, variable.find('='));
        auto const begins = [&](std::string_view one) { return variable.starts_with(one); };
        auto const is_named = [&](std::string const& word) {
            for (std::string const& form : {'$' + name, "${" + name, "$(" + name, "ENV{" + name,
                                            "ENV{{" + name, "env." + name, "printenv " + name})
                for (std::size_t at = 0; (at = word.find(form, at)) != word.npos; ++at)
                    if (!is_identifier('_' + word.substr(at + form.size(), 1)) ||
                        at + form.size() == word.size())
                        return true; // not the begin of a longer name
            if (word.find("env") == word.npos && word.find("Env") == word.npos &&
                word.find("ENV") == word.npos)
                return false; // also ENVIRON["NAME"] of awk, ENV["NAME"], os.Getenv("NAME")
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

/// The name of one of these files that was changed or replaced after the store; empty if there is
/// none.
[[nodiscard]] inline std::string newer_file(std::set<std::string> const& files,
                                            std::string const& store)
{
    struct ::stat of_store{};
    if (::stat(store.c_str(), &of_store) != 0) return {};
    auto const is_before = [&](::timespec const& when) {
        return std::pair(of_store.st_mtim.tv_sec, of_store.st_mtim.tv_nsec) <
               std::pair(when.tv_sec, when.tv_nsec);
    };
    for (std::string const& path : files) {
        // A file that has an older time, or a link to another file, has a new time of its status.
        struct ::stat file{}, link{};
        if (::stat(path.c_str(), &file) == 0 && ::lstat(path.c_str(), &link) == 0 &&
            (is_before(file.st_mtim) || is_before(file.st_ctim) || is_before(link.st_ctim)))
            return path;
    }
    return {};
}

/// The problem under which --store keeps outcomes. The source has the words of the command, the
/// bytes of the program's file, the bytes of each file that is a word or stands behind `=` in a
/// word, and variables of the environment. The setting has the measured number, and the limit.
/// @param inside  more files; empty if a run writes one of them
[[nodiscard]] inline stored_problem problem_of_program(read_space const& read,
                                                       command_template const& program,
                                                       run_options const& how,
                                                       std::set<std::string> const& inside)
{
    stored_problem out;
    content_hash source;
    for (std::string const& word : program.text) {
        source.add(word);
        add_file(source, &word == program.text.data() ? find_program(word) : word);
        if (std::size_t const equals = word.find('='); equals != word.npos)
            add_file(source, word.substr(equals + 1));
    }
    for (std::string const& path : inside)
        add_file(source.add(path), path);
    add_environment(source, program, inside, how.environment);
    out.key.kernel = read.name;
    out.key.source = source.hex();
    out.key.compiler = minimize_compiler;
    out.key.device = device_name();
    ::cpu_set_t mine; // programs take their threads from it: taskset, Slurm, containers
    if (::sched_getaffinity(0, sizeof mine, &mine) == 0 &&
        CPU_COUNT(&mine) != ::sysconf(_SC_NPROCESSORS_ONLN))
        out.key.setting.emplace_back("processors", std::to_string(CPU_COUNT(&mine)));
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

/// The setting that counts the changes of files that a run writes: outcomes of before a change have
/// another key. Without a change, the setting is absent.
inline constexpr char const* changes_name = "changes of its files";

/// Returns the largest count of changes that this problem has in the store; 0: none.
[[nodiscard]] inline std::size_t changes_of(std::string const& path, stored_problem const& problem)
{
    std::error_code none;
    if (!std::filesystem::exists(path, none)) return 0;
    store_content store = store_content::of_file(path);
    std::size_t out = 0;
    for (listed_problem const& one : store.problems()) {
        record_key key = one.problem.key;
        if (key.setting.empty() || key.setting.back().first != changes_name) continue;
        std::size_t const count =
            static_cast<std::size_t>(std::strtoull(key.setting.back().second.c_str(), nullptr, 10));
        key.setting.pop_back();
        key.schema = problem.key.schema;
        if (key == problem.key) out = std::max(out, count);
    }
    return out;
}

/// Returns the problem after so many changes of files that a run writes.
[[nodiscard]] inline stored_problem after_changes(stored_problem problem, std::size_t count)
{
    if (count > 0) problem.key.setting.emplace_back(changes_name, std::to_string(count));
    return problem;
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

// attune/ship/tool/tool.ipp - the table of sub-commands, their call, and attune completion.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/environment.hpp>
#include <attune/core/version.hpp>
#include <attune/ship/tool/detail/ask.hpp>
#include <attune/ship/tool/detail/bake.hpp>
#include <attune/ship/tool/detail/best.hpp>
#include <attune/ship/tool/detail/doctor.hpp>
#include <attune/ship/tool/detail/export.hpp>
#include <attune/ship/tool/detail/import.hpp>
#include <attune/ship/tool/detail/merge.hpp>
#include <attune/ship/tool/detail/minimize.hpp>
#include <attune/ship/tool/detail/retune.hpp>
#include <attune/ship/tool/detail/show.hpp>
#include <attune/ship/tool/detail/space.hpp>
#include <attune/ship/tool/detail/techniques.hpp>
#include <attune/ship/tool/detail/tune.hpp>
#include <attune/ship/tool/tool.hpp>

#include <algorithm>
#include <csignal>
#include <iostream>
#include <unistd.h>

namespace attune::inline ATTUNE_ABI::detail::tool {

/// A script that defines the completion, from the table of sub-commands.
/// Source   Programmable Completion, GNU Bash manual
[[nodiscard]] inline std::string completion_text(std::vector<command> const& all)
{
    std::string names, cases;
    for (command const& one : all) {
        names += std::string(one.name) + ' ';
        cases += "    " + std::string(one.name) + ") words='--help";
        for (option const& known : one.options)
            cases += ' ' + std::string(known.name);
        cases += "' ;;\n";
    }
    return "# bash completion of attune; made by: attune completion\n"
           "_attune() {\n"
           "    local current=${COMP_WORDS[COMP_CWORD]} words=''\n"
           "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
           "        COMPREPLY=($(compgen -W '" +
           names +
           "--help --version' -- \"$current\"))\n"
           "        return\n"
           "    fi\n"
           "    COMPREPLY=()\n"
           "    case $current in -*) ;; *) return ;; esac # bash's own: files\n"
           "    case ${COMP_WORDS[1]} in\n" +
           cases +
           "    esac\n"
           "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
           "}\n"
           "complete -o bashdefault -o default -F _attune attune\n";
}

[[nodiscard]] inline int run_completion(words const&, console& on)
{
    on.out << completion_text(all_commands());
    return done;
}

[[nodiscard]] inline command completion_command()
{
    return {
        .name = "completion",
        .usage = "",
        .what = "A script with which bash completes commands and options.",
        .options = {},
        .more = "  source <(attune completion)\n",
        .run = run_completion,
    };
}

ATTUNE_INLINE std::vector<command> const& all_commands()
{
    static std::vector<command> const all{
        show_command(),       best_command(),      explain_command(), report_command(),
        watch_command(),      diff_command(),      merge_command(),   prune_command(),
        bake_command(),       prepare_command(),   export_command(),  import_command(),
        doctor_command(),     minimize_command(),  retune_command(),  ask_command(),
        techniques_command(), recommend_command(), space_command(),   completion_command(),
        status_command(),     tune_command(),
    };
    return all;
}

[[nodiscard]] inline std::string help_of_all()
{
    std::string out =
        "attune COMMAND ...: looks into stores of tuned kernels, and tunes any program\n\n";
    for (command const& one : all_commands())
        out += "  " + std::string(one.name) + std::string(12 - one.name.size(), ' ') +
               std::string(one.what) + '\n';
    return out + "\n  attune COMMAND --help says more of one; attune --version has the version\n\n"
                 "It ends with 0 when all is done, 1 when the answer is no (nothing is known, two "
                 "stores\n"
                 "differ), 2 for a wrong command line, 3 for a file or a machine that cannot be "
                 "used, and\n"
                 "130 after Ctrl-C. NO_COLOR in the environment, or another place than a terminal: "
                 "no colours.\n";
}

/// @return  the exit code of a sub-command
[[nodiscard]] inline int run_command(std::vector<std::string> const& given, console& on)
{
    std::string const name = given.empty() ? "--help" : given[0];
    if (name == "--help" || name == "-h" || (name == "help" && given.size() == 1)) {
        (given.empty() ? on.err : on.out) << help_of_all();
        return given.empty() ? wrong_words : done;
    }
    if (name == "--version") {
        on.out << "attune " << version << '\n';
        return done;
    }
    bool const wants_help = name == "help" && given.size() == 2;
    std::string const wanted = wants_help ? given[1] : name;
    std::vector<std::string_view> names;
    for (command const& one : all_commands()) {
        names.push_back(one.name);
        if (one.name != wanted) continue;
        std::vector<std::string> const rest(given.begin() + 1, given.end());
        auto const end = std::find(rest.begin(), rest.end(), "--");
        if (wants_help || std::find(rest.begin(), end, "--help") != end ||
            std::find(rest.begin(), end, "-h") != end) {
            on.out << help_of(one);
            return done;
        }
        return one.run(sort_words(one, rest), on);
    }
    std::string const near = nearest_word(wanted, names);
    throw words_error(
        "there is no command '" + printable(wanted) + "'" +
        (near.empty() ? "; attune --help names them" : "; did you mean " + near + "?"));
}

ATTUNE_INLINE int run_tool(std::vector<std::string> const& given, console& on)
{
    int code = unusable;
    std::string const name = given.empty() || given[0].starts_with('-') ? "" : given[0];
    try {
        code = run_command(given, on);
        // A reader that closes the pipe early, such as head, is no error.
        if (!on.out.flush() && !on.has_no_reader()) {
            on.err << "attune: standard output cannot be written\n";
            code = unusable;
        }
    } catch (words_error const& e) {
        on.err << "attune: " << printable(e.what()) << '\n';
        code = wrong_words;
    } catch (...) {
        on.err << printable(sentence_of_exception(name)) << '\n';
    }
    return code;
}

/// True if a write found that the reader of its pipe has closed its end.
inline std::sig_atomic_t volatile lost_reader = 0;

ATTUNE_INLINE int run_tool(int count, char const* const* given)
{
    console on{std::cin, std::cout, std::cerr};
    on.has_colours = ::isatty(STDOUT_FILENO) != 0 && environment_variable("NO_COLOR").empty() &&
                     environment_variable("TERM") != "dumb";
    on.is_live = ::isatty(STDERR_FILENO) != 0;
    std::ios::sync_with_stdio(false);
    // A handler, not SIG_IGN: started programs do not inherit a handler. A search continues after
    // the reader of its progress has ended.
    std::signal(SIGPIPE, [](int) { lost_reader = 1; });
    std::signal(SIGXFSZ, [](int) {}); // a write beyond the limit of files fails, with a message
    on.has_no_reader = [] { return lost_reader != 0; };
    return run_tool(std::vector<std::string>(given + std::min(count, 1), given + count), on);
}

} // namespace attune::inline ATTUNE_ABI::detail::tool

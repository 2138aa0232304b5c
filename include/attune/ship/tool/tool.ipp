// attune/ship/tool/tool.ipp - the table of sub-commands, and what runs one of them.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/environment.hpp>
#include <attune/core/version.hpp>
#include <attune/ship/tool/detail/ask.hpp>
#include <attune/ship/tool/detail/bake.hpp>
#include <attune/ship/tool/detail/best.hpp>
#include <attune/ship/tool/detail/completion.hpp>
#include <attune/ship/tool/detail/diff.hpp>
#include <attune/ship/tool/detail/doctor.hpp>
#include <attune/ship/tool/detail/explain.hpp>
#include <attune/ship/tool/detail/export.hpp>
#include <attune/ship/tool/detail/import.hpp>
#include <attune/ship/tool/detail/merge.hpp>
#include <attune/ship/tool/detail/minimize.hpp>
#include <attune/ship/tool/detail/prepare.hpp>
#include <attune/ship/tool/detail/prune.hpp>
#include <attune/ship/tool/detail/report.hpp>
#include <attune/ship/tool/detail/retune.hpp>
#include <attune/ship/tool/detail/show.hpp>
#include <attune/ship/tool/detail/space.hpp>
#include <attune/ship/tool/detail/status.hpp>
#include <attune/ship/tool/detail/techniques.hpp>
#include <attune/ship/tool/detail/watch.hpp>
#include <attune/ship/tool/tool.hpp>

#include <algorithm>
#include <csignal>
#include <iostream>
#include <unistd.h>

namespace attune::inline ATTUNE_ABI::detail::tool {

ATTUNE_INLINE std::vector<command> const& all_commands()
{
    static std::vector<command> const all{
        show_command(),       best_command(),      explain_command(), report_command(),
        watch_command(),      diff_command(),      merge_command(),   prune_command(),
        bake_command(),       prepare_command(),   export_command(),  import_command(),
        doctor_command(),     minimize_command(),  retune_command(),  ask_command(),
        techniques_command(), recommend_command(), space_command(),   completion_command(),
        status_command(),
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
        // A reader such as head, which has enough, is no error.
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

/// Whether a write found that the other end of its pipe was closed.
inline std::sig_atomic_t volatile lost_reader = 0;

ATTUNE_INLINE int run_tool(int count, char const* const* given)
{
    console on{std::cin, std::cout, std::cerr};
    on.has_colours = ::isatty(STDOUT_FILENO) != 0 && environment_variable("NO_COLOR").empty() &&
                     environment_variable("TERM") != "dumb";
    on.is_live = ::isatty(STDERR_FILENO) != 0;
    std::ios::sync_with_stdio(false);
    // A handler, not SIG_IGN: programs that are started do not inherit it. A search goes on after
    // the reader of its progress has ended.
    std::signal(SIGPIPE, [](int) { lost_reader = 1; });
    std::signal(SIGXFSZ, [](int) {}); // a write beyond the limit of files fails, and is told
    on.has_no_reader = [] { return lost_reader != 0; };
    return run_tool(std::vector<std::string>(given + std::min(count, 1), given + count), on);
}

} // namespace attune::inline ATTUNE_ABI::detail::tool

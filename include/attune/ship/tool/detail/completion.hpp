// attune/ship/tool/detail/completion.hpp - attune completion: what bash completes behind the program's name.
// SPDX-License-Identifier: MIT
// Source   Programmable Completion, GNU Bash manual
#pragma once

#include <attune/core/version.hpp>
#include <attune/ship/tool/command.hpp>
#include <attune/ship/tool/tool.hpp>

#include <ostream>
#include <string>

namespace attune::inline ATTUNE_ABI::detail::tool {

/// A script that defines the completion, of the table of sub-commands.
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

} // namespace attune::inline ATTUNE_ABI::detail::tool

// attune/ship/tool/detail/watch.hpp - attune watch: a running tuning in the terminal.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/ship/report/watch.hpp>
#include <attune/ship/tool/command.hpp>
#include <attune/ship/tool/detail/selection.hpp>

#include <chrono>
#include <ostream>
#include <string>
#include <sys/ioctl.h>
#include <thread>
#include <unistd.h>

namespace attune::inline ATTUNE_ABI::detail::tool {

/// Of the terminal at standard output.
[[nodiscard]] inline std::size_t terminal_columns()
{
    struct ::winsize size{};
    bool const is_known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return is_known ? size.ws_col : 80;
}

[[nodiscard]] inline int run_watch(words const& given, console& on)
{
    bool const is_once = given.has("--once");
    watch_store(given.plain[0],
                {.write = [&](std::string const& text) { on.out << text << std::flush; },
                 .goes_on = [&] { return !is_once && on.out.good(); },
                 .wait =
                     [](double seconds) {
                         std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
                     },
                 .is_terminal = on.has_colours,
                 .columns = terminal_columns,
                 .kernel = given.value("--kernel").value_or(""),
                 .waits_for = !is_once});
    return done;
}

[[nodiscard]] inline command watch_command()
{
    return {
        .name = "watch",
        .usage = "STORE [options]",
        .what = "A running tuning, through the store that it writes to: best so far, failures.",
        .options = {{"--once", "", "what is known now, and no more"}, kernel_option},
        .more =
            "  attune watch sgemm.attune\n\n"
            "A store that is not there yet is waited for, but not with --once. Ctrl-C ends it, not "
            "the tuning.\n",
        .least = 1,
        .most = 1,
        .run = run_watch,
    };
}

} // namespace attune::inline ATTUNE_ABI::detail::tool

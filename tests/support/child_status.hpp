// tests/support/child_status.hpp - what a forked child does, and how it ended.
// SPDX-License-Identifier: MIT
#pragma once

#include <doctest/doctest.h>
#include <exception>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace attune_test {

/// The status, as of waitpid(), of a child that ends with what `act` returns.
template <class Act>
[[nodiscard]] int child_status(Act const& act)
{
    pid_t const child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) ::_exit(act());
    int status = -1;
    REQUIRE(::waitpid(child, &status, 0) == child);
    return status;
}

/// The text that `act` returns, or throws, in a child: all that it loads ends with it.
template <class Act>
[[nodiscard]] std::string text_of_child(Act const& act)
{
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    pid_t const child = ::fork();
    if (child == 0) {
        std::string text;
        try {
            text = act();
        } catch (std::exception const& thrown) {
            text = thrown.what();
        }
        (void)!::write(ends[1], text.data(), text.size());
        ::_exit(0);
    }
    ::close(ends[1]);
    std::string out;
    char buffer[256];
    for (ssize_t n = 0; (n = ::read(ends[0], buffer, sizeof buffer)) > 0;)
        out.append(buffer, static_cast<std::size_t>(n));
    ::close(ends[0]);
    ::waitpid(child, nullptr, 0);
    return out;
}

} // namespace attune_test

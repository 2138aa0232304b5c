// tests/measure/program_output.hpp - what a program with its own buffered stdout writes.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdio>
#include <doctest/doctest.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace attune_test {

/// Runs `body` in a process of its own, with stdout in a file, fully buffered; gives what the file
/// holds in the end. The process ends as a program does: its stdio buffers are written.
template <class Body>
std::string stdout_of_a_program(Body const& body)
{
    std::FILE* const file = std::tmpfile();
    REQUIRE(file != nullptr);
    std::fflush(stdout); // nothing of doctest's may be written twice either
    pid_t const program = fork();
    if (program == 0) {
        dup2(fileno(file), STDOUT_FILENO);
        static char room[1 << 16];
        std::setvbuf(stdout, room, _IOFBF, sizeof room);
        body();
        std::fflush(stdout);
        _exit(0);
    }
    int status = -1;
    waitpid(program, &status, 0);
    CHECK(WIFEXITED(status));
    std::rewind(file);
    std::string text;
    for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file))
        text.push_back(static_cast<char>(c));
    std::fclose(file);
    return text;
}

} // namespace attune_test

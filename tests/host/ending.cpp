// tests/host/ending.cpp - programs that end while attune is at work: the argument says how.
// SPDX-License-Identifier: MIT
#include <chrono>
#include <cstring>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "scale.hpp"

namespace {

void sleep_ms(int n) { std::this_thread::sleep_for(std::chrono::milliseconds(n)); }

// exit() waits for a tuning two seconds at most. On a busy machine the tuning then still uses the
// kernel's storage and the arrays: to free them would be the program's own mistake.
host::settings const long_tuning{.outlived = true, .evaluations = 100000, .seconds = 300};
host::settings const short_tuning{.evaluations = 3};

host::scale static_scale{long_tuning};
host::arrays& static_arrays = *new host::arrays(300'000);

[[noreturn]] void tune_for_ever(host::scale& scale, host::arrays& data)
{
    data.call(scale);
    for (;;)
        data.call(scale);
}

/// @param system  g++ compiles the variants
int program(char const* way, bool system)
{
    auto const is = [&](char const* what) { return std::strcmp(way, what) == 0; };
    if (is("static")) { // tuned, used, and left to its destructor
        static host::scale scale{short_tuning};
        host::arrays data(1000);
        data.call(scale);
        HOST_CHECK(data.called(1));
        return 7;
    }
    if (is("exit")) { // in the middle of a tuning of another thread, at several moments
        std::thread other([] { tune_for_ever(static_scale, static_arrays); });
        sleep_ms(300 + static_cast<int>(::getpid() % 10) * 150);
        std::exit(7);
    }
    if (is("return")) {
        std::thread([] { tune_for_ever(static_scale, static_arrays); }).detach();
        sleep_ms(1200);
        return 7;
    }
    if (is("local")) { // made after the program's own static objects, and after another tuning
        static host::scale first{short_tuning};
        host::arrays data(1000);
        data.call(first);
        static host::scale second{long_tuning};
        static host::arrays& its = *new host::arrays(300'000);
        std::thread([] { tune_for_ever(second, its); }).detach();
        sleep_ms(1200);
        return 7;
    }
    if (is("detached")) { // in installed code, called again and again, while objects are destroyed
        static host::scale scale{{.outlived = true, .evaluations = 3, .system = system}};
        static host::arrays& data = *new host::arrays(1000);
        data.call(scale);
        for (int i = 0; i < 3; ++i)
            std::thread([] {
                for (;;)
                    data.call(scale);
            }).detach();
        sleep_ms(50);
        return 7;
    }
    return 2;
}

} // namespace

/// A second process is the program; this one says how it ended, and how soon.
int main(int count, char** arguments)
{
    if (count < 2) return 2;
    pid_t const id = ::fork();
    if (id == 0) return program(arguments[1], count > 2);
    int status = 0;
    ::waitpid(id, &status, 0);
    std::printf("%s %d\n", WIFEXITED(status) ? "status" : "signal",
                WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
    return WIFEXITED(status) && WEXITSTATUS(status) == 7 ? 0 : 1;
}

// tests/host/descriptors.cpp - a program that has no free descriptor at the first call of a kernel.
// SPDX-License-Identifier: MIT
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "scale.hpp"

int main(int count, char** text)
{
    host::scale scale{
        {.evaluations = 3, .system = count > 1 && std::strcmp(text[1], "system") == 0}};
    host::arrays mine(1000);
    rlimit before{};
    HOST_CHECK(::getrlimit(RLIMIT_NOFILE, &before) == 0);
    int const next = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    ::close(next);
    rlimit none = before;
    none.rlim_cur = static_cast<rlim_t>(next);
    HOST_CHECK(::setrlimit(RLIMIT_NOFILE, &none) == 0);
    int made = 0;
    for (int i = 0; i < 3; ++i) {
        try {
            mine.call(scale);
            ++made;
        } catch (std::exception const& e) {
            if (i == 0) std::printf("refused: %s\n", e.what());
        }
    }
    HOST_CHECK(mine.called(made));
    HOST_CHECK(::setrlimit(RLIMIT_NOFILE, &before) == 0);
    mine.call(scale);
    HOST_CHECK(mine.called(made + 1));
    host::scale::told const report = scale.report();
    std::printf("%u evaluations afterwards\n", report.evaluations);
    HOST_CHECK(report.evaluations > 0);
}

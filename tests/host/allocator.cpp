// tests/host/allocator.cpp - a program whose malloc() is not the C library's, with threads that use it.
// SPDX-License-Identifier: MIT
#include <attune/measure/sandbox/isolation.hpp>

#include <thread>

#include "scale.hpp"

/// @param arguments  the name that malloc()'s file must contain; nothing: the C library's
int main(int count, char** arguments)
{
    std::string const expected = count > 1 ? arguments[1] : "";
    std::string const found = attune::detail::foreign_allocator();
    std::printf("malloc: %s\n", found.empty() ? "the C library's" : found.c_str());
    HOST_CHECK(found.find(expected) != std::string::npos && found.empty() == expected.empty());

    host::scale scale{{.evaluations = 25, .fork_always = true}};
    host::arrays data(20'000);
    data.call(scale);
    auto const told = scale.report();
    std::printf("%u evaluations, %u failed, in %.1f s, %s\n%s", told.evaluations, told.failures,
                told.elapsed_s, told.isolation.c_str(), told.notices.c_str());
    HOST_CHECK(data.called(1));
    HOST_CHECK(told.failures == 0); // a child that hung would have been one
    bool const is_said =
        told.notices.find("nothing is compiled ahead: malloc()") != std::string::npos;
    HOST_CHECK(is_said != expected.empty() || std::thread::hardware_concurrency() < 2);
}

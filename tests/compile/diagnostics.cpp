// tests/compile/diagnostics.cpp : mirrors include/attune/compile/diagnostics.hpp, which it includes
// first
#include <attune/compile/diagnostics.hpp>

#include <doctest/doctest.h>

using attune::detail::first_error;

TEST_CASE("the first error is found behind notes and warnings, verbatim")
{
    CHECK(first_error("In file included from k.cpp:1:\n"
                      "k.hpp:2:1: warning: unused\n"
                      "k.cpp:7:3: error: expected ';'\nk.cpp:9:1: error: other\n") ==
          "k.cpp:7:3: error: expected ';'");
    CHECK(first_error("k.cpp:1:10: fatal error: 'x.hpp' file not found\r\n") ==
          "k.cpp:1:10: fatal error: 'x.hpp' file not found");
    CHECK(first_error("/usr/bin/ld: k.o: undefined reference to `f'\n") ==
          "/usr/bin/ld: k.o: undefined reference to `f'");
}

TEST_CASE("without an error line the first line counts, and silence is said to be silence")
{
    CHECK(first_error("\nKilled\nmore\n") == "Killed");
    CHECK(first_error("") == "");
    CHECK(attune::detail::compile_failure("").reason == "the compiler failed without a message");
}

TEST_CASE("past the limit, the text names kernel, limit and option, the number as it was written")
{
    using attune::detail::took_too_long;
    CHECK(took_too_long("saxpy", 60.0, "nvrtc_options") ==
          "compiling kernel 'saxpy' took longer than 60 s, its limit; see nvrtc_options::limit_s");
    CHECK(took_too_long("f", 0.01, "system_options").find(" 0.01 s, ") != std::string::npos);
}

TEST_CASE("a missing header of the language comes with what to install")
{
    auto const reason = [](char const* header, int major) {
        return attune::detail::compile_failure(
                   std::string("k.cpp:1:10: fatal error: '") + header + "' file not found\n", major)
            .reason;
    };
    CHECK(reason("stddef.h", 19).find("install libclang-common-19-dev") != std::string::npos);
    CHECK(reason("span", 19).find("libstdc++") != std::string::npos);
    CHECK(reason("own/part.hpp", 19) == "k.cpp:1:10: fatal error: 'own/part.hpp' file not found");
}

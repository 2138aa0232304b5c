// tests/compile/source/diagnostics.cpp - the line of a compiler's log that says what is wrong.
// SPDX-License-Identifier: MIT
#include <attune/compile/source/diagnostics.hpp>

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
    CHECK(first_error("/usr/bin/ld: cannot find -lnone: No such file or directory\n"
                      "collect2: error: ld returned 1 exit status\n") ==
          "/usr/bin/ld: cannot find -lnone: No such file or directory");
    CHECK(first_error("mold: fatal: library not found: none\ncollect2: error: ld returned 1\n") ==
          "mold: fatal: library not found: none");
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

TEST_CASE("a missing header is recognised in the words of both compilers, and nothing else is")
{
    using attune::detail::missing_header;
    CHECK(missing_header("k.cpp:1:10: fatal error: 'a/omp.h' file not found") == "a/omp.h");
    CHECK(missing_header("k.cpp:1:10: fatal error: omp.h: No such file or directory") == "omp.h");
    CHECK(missing_header("k.cpp:1:10: error: 'x' file not found").empty());
    CHECK(missing_header("k.cpp:1:10: fatal error: too many errors").empty());
    CHECK(missing_header("k.cpp:1:10: fatal error: 'x").empty());
    CHECK(missing_header("fatal error: ").empty());
    CHECK(attune::detail::compile_failure("k.cpp:1:1: fatal error: omp.h: No such file or "
                                          "directory\n")
              .reason.find("OpenMP's header") != std::string::npos);
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
    CHECK(reason("own/part.hpp", 19).find("kernel_source::include_dirs") != std::string::npos);
    CHECK(reason("omp.h", 19)
              .find("(install OpenMP for clang, Debian: apt install "
                    "libomp-19-dev)") != std::string::npos);
    CHECK(reason("omp.h", 0).find("libomp-dev") != std::string::npos);
    CHECK(reason("cblas.h", 19).find("apt install libopenblas-dev") != std::string::npos);
}

// tests/compile/source/compile_request.cpp - one configuration as a compiler sees it: an entry and its macros.
// SPDX-License-Identifier: MIT
#include <attune/compile/source/compile_request.hpp>

#include <attune/compile/system/process.hpp>

#include <doctest/doctest.h>

TEST_CASE("a signature reads as C++ writes it")
{
    attune::compile_request v{"f", "double", {"double const*", "int"}, {}};
    CHECK(attune::detail::signature_text(v) == "double(double const*, int)");
    v.arguments.clear();
    CHECK(attune::detail::signature_text(v) == "double()");
}

TEST_CASE("macros become compiler arguments in order")
{
    attune::compile_request const v{"f", "void", {}, {{"TILE", "64"}, {"ORDER", "2, 0, 1"}}};
    CHECK(attune::macro_flags(v) == std::vector<std::string>{"-DTILE=64", "-DATTUNE_VALUE_TILE=64",
                                                             "-DORDER=2, 0, 1",
                                                             "-DATTUNE_VALUE_ORDER=2, 0, 1"});
}

TEST_CASE("a name that the kernel declares itself is no macro")
{
    attune::compile_request const v{"f", "void", {}, {{"TILE", "64", true}, {"UNROLL", ""}}};
    CHECK(attune::macro_flags(v) == std::vector<std::string>{"-DATTUNE_VALUE_TILE=64", "-DUNROLL=",
                                                             "-DATTUNE_VALUE_UNROLL="});
}

TEST_CASE("a text of flags is split at its blanks")
{
    using strings = std::vector<std::string>;
    CHECK(attune::detail::split_flags("-O3") == strings{"-O3"});
    CHECK(attune::detail::split_flags("  -O3\t-mprefer-vector-width=512 \n") ==
          std::vector<std::string>{"-O3", "-mprefer-vector-width=512"});
    CHECK(attune::detail::split_flags("").empty());
    CHECK(attune::detail::split_flags("  ").empty());
}

TEST_CASE("a variant's file name holds its macros and nothing a shell minds")
{
    attune::compile_request v;
    v.function = "linear::sgemm<4>";
    v.macros = {{"TILE", "64"}, {"ORDER", "{0, 2, 1}"}};
    CHECK(attune::detail::file_name_of(v) == "linear__sgemm_4_.TILE=64.ORDER=_0,2,1_");
    v.function = std::string(1000, 'f');
    CHECK(attune::detail::file_name_of(v).size() == 150);
}

TEST_CASE("a file of flags stands for its words, with quotes, backslashes and files of its own")
{
    attune::detail::temporary_folder const folder;
    std::string const inner = folder.write("inner", "-DINNER");
    std::string const outer =
        folder.write("outer", "-DA=1 '-DB=\"x y\"'\n\t\"-DC=it's\" -DD=a\\ b @" + inner +
                                  " @no_such_file_of_test '' ");
    CHECK(attune::detail::expanded_flags({"-O3", '@' + outer, "-g"}) ==
          std::vector<std::string>{"-O3", "-DA=1", "-DB=\"x y\"", "-DC=it's", "-DD=a b", "-DINNER",
                                   "@no_such_file_of_test", "", "-g"});
    std::string const itself = folder.path() + "/itself";
    (void)folder.write("itself", "-DX @" + itself);
    CHECK(attune::detail::expanded_flags({'@' + itself}).size() < 100);
}

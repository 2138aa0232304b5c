// tests/compile/source/source.cpp - the text of a kernel and how it is to be compiled.
// SPDX-License-Identifier: MIT
#include <attune/compile/source/source.hpp>

#include <attune/compile/system/process.hpp>
#include <attune/core/error.hpp>

#include <doctest/doctest.h>

TEST_CASE("source_file finds a file beside the file that asks for it")
{
    attune::kernel_source const source = attune::source_file("source.cpp");
    CHECK(source.text.find("finds a file beside the file") != std::string::npos);
    CHECK(source.path.ends_with("source.cpp"));
}

TEST_CASE("source_file names every place where it looked")
{
    std::string said;
    try {
        (void)attune::source_file("no_such.kernel.cpp");
    } catch (attune::error const& caught) {
        said = caught.what();
    }
    CHECK(said.find("'no_such.kernel.cpp' not found") != std::string::npos);
    CHECK(said.find("compile/source/no_such.kernel.cpp, then /") != std::string::npos);
    CHECK_THROWS_AS((void)attune::source_file("/no/such/file.cpp"), attune::error);
}

TEST_CASE("the parts of a kernel are its file and all that it includes by quotes, each once")
{
    attune::detail::temporary_folder const folder;
    (void)folder.write("sub/one.hpp", "#include \"two.hpp\"\n// #include \"none.hpp\"\n");
    (void)folder.write("sub/two.hpp", "#include \"one.hpp\"\n#include \"../three.hpp\"\n");
    (void)folder.write("three.hpp", "// three\n");
    (void)folder.write("elsewhere/four.hpp", "// four\n");
    attune::kernel_source kernel =
        attune::source_text("#include <vector>\n#include \"sub/one.hpp\"\n"
                            "#include \"four.hpp\"\n#include \"no.hpp\"\n",
                            folder.path() + "/kernel.cpp");
    kernel.include_dirs = {folder.path() + "/elsewhere"};
    std::vector<attune::detail::source_part> const parts = attune::detail::source_parts(kernel);
    REQUIRE(parts.size() == 5);
    CHECK(parts[0].path == kernel.path);
    CHECK(parts[1].path == folder.path() + "/sub/one.hpp");
    CHECK(parts[2].path == folder.path() + "/elsewhere/four.hpp");
    CHECK(parts[3].path == folder.path() + "/sub/two.hpp");
    CHECK(parts[4].text == "// three\n");
}

TEST_CASE("the fingerprint changes with the text, an included file and a flag, not with the path")
{
    attune::detail::temporary_folder const folder;
    (void)folder.write("part.hpp", "int a;\n");
    attune::kernel_source kernel =
        attune::source_text("#include \"part.hpp\"\n", folder.path() + "/kernel.cpp");
    std::string const first = attune::detail::source_fingerprint(kernel);
    CHECK(first.size() == 32);
    CHECK(attune::detail::source_fingerprint(kernel) == first);

    attune::kernel_source moved = kernel;
    moved.path = folder.path() + "/other_name.cpp";
    CHECK(attune::detail::source_fingerprint(moved) == first);

    attune::kernel_source flagged = kernel;
    flagged.flags = {"-ffast-math"};
    CHECK(attune::detail::source_fingerprint(flagged) != first);

    (void)folder.write("part.hpp", "int b;\n");
    CHECK(attune::detail::source_fingerprint(kernel) != first);
}

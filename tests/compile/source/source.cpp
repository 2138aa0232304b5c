// tests/compile/source/source.cpp - the text of a kernel and how it is to be compiled.
// SPDX-License-Identifier: MIT
#include <attune/compile/source/source.hpp>

#include <attune/compile/source/annotations.hpp>
#include <attune/compile/system/process.hpp>
#include <attune/core/error.hpp>

#include <doctest/doctest.h>

#include "../../support/texts.hpp"

TEST_CASE("source_file finds a file beside the file that asks for it")
{
    attune::kernel_source const source = attune::source_file("source.cpp");
    CHECK(source.text.find("finds a file beside the file") != std::string::npos);
    CHECK(source.path.ends_with("source.cpp"));
}

TEST_CASE("source_file names every place where it looked")
{
    std::string const said =
        attune_test::error_of([&] { (void)attune::source_file("no_such.kernel.cpp"); });
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

TEST_CASE("an embedded kernel is the file, byte for byte")
{
    attune::kernel_source const embedded = attune::embedded_source("../examples/sgemm.kernel.cpp");
    attune::kernel_source const file = attune::source_file("../../../examples/sgemm.kernel.cpp");
    CHECK(embedded.text == file.text);
    CHECK(embedded.path.ends_with("examples/sgemm.kernel.cpp"));
    CHECK(attune::detail::source_fingerprint(embedded) == attune::detail::source_fingerprint(file));
    CHECK(attune::detail::find_annotations(embedded).size() ==
          attune::detail::find_annotations(file).size());
}

TEST_CASE("every byte survives, and every kernel of a program is found")
{
    attune::kernel_source const odd = attune::embedded_source("support/odd.kernel.cpp");
    CHECK(
        odd.text.find("\"quotes\", back\\slash; semi;colons [brackets] @at@ ${dollar} \xC3\xA4") !=
        std::string::npos);
}

namespace {

constexpr unsigned char gone_text[] = "void gone() {}";
constexpr attune::detail::embedded_file gone_kernel{
    "gone.kernel.cpp", "/nowhere/attune/gone.kernel.cpp", gone_text, sizeof gone_text - 1};
ATTUNE_EMBED(attune_kernels, gone_kernel)

} // namespace

TEST_CASE("a kernel file that is not there any more is read from the program")
{
    attune::kernel_source const gone = attune::source_file("/nowhere/attune/gone.kernel.cpp");
    CHECK(gone.text == "void gone() {}");
    CHECK(gone.path == "/nowhere/attune/gone.kernel.cpp");
    CHECK_THROWS_AS((void)attune::source_file("/nowhere/attune/other.kernel.cpp"), attune::error);
}

TEST_CASE("two kernels of one name are an error with both files, and each is found by its path")
{
    using attune::detail::embedded_file;
    static constexpr embedded_file other{"gone.kernel.cpp", "/elsewhere/gone.kernel.cpp", gone_text,
                                         sizeof gone_text - 1};
    constexpr embedded_file const* both[] = {&gone_kernel, &other};
    attune::detail::embedded_files const files{{both, both + 2}};
    std::string const said = attune_test::error_of(
        [&] { (void)attune::detail::embedded_under(files, "gone.kernel.cpp"); });
    CHECK(said.find("two kernels 'gone.kernel.cpp' are embedded") != std::string::npos);
    CHECK(said.find("/nowhere/attune/gone.kernel.cpp and /elsewhere/gone.kernel.cpp") !=
          std::string::npos);
    CHECK(attune::detail::embedded_from(files, "/elsewhere/gone.kernel.cpp") == &other);
}

TEST_CASE("a kernel that is not embedded is an error with those that are")
{
    std::string const said =
        attune_test::error_of([&] { (void)attune::embedded_source("other.cpp"); });
    CHECK(said.find("no kernel 'other.cpp' is embedded in this program") != std::string::npos);
    CHECK(said.find("../examples/sgemm.kernel.cpp") != std::string::npos);
    CHECK(said.find("support/odd.kernel.cpp") != std::string::npos);
    CHECK(said.find("attune_embed_kernel") != std::string::npos);
}

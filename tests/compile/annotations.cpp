// tests/compile/annotations.cpp : mirrors include/attune/compile/annotations.hpp, which it includes
// first
#include <attune/compile/annotations.hpp>

#include <attune/compile/process.hpp>
#include <attune/core/error.hpp>

#include <doctest/doctest.h>

namespace {

std::string error_of(std::string const& text)
{
    try {
        (void)attune::find_annotations(text, "k.cpp");
    } catch (attune::error const& caught) {
        return caught.what();
    }
    return {};
}

} // namespace

TEST_CASE("annotations are found with their defaults and lines")
{
    std::vector<attune::annotation> const found = attune::find_annotations(
        "#include <attune/tunable.hpp>\n"
        "constexpr int m = ATTUNE_TUNABLE(TILE_M, 64);\n"
        "#define ORDER ATTUNE_TUNABLE( ORDER_OF_LOOPS , 2, 0, 1 )\n"
        "int n = ATTUNE_TUNABLE (N,\n  f(1, (2)) + ')') + ATTUNE_TUNABLE(P, \"a,)\");\n",
        "k.cpp");
    CHECK(found == std::vector<attune::annotation>{{"TILE_M", "64", 2, "k.cpp"},
                                                   {"ORDER_OF_LOOPS", "2, 0, 1", 3, "k.cpp"},
                                                   {"N", "f(1, (2)) + ')'", 4, "k.cpp"},
                                                   {"P", "\"a,)\"", 5, "k.cpp"}});
}

TEST_CASE("comments, literals and the macro's own definition are no annotations")
{
    CHECK(attune::find_annotations("// ATTUNE_TUNABLE(A, 1)\n/* ATTUNE_TUNABLE(B, 1) */\n"
                                   "char const* s = \"ATTUNE_TUNABLE(C, 1)\";\n"
                                   "#ifndef ATTUNE_TUNABLE\n"
                                   "#define ATTUNE_TUNABLE(name, ...) __VA_ARGS__\n#endif\n"
                                   "int MY_ATTUNE_TUNABLE(int, int);\n",
                                   "k.cpp")
              .empty());
}

TEST_CASE("a malformed annotation is an error with file and line")
{
    CHECK(error_of("\nATTUNE_TUNABLE(A)")
              .find("ATTUNE_TUNABLE(A) has no default\n  where: k.cpp:2") != std::string::npos);
    CHECK(error_of("ATTUNE_TUNABLE(A, )").find("has no default") != std::string::npos);
    CHECK(error_of("ATTUNE_TUNABLE(A+B, 1)").find("'A+B' cannot name") != std::string::npos);
    CHECK(error_of("ATTUNE_TUNABLE(\"A\", 1)").find("cannot name") != std::string::npos);
    CHECK(error_of("ATTUNE_TUNABLE(A, (1)").find("is not closed") != std::string::npos);
}

TEST_CASE("annotations of quoted headers count, and two defaults of one name are an error")
{
    attune::detail::temporary_folder const folder;
    (void)folder.write("part.hpp", "\nint b = ATTUNE_TUNABLE(B, 2);\n");
    attune::kernel_source kernel = attune::source_text(
        "#include \"part.hpp\"\nint a = ATTUNE_TUNABLE(A, 1) + ATTUNE_TUNABLE(A, 1);\n",
        folder.path() + "/k.cpp");
    std::vector<attune::annotation> const found = attune::find_annotations(kernel);
    REQUIRE(found.size() == 3);
    CHECK(found[2] == attune::annotation{"B", "2", 2, folder.path() + "/part.hpp"});
    kernel.text += "int c = ATTUNE_TUNABLE(B, 3);\n";
    CHECK_THROWS_AS((void)attune::find_annotations(kernel), attune::error);
}

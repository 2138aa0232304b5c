// tests/compile/source/annotations.cpp - the tunable parameters that a kernel file names.
// SPDX-License-Identifier: MIT
#include <attune/compile/source/annotations.hpp>

#include <attune/compile/system/process.hpp>
#include <attune/core/error.hpp>

#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "../../support/texts.hpp"

namespace {

std::string error_of(std::string const& text)
{
    return attune_test::error_of([&] { (void)attune::detail::find_annotations(text, "k.cpp"); });
}

/// The names that the text declares itself, with a blank after each.
std::string own_names_of(std::string const& text)
{
    attune::kernel_source const kernel = attune::source_text(text, "k.cpp");
    std::string out;
    for (std::string const& name :
         attune::detail::own_names(kernel, attune::detail::find_annotations(kernel)))
        out += name + ' ';
    return out;
}

} // namespace

TEST_CASE("annotations are found with their defaults and lines")
{
    std::vector<attune::detail::annotation> const found = attune::detail::find_annotations(
        "#include <attune/tunable.hpp>\n"
        "constexpr int m = ATTUNE_TUNABLE(TILE_M, 64);\n"
        "#define ORDER ATTUNE_TUNABLE( ORDER_OF_LOOPS , 2, 0, 1 )\n"
        "int n = ATTUNE_TUNABLE (N,\n  f(1, (2)) + ')') + ATTUNE_TUNABLE(P, \"a,)\");\n",
        "k.cpp");
    CHECK(found ==
          std::vector<attune::detail::annotation>{{"TILE_M", "64", 2, "k.cpp"},
                                                  {"ORDER_OF_LOOPS", "2, 0, 1", 3, "k.cpp"},
                                                  {"N", "f(1, (2)) + ')'", 4, "k.cpp"},
                                                  {"P", "\"a,)\"", 5, "k.cpp"}});
}

TEST_CASE("comments, literals and the macro's own definition are no annotations")
{
    CHECK(attune::detail::find_annotations("// ATTUNE_TUNABLE(A, 1)\n/* ATTUNE_TUNABLE(B, 1) */\n"
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
    std::vector<attune::detail::annotation> const found = attune::detail::find_annotations(kernel);
    REQUIRE(found.size() == 3);
    CHECK(found[2] == attune::detail::annotation{"B", "2", 2, folder.path() + "/part.hpp"});
    kernel.text += "int c = ATTUNE_TUNABLE(B, 3);\n";
    CHECK_THROWS_AS((void)attune::detail::find_annotations(kernel), attune::error);
}

TEST_CASE("nothing at all is a default, too")
{
    auto const found =
        attune::detail::find_annotations("ATTUNE_TUNABLE(A, )\nATTUNE_TUNABLE(B,)", "k.cpp");
    CHECK(found ==
          std::vector<attune::detail::annotation>{{"A", "", 1, "k.cpp"}, {"B", "", 2, "k.cpp"}});
}

TEST_CASE("a name that its own annotation initialises belongs to the kernel")
{
    for (std::string const text :
         {"constexpr bool P = ATTUNE_TUNABLE(P, false);",
          "using P = ATTUNE_TUNABLE(P, float);",
          "enum { A, P = ATTUNE_TUNABLE(P, 4), B };",
          "enum class e : int { A = 1, P = ATTUNE_TUNABLE(P, 4) };",
          "static int const P[3] = ATTUNE_TUNABLE(P, {0, 1, 2});",
          "int const P[] = {1 + ATTUNE_TUNABLE(P, 2), 7};",
          "constexpr int P{ATTUNE_TUNABLE(P, 4)};",
          "constexpr int P(ATTUNE_TUNABLE(P, 4));",
          "typedef ATTUNE_TUNABLE(P, float) P;",
          "template <class P = ATTUNE_TUNABLE(P, float)> struct s;",
          "my_type P = /* the */ ATTUNE_TUNABLE(P, 4);",
          "my_type P // the ; first\n = 2 *\n ATTUNE_TUNABLE(P, 4);",
          "my_type x = R\"(a;)\" [0], P = ';' + ATTUNE_TUNABLE(P, 4);",
          "#define P ATTUNE_TUNABLE(P, 4)\n",
          "#define P (2 * \\\n ATTUNE_TUNABLE(P, 4))\n",
          "#ifndef P\n# define P ATTUNE_TUNABLE(P, 4)\n#endif\n",
          "struct s { typedef ATTUNE_TUNABLE(P, float) P; P x; };",
          "my_type P = [] { int x = 3; return x * ATTUNE_TUNABLE(P, 4); }();",
          "my_type P = f({1, 2}, [](int x) { if (x) { return 1; } return ATTUNE_TUNABLE(P, 4); });",
          "#define Q(x) (x\nmy_type P = 3 + (ATTUNE_TUNABLE(P, 4));",
          "auto f = [P = ATTUNE_TUNABLE(P, 4)] { return P; };"}) {
        CAPTURE(text);
        CHECK(own_names_of(text) == "P ");
    }
}

TEST_CASE("a name with a type before it belongs to the kernel, unless an #if depends on it")
{
    std::string const use = "\nint tile = ATTUNE_TUNABLE(P, 4);";
    for (std::string const text :
         {"template <int P> void f();", "template <class P> void f(P);",
          "void f() { for (int P = 0; P < 9; ++P) ; }", "void f(float const* const P);",
          "namespace P { int x; }", "struct P { int x; };",
          "void f(int x) { for (auto P : {1, 2}) ; }"}) {
        CAPTURE(text);
        CHECK(own_names_of(text + use) == "P ");
        CHECK(own_names_of("#ifndef P\n" + std::string(text) + "\n#endif" + use) == "");
    }
}

TEST_CASE("a name that is only read stays a macro")
{
    std::string const use = "\nint tile = ATTUNE_TUNABLE(P, 4);";
    for (std::string const text :
         {"", "int a[P];", "void f(P x);", "bool b = P == 4;",
          "int b = x <= P, c = (P), d = P{}, e = (int)P;", "typename P::type x;",
          "static_assert(P > 3);", "void f() { P = 3; x = P; }", "void f() { for (;;) { P = 3; } }",
          "struct s : P {};", "// int P = 3;\nchar const* s = \"int P = 3;\";",
          "char const* s = R\"x(int P = 3;)x\";", "#define Q(x) (x + P)\n",
          "#ifndef P\n#define P 4\n#endif\n", "#if P == 4\nint b;\n#endif\n",
          "#pragma GCC unroll P\n",
          "#ifndef ATTUNE_COMPILES_VARIANT\n"
          "constexpr int P = ATTUNE_TUNABLE(P, 4);\n#endif\n"}) {
        CAPTURE(text);
        CHECK(own_names_of(text + use) == "");
    }
}

TEST_CASE("an #if that reads a constant is an error that says what to write")
{
    std::string const text = "#include <x>\nconstexpr int P = ATTUNE_TUNABLE(P, 4);\n";
    std::string const said = attune_test::error_of(
        [&] { (void)own_names_of(text + "#ifdef P\n#elif P > 2\n#endif\n"); });
    CHECK(said.find("an #if reads the tunable parameter 'P'") != std::string::npos);
    CHECK(said.find("k.cpp:4\n") != std::string::npos);
    CHECK(said.find("ATTUNE_TUNABLE(P, default)") != std::string::npos);
    CHECK(own_names_of(text + "#if defined(P) || defined P\n#endif\n") == "P ");
    CHECK(own_names_of("#define P ATTUNE_TUNABLE(P, 4)\n#if P > 2\n#endif\n") == "P ");
}

TEST_CASE("names of quoted headers count")
{
    attune::detail::temporary_folder const folder;
    (void)folder.write("part.hpp",
                       "template <int B> struct s { int P = ATTUNE_TUNABLE(P, 2); };\n");
    attune::kernel_source const kernel = attune::source_text(
        "#include \"part.hpp\"\nint b = ATTUNE_TUNABLE(B, 1) + ATTUNE_TUNABLE(C, 1) + C;\n",
        folder.path() + "/k.cpp");
    CHECK(attune::detail::own_names(kernel, attune::detail::find_annotations(kernel)) ==
          std::vector<std::string>{"B", "P"});
}

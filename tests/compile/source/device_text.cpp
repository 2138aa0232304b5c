// tests/compile/source/device_text.cpp - the text of a kernel file as a compiler for a device gets it.
// SPDX-License-Identifier: MIT
#include <attune/compile/source/device_text.hpp>

#include <doctest/doctest.h>

using attune::detail::device_entry_problem;
using attune::detail::device_signature;
using attune::detail::device_text;
using attune::detail::device_type;
using attune::detail::header_prefix;
using attune::detail::include_name;
using attune::detail::mentions;
using attune::detail::prefix_of;

namespace {

std::vector<attune::macro_definition> const tile{{"TILE", "64"}};

bool never(std::string const&) { return false; }

header_prefix prefix(std::string const& text)
{
    header_prefix const found = prefix_of(text, tile, never);
    // Whatever it is: the beginning of the line that it says.
    CHECK(found.end <= text.size());
    CHECK((found.end == 0 || text[found.end - 1] == '\n'));
    std::size_t line = 1;
    for (std::size_t i = 0; i < found.end; ++i)
        if (text[i] == '\n') ++line;
    CHECK(found.line == line);
    return found;
}

} // namespace

TEST_CASE("arrays of both kinds are pointers in a kernel file, all else is as declared")
{
    CHECK(device_type("std::span<float const>") == "float const*");
    CHECK(device_type("std::span<float>") == "float*");
    CHECK(device_type("std::span<float, 16>") == "float*");
    CHECK(device_type("attune::device_span<double const>") == "double const*");
    CHECK(device_type("std::span<std::byte const>") == "unsigned char const*");
    CHECK(device_type("std::span<float* const>") == "float* const*");
    CHECK(device_type("std::span<std::complex<float> const>") == "float2 const*");
    CHECK(device_type("std::complex<double>") == "double2");
    CHECK(device_type("attune::device_span<_Float16>") == "__half*");
    CHECK(device_type("std::span<pair<int, float>, 4>") == "pair<int, float>*");
    CHECK(device_type("float const*") == "float const*");
    CHECK(device_type("unsigned long long") == "unsigned long long");
    attune::compile_request const v{
        "f", "void", {"attune::device_span<float const>", "std::span<float>", "int"}, {}};
    CHECK(device_signature(v) == "void(float const*, float*, int)");
}

TEST_CASE("what the types need is declared before the check, less the standard library's headers")
{
    attune::compile_request v{"f", "void", {"attune::device_span<particle>"}, {}};
    v.declarations = "#include <complex>\n#include \"p.hpp\"\nstatic_assert(sizeof(particle) == 8, "
                     "\"\");\n";
    std::string const text = attune::detail::device_entry_text(v, "k.cu");
    CHECK(text.find("<complex>") == text.npos);
    CHECK(text.find("#include \"p.hpp\"\nstatic_assert") != text.npos);
}

TEST_CASE("a name is mentioned as a word, not as a part of one")
{
    CHECK(mentions("int a = TILE;", tile));
    CHECK(mentions("TILE", tile));
    CHECK(mentions("MY_TILE + TILE", tile));
    CHECK_FALSE(mentions("TILE_M + MY_TILE + TILES", tile));
    CHECK_FALSE(mentions("", tile));
    CHECK_FALSE(mentions("TILE", {}));
    CHECK_FALSE(mentions("// any TILE\n/* TILE */ int a;", tile));
    CHECK_FALSE(mentions("char const* a = \"TILE\"; char b = 'T';", tile));
    CHECK(mentions("/* TILE */ int a = TILE;", tile));
    CHECK(mentions("_Pragma(\"unroll TILE\") for (;;) {}", tile));
    CHECK(mentions("auto a = R\"x(// TILE)x\"; int b[TILE];", tile));
}

TEST_CASE("the name of an include keeps its brackets")
{
    CHECK(include_name("#include <cuda_fp16.h> // half") == "<cuda_fp16.h>");
    CHECK(include_name("#  include \"a b.h\"") == "\"a b.h\"");
    CHECK(include_name("#include HEADER") == "HEADER");
    CHECK(include_name("#define x") == "");
}

TEST_CASE("the prefix ends before the first token that is no directive")
{
    CHECK(prefix("").end == 0);
    CHECK(prefix("__global__ void f() {}\n").end == 0);
    std::string const headers = "// a kernel\n#pragma once\n#include <a.h>\n";
    CHECK(prefix(headers + "\n\nstruct x;\n").end == headers.size());
    CHECK(prefix(headers + "struct x;\n").includes);
    CHECK_FALSE(prefix("#pragma once\nstruct x;\n").includes);
    CHECK(prefix("#define A \\\n 1\n#include <b.h>\nint x;\n").line == 4);
    CHECK(prefix("#include <a.h> /* two\nlines */\nint x;\n").line == 3);
    CHECK(prefix("#include <a.h>").end == 0); // no line follows
}

TEST_CASE("attune's own annotations are nothing worth parsing once")
{
    CHECK_FALSE(prefix("#include <attune/tunable.hpp>\nint x;\n").includes);
    CHECK(prefix("#include <attune/tunable.hpp>\n#include <a.h>\nint x;\n").includes);
}

TEST_CASE("the prefix ends before what depends on a parameter")
{
    std::string const first = "#include <a.h>\n";
    for (char const* const dependent :
         {"#if TILE > 4\n#include <b.h>\n#endif\n", "#ifndef TILE\n#define TILE 16\n#endif\n",
          "#define WIDTH (TILE * 2)\n", "#line 7 \"other.cu\"\n"})
        CHECK(prefix(first + dependent + "#include <c.h>\nint x;\n").end == first.size());
    std::string const text = first + "#include \"tile.h\"\n#include <c.h>\nint x;\n";
    CHECK(prefix_of(text, tile, [](std::string const& name) { return name == "\"tile.h\""; }).end ==
          first.size());
}

TEST_CASE("the prefix never ends inside a condition, where the macros might not be defined")
{
    std::string const closed = "#ifdef __CUDACC__\n#include <a.h>\n#else\n#include <b.h>\n#endif\n";
    CHECK(prefix(closed + "int x;\n").end == closed.size());
    CHECK(prefix("#ifdef GUARD\n#include <a.h>\nint x;\n#endif\n").end == 0);
    CHECK(prefix("#include <a.h>\n#ifdef GUARD\n#include <b.h>\nint x;\n#endif\n").line == 2);
    CHECK(prefix("#ifdef A\n#if B\n#endif\n#if TILE\n#endif\n#endif\nint x;\n").end == 0);
    CHECK(prefix("#endif\nint x;\n").line == 2); // broken: the compiler will say so
}

TEST_CASE("the text has headers, macros, the kernel with its own lines, and the check")
{
    attune::kernel_source const kernel =
        attune::kernel_source{"#include <a.h>\n\nvoid k();\n", "dir/k \"1\".cu", {}, {}};
    attune::compile_request v{"k", "void", {}, tile};
    header_prefix const all = prefix_of(kernel.text, v.macros, never);
    std::string const with_stop = device_text(kernel, v, all, true);
    CHECK(with_stop.starts_with("#include <a.h>\n#pragma nv_hdrstop\n#define TILE 64\n"
                                "#define ATTUNE_VALUE_TILE 64\n"
                                "#line 2 \"dir/k \\\"1\\\".cu\"\n\nvoid k();\n"));
    CHECK(device_text(kernel, v, all, false).find("hdrstop") == std::string::npos);
    // The prefix of two variants is the same text: that is what makes it be parsed once.
    v.macros.front().value = "128";
    std::string const other = device_text(kernel, v, all, true);
    CHECK(other.substr(0, other.find("#define")) == with_stop.substr(0, with_stop.find("#define")));
}

TEST_CASE("a log about the check becomes one sentence with both signatures")
{
    attune::kernel_source const kernel{"", "k.cu", {}, {}};
    attune::compile_request v{"k", "void", {"std::span<float>", "int"}, {}};
    std::string const mismatch =
        "k.cu(3): warning: unused\nattune entry of k.cu(6): error: static assertion failed with "
        "\"\"\n  template\n  ^\n   detected during instantiation of class "
        "\"attune_entry_check::defined_as<false>::type<Is> [with Is=void (*)(float *)]\" at line "
        "9\n";
    CHECK(device_entry_problem(mismatch, kernel, v) ==
          "attune: kernel 'k' is declared in the program as void(std::span<float>, int), that is "
          "as void(float*, int) on the device, but k.cu defines it as void (float *)");
    v.arguments = {"float*", "int"};
    CHECK(device_entry_problem(mismatch, kernel, v) ==
          "attune: kernel 'k' is declared in the program as void(float*, int), but k.cu defines "
          "it as void (float *)");
    CHECK(device_entry_problem("attune entry of k.cu(2): error: the global scope has no \"k\"\n",
                               kernel, v) ==
          "attune: kernel 'k' is not defined in k.cu; the program declares it as void(float*, int) "
          "(the global scope has no \"k\")");
    CHECK(device_entry_problem("__nv_name_map(2): error: Name expression cannot form address of a "
                               "non-__global__ function.\n",
                               kernel,
                               v) == "attune: kernel 'k' of k.cu is no __global__ function");
    CHECK(device_entry_problem("k.cu(2): error: expected a \";\"\n", kernel, v).empty());
}

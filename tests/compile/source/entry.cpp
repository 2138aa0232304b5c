// tests/compile/source/entry.cpp - the text that makes a kernel file callable, put after its own text.
// SPDX-License-Identifier: MIT
#include <attune/compile/source/entry.hpp>

#include <attune/compile/source/signature.hpp>
#include <attune/compile/system/process.hpp>

#include <doctest/doctest.h>

namespace {

/// What the machine's compiler says to a kernel; "ok" when it accepts it, "skipped" without one.
std::string verdict(std::string const& text, attune::compile_request const& v, char const* standard)
{
    if (attune::detail::find_program("c++").empty()) return "skipped";
    attune::detail::temporary_folder const folder;
    std::string const file =
        folder.write("k.cpp", attune::translation_unit(attune::source_text(text, "k.cpp"), v));
    attune::detail::process_result const run = attune::detail::run_process(
        {"c++", standard, "-Wall", "-Wextra", "-Werror", "-fsyntax-only", file}, 60);
    return run.succeeded() ? "ok" : run.output;
}

} // namespace

TEST_CASE("the entry accepts the declared signature, without warnings, in every standard")
{
    attune::compile_request const v = attune::variant_of<float(float const*, int)>("f");
    for (char const* const standard : {"-std=c++11", "-std=c++17", "-std=c++20"}) {
        std::string const plain =
            verdict("float f(float const* p, int i) { return p[i]; }", v, standard);
        CHECK_MESSAGE((plain == "ok" || plain == "skipped"), plain);
        std::string const hidden =
            verdict("static float f(float const* p, int i) { return p[i]; }", v, standard);
        CHECK_MESSAGE((hidden == "ok" || hidden == "skipped"), hidden);
        std::string const c =
            verdict("extern \"C\" float f(float const* p, int i) { return p[i]; }", v, standard);
        CHECK_MESSAGE((c == "ok" || c == "skipped"), c);
    }
}

TEST_CASE("the entry chooses among overloads, and reaches into namespaces and templates")
{
    std::string const text = "double f(double x) { return x; }\nint f(int x) { return x; }\n"
                             "namespace deep { template <int N> int g(int x) { return N * x; } }\n";
    for (char const* const name : {"f", "deep::g<3>"}) {
        std::string const said = verdict(text, attune::variant_of<int(int)>(name), "-std=c++20");
        CHECK_MESSAGE((said == "ok" || said == "skipped"), said);
    }
}

TEST_CASE("a result or an argument of another type is refused although it would convert")
{
    std::string const text = "int f(int x) { return x; }\n";
    for (attune::compile_request const& v :
         {attune::variant_of<long(int)>("f"), attune::variant_of<int(long)>("f")}) {
        std::string const said = verdict(text, v, "-std=c++20");
        if (said == "skipped") continue;
        CHECK(said.find("attune: kernel 'f' is declared in the program as " +
                        attune::detail::signature_text(v)) != std::string::npos);
        CHECK(said.find("is not defined in") == std::string::npos);
    }
}

TEST_CASE("a kernel that is not there is said to be missing, not to be different")
{
    std::string const said =
        verdict("int g() { return 1; }\n", attune::variant_of<int(int)>("f"), "-std=c++20");
    if (said == "skipped") return;
    CHECK(said.find("attune: kernel 'f' is not defined in k.cpp") != std::string::npos);
    CHECK(said.find("defines it otherwise") == std::string::npos);
}

TEST_CASE("paths with quotes and backslashes stay one literal")
{
    CHECK(attune::detail::quoted("a\"b\\c") == "\"a\\\"b\\\\c\"");
}

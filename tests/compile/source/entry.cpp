// tests/compile/source/entry.cpp - the text that makes a kernel file callable, put after its own text.
// SPDX-License-Identifier: MIT
#include <attune/compile/source/entry.hpp>

#include <attune/compile/clang.hpp>
#include <attune/compile/source/signature.hpp>
#include <attune/compile/system.hpp>
#include <attune/compile/system/process.hpp>

#include <doctest/doctest.h>
#include <numeric>
#include <string>
#include <vector>

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

constexpr char const* source = R"(
#include <attune/matrix_view.hpp>
double sum(attune::matrix_view<float const> m, attune::volume_view<float> v)
{
    attune::matrix_view<float const> const same = attune::matrix_view<float>(v.data(), 1, 1);
    attune::volume_view<float const> const read = v;
    double out = 0;
    for (unsigned long i = 0; i < m.rows(); ++i)
        for (unsigned long j = 0; j < m.columns(); ++j)
            out += m(i, j) + m.row(i)[j];
    for (unsigned long k = 0; k < v.slices(); ++k)
        for (unsigned long i = 0; i < v.rows(); ++i)
            for (unsigned long j = 0; j < v.columns(); ++j)
                out += v(k, i, j) + v.slice(k)(i, j) + read(k, i, j) - same.data()[0];
    return out + m.row_stride() + 10 * v.row_stride() + 100 * v.slice_stride();
}
)";

using signature = double(attune::matrix_view<float const>, attune::volume_view<float>);

template <class Compiler>
double answer_of(Compiler compiler)
{
    attune::compile_result const made = compiler.compile(attune::source_text(source, "sum.cpp"),
                                                         attune::variant_of<signature>("sum"));
    if (auto const* const why = std::get_if<attune::failure>(&made)) {
        FAIL_CHECK(why->reason);
        return 0;
    }
    std::vector<float> all(48);
    std::iota(all.begin(), all.end(), 1.0F);
    auto* const code = reinterpret_cast<signature*>(std::get<attune::callable>(made).address);
    return code({all.data(), 2, 3, 8}, {all.data(), 2, 2, 2, 24, 4});
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

TEST_CASE("a view arrives in the kernel as the program has passed it")
{
    // 2 * (1+2+3 + 9+10+11) and 3 * (1+2+5+6 + 25+26+29+30), less 8 times the first element
    double const right = 2 * 36.0 + 3 * 124.0 - 8 + 8 + 40 + 2400;
    attune::clang_compiler const clang;
    if (clang.notice().empty()) CHECK(answer_of(clang) == right);
    attune::system_compiler const other({.command = "g++"});
    if (other.missing().empty()) CHECK(answer_of(other) == right);
}

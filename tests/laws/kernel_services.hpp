// tests/laws/kernel_services.hpp - what a kernel that is compiled at run time can use, and how it may be written.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/compiler.hpp>
#include <attune/compile/source/signature.hpp>

#include <cmath>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "compiler.hpp"

namespace attune_laws {

/// @param make  () -> a compiler of C++
template <class Make>
void kernel_form_laws(Make make)
{
    auto compiler = make();

    SUBCASE("a template is named with its arguments, which may be parameters")
    {
        attune::kernel_source const kernel = attune::source_text(
            "template <int Tile, class T> T scaled(T x) { return Tile * x; }\n", "scaled.cpp");
        attune::compile_request v = attune::variant_of<float(float)>("scaled<TILE, float>");
        v.macros = {{"TILE", "3"}};
        CHECK(callable_of(compiler.compile(kernel, v)).template as<float(float)>()(2) == 6);
        v = attune::variant_of<double(float)>("scaled<3, float>");
        attune::failure const f = failure_of(compiler.compile(kernel, v));
        CHECK(attune_test::has(f.reason,
                               "attune: kernel 'scaled<3, float>' is declared in the program as "
                               "double(float), but the kernel file defines it otherwise"));
    }
    SUBCASE("a function with C linkage, in a namespace, or static is a kernel like any other")
    {
        attune::kernel_source const kernel =
            attune::source_text("extern \"C\" int c(int x) { return x + 1; }\n"
                                "namespace deep { int n(int x) noexcept { return x + 2; } }\n"
                                "static int s(int x) { return x + 3; }\n",
                                "all.cpp");
        int expected = 0;
        for (char const* const name : {"c", "deep::n", "s"}) {
            attune::compile_request const v = attune::variant_of<int(int)>(name);
            CHECK(callable_of(compiler.compile(kernel, v)).template as<int(int)>()(10) ==
                  10 + ++expected);
        }
        attune::failure const f =
            failure_of(compiler.compile(kernel, attune::variant_of<int(long)>("c")));
        CHECK(attune_test::has(f.reason, "attune: kernel 'c' is declared in the program as "
                                         "int(long), but the kernel file defines it otherwise"));
    }
    SUBCASE("a kernel may give the names of its parameters to constants, types and macros")
    {
        attune::kernel_source const kernel = attune::source_text(
            "#include <attune/tunable.hpp>\n"
            "#include <vector>\n"
            "constexpr bool PACK = ATTUNE_TUNABLE(PACK, false);\n"
            "using T = ATTUNE_TUNABLE(T, float);\n"
            "enum { N = ATTUNE_TUNABLE(N, 4) };\n"
            "int const ORDER[] = ATTUNE_TUNABLE(ORDER, {0, 1, 2});\n"
            "#define STEP (1 + ATTUNE_TUNABLE(STEP, 4))\n"
            "template <class T, int N> T twice(T x) { return N * x; }\n"
            "double f(double x)\n{\n"
            "    ATTUNE_TUNABLE(UNROLL, )\n"
            "    for (int i = 0; i < N; ++i)\n        x += 1;\n"
            "    T const y = static_cast<T>(twice<double, 2>(x));\n"
            "    return y + (PACK ? 1000 : 0) + 10000 * ORDER[0] + 100000 * STEP;\n}\n",
            "names.cpp");
        attune::compile_request v = attune::variant_of<double(double)>("f");
        v.macros = {{"PACK", "true", true},       {"T", "int", true},  {"N", "8", true},
                    {"ORDER", "{2, 0, 1}", true}, {"STEP", "1", true}, {"UNROLL", ""}};
        CHECK(callable_of(compiler.compile(kernel, v)).template as<double(double)>()(0.25) ==
              16 + 1000 + 20000 + 200000);
        v.macros.back().value = "_Pragma(\"GCC ivdep\")";
        v.macros[1].value = "double";
        CHECK(callable_of(compiler.compile(kernel, v)).template as<double(double)>()(0.25) ==
              16.5 + 1000 + 20000 + 200000);
    }
    SUBCASE("flags of a variant come after those of the kernel")
    {
        attune::kernel_source kernel = attune::source_text("int f() { return LEVEL; }\n", "f.cpp");
        kernel.flags = {"-DLEVEL=3"};
        attune::compile_request v = attune::variant_of<int()>("f");
        v.flags = {"-ULEVEL", "-DLEVEL=4"};
        attune::callable const code = callable_of(compiler.compile(kernel, v));
        CHECK(code.as<int()>()() == 4);
        CHECK(attune_test::has(code.compiler, "-DLEVEL=4"));
        v.flags = {"-fno-such-flag-at-all"};
        CHECK(attune_test::has(failure_of(compiler.compile(kernel, v)).reason,
                               "no-such-flag-at-all"));
    }
}

/// @param vector_flags  of the compiler, with which loops call vector functions
template <class Make>
void kernel_service_laws(Make make, std::vector<std::string> const& vector_flags)
{
    auto compiler = make();

    SUBCASE("OpenMP runs as many threads as a parameter says")
    {
        attune::kernel_source kernel =
            attune::source_text("int threads()\n{\n    int n = 0;\n"
                                "#pragma omp parallel num_threads(THREADS) reduction(+ : n)\n"
                                "    n += 1;\n    return n;\n}\n",
                                "threads.cpp");
        kernel.flags = {"-fopenmp"};
        for (int const threads : {1, 2, 3}) {
            attune::compile_request v = attune::variant_of<int()>("threads");
            v.macros = {{"THREADS", std::to_string(threads)}};
            attune::compile_result const made = compiler.compile(kernel, v);
            if (auto const* const failed = std::get_if<attune::failure>(&made)) {
                // Without the library the failure says so.
                CHECK_MESSAGE(failed->reason.find("OpenMP") != std::string::npos, failed->reason);
                return;
            }
            CHECK(callable_of(made).template as<int()>()() == threads);
        }
    }
    SUBCASE("mathematical functions are those of the program's library")
    {
        attune::kernel_source const kernel = attune::source_text(
            "#include <cmath>\n"
            "double f(double x) { return std::pow(std::sin(x), 3) + std::tgamma(x); }\n",
            "f.cpp");
        attune::callable const code = compiled<double(double)>(compiler, kernel, "f");
        CHECK(code.as<double(double)>()(1.5) == std::pow(std::sin(1.5), 3) + std::tgamma(1.5));
    }
    SUBCASE("vectors of mathematical functions work")
    {
        attune::kernel_source kernel = attune::source_text(
            "#include <cmath>\n"
            "void f(float const* x, float* y, int n)\n"
            "{\n    for (int i = 0; i < n; ++i)\n        y[i] = std::sin(x[i]);\n}\n",
            "f.cpp");
        kernel.flags = vector_flags;
        using signature = void(float const*, float*, int);
        attune::callable const code = compiled<signature>(compiler, kernel, "f");
        std::vector<float> x(100);
        std::vector<float> y(100);
        for (std::size_t i = 0; i < x.size(); ++i)
            x[i] = 0.1F * static_cast<float>(i);
        code.as<signature>()(x.data(), y.data(), 100);
        for (std::size_t i = 0; i < x.size(); ++i)
            CHECK(static_cast<double>(y[i]) ==
                  doctest::Approx(std::sin(static_cast<double>(x[i]))).epsilon(1e-4));
    }
}

} // namespace attune_laws

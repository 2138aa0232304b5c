// tests/laws/compiler.hpp - what every model of attune::compiler must do, whatever it compiles with.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/compiler.hpp>
#include <attune/compile/source/signature.hpp>
#include <attune/core/own_float_environment.hpp>

#include <atomic>
#include <cfenv>
#include <dlfcn.h>
#include <doctest/doctest.h>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "../support/float_host.hpp"
#include "../support/stack_offsets.hpp"
#include "../support/texts.hpp"

/// What a kernel of the laws calls in the program.
extern "C" inline __attribute__((used)) int attune_laws_host_value() { return 1234; }

namespace attune_laws {

/// sum of FACTOR * x[i] over n numbers; a kernel that any compiler model can handle.
inline attune::kernel_source scaled_sum_source()
{
    return attune::source_text("double scaled_sum(double const* x, int n)\n"
                               "{\n"
                               "    double sum = 0;\n"
                               "    for (int i = 0; i < n; ++i)\n"
                               "        sum += FACTOR * x[i];\n"
                               "    return sum;\n"
                               "}\n",
                               "scaled_sum.kernel.cpp");
}

using scaled_sum_signature = double(double const*, int);

inline attune::compile_request scaled_sum_variant(std::string factor)
{
    attune::compile_request v = attune::variant_of<scaled_sum_signature>("scaled_sum");
    v.macros = {{"FACTOR", std::move(factor)}};
    return v;
}

inline attune::callable callable_of(attune::compile_result const& result)
{
    if (auto const* const failed = std::get_if<attune::failure>(&result))
        FAIL("did not compile: " << failed->reason << "\n" << failed->log);
    return std::get<attune::callable>(result);
}

/// The code of a function without macros.
template <class Signature>
attune::callable compiled(auto& compiler, attune::kernel_source const& kernel,
                          std::string const& name)
{
    return callable_of(compiler.compile(kernel, attune::variant_of<Signature>(name)));
}

inline attune::failure failure_of(attune::compile_result const& result)
{
    REQUIRE(std::holds_alternative<attune::failure>(result));
    return std::get<attune::failure>(result);
}

inline double scaled_sum_of_1_2_3(attune::callable const& code)
{
    double const x[] = {1, 2, 3};
    return code.as<scaled_sum_signature>()(x, 3);
}

/// What the laws compile, and how they see that the code is right: by calling it.
struct called_subject {
    static attune::kernel_source source() { return scaled_sum_source(); }
    static attune::compile_request variant(std::string factor)
    {
        return scaled_sum_variant(std::move(factor));
    }
    /// FACTOR times 6.
    static double observed(attune::callable const& code) { return scaled_sum_of_1_2_3(code); }
};

/// @param make  () -> a compiler
template <class Subject = called_subject, class Make>
void compiler_laws(Make make)
{
    auto compiler = make();
    static_assert(attune::compiler<decltype(compiler)>);
    attune::kernel_source const source = Subject::source();

    SUBCASE("a good kernel computes what plain C++ computes")
    {
        attune::callable const code = callable_of(compiler.compile(source, Subject::variant("5")));
        CHECK(Subject::observed(code) == 30.0);
        CHECK(code.code != nullptr);
        CHECK(code.compile_s >= 0);
        CHECK(code.compiler.find(compiler.identity()) == 0);
    }
    SUBCASE("two values of a macro give two codes, one value twice gives one key")
    {
        attune::callable const two = callable_of(compiler.compile(source, Subject::variant("2")));
        attune::callable const also = callable_of(compiler.compile(source, Subject::variant("2")));
        attune::callable const ten = callable_of(compiler.compile(source, Subject::variant("10")));
        CHECK(!two.object_key.empty());
        CHECK(two.object_key == also.object_key);
        CHECK(two.object_key != ten.object_key);
        CHECK(Subject::observed(two) == 12.0);
        CHECK(Subject::observed(also) == 12.0);
        CHECK(Subject::observed(ten) == 60.0);
    }
    SUBCASE("a broken kernel is a failure that names file and line")
    {
        attune::kernel_source broken = source;
        broken.text = "// one\n// two\nint x = ;\n" + broken.text;
        attune::failure const f = failure_of(compiler.compile(broken, Subject::variant("1")));
        CHECK(f.stage == attune::failure_stage::compile);
        CHECK(attune_test::has(f.reason, "scaled_sum.kernel.cpp:3"));
        CHECK(f.reason.find('\n') == std::string::npos);
        CHECK(attune_test::has(f.log, f.reason));
    }
    SUBCASE("the code lives as long as its last copy, not as long as the compiler")
    {
        attune::callable kept;
        {
            auto passing = make();
            attune::callable const first =
                callable_of(passing.compile(source, Subject::variant("7")));
            kept = first;
        }
        CHECK(Subject::observed(kept) == 42.0);
    }
    SUBCASE("the identity does not change")
    {
        CHECK(!compiler.identity().empty());
        CHECK(compiler.identity() == make().identity());
    }
    SUBCASE("in a host that traps errors of arithmetic it works, and the host sees nothing of it")
    {
        attune_test::float_host const host;
        std::feclearexcept(FE_ALL_EXCEPT);
        unsigned long const mode = attune::detail::float_environment{}.mode();
        {
            auto fresh = make();
            static_cast<void>(fresh.identity());
            attune::callable const code = callable_of(fresh.compile(source, Subject::variant("3")));
            attune::kernel_source broken = source;
            broken.text += "int x = ;\n";
            static_cast<void>(fresh.compile(broken, Subject::variant("3")));
        }
        CHECK(std::fetestexcept(FE_ALL_EXCEPT) == 0);
        CHECK(attune::detail::float_environment{}.mode() == mode);
    }
    SUBCASE("several threads compile at once")
    {
        std::atomic<int> right = 0;
        std::vector<std::thread> threads;
        for (int t = 1; t <= 3; ++t)
            threads.emplace_back([&, t] {
                for (int factor = t; factor < 9; factor += 3) {
                    attune::compile_result const made =
                        compiler.compile(source, Subject::variant(std::to_string(factor)));
                    auto const* const code = std::get_if<attune::callable>(&made);
                    if (code != nullptr && Subject::observed(*code) == 6.0 * factor) ++right;
                }
            });
        for (std::thread& thread : threads)
            thread.join();
        CHECK(right == 8);
    }
}

/// Laws of the compilers that read C++; the archetype knows one kernel only.
template <class Make>
void cpp_compiler_laws(Make make)
{
    auto compiler = make();
    attune::kernel_source const source = scaled_sum_source();

    SUBCASE("an unresolved symbol is a load failure that names it")
    {
        attune::kernel_source const kernel =
            attune::source_text("int not_there_at_all(int);\n"
                                "int ask(int x) { return not_there_at_all(x); }\n",
                                "ask.cpp");
        attune::failure const f =
            failure_of(compiler.compile(kernel, attune::variant_of<int(int)>("ask")));
        CHECK(f.stage == attune::failure_stage::load);
        CHECK(attune_test::has(f.reason, "not_there_at_all(int)"));
    }
    SUBCASE("another signature is one sentence with both sides")
    {
        attune::compile_request v = attune::variant_of<void(float*, int)>("scaled_sum");
        v.macros = {{"FACTOR", "1"}};
        attune::failure const f = failure_of(compiler.compile(source, v));
        CHECK(f.stage == attune::failure_stage::compile);
        CHECK(attune_test::has(f.reason,
                               "attune: kernel 'scaled_sum' is declared in the program as "
                               "void(float*, int), but the kernel file defines it otherwise"));
        CHECK(attune_test::has(f.reason, "attune entry of scaled_sum.kernel.cpp"));
    }
    SUBCASE("a function that is not there is one sentence")
    {
        attune::failure const f =
            failure_of(compiler.compile(source, attune::variant_of<void()>("sgemm")));
        CHECK(attune_test::has(f.reason, "FACTOR")); // the macro is missing first
        attune::compile_request v = attune::variant_of<void()>("sgemm");
        v.macros = {{"FACTOR", "1"}};
        attune::failure const g = failure_of(compiler.compile(source, v));
        CHECK(attune_test::has(
            g.reason, "attune: kernel 'sgemm' is not defined in scaled_sum.kernel.cpp; the "
                      "program declares it as void()"));
    }
    SUBCASE("spans, the C++ library and exceptions work in a kernel")
    {
        attune::kernel_source const kernel = attune::source_text(
            "#include <attune/tunable.hpp>\n"
            "#include <cmath>\n#include <span>\n#include <stdexcept>\n#include <vector>\n"
            "void roots(std::span<float const> x, std::span<float> y)\n"
            "{\n"
            "    if (x.size() != y.size()) throw std::invalid_argument(\"sizes differ\");\n"
            "    std::vector<float> copy(x.begin(), x.end());\n"
            "    for (std::size_t i = 0; i < copy.size(); ++i)\n"
            "        y[i] = ATTUNE_TUNABLE(SCALE, 1) * std::sqrt(copy[i]);\n"
            "}\n",
            "roots.cpp");
        using signature = void(std::span<float const>, std::span<float>);
        attune::compile_request v = attune::variant_of<signature>("roots");
        v.macros = {{"SCALE", "3"}};
        attune::callable const code = callable_of(compiler.compile(kernel, v));
        std::vector<float> const x{1, 4, 9};
        std::vector<float> y(3);
        code.as<signature>()(x, y);
        CHECK(y == std::vector<float>{3, 6, 9});
        std::string said;
        try {
            code.as<signature>()(x, std::span(y).first(1));
        } catch (std::invalid_argument const& caught) {
            said = caught.what();
        }
        CHECK(said == "sizes differ");
    }
    SUBCASE("the frame of a kernel lies the same way, whatever the stack of the call")
    {
        std::string const text = "long place(long n)\n"
                                 "{\n"
                                 "    double sums[40];\n"
                                 "    for (double& sum : sums) sum = n;\n"
                                 "    __asm__ volatile(\"\" : : \"r\"(sums) : \"memory\");\n"
                                 "    return reinterpret_cast<long>(sums) % 64;\n"
                                 "}\n";
        for (std::string const inlined : {"", "__attribute__((noinline)) "}) {
            attune::callable const code = compiled<long(long)>(
                compiler, attune::source_text(inlined + text, "place.kernel.cpp"), "place");
            CHECK(at_stack_offsets([&] { return code.as<long(long)>()(1); }).size() == 1);
        }
    }
    SUBCASE("static objects are constructed before the first call")
    {
        attune::kernel_source const kernel = attune::source_text(
            "struct counter { int value; counter(int v) : value(v + 1) {} ~counter(); };\n"
            "int volatile sink;\n"
            "counter::~counter() { sink = value; }\n"
            "int volatile start = 41;\n"
            "static counter const made(start);\n"
            "int value() { static counter later(made.value); return later.value; }\n",
            "value.cpp");
        CHECK(compiled<int()>(compiler, kernel, "value").template as<int()>()() == 43);
    }
    SUBCASE("static objects are destroyed when the code is dropped, not before")
    {
        attune::kernel_source const kernel = attune::source_text(
            "struct guard { int* at; explicit guard(int* p) : at(p) {} ~guard() { *at = 7; } };\n"
            "void watch(int* p) { static guard const g(p); }\n",
            "watch.cpp");
        int seen = 0;
        {
            attune::callable const code = compiled<void(int*)>(compiler, kernel, "watch");
            code.as<void(int*)>()(&seen);
            CHECK(seen == 0);
        }
        CHECK(seen == 7);
    }
    SUBCASE("a kernel calls what the program exports")
    {
        if (::dlsym(RTLD_DEFAULT, "attune_laws_host_value") == nullptr) {
            MESSAGE("skipped: this test program exports nothing (link it with -rdynamic)");
            return;
        }
        attune::kernel_source const kernel =
            attune::source_text("extern \"C\" int attune_laws_host_value();\n"
                                "int ask() { return attune_laws_host_value() + 1; }\n",
                                "ask.cpp");
        CHECK(compiled<int()>(compiler, kernel, "ask").template as<int()>()() == 1235);
    }
    SUBCASE("a thread_local variable is each thread's own")
    {
        attune::kernel_source const kernel = attune::source_text(
            "thread_local int count = 10;\nint next() { return ++count; }\n", "next.cpp");
        attune::callable const code = compiled<int()>(compiler, kernel, "next");
        auto* const next = code.as<int()>();
        CHECK(next() == 11);
        CHECK(next() == 12);
        int elsewhere = 0;
        std::thread([&] { elsewhere = next(); }).join();
        CHECK(elsewhere == 11);
    }
    SUBCASE("flags of a kernel reach the compiler, and a wrong one is a failure")
    {
        attune::kernel_source kernel =
            attune::source_text("int level() { return LEVEL; }\n", "level.cpp");
        kernel.flags = {"-DLEVEL=3"};
        attune::compile_request const v = attune::variant_of<int()>("level");
        CHECK(callable_of(compiler.compile(kernel, v)).template as<int()>()() == 3);
        kernel.flags = {"-fno-such-flag-at-all"};
        attune::failure const f = failure_of(compiler.compile(kernel, v));
        CHECK(f.stage == attune::failure_stage::compile);
        CHECK(attune_test::has(f.reason, "no-such-flag-at-all"));
    }
}

} // namespace attune_laws

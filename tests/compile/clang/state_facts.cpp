// tests/compile/clang/state_facts.cpp - of which variants clang_compiler proves that results depend on one call alone.
// SPDX-License-Identifier: MIT
#include <attune/compile/clang.hpp>

#include <doctest/doctest.h>
#include <string>

#include "../../support/compiled_facts.hpp"

using attune_test::can_prove;
using attune_test::facts_of;
using attune_test::kernel_body;

namespace {

bool is_alone(kernel_body const& one, std::vector<std::string> flags = {})
{
    return facts_of(std::string(one.before) + "\nvoid f(float const* x, float* y, int n)\n{\n" +
                        one.body + "}\n",
                    std::move(flags))
        .depends_on_this_call_alone;
}

} // namespace

TEST_CASE("results depend on the call alone where the code has nothing else to read")
{
    if (!can_prove()) return;
    for (kernel_body const& one : {
             kernel_body{"axpy", "for (int i = 0; i < n; ++i) y[i] += 2 * x[i];\n"},
             kernel_body{"matvec",
                         "for (int i = 0; i < n; ++i) {\n    float s = 0;\n"
                         "    for (int j = 0; j < n; ++j) s += x[i * n + j];\n    y[i] = s;\n}\n"},
             kernel_body{"copied", "__builtin_memcpy(y, x, 4 * n);\n"},
             kernel_body{"set", "__builtin_memset(y, 0, 4 * n);\n"},
             kernel_body{"constant table", "static float const w[] = {1, 2, 4, 2, 1, 8, 3, 7};\n"
                                           "for (int i = 0; i < n; ++i) y[i] = w[i % 8] * x[i];\n"},
             kernel_body{"libm, which sets errno",
                         "for (int i = 0; i < n; ++i) y[i] = sqrtf(logf(x[i]));\n",
                         "extern \"C\" { float sqrtf(float), logf(float); }\n"},
             kernel_body{
                 "a function of its own", "y[0] = g(x);\n",
                 "__attribute__((noinline)) static float g(float const* x) { return *x; }\n"},
             kernel_body{
                 "one that calls itself", "y[0] = g(n);\n",
                 "static float g(int n) { return n < 2 ? 1.f : g(n - 1) / 2 + g(n - 2); }\n"},
             kernel_body{"a switch",
                         "switch (n % 3) { case 0: y[0] = 1; break; case 1: y[0] = x[0]; }\n"},
             kernel_body{"a maximum",
                         "float m = x[0];\nfor (int i = 0; i < n; ++i) m = x[i] > m ? x[i] : m;\n"
                         "y[0] = m;\n"},
             kernel_body{"gathered",
                         "for (int i = 0; i < n; ++i) y[i] = x[static_cast<int>(y[i])];\n"},
             kernel_body{"a branch that the optimiser takes out of a loop",
                         "for (int i = 0; i < n; ++i) {\n    y[i] = x[i];\n"
                         "    if (y[0] > 1) for (int j = 0; j < n; ++j)\n"
                         "        if (n > 5 && x[1] > 2) y[j] += x[j]; else y[j] -= 1;\n}\n"},
             kernel_body{"branches", "for (int i = 0; i < n; ++i) if (x[i] > 0) y[i] = x[i];\n"},
         }) {
        CAPTURE(std::string(one.name));
        CHECK(is_alone(one));
    }
}

TEST_CASE("where there may be something else, nothing is proven")
{
    if (!can_prove()) return;
    for (kernel_body const& one : {
             kernel_body{"a static counter", "static int calls;\ny[0] = ++calls;\n"},
             kernel_body{"a static that is only written", "last = x[0];\ny[0] = 1;\n",
                         "float last;\n"},
             kernel_body{"static buffers that are filled first",
                         "for (int i = 0; i < n; ++i) b[i] = 2 * x[i];\n"
                         "for (int i = 0; i < n; ++i) y[i] = b[n - 1 - i];\n",
                         "static float b[1 << 16];\n"},
             kernel_body{"buffers of a thread that are filled first",
                         "static thread_local float b[64];\n"
                         "for (int i = 0; i < 64; ++i) b[i] = x[i];\n"
                         "for (int i = 0; i < 64; ++i) y[i] = b[63 - i] * b[i];\n"},
             kernel_body{"thread_local", "static thread_local int calls;\ny[0] = ++calls;\n"},
             kernel_body{
                 "a function's static object", "static holder b;\ny[0] = b.all[0]++;\n",
                 "struct holder { float* all = new float[64](); ~holder() { delete[] all; } };\n"},
             kernel_body{"a pointer that is kept", "y[0] = last ? *last : 0;\nlast = x;\n",
                         "float const* last;\n"},
             kernel_body{"errno", "y[0] = errno;\nerrno = 1;\n", "#include <cerrno>\n"},
             kernel_body{"a clock", "y[0] = clock();\n", "#include <time.h>\n"},
             kernel_body{"the counter of the processor", "y[0] = __builtin_readcyclecounter();\n"},
             kernel_body{"rand", "y[0] = rand();\n", "#include <stdlib.h>\n"},
             kernel_body{"memory that was never written",
                         "float* b = new float[n];\nfor (int i = 1; i < n; ++i) b[i % 64] = x[i];\n"
                         "y[0] = b[n % 64];\ndelete[] b;\n"},
             kernel_body{"a stack that was never written",
                         "float b[64];\nfor (int i = 1; i < n; ++i) b[i % 64] = x[i];\n"
                         "y[0] = b[n % 64];\n"},
             kernel_body{
                 "a variable whose address is an argument", "y[0] = g(&a) + g(&b);\n",
                 "static float a, b;\n"
                 "__attribute__((noinline)) static float g(float* k) { return *k += 1; }\n"},
             kernel_body{"variables in a constant table", "y[0] = ++*t[n & 1];\n",
                         "static float a, b;\nstatic float* const t[2] = {&a, &b};\n"},
             kernel_body{"a variable whose address is on the stack",
                         "float* t[2] = {y, &kept};\ny[0] = ++*t[n & 1];\n",
                         "static float kept;\n"},
             kernel_body{"lanes of a vector that were never set",
                         "v4 v;\nv[0] = x[0];\n*reinterpret_cast<v4*>(y) = v;\n",
                         "typedef float v4 __attribute__((vector_size(16)));\n"},
             kernel_body{"gaps of a structure",
                         "s one = {static_cast<char>(n), n};\n"
                         "y[0] = reinterpret_cast<unsigned char*>(&one)[n & 7];\n",
                         "struct s { char c; int i; };\n"},
             kernel_body{"where an array of its stack lies",
                         "float b[4] = {x[0], x[1], x[2], 1};\ny[0] = g(b);\n",
                         "__attribute__((noinline)) static float g(float const* b)\n"
                         "{ return reinterpret_cast<unsigned long>(b) % 4096 + b[1]; }\n"},
             kernel_body{"volatile", "y[0] = *static_cast<float const volatile*>(x);\n"},
             kernel_body{"atomics",
                         "__atomic_store_n(reinterpret_cast<int*>(y), n, __ATOMIC_SEQ_CST);\n"},
             kernel_body{"a function of a library", "y[0] = getpid();\n",
                         "extern \"C\" int getpid();\n"},
             kernel_body{"a function by its address", "y[0] = called(x[0]);\n",
                         "float (*called)(float);\n"},
             kernel_body{"assembly",
                         "int u = 0;\n__asm__ volatile(\"\" : \"+r\"(u));\ny[0] = u;\n"},
             kernel_body{
                 "where its frame lies",
                 "y[0] = reinterpret_cast<unsigned long>(__builtin_frame_address(0)) % 4096;\n"},
             kernel_body{"a variable of the program", "y[0] = outside;\n",
                         "extern float outside;\n"
                         "float outside = 3;\n"},
         }) {
        CAPTURE(std::string(one.name));
        CHECK_FALSE(is_alone(one));
    }
}

TEST_CASE("loops of OpenMP keep nothing between calls; other parts of its runtime may")
{
    if (!can_prove()) return;
    for (kernel_body const& one : {
             kernel_body{"static", "#pragma omp parallel for schedule(static, 4)\n"
                                   "for (int i = 0; i < n; ++i) y[i] = x[i];\n"},
             kernel_body{"dynamic", "#pragma omp parallel for schedule(dynamic) num_threads(2)\n"
                                    "for (int i = 0; i < n; ++i) y[i] = x[i] + n;\n"},
             kernel_body{"a region with two loops",
                         "#pragma omp parallel num_threads(2)\n{\n"
                         "#pragma omp for schedule(guided)\n"
                         "for (long i = 0; i < n; ++i) y[i] = x[i];\n"
                         "#pragma omp for\nfor (long i = 0; i < n; ++i) y[i] += 1;\n}\n"},
             kernel_body{"a function that might throw",
                         "#pragma omp parallel for\n"
                         "for (int i = 0; i < n; ++i) y[i] = sinhf(x[i]);\n",
                         "extern \"C\" float sinhf(float);\n"},
             kernel_body{"a lambda",
                         "auto const f = [&](int i) { y[i] = x[n - 1 - i]; };\n"
                         "#pragma omp parallel for\nfor (int i = 0; i < n; ++i) f(i);\n"},
             kernel_body{"an array of each thread",
                         "#pragma omp parallel for\nfor (int i = 0; i < n; ++i) {\n"
                         "    float b[2] = {x[i], 2 * x[i]};\n    y[i] = g(b, i);\n}\n",
                         "__attribute__((noinline)) static float g(float const* b, int i) "
                         "{ return b[i % 2]; }\n"},
         }) {
        CAPTURE(std::string(one.name));
        CHECK(is_alone(one, {"-fopenmp"}));
    }
    for (kernel_body const& one : {
             kernel_body{"threadprivate",
                         "#pragma omp parallel for\n"
                         "for (int i = 0; i < n; ++i) y[i] = kept += x[i];\n",
                         "static float kept;\n#pragma omp threadprivate(kept)\n"},
             kernel_body{"a static variable",
                         "#pragma omp parallel for\n"
                         "for (int i = 0; i < n; ++i) y[i] = kept[i % 8]++;\n",
                         "static float kept[8];\n"},
             kernel_body{"an array of each thread that is not filled",
                         "#pragma omp parallel for\nfor (int i = 0; i < n; ++i) {\n"
                         "    float b[64];\n    if (x[i] > 0) b[i % 64] = x[i];\n"
                         "    y[i] = b[n % 64];\n}\n"},
             kernel_body{"critical", "#pragma omp parallel for\nfor (int i = 0; i < n; ++i)\n"
                                     "#pragma omp critical\n    y[0] += x[i];\n"},
             kernel_body{"the number of threads", "y[0] = omp_get_max_threads();\n",
                         "extern \"C\" int omp_get_max_threads();\n"},
         }) {
        CAPTURE(std::string(one.name));
        CHECK_FALSE(is_alone(one, {"-fopenmp"}));
    }
}

TEST_CASE("an array on the stack is known where the code fills all of it before it reads any")
{
    if (!can_prove()) return;
    std::string const reader = "__attribute__((noinline)) static float g(float const* b, int n) "
                               "{ return b[n % 4] + b[n % 3]; }\n";
    CHECK(is_alone({"by parts",
                    "float b[4];\nb[0] = x[0]; b[1] = x[1]; b[2] = x[2]; b[3] = 1;\n"
                    "y[0] = g(b, n);\n",
                    reader.c_str()}));
    CHECK(is_alone({"in a branch",
                    "if (n > 3) {\n    float b[4] = {x[0], x[1], 2, 3};\n"
                    "    y[0] = g(b, n);\n}\n",
                    reader.c_str()}));
    CHECK_FALSE(is_alone({"but one",
                          "float b[4];\nb[0] = x[0]; b[1] = x[1]; b[3] = 1;\n"
                          "y[0] = g(b, n);\n",
                          reader.c_str()}));
    CHECK_FALSE(
        is_alone({"only on one way",
                  "float b[4];\nif (n > 3) { b[0] = x[0]; b[1] = x[1]; b[2] = x[2]; b[3] = 1; }\n"
                  "y[0] = g(b, n);\n",
                  reader.c_str()}));
}

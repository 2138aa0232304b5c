// tests/compile/clang/address_facts.cpp - of which variants clang_compiler proves that addresses do not matter.
// SPDX-License-Identifier: MIT
#include <attune/compile/clang.hpp>
#include <attune/core/matrix_view.hpp>

#include <cstdint>
#include <doctest/doctest.h>
#include <optional>
#include <span>
#include <string>

#include "../../laws/compiler.hpp"
#include "../../support/cache_folder.hpp"
#include "../../support/compiled_facts.hpp"

using attune_test::can_prove;
using attune_test::facts_of;
using attune_test::kernel_body;

namespace {

/// Of a kernel f(x, y, n).
std::uint32_t modulus(std::string const& body, std::string const& before = {})
{
    return facts_of("using address = unsigned long;\n" + before +
                    "\nvoid f(float const* x, float* y, int n)\n{\n" + body + "}\n")
        .address_modulus;
}

constexpr std::uint32_t unknown = attune::code_facts{}.address_modulus;

} // namespace

TEST_CASE("where arrays lie does not matter to loops over them")
{
    if (!can_prove()) return;
    for (kernel_body const& one : {
             kernel_body{"axpy", "for (int i = 0; i < n; ++i) y[i] += 2 * x[i];\n"},
             kernel_body{"matvec", "for (int i = 0; i < n; ++i) {\n"
                                   "    float s = 0;\n"
                                   "    for (int j = 0; j < n; ++j) s += x[i * n + j];\n"
                                   "    y[i] = s;\n}\n"},
             kernel_body{"a loop over a span", "for (float& v : std::span(y, n)) v += x[0];\n",
                         "#include <span>\n"},
             kernel_body{"a loop up to a pointer that is not equal",
                         "for (float const* p = x; p != x + n; ++p) *y += *p;\n"},
             kernel_body{
                 "a loop up to a greater pointer of one array",
                 "float s = 0;\nfor (float const* p = x; p < x + n; ++p) s += *p;\n*y = s;\n"},
             kernel_body{"the difference of pointers into one array",
                         "float const* p = x;\nwhile (p != x + n && *p > 0) ++p;\n"
                         "y[0] = static_cast<float>((p - x) % 16);\n"},
             kernel_body{
                 "libm",
                 "for (int i = 0; i < n; ++i) y[i] = sinf(x[i]) + sqrtf(x[i]) + powf(x[i], 2);\n",
                 "extern \"C\" { float sinf(float), sqrtf(float), powf(float, float); }\n"},
             kernel_body{"an aligned array of its own on the stack",
                         "alignas(64) float b[64];\n"
                         "for (int k = 0; k + 64 <= n; k += 64) {\n"
                         "    for (int i = 0; i < 64; ++i) b[63 - i] = x[k + i];\n"
                         "    for (int i = 0; i < 64; ++i) y[k + i] = b[i] * b[63 - i];\n}\n"},
             kernel_body{"buffers that are static, or of a thread",
                         "static float a[64];\nstatic thread_local float b[64];\n"
                         "for (int i = 0; i < 64; ++i) a[i] = b[63 - i] = x[i];\n"
                         "for (int i = 0; i < 64; ++i) y[i] = a[i] * b[63 - i];\n"},
             kernel_body{"a constant table",
                         "static float const w[] = {1, 2, 4, 2, 1, 8, 3, 7};\n"
                         "for (int i = 0; i < n; ++i) y[i] = w[i % 8] * x[i];\n"},
             kernel_body{"gathered by an index",
                         "for (int i = 0; i < n; ++i) y[i] = x[static_cast<int>(y[i])];\n"},
             kernel_body{"copied and set", "__builtin_memcpy(y, x, 4 * n);\n"
                                           "__builtin_memset(y, 0, 2 * n);\n"},
             kernel_body{"in place or not", "if (x == y) return;\n"
                                            "for (int i = 0; i < n; ++i) y[i] = x[i];\n"},
             kernel_body{"a condition for each element",
                         "for (int i = 0; i < n; ++i) if (x[i] > 0) y[i] = x[i];\n"},
         }) {
        CAPTURE(std::string(one.name));
        CHECK(modulus(one.body, one.before) == alignof(float));
    }
}

TEST_CASE("what an access assumes is what matters")
{
    if (!can_prove()) return;
    CHECK(modulus("for (int i = 0; i < n; ++i) reinterpret_cast<double*>(y)[i] = 1;\n") == 8);
    char const* const vector = "typedef float quad __attribute__((vector_size(16)));\n"
                               "struct pair { quad a, b; };\n"
                               "struct alignas(32) block { float v[8]; };\n";
    CHECK(modulus("for (int i = 0; i < n / 4; ++i) reinterpret_cast<quad*>(y)[i] += 1;\n",
                  vector) == 16);
    CHECK(modulus("*reinterpret_cast<pair*>(y) = *reinterpret_cast<pair const*>(x);\n", vector) ==
          16);
    CHECK(modulus("for (int i = 0; i < n / 8; ++i)\n"
                  "    reinterpret_cast<block*>(y)[i] = reinterpret_cast<block const*>(x)[i];\n",
                  vector) == 32);
    CHECK(modulus("x = static_cast<float const*>(__builtin_assume_aligned(x, 32));\n"
                  "for (int i = 0; i < n; ++i) y[i] = x[i];\n") == 32);
    // Folded before it is compiled: no access tells of it.
    CHECK(modulus("x = static_cast<float const*>(__builtin_assume_aligned(x, 64));\n"
                  "if (reinterpret_cast<address>(x) & 63) return;\n"
                  "y[0] = 1;\n") == unknown);
    CHECK(modulus("x = static_cast<float const*>(__builtin_assume_aligned(x, 64));\n"
                  "for (int i = 0; i < n; ++i) y[i] = x[i];\n") == unknown);
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx")) {
        char const* const intrinsics = "#include <immintrin.h>\n";
        CHECK(modulus("_mm256_store_ps(y, _mm256_loadu_ps(x));\n", intrinsics) == 32);
        CHECK(modulus("_mm256_storeu_ps(y, _mm256_loadu_ps(x));\n", intrinsics) <= 4);
        CHECK(modulus("_mm256_stream_ps(y, _mm256_loadu_ps(x));\n", intrinsics) == 32);
        CHECK(modulus("_mm_stream_ps(y, _mm_set1_ps(1));\n", intrinsics) == 16);
    }
#endif
}

TEST_CASE("where the text looks at an address, or may, nothing is proven")
{
    if (!can_prove()) return;
    for (kernel_body const& one : {
             kernel_body{"a test of its low bits",
                         "if (reinterpret_cast<address>(x) % 32 == 16) y[0] = 1;\n"},
             kernel_body{"in a function of its own", "if (at(x) & 32) y[0] = 1;\n",
                         "__attribute__((noinline)) static address at(void const* p)\n"
                         "{ return reinterpret_cast<address>(p); }\n"},
             kernel_body{"a hash in the result",
                         "y[0] = static_cast<float>(reinterpret_cast<address>(x) * 31);\n"},
             kernel_body{"by its bits", "if (__builtin_bit_cast(address, x) & 32) y[0] = 1;\n"},
             kernel_body{
                 "by memcpy",
                 "address u;\n__builtin_memcpy(&u, &x, sizeof u);\nif (u & 32) y[0] = 1;\n"},
             kernel_body{"by a union", "both b;\nb.p = x;\nif (b.n & 32) y[0] = 1;\n",
                         "union both { float const* p; address n; };\n"},
             kernel_body{"by memory that has no fixed place",
                         "address all[4] = {};\n"
                         "__builtin_memcpy(&all[n % 4], &x, sizeof x);\n"
                         "if (all[(n + 4) % 4] & 32) y[0] = 1;\n"},
             kernel_body{"by a volatile pointer",
                         "float const* volatile p = x;\naddress u;\n"
                         "__builtin_memcpy(&u, const_cast<float const**>(&p), sizeof u);\n"
                         "if (u & 32) y[0] = 1;\n"},
             kernel_body{"an assumption that is no builtin",
                         "if (reinterpret_cast<address>(x) & 63) __builtin_unreachable();\n"
                         "if (reinterpret_cast<address>(x) & 31) return;\n"
                         "y[0] = 1;\n"},
             kernel_body{"an assumption by bits of a copy",
                         "auto const u = __builtin_bit_cast(address, x);\n"
                         "if (u & 63) __builtin_unreachable();\n"
                         "y[0] = u & 32 ? 1 : 2;\n"},
             kernel_body{"the order of two arrays", "if (x < y) y[0] = 1;\n"},
             kernel_body{"the distance of two arrays", "if ((x - y) % 16 == 4) y[0] = 1;\n"},
             kernel_body{
                 "std::align",
                 "void* p = y;\nstd::size_t room = 4 * n;\n"
                 "if (auto* q = static_cast<float*>(std::align(32, 32, p, room))) *q = 1;\n",
                 "#include <memory>\n"},
             kernel_body{"__builtin_align_up", "*__builtin_align_up(y, 32) = 1;\n"},
             kernel_body{"__builtin_is_aligned", "if (__builtin_is_aligned(x, 32)) y[0] = 1;\n"},
             kernel_body{"a pointer written as a result",
                         "*reinterpret_cast<float const**>(y) = x + 1;\n"},
             kernel_body{"an address behind a pointer that is passed on",
                         "float const* p = x;\nif (low(&p) & 32) y[0] = 1;\n",
                         "__attribute__((noinline)) static address low(float const** p)\n"
                         "{ return *reinterpret_cast<address*>(p); }\n"},
             kernel_body{"a copy that an attribute says is memory of its own",
                         "*reinterpret_cast<quad*>(same(y)) += 1;\n",
                         "typedef float quad __attribute__((vector_size(64)));\n"
                         "__attribute__((malloc, noinline)) static float* same(float* p)\n"
                         "{ return p; }\n"},
             kernel_body{"a pointer that is kept", "kept = x;\ny[0] = 1;\n",
                         "float const* kept;\n"},
             kernel_body{"a function of a library", "y[0] = getpid();\n",
                         "extern \"C\" int getpid();\n"},
             kernel_body{"a function by its address", "y[0] = called(x);\n",
                         "float (*called)(float const*);\n"},
             kernel_body{"assembly", "__asm__(\"\" : \"+r\"(x));\ny[0] = *x;\n"},
             kernel_body{"assembly that makes a number of an address",
                         "address u;\n__asm__(\"\" : \"=r\"(u) : \"0\"(x));\n"
                         "if (u & 32) y[0] = 1;\n"},
             kernel_body{"bytes of a null pointer counted up to an address",
                         "address k = 0;\n"
                         "while (static_cast<char const*>(nullptr) + k != "
                         "reinterpret_cast<char const*>(x)) ++k;\n"
                         "if (k & 32) y[0] = 1;\n"},
             kernel_body{"places in a buffer of its own counted up to an address",
                         "int k = 0;\nwhile (b + k != reinterpret_cast<char const*>(x)) ++k;\n"
                         "if (k & 32) y[0] = 1;\n",
                         "static char b[64];\n"},
             kernel_body{"the distance of two arrays counted",
                         "int k = 0;\nwhile (x + k != y) ++k;\nif (k & 8) y[0] = 1;\n"},
             kernel_body{"the distance of two arrays counted by calls",
                         "if (way(x, y) & 8) y[0] = 1;\n",
                         "static int way(float const* x, float const* y)\n"
                         "{ return x == y ? 0 : way(x + 1, y) % 61 + 1; }\n"},
             kernel_body{"an assumption in a function that is called by its address",
                         "auto const g = &assumed;\ng(y);\n",
                         "static void assumed(float* y)\n{\n"
                         "    y = static_cast<float*>(__builtin_assume_aligned(y, 64));\n"
                         "    if ((reinterpret_cast<address>(y) & 63) == 0) y[0] = 1;\n}\n"},
             kernel_body{
                 "an atomic of pointers",
                 "static float const* last;\n__atomic_exchange_n(&last, x, 5);\ny[0] = 1;\n"},
         }) {
        CAPTURE(std::string(one.name));
        CHECK(modulus(one.body, one.before) == unknown);
    }
#if defined(__x86_64__)
    CHECK(modulus("__asm__ volatile(\"movaps (%0), %%xmm0\" : : \"r\"(x) : \"xmm0\");\n") ==
          unknown);
#endif
}

TEST_CASE("views that a call passes in memory count as what they are")
{
    if (!can_prove()) return;
    using viewed = void(attune::matrix_view<float const>, std::span<float>);
    std::string const head = "#include <attune/matrix_view.hpp>\n#include <cstdint>\n"
                             "#include <span>\n"
                             "void f(attune::matrix_view<float const> a, std::span<float> y)\n{\n";
    CHECK(facts_of<viewed>(head + "for (std::size_t i = 0; i < a.rows(); ++i)\n"
                                  "    for (std::size_t j = 0; j < a.columns(); ++j)\n"
                                  "        y[i] += a(i, j);\n}\n")
              .address_modulus <= 8);
    CHECK(facts_of<viewed>(head + "unsigned long u;\n__builtin_memcpy(&u, &a, sizeof u);\n"
                                  "if (u & 32) y[0] = 1;\n}\n")
              .address_modulus == unknown);
}

TEST_CASE("threads of OpenMP take arrays from memory, which is not followed")
{
    if (!can_prove()) return;
    CHECK(facts_of("void f(float const* x, float* y, int n)\n{\n"
                   "#pragma omp parallel for\n"
                   "    for (int i = 0; i < n; ++i) y[i] = x[i];\n}\n",
                   {"-fopenmp"})
              .address_modulus == unknown);
}

TEST_CASE("facts are of the functions that are called, and without optimisation nothing is proven")
{
    if (!can_prove()) return;
    CHECK(modulus("y[0] = 1;\n", "void other(float** y) { *y += 1; __asm__(\"nop\"); }\n") == 4);
    CHECK(facts_of("void f(float const* x, float* y, int) { y[0] = x[0]; }", {"-O0"})
              .address_modulus == unknown);
}

TEST_CASE(
    "facts are kept with objects and winners in the cache, and reach this process from a server")
{
    if (!can_prove()) return;
    attune_test::cache_folder const folder;
    auto const code = attune::source_text("void f(float const* x, float* y, int n)\n"
                                          "{ for (int i = 0; i < n; ++i) y[i] = x[0]; }\n",
                                          "f.kernel.cpp");
    attune::compile_request const v = attune::variant_of<attune_test::plain_kernel>("f");
    attune::code_facts const expected{.address_modulus = 4, .depends_on_this_call_alone = true};
    for (bool const is_apart : {true, false}) {
        attune::clang_options options{.separate_process = is_apart, .cache = folder.options()};
        options.cache.folder += is_apart ? "" : "2";
        attune::clang_compiler const compiler(options);
        for (bool const is_kept : {false, true}) {
            auto const made = attune_laws::callable_of(compiler.compile(code, v));
            CHECK(made.from_cache == is_kept);
            CHECK(made.facts == expected);
        }
        REQUIRE(compiler.keep_winner(code, v));
        std::optional<attune::callable> const winner = compiler.find_winner(code, v);
        REQUIRE(winner);
        CHECK(winner->facts == expected);
    }
}

TEST_CASE("another compiler proves nothing")
{
    auto const made = attune_laws::callable_of(attune::system_compiler().compile(
        attune_laws::scaled_sum_source(), attune_laws::scaled_sum_variant("2")));
    CHECK(made.facts == attune::code_facts{});
}

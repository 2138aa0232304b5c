// tests/tune/program/program_source.cpp - the text of programs: shown, identified, compiled alone.
// SPDX-License-Identifier: MIT
#include <attune/tune/program/program_source.hpp>

#include <attune/compile/source/entry.hpp>
#include <attune/compile/system/process.hpp>
#include <attune/core/error.hpp>
#include <attune/space/schedule/metaschedule.hpp>
#include <attune/tune/program/nest.hpp>

#include <cstdint>
#include <doctest/doctest.h>
#include <string>

#include "../../support/set_variable.hpp"
#include "../../support/texts.hpp"

using attune::array;
using attune_test::has;
using attune_test::text_thrown_by;

namespace {

constexpr auto n = attune::input<"n", int>();
auto const [i, j, k] = attune::axes<"i", "j", "k">();
constexpr auto A = array<"A", float, n, 40>().with_row_stride();
constexpr auto B = array<"B", float, 40, 64>();
constexpr auto C = array<"C", float, n, 64>();
constexpr auto gemm = attune::nest<"gemm">(C[i][j] = attune::sum(k)(A[i][k] * B[k][j]));

} // namespace

TEST_CASE("show: the statements, the schedule, the steps, and a text that compiles alone")
{
    std::string const text = attune::show(gemm, "UNROLL=4");
    CHECK(
        text.starts_with("// gemm(float const A[n][40] with row stride, float const B[40][64], "));
    CHECK(has(text, "//     C[i][j] = sum(k)(A[i][k] * B[k][j])\n"));
    CHECK(has(text, "UNROLL=4"));
    CHECK(has(text, "extern \"C\" void gemm(float const* __restrict A, long A_stride, "));
    CHECK_FALSE(has(text, "#include"));
    CHECK(attune::show(gemm) == attune::show(gemm, " "));
    attune::detail::temporary_folder const folder;
    std::string const file = folder.write("gemm.cpp", text);
    for (char const* const compiler : {"clang++-19", "clang++", "g++"}) {
        if (attune::detail::find_program(compiler).empty()) continue;
        CHECK(attune::detail::run_process({compiler, "-std=c++17", "-fsyntax-only", file}, 60)
                  .succeeded());
    }
}

TEST_CASE("show: a configuration that the program does not have is refused in a sentence")
{
    auto const said = [](char const* configuration) {
        return text_thrown_by<attune::error>(
            [&] { static_cast<void>(attune::show(gemm, configuration)); });
    };
    CHECK(has(said("TILE=4"), "names a parameter that the program does not have"));
    CHECK(has(said("UNROLL=-3"), "UNROLL=-3"));
    CHECK(said("UNROLL=2  ORDER=cr") == "");
}

TEST_CASE("the identity of a program: its statements, its rules, the writer")
{
    attune::kernel_description const made = gemm.kernel().describe();
    CHECK(has(made.source.text, "writer "));
    CHECK(has(made.source.text, "C[i][j] = sum(k)(A[i][k] * B[k][j])"));
    CHECK(has(made.source.text, "rules: product"));
    CHECK(made.space.inputs.size() == 1);
    for (attune::parameter_description const& p : made.space.parameters)
        CHECK(p.default_text.has_value());
}

TEST_CASE("a flag for one length of vectors is only for the length of this processor")
{
    std::int64_t const here = attune::this_processor().vector_bytes;
    for (std::int64_t const bytes : {16, 32, 64, 128}) {
        attune::program_options options;
        options.processor = attune::processor_shape{.vector_bytes = bytes, .cores = 4};
        attune::kernel_description const made = gemm.kernel(options).describe();
        std::string flags;
        for (std::string const& flag : made.source.flags)
            flags += flag + ' ';
#if defined(__aarch64__)
        bool const is_wanted = bytes > 16 && bytes == here;
#else
        bool const is_wanted = false;
#endif
        CAPTURE(flags);
        CHECK(has(flags, "-msve-vector-bits=") == is_wanted);
        CHECK(has(flags, "-msve-vector-bits=" + std::to_string(8 * here) + ' ') == is_wanted);
    }
}

TEST_CASE("MetaSchedule's rules make a kernel's space, and another identity")
{
    constexpr auto X = array<"X", float, 24, 40>();
    constexpr auto Y = array<"Y", float, 24, 64>();
    constexpr auto product = attune::nest<"product">(Y[i][j] = attune::sum(k)(X[i][k] * B[k][j]));
    attune::program_options const theirs{.rules = attune::metaschedule_rules()};
    attune::kernel_description const made = product.kernel(theirs).describe();
    CHECK(has(made.source.text, "rules: metaschedule"));
    CHECK(made.source.text != product.kernel().describe().source.text);
    CHECK(has(attune::show(product, "DESIGN=tiled_cache1", theirs), "cache_write"));
    CHECK_FALSE(has(attune::show(product, "DESIGN=tiled", theirs), "cache_write"));
    CHECK(text_thrown_by<attune::error>([&] {
              static_cast<void>(gemm.kernel(theirs)); // n is an input
          }) != "");
}

TEST_CASE("the text of a kernel: spans and views, then the program")
{
    attune::kernel_description const made = gemm.kernel().describe();
    attune::point at;
    for (attune::parameter_description const& p : made.space.parameters)
        at.push_back(attune::coordinate_of(p, *p.default_text).value());
    std::string const text = made.source.generator->text_at(made.space, at);
    CHECK(text.starts_with(std::string(attune::detail::own_span_text) +
                           "#include <attune/matrix_view.hpp>\n"));
    CHECK(has(text,
              "void gemm(attune::matrix_view<float const> A, attune_span<float const> B, "
              "attune_span<float> C, int n)\n{\n"
              "    ::gemm_program(A.data(), static_cast<long>(A.row_stride()), B.data(), C.data(), "
              "n);\n}\n"));
    CHECK(has(text, "static void gemm_program("));

    attune::generated_code const told = made.source.generator->code_at(made.space, at, at);
    CHECK(has(told.shared, "#include <span>\n#include <attune/matrix_view.hpp>\n"));
    CHECK(has(told.text, "std::span<float const> B, std::span<float> C, int n)\n{\n"));
    CHECK(has(told.text, "static void gemm_program("));
    CHECK(has(told.fallback, "static void gemm_program("));
}

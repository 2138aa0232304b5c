// tests/tune/program/served.cpp - what serves calls of programs, and what is remembered of them.
// SPDX-License-Identifier: MIT
#include <attune/compile/clang.hpp>
#include <attune/core/error.hpp>
#include <attune/core/matrix_view.hpp>
#include <attune/remember/store.hpp>
#include <attune/tune/program/nest.hpp>
#include <attune/tune/tuned.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "../../support/program_data.hpp"
#include "../../support/scratch_directory.hpp"
#include "../../support/set_variable.hpp"

namespace {

using attune::array;
using attune_test::set_variable;
using attune_test::text_thrown_by;
using support::few;
using support::some;

constexpr auto n = attune::input<"n", int>();
auto const [i, j, k] = attune::axes<"i", "j", "k">();
constexpr auto A = array<"A", float, n, 40>();
constexpr auto B = array<"B", float, 40, 64>();
constexpr auto C = array<"C", float, n, 64>();
constexpr auto gemm = attune::nest<"gemm">(C[i][j] = attune::sum(k)(A[i][k] * B[k][j]));
// Another program of the same name and types.
constexpr auto scaled = attune::nest<"gemm">(C[i][j] = attune::sum(k)(2.0f * A[i][k] * B[k][j]));

struct counted_compiler {
    attune::clang_compiler own{};
    std::shared_ptr<std::atomic<int>> compiled = std::make_shared<std::atomic<int>>(0);

    attune::compile_result compile(attune::kernel_source const& kernel,
                                   attune::compile_request const& v)
    {
        ++*compiled;
        return own.compile(kernel, v);
    }
    std::string identity() const { return own.identity(); }
};

struct broken_compiler {
    attune::compile_result compile(attune::kernel_source const&, attune::compile_request const&)
    {
        throw attune::error("there is no compiler", "", "");
    }
    std::string identity() const { return "broken"; }
};

struct call {
    std::vector<float> a = some(100 * 40);
    std::vector<float> b = some(40 * 64);
    std::vector<float> c = std::vector<float>(100 * 64);
    std::vector<float> want = c;
    call() { gemm(a, b, want, 100); }
};

} // namespace

TEST_CASE("what was tuned is remembered for these statements alone")
{
    support::scratch_directory const folder;
    std::string const path = folder.path() + "/programs.attune";
    call of;
    auto const run = [&](auto const& program, std::uint64_t evaluations = 3) {
        counted_compiler compiler;
        attune::tuned fast{program.kernel(), compiler, attune::store{path}, few(evaluations)};
        fast(of.a, of.b, of.c, 100);
        return std::pair{fast.report(), compiler.compiled->load()};
    };
    CHECK(run(gemm).first.evaluations >= 1);
    support::check_close(of.c, of.want);
    auto const [again, compiled] = run(gemm);
    CHECK(again.how == attune::decision::remembered);
    CHECK(again.evaluations == 0);
    CHECK(compiled <= 2); // the winner, and the default that it is compared with
    auto const changed = run(scaled);
    CHECK(changed.first.how != attune::decision::remembered);
    CHECK(changed.first.evaluations >= 1);
    CHECK(static_cast<double>(of.c[0]) ==
          doctest::Approx(static_cast<double>(2 * of.want[0])).epsilon(1e-4));
    CHECK(run(gemm).first.how == attune::decision::remembered);
}

TEST_CASE("ATTUNE_FORCE names a schedule")
{
    call of;
    std::string wanted = "UNROLL=4";
    set_variable const forced("ATTUNE_FORCE", wanted);
    attune::tuned fast{gemm.kernel(), attune::clang_compiler{}, few()};
    fast(of.a, of.b, of.c, 100);
    support::check_close(of.c, of.want);
    attune::known_choice const known = fast.explain(of.a, of.b, of.c, 100);
    CHECK(known.how == attune::choice_match::forced);
    CHECK(known.configuration.find(wanted) != std::string::npos);
    CHECK(attune::show(gemm, known.configuration).find(wanted) != std::string::npos);
}

TEST_CASE("without a compiler the plain nest serves, of each program its own")
{
    call of;
    attune::tuned one{gemm.kernel(), broken_compiler{}, few()};
    attune::tuned other{scaled.kernel(), broken_compiler{}, few()};
    one(of.a, of.b, of.c, 100);
    CHECK(of.c == of.want);
    CHECK(one.report().how == attune::decision::served_fallback);
    other(of.a, of.b, of.c, 100);
    CHECK(static_cast<double>(of.c[1]) ==
          doctest::Approx(static_cast<double>(2 * of.want[1])).epsilon(1e-4));
}

TEST_CASE("where there is a compiler the default of an unknown shape is compiled")
{
    call of;
    attune::tuning_options options = few(0); // tunes nothing
    attune::tuned fast{gemm.kernel(), attune::clang_compiler{}, options};
    fast(of.a, of.b, of.c, 100);
    support::check_close(of.c, of.want);
    CHECK(fast.report().how != attune::decision::served_fallback);
}

TEST_CASE("a call of wrong sizes is refused in a sentence, before and after the tuning")
{
    call of;
    attune::tuned fast{gemm.kernel(), attune::clang_compiler{}, few(2)};
    auto const wrong = [&] { fast(of.a, of.b, std::span<float>(of.c).first(64), 100); };
    std::string const said = text_thrown_by<attune::error>(wrong);
    CHECK(said.find("an array of program 'gemm' has another size than declared") != said.npos);
    CHECK(said.find("the call gives C 64, its extents need 6400") != said.npos);
    fast(of.a, of.b, of.c, 100);
    CHECK(text_thrown_by<attune::error>(wrong) == said);
    CHECK(text_thrown_by<attune::error>(wrong) == said);
    auto const negative = [&] { fast(of.a, of.b, of.c, -1); };
    CHECK(text_thrown_by<attune::error>(negative).find("n = -1") != said.npos);
    auto const huge = [&] { fast(of.a, of.b, of.c, 2147483647); };
    CHECK(text_thrown_by<attune::error>(huge).find("has another size") != said.npos);
    CHECK(text_thrown_by<attune::error>([&] { fast.tune(of.a, of.b, of.b, 100); }) != "");
    fast(of.a, of.b, of.c, 100);
    support::check_close(of.c, of.want);
}

TEST_CASE("arrays that overlap are served by the plain nest; halves of a matrix do not overlap")
{
    constexpr auto x = array<"x", float, 50, 64>();
    constexpr auto y = array<"y", float, 50, 64>();
    constexpr auto shift = attune::nest<"shift">(y[i][j] = x[i][j] + 1.0f);
    std::vector<float> of = some(51 * 64);
    std::vector<float> want = of;
    auto const from = [](std::vector<float>& all, std::size_t first) {
        return std::span<float>(all).subspan(first, 50 * 64);
    };
    shift(from(want, 0), from(want, 64)); // each row is the one before, and 1
    attune::tuned fast{shift.kernel(), attune::clang_compiler{}, few(2)};
    fast(from(of, 0), from(of, 64));
    CHECK(of == want);
    fast(from(of, 0), from(of, 0)); // in place
    CHECK(of[0] == want[0] + 1.0f);

    constexpr auto left = array<"left", float, 50, 64>().with_row_stride();
    constexpr auto right = array<"right", float, 50, 64>().with_row_stride();
    constexpr auto add = attune::nest<"add">(right[i][j] += left[i][j]);
    std::vector<float> both(50 * 128, 2.0f);
    attune::tuned halves{add.kernel(), attune::clang_compiler{}, few(2)};
    halves(attune::matrix_view<float const>(both.data(), 50, 64, 128),
           attune::matrix_view<float>(both.data() + 64, 50, 64, 128));
    CHECK(both[0] == 2.0f);
    CHECK(both[64] == 4.0f);
    CHECK(halves.report().how != attune::decision::served_fallback);
}

TEST_CASE("tuned in the background, calls are right from the first one on")
{
    call of;
    attune::tuning_options options = few(3);
    options.on_miss = attune::miss_policy::tune_in_background;
    attune::tuned fast{gemm.kernel(), attune::clang_compiler{}, options};
    for (int at = 0; at < 20; ++at) {
        std::fill(of.c.begin(), of.c.end(), 9.0f);
        fast(of.a, of.b, of.c, 100);
        support::check_close(of.c, of.want);
    }
    fast.wait();
    fast(of.a, of.b, of.c, 100);
    support::check_close(of.c, of.want);
    CHECK(fast.is_tuned(of.a, of.b, of.c, 100));
}

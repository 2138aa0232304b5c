// tests/tune/kernel/declared_lengths.cpp - what kernel.lengths(...) and kernel.calls(f) declare.
// SPDX-License-Identifier: MIT
#include <attune/tune/kernel/declared_lengths.hpp>

#include <attune/attune.hpp>
#include <attune/compile/clang.hpp>

#include <cstdint>
#include <doctest/doctest.h>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "../../support/set_variable.hpp"

using attune_test::text_thrown_by;

namespace {

using in = std::span<float const>;
using out = std::span<float>;

constexpr auto rows = attune::argument<2>;
constexpr auto columns = attune::argument<3>;
constexpr auto unroll = attune::ordinal<"UNROLL">(attune::values(1, 8));

attune::kernel<void(in, out, int, int)> sums()
{
    return {"sums",
            attune::source_text(R"(
#include <attune/tunable.hpp>
#include <span>
constexpr int unroll = ATTUNE_TUNABLE(UNROLL, 1);
void sums(std::span<float const> x, std::span<float> y, int rows, int columns)
{
    for (int i = 0; i < rows; ++i) {
        float sum = 0;
        for (int j = 0; j < columns; ++j) sum += x[i * columns + j];
        for (int volatile w = unroll == 1 ? 2000 : 0; w > 0; w = w - 1) {}
        y[i] = sum;
    }
}
)",
                                "sums.kernel.cpp"),
            attune::space(unroll)};
}

attune::tuning_options quick()
{
    attune::tuning_options made;
    made.limits = {.evaluations = 2, .seconds = 5};
    made.progress = attune::silent_progress();
    return made;
}

} // namespace

TEST_CASE("a call with an array that is shorter than declared is an error that names it")
{
    attune::tuned f{sums().lengths(rows * columns, rows), attune::clang_compiler{}, quick()};
    std::vector<float> x(60, 1.0f), y(6);
    f(x, y, 6, 10);
    CHECK(y[5] == 10);
    y.assign(7, 0); // longer is no error
    f(x, y, 6, 10);
    std::string const said = text_thrown_by<attune::error>([&] { f(x, y, 6, 11); });
    CHECK(
        said.find("argument 0 of kernel 'sums' has 60 elements, and kernel.lengths(...) says 66") !=
        std::string::npos);
    attune::tuned open{sums().lengths(attune::any_length, rows), attune::clang_compiler{}, quick()};
    y.resize(5);
    CHECK(text_thrown_by<attune::error>([&] { open(x, y, 6, 10); }).find("argument 1") !=
          std::string::npos);
}

TEST_CASE("the user's function makes the calls of a kernel on sparse rows")
{
    attune::kernel<void(std::span<int const>, in, out)> kernel{
        "rows",
        attune::source_text(R"(
#include <attune/tunable.hpp>
#include <span>
constexpr int unroll = ATTUNE_TUNABLE(UNROLL, 1);
void rows(std::span<int const> start, std::span<float const> x, std::span<float> y)
{
    for (std::size_t i = 0; i < y.size(); ++i) {
        float sum = 0;
        for (int j = start[i]; j < start[i + 1]; ++j) sum += x[j];
        for (int volatile w = unroll == 1 ? 1000 : 0; w > 0; w = w - 1) {}
        y[i] = sum;
    }
}
)",
                            "rows.kernel.cpp"),
        attune::space(unroll)};
    auto const made = [](attune::call_draw& draw) {
        std::vector<int> start{0};
        auto const count = static_cast<int>(draw.size(0, 3'000));
        for (int i = 0; i < count; ++i)
            start.push_back(start.back() + static_cast<int>(draw.index(5)));
        std::vector<float> x = draw.reals(static_cast<std::size_t>(start.back()));
        std::vector<float> y(static_cast<std::size_t>(count));
        return std::tuple{start, x, y};
    };
    kernel.calls(made);
    attune::tuned f{kernel, attune::clang_compiler{}, quick()};
    attune::call_draw draw(77);
    auto const call = [&] {
        auto [start, x, y] = made(draw);
        f(start, x, y);
    };
    std::vector<int> const start(201, 0);
    std::vector<float> x(1), y(200);
    f(start, x, y);
    REQUIRE(f.report().speedup > 1);
    CHECK(f.report().shapes.proofs > 50);
    for (int i = 0; i < 100; ++i)
        call();
    CHECK(f.report().shapes.by_default <= 10);

    attune::kernel<void(std::span<int const>, in, out)> broken = kernel;
    broken.calls([](attune::call_draw&)
                     -> std::tuple<std::vector<int>, std::vector<float>, std::vector<float>> {
        throw std::runtime_error("no matrix today");
    });
    attune::tuned g{broken, attune::clang_compiler{}, quick()};
    g(start, x, y);
    bool is_said = false;
    for (std::string const& one : g.report().notices)
        is_said = is_said || one.find("no matrix today") != std::string::npos;
    CHECK(is_said);
}

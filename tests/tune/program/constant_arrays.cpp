// tests/tune/program/constant_arrays.cpp - programs that pack weights once, for all calls.
// SPDX-License-Identifier: MIT
#include <attune/compile/clang.hpp>
#include <attune/compile/system.hpp>
#include <attune/core/constant_array.hpp>
#include <attune/tune/program/nest.hpp>
#include <attune/tune/tuned.hpp>

#include <cstddef>
#include <doctest/doctest.h>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "../../support/program_data.hpp"
#include "../../support/set_variable.hpp"

using attune::array;
using attune::constant;
using attune::constant_array;
using attune::constant_view;
using attune::input;
using attune::sum;
using attune_test::set_variable;
using support::check_close;
using support::few;
using support::some;

namespace {

auto const [i, j, k] = attune::axes<"i", "j", "k">();

constexpr auto X = array<"X", float, 9, 70>();
constexpr auto W = constant<"W", float, 70, 45>();
constexpr auto Y = array<"Y", float, 9, 45>();
constexpr auto layer = attune::nest<"layer">(Y[i][j] = sum(k)(X[i][k] * W[k][j]));

/// Weights of a layer as they are often stored: the inputs of an output side by side.
constexpr auto R = input<"R", int>();
constexpr auto N = input<"N", int>();
constexpr auto D = input<"D", int>();
constexpr auto in = array<"in", float, R, D>();
constexpr auto stored = constant<"stored", float, N, D>();
constexpr auto out = array<"out", float, R, N>();
constexpr auto linear = attune::nest<"linear">(out[i][j] = sum(k)(in[i][k] * stored[j][k]))
                            .with_arguments(in, stored, out, R, N, D);

std::vector<float> multiplied(std::vector<float> const& x, constant_array<float> const& w)
{
    std::vector<float> y(9 * 45);
    layer(x, w, y);
    return y;
}

std::vector<float> other_weights()
{
    std::vector<float> all = some(70 * 45);
    for (float& one : all)
        one = 0.5f - one;
    return all;
}

/// A layer that keeps its weights packed, and arrays of its calls.
struct kept_layer {
    set_variable forced{"ATTUNE_FORCE", "READ_W=kept"};
    std::vector<float> x = some(9 * 70);
    std::vector<float> y = std::vector<float>(9 * 45);
    decltype(attune::tuned{layer.kernel(), attune::clang_compiler{}, few(1)}) fast{
        layer.kernel(), attune::clang_compiler{}, few(1)};

    void call(constant_array<float> const& w)
    {
        fast(x, w, y);
        check_close(y, multiplied(x, w));
    }
};

/// Bytes of a form: whole panels.
bool is_one_form(std::size_t bytes, std::size_t elements)
{
    return bytes >= elements * sizeof(float) && bytes < 3 * elements * sizeof(float);
}

} // namespace

TEST_CASE("weights are packed at the first call, and later calls read the packed form")
{
    kept_layer of;
    constant_array<float> const w(some(70 * 45));
    of.call(w);
    CHECK(of.fast.report().how == attune::decision::served_forced);
    of.fast(of.x, w, of.y);
    std::size_t const bytes = w.kept_bytes();
    CHECK(is_one_form(bytes, 70 * 45));
    for (int call = 0; call < 3; ++call) {
        std::vector<float> again(9 * 45, 7.0f);
        of.fast(of.x, w, again);
        CHECK(again == of.y);
    }
    CHECK(w.kept_bytes() == bytes);
}

TEST_CASE("each array of weights has a form of its own, a new one in its place too")
{
    kept_layer of;
    constant_array<float> w(some(70 * 45));
    constant_array<float> const second(other_weights());
    for (int call = 0; call < 2; ++call) {
        of.call(w);
        of.call(second);
    }
    CHECK(multiplied(of.x, w) != multiplied(of.x, second));
    w = constant_array<float>(other_weights());
    of.fast(of.x, w, of.y);
    check_close(of.y, multiplied(of.x, second));
}

TEST_CASE("a tuning leaves no forms of what it tried in the caller's array")
{
    std::vector<float> const x = some(9 * 70);
    constant_array<float> const w(some(70 * 45));
    attune::tuned fast{layer.kernel(), attune::clang_compiler{}, few(12)};
    std::vector<float> y(9 * 45);
    fast(x, w, y);
    check_close(y, multiplied(x, w));
    fast(x, w, y);
    check_close(y, multiplied(x, w));
    std::size_t const bytes = w.kept_bytes();
    CHECK((bytes == 0 || is_one_form(bytes, 70 * 45)));
}

TEST_CASE("a form belongs to the extents of the call")
{
    set_variable const forced("ATTUNE_FORCE", "READ_stored=kept");
    attune::program_options options;
    options.tune_each_size = false;
    attune::tuned fast{linear.kernel(options), attune::clang_compiler{}, few(1)};
    std::vector<float> const numbers = some(24 * 36);
    constant_array<float> const w(numbers);
    std::vector<float> const x = some(5 * 48);
    for (auto const& [n, d] : {std::pair{24, 36}, std::pair{36, 24}, std::pair{24, 36}}) {
        auto const rows = std::size_t{5};
        auto const width = static_cast<std::size_t>(n);
        auto const depth = static_cast<std::size_t>(d);
        std::vector<float> const of(x.begin(), x.begin() + static_cast<long>(rows * depth));
        std::vector<float> y(rows * width), want(rows * width);
        fast(of, w, y, 5, n, d);
        for (std::size_t r = 0; r < rows; ++r)
            for (std::size_t c = 0; c < width; ++c)
                for (std::size_t z = 0; z < depth; ++z)
                    want[r * width + c] += of[r * depth + z] * numbers[c * depth + z];
        check_close(y, want);
    }
    CHECK(fast.report().how == attune::decision::served_forced);
}

TEST_CASE("a view that nobody keeps forms of is packed by each call")
{
    kept_layer of;
    std::vector<float> numbers = some(70 * 45);
    for (int call = 0; call < 2; ++call) {
        of.fast(of.x, constant_view<float>(numbers.data(), numbers.size()), of.y);
        check_close(of.y, multiplied(of.x, constant_array<float>(numbers)));
        numbers = other_weights();
    }
}

TEST_CASE("threads call with the same weights while they are packed")
{
    kept_layer of;
    of.call(constant_array<float>(some(70 * 45)));
    for (int round = 0; round < 20; ++round) {
        constant_array<float> const w(some(70 * 45));
        std::vector<float> const want = multiplied(of.x, w);
        std::vector<std::vector<float>> got(4, std::vector<float>(9 * 45));
        std::vector<std::thread> threads;
        for (std::vector<float>& y : got)
            threads.emplace_back([&] { of.fast(of.x, w, y); });
        for (std::thread& one : threads)
            one.join();
        for (std::vector<float> const& y : got)
            check_close(y, want);
        CHECK(is_one_form(w.kept_bytes(), 70 * 45));
    }
}

TEST_CASE("arrays and extents may be called as locals of the packing are")
{
    constexpr auto to = constant<"to", float, 70, 45>();
    constexpr auto named = attune::nest<"named">(Y[i][j] = sum(k)(X[i][k] * to[k][j]));
    std::vector<float> const x = some(9 * 70);
    constant_array<float> const w(some(70 * 45));
    std::vector<float> y(9 * 45);
    {
        set_variable const forced("ATTUNE_FORCE", "READ_to=kept");
        attune::tuned fast{named.kernel(), attune::clang_compiler{}, few(1)};
        fast(x, w, y);
        CHECK(fast.report().how == attune::decision::served_forced);
        check_close(y, multiplied(x, w));
    }
    constexpr auto rows = input<"to", int>();
    constexpr auto depth = input<"to_", int>();
    constexpr auto first = array<"first", float, 9, depth>();
    constexpr auto weights = constant<"weights", float, depth, rows>();
    constexpr auto result = array<"result", float, 9, rows>();
    constexpr auto sized = attune::nest<"sized">(result[i][j] = sum(k)(first[i][k] * weights[k][j]))
                               .with_arguments(first, weights, result, rows, depth);
    set_variable const forced("ATTUNE_FORCE", "READ_weights=kept");
    attune::tuned fast{sized.kernel(), attune::clang_compiler{}, few(1)};
    std::vector<float> z(9 * 45);
    fast(x, w, z, 45, 70);
    CHECK(fast.report().how == attune::decision::served_forced);
    check_close(z, y);
}

TEST_CASE("the text of a program has a function that packs")
{
    std::string const kept = attune::show(layer, "READ_W=kept");
    CHECK(kept.find("constant float const W[70][45]") != std::string::npos);
    CHECK(
        kept.find("void layer_fill_W_copy(float const* __restrict W, float* __restrict W_copy)") !=
        std::string::npos);
    CHECK(kept.find("float* __restrict Y, float const* __restrict W_copy)") != std::string::npos);
    CHECK(attune::show(layer, "READ_W=direct").find("fill_W") == std::string::npos);
    CHECK(attune::show(layer, "READ_W=panels").find("fill_W") == std::string::npos);
    CHECK_THROWS_WITH_AS((void)attune::show(layer, "READ_W=all_panels"),
                         doctest::Contains("no such value"), attune::error);
}

TEST_CASE("where calls would have to pack, the default packs once")
{
    std::string const text = attune::show(linear);
    CHECK(text.find("READ_stored=kept") != std::string::npos);
    CHECK(text.find("linear_fill_stored_copy(float const* __restrict stored, float* __restrict "
                    "stored_copy, int N, int D)") != std::string::npos);
}

TEST_CASE("compilers that are started take constant arrays, too")
{
    set_variable const forced("ATTUNE_FORCE", "READ_W=kept");
    std::vector<float> const x = some(9 * 70);
    constant_array<float> const w(some(70 * 45));
    attune::tuned fast{layer.kernel(), attune::system_compiler{}, few(1)};
    std::vector<float> y(9 * 45);
    fast(x, w, y);
    check_close(y, multiplied(x, w));
    CHECK(fast.report().how == attune::decision::served_forced);
}

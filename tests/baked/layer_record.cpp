// tests/baked/layer_record.cpp - writes layer.attune: a program (attune::nest) that was tuned.
// SPDX-License-Identifier: MIT
//
//     baked_layer_record layer.attune
#include <attune/compile/clang.hpp>
#include <attune/remember/store.hpp>
#include <attune/tune/program/nest.hpp>
#include <attune/tune/tuned.hpp>

#include <cstdio>
#include <vector>

#include "layer.hpp"

namespace {

using namespace layer_data;
constexpr auto i = attune::axis<"i">();
constexpr auto j = attune::axis<"j">();
constexpr auto k = attune::axis<"k">();
constexpr auto X = attune::array<"X", float, rows, inner>();
constexpr auto W = attune::array<"W", float, inner, columns>();
constexpr auto b = attune::array<"b", float, columns>();
constexpr auto Y = attune::array<"Y", float, rows, columns>();
constexpr auto layer =
    attune::nest<"layer">(Y[i][j] = attune::max(attune::sum(k)(X[i][k] * W[k][j]) + b[j], 0.0f));

} // namespace

int main(int count, char** given)
{
    if (count != 2) return 2;
    attune::tuning_options few;
    few.limits.evaluations = 6;
    attune::tuned tuned{layer.kernel(), attune::clang_compiler{}, attune::store{given[1]}, few};
    std::vector<float> const x = some(rows * inner, 0);
    std::vector<float> const w = some(inner * columns, 3);
    std::vector<float> const bias = some(columns, 5);
    std::vector<float> y(rows * columns);
    tuned(x, w, bias, y);
    std::puts(tuned.report().summary().c_str());
}

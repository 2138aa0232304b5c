// bench/tune/program_graphs.hpp - layers of several statements, beside Eigen and the plain nest by clang++ -Ofast.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/attune.hpp>
#include <attune/compile/nest/write_program.hpp>
#include <attune/compile/system/process.hpp>
#include <attune/tune/program/nest.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <dlfcn.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "contest.hpp"
#include "program_arguments.hpp"
#include "program_layers.hpp"
#include "program_totals.hpp"
#include "program_tuning.hpp"

namespace bench::layers {

inline constexpr auto d = axis<"d">();
inline constexpr auto l = axis<"l">();

/// Softmax of the scaled scores times the values, 8 heads of 64 numbers.
template <attune::fixed_string Name, int Tokens>
struct attention {
    static constexpr std::string_view name = Name.view();
    using element = float;
    static constexpr auto Q = array<"Q", float, 8, Tokens, 64>();
    static constexpr auto K = array<"K", float, 8, Tokens, 64>();
    static constexpr auto V = array<"V", float, 8, Tokens, 64>();
    static constexpr auto O = array<"O", float, 8, Tokens, 64>();
    static constexpr auto S = temporary<"S", float, 8, Tokens, Tokens>();
    static constexpr auto E = temporary<"E", float, 8, Tokens, Tokens>();
    static constexpr auto largest = temporary<"largest", float, 8, Tokens>();
    static constexpr auto total = temporary<"total", float, 8, Tokens>();
    static constexpr auto program = attune::nest<Name>(
        S[n][i][j] = sum(k)(Q[n][i][k] * K[n][j][k]) * 0.125f,
        largest[n][i] = attune::max(j)(S[n][i][j]), E[n][i][j] = exp(S[n][i][j] - largest[n][i]),
        total[n][i] = sum(j)(E[n][i][j]),
        O[n][i][d] = sum(j)(E[n][i][j] * V[n][j][d]) / total[n][i]);
};

/// Two products of one operand, joined by x sigmoid(x).
struct gated_unit {
    static constexpr std::string_view name = "gated_unit";
    using element = float;
    static constexpr auto X = array<"X", float, 128, 512>();
    static constexpr auto W = array<"W", float, 512, 1024>();
    static constexpr auto U = array<"U", float, 512, 1024>();
    static constexpr auto Y = array<"Y", float, 128, 1024>();
    static constexpr auto gate = temporary<"gate", float, 128, 1024>();
    static constexpr auto program = attune::nest<"gated_unit">(
        gate[i][j] = sum(k)(X[i][k] * W[k][j]),
        Y[i][j] = gate[i][j] / (1.0f + exp(-gate[i][j])) * sum(k)(X[i][k] * U[k][j]));
};

/// A step of a gated recurrent unit: 32 sequences, 256 numbers of input and of state.
struct gru_cell {
    static constexpr std::string_view name = "gru_cell";
    using element = float;
    static constexpr auto X = array<"X", float, 32, 256>();
    static constexpr auto W = array<"W", float, 256, 768>();
    static constexpr auto H = array<"H", float, 32, 256>();
    static constexpr auto U = array<"U", float, 256, 768>();
    static constexpr auto Y = array<"Y", float, 32, 256>();
    static constexpr auto x = temporary<"x", float, 32, 768>();
    static constexpr auto g = temporary<"g", float, 32, 768>();
    static constexpr auto z = temporary<"z", float, 32, 256>();
    static constexpr auto sigmoid = [](auto of) { return 1.0f / (1.0f + exp(-of)); };
    static constexpr auto program = attune::nest<"gru_cell">(
        x[i][l] = sum(k)(X[i][k] * W[k][l]), g[i][l] = sum(k)(H[i][k] * U[k][l]),
        z[i][j] = sigmoid(x[i][j + 0] + g[i][j + 0]),
        Y[i][j] = (1.0f - z[i][j]) *
                      tanh(x[i][j + 512] + sigmoid(x[i][j + 256] + g[i][j + 256]) * g[i][j + 512]) +
                  z[i][j] * H[i][j]);
};

struct norm_matmul {
    static constexpr std::string_view name = "norm_matmul";
    using element = float;
    static constexpr auto X = array<"X", float, 128, 768>();
    static constexpr auto W = array<"W", float, 768, 768>();
    static constexpr auto Y = array<"Y", float, 128, 768>();
    static constexpr auto mean = temporary<"mean", float, 128>();
    static constexpr auto scale = temporary<"scale", float, 128>();
    static constexpr auto N = temporary<"N", float, 128, 768>();
    static constexpr auto program = attune::nest<"norm_matmul">(
        mean[i] = sum(k)(X[i][k]) * (1.0f / 768),
        scale[i] =
            1.0f / sqrt(sum(k)((X[i][k] - mean[i]) * (X[i][k] - mean[i])) * (1.0f / 768) + 1e-5f),
        N[i][k] = (X[i][k] - mean[i]) * scale[i], Y[i][j] = sum(k)(N[i][k] * W[k][j]));
};

struct batched_12 {
    static constexpr std::string_view name = "batched_12";
    using element = double;
    static constexpr auto A = array<"A", double, 5000, 12, 12>();
    static constexpr auto B = array<"B", double, 5000, 12, 12>();
    static constexpr auto C = array<"C", double, 5000, 12, 12>();
    static constexpr auto program =
        attune::nest<"batched_12">(C[n][i][j] = sum(k)(A[n][i][k] * B[n][k][j]));
};

struct stencil_5 {
    static constexpr std::string_view name = "stencil_5";
    using element = float;
    static constexpr auto X = array<"X", float, 1026, 1026>();
    static constexpr auto Y = array<"Y", float, 1024, 1024>();
    static constexpr auto program = attune::nest<"stencil_5">(
        Y[i][j] = 0.5f * X[i + 1][j + 1] +
                  0.125f * (X[i + 0][j + 1] + X[i + 2][j + 1] + X[i + 1][j + 0] + X[i + 1][j + 2]));
};

/// 3x3 in steps of 2, with bias and relu.
struct conv_stride_2 {
    static constexpr std::string_view name = "conv_stride_2";
    using element = float;
    static constexpr auto X = array<"X", float, 56, 56, 64>();
    static constexpr auto W = array<"W", float, 3, 3, 64, 128>();
    static constexpr auto b = array<"b", float, 128>();
    static constexpr auto Y = array<"Y", float, 28, 28, 128>();
    static constexpr auto program = attune::nest<"conv_stride_2">(
        Y[h][w][f] = attune::max(
            sum(r, s, c)(padded(X)[2 * h + r - 1][2 * w + s - 1][c] * W[r][s][c][f]) + b[f], 0.0f));
};

/// visit.operator()<Layer>() for each layer of several statements, and for some others that plain
/// loops compute well.
void for_each_graph(auto&& visit)
{
    [&]<class... Layer>() {
        (visit.template operator()<Layer>(), ...);
    }.template
    operator()<attention<"attention_128", 128>, attention<"attention_1024", 1024>, gated_unit,
               gru_cell, norm_matmul, batched_12, stencil_5, conv_stride_2>();
}

} // namespace bench::layers

namespace bench {

/// Functions of a layer's arrays: what it reads, what it writes.
using layer_function = void (*)(void const* const* in, void* out);

/// The layer by Eigen; null: it has none.
[[nodiscard]] inline layer_function eigen_layer(std::string_view name)
{
    void* const library = ::dlopen(ATTUNE_BENCH_EIGEN_PRODUCT, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr)
        throw std::runtime_error(std::string("Eigen's layers cannot be opened: ") + ::dlerror());
    return reinterpret_cast<layer_function>(
        ::dlsym(library, ("attune_bench_" + std::string(name)).c_str()));
}

/// The plain nest as one function, by clang++ -Ofast -march=native.
[[nodiscard]] inline layer_function plain_layer(attune::nest_description const& nest)
{
    std::string text = attune::write_program(attune::plain_program(nest));
    text += "extern \"C\" void call(void const* const* in, void* out) { " + nest.name + '(';
    std::size_t read = 0;
    for (attune::nest_array const& array : nest.arrays) {
        if (array.role == attune::nest_role::temporary) continue;
        std::string const type(attune::detail::cpp_name(array.element));
        bool const is_read = array.role == attune::nest_role::read;
        text += (text.back() == '(' ? "static_cast<" : ", static_cast<") + type +
                (is_read ? " const*>(in[" + std::to_string(read++) + "])" : "*>(out)");
    }
    text += "); }\n";
    attune::detail::temporary_folder const folder;
    std::string const source = folder.write("plain.cpp", text);
    std::string const object = folder.path() + "/plain.so";
    std::string compiler = "clang++-19";
    if (attune::detail::find_program(compiler).empty()) compiler = "clang++";
    auto const done =
        attune::detail::run_process({compiler, "-std=c++17", "-Ofast", "-march=native", "-shared",
                                     "-fPIC", "-w", source, "-o", object},
                                    120);
    void* const library =
        done.succeeded() ? ::dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
    if (library == nullptr) throw std::runtime_error("the plain nest: " + done.output);
    return reinterpret_cast<layer_function>(::dlsym(library, "call"));
}

/// Tunes a layer, and times it beside Eigen and its plain nest.
template <class Layer>
void run_graph(program_search const& how, program_ratios& vs_eigen, program_ratios& vs_plain)
{
    using signature = typename decltype(Layer::program)::signature;
    using element = typename Layer::element;
    auto const nest = Layer::program.describe();
    program_arguments<signature, element> data(nest, {});
    auto const kernel = Layer::program.kernel();
    auto const tuning = tune_program(kernel, data, how);
    data.call(*tuning.code);
    program_arguments<signature, element> other(nest, {});
    std::vector<void const*> in;
    std::size_t arrays = 0;
    for (attune::nest_array const& array : nest.arrays)
        arrays += array.role == attune::nest_role::temporary ? 0U : 1U;
    for (std::size_t a = 0; a + 1 < arrays; ++a)
        in.push_back(other.array(a).data());
    std::vector<contestant> all{here("ours", [&] { data.call(*tuning.code); })};
    auto const add = [&](char const* label, layer_function of) {
        of(in.data(), other.result().data());
        for (std::size_t e = 0; e < other.result().size(); ++e) {
            auto const is = static_cast<double>(other.result()[e]);
            auto const wanted = static_cast<double>(data.result()[e]);
            if (!(std::fabs(is - wanted) <= 1e-3 * (0.01 + std::fabs(wanted))))
                throw std::runtime_error(std::string(label) + " gives another result: " +
                                         std::to_string(is) + ", not " + std::to_string(wanted));
        }
        all.push_back(here(label, [&other, &in, of] { of(in.data(), other.result().data()); }));
    };
    add("plain", plain_layer(nest));
    layer_function const eigen = eigen_layer(Layer::name);
    if (eigen != nullptr) add("eigen", eigen);
    std::vector<double> const s = contest(all);
    std::printf("graph %s best_ms=%.4f plain_ms=%.4f vs_plain=%.3f",
                std::string(Layer::name).c_str(), s[0] * 1e3, s[1] * 1e3, s[1] / s[0]);
    vs_plain.add(s[1] / s[0], false);
    if (eigen != nullptr) {
        std::printf(" eigen_ms=%.4f vs_eigen=%.3f", s[2] * 1e3, s[2] / s[0]);
        vs_eigen.add(s[2] / s[0], false);
    }
    attune::tuning_report const& report = tuning.report;
    std::printf(" evaluations=%u seconds=%.1f\nconfiguration %s %s\n", report.evaluations,
                report.elapsed_s, std::string(Layer::name).c_str(), report.configuration.c_str());
    std::fflush(stdout);
}

} // namespace bench

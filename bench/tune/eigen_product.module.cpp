// bench/tune/eigen_product.module.cpp - Eigen's matrix product, and layers made of it, compiled for this machine.
// SPDX-License-Identifier: MIT
//
// A module that bench.tune.sgemm and bench.tune.programs open: the optimizer of the library has
// Eigen in it as well, compiled for any machine, and where both are linked into one program the
// linker keeps one body of every inline function.
#include <Eigen/Core>

/// c = a * b, row-major: a is m x k, b is k x n.
extern "C" __attribute__((visibility("default"))) void
attune_bench_product(float const* a, float const* b, float* c, int m, int n, int k)
{
    using matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    Eigen::Map<matrix>(c, m, n).noalias() =
        Eigen::Map<matrix const>(a, m, k) * Eigen::Map<matrix const>(b, k, n);
}

// Layers of bench/tune/program_graphs.hpp, as a user of Eigen writes them. `in` has what a layer
// reads, in the order of its arguments.
namespace {

template <class T>
using rows_of = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <class T>
Eigen::Map<rows_of<T> const> matrix(void const* at, int rows, int columns)
{
    return {static_cast<T const*>(at), rows, columns};
}

template <int Tokens>
void attention(void const* const* in, void* out)
{
    constexpr int size = 64;
    static rows_of<float> scores(Tokens, Tokens);
    for (int head = 0; head < 8; ++head) {
        auto const part = [&](int which) {
            return matrix<float>(static_cast<float const*>(in[which]) + head * Tokens * size,
                                 Tokens, size);
        };
        scores.noalias() = part(0) * part(1).transpose();
        scores = ((0.125f * scores).colwise() - (0.125f * scores).rowwise().maxCoeff())
                     .array()
                     .exp()
                     .matrix()
                     .eval();
        Eigen::VectorXf const total = scores.rowwise().sum();
        Eigen::Map<rows_of<float>> to(static_cast<float*>(out) + head * Tokens * size, Tokens,
                                      size);
        to.noalias() = scores * part(2);
        to.array().colwise() /= total.array();
    }
}

} // namespace

#define ATTUNE_BENCH_LAYER(NAME)                                                                   \
    extern "C" __attribute__((visibility("default"))) void attune_bench_##NAME(                    \
        void const* const* in, void* out)

ATTUNE_BENCH_LAYER(attention_128) { attention<128>(in, out); }
ATTUNE_BENCH_LAYER(attention_1024) { attention<1024>(in, out); }

ATTUNE_BENCH_LAYER(gated_unit)
{
    static rows_of<float> gate(128, 1024);
    static rows_of<float> up(128, 1024);
    gate.noalias() = matrix<float>(in[0], 128, 512) * matrix<float>(in[1], 512, 1024);
    up.noalias() = matrix<float>(in[0], 128, 512) * matrix<float>(in[2], 512, 1024);
    Eigen::Map<rows_of<float>>(static_cast<float*>(out), 128, 1024) =
        (gate.array() / (1.0f + (-gate.array()).exp()) * up.array()).matrix();
}

ATTUNE_BENCH_LAYER(gru_cell)
{
    static rows_of<float> x(32, 768);
    static rows_of<float> h(32, 768);
    x.noalias() = matrix<float>(in[0], 32, 256) * matrix<float>(in[1], 256, 768);
    h.noalias() = matrix<float>(in[2], 32, 256) * matrix<float>(in[3], 256, 768);
    auto const sigmoid = [](auto const& of) { return (1.0f + (-of).exp()).inverse(); };
    auto const part = [](rows_of<float> const& of, int which) {
        return of.middleCols(256 * which, 256).array();
    };
    static Eigen::Array<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> z, n;
    z = sigmoid(part(x, 0) + part(h, 0));
    n = (part(x, 2) + sigmoid(part(x, 1) + part(h, 1)) * part(h, 2)).tanh();
    Eigen::Map<rows_of<float>>(static_cast<float*>(out), 32, 256) =
        ((1.0f - z) * n + z * matrix<float>(in[2], 32, 256).array()).matrix();
}

ATTUNE_BENCH_LAYER(norm_matmul)
{
    auto const x = matrix<float>(in[0], 128, 768);
    static rows_of<float> normed(128, 768);
    normed = x.colwise() - x.rowwise().mean();
    Eigen::ArrayXf const scale =
        (normed.rowwise().squaredNorm().array() * (1.0f / 768) + 1e-5f).rsqrt();
    normed.array().colwise() *= scale;
    Eigen::Map<rows_of<float>>(static_cast<float*>(out), 128, 768).noalias() =
        normed * matrix<float>(in[1], 768, 768);
}

ATTUNE_BENCH_LAYER(batched_12)
{
    using block = Eigen::Matrix<double, 12, 12, Eigen::RowMajor>;
    auto const* const a = static_cast<double const*>(in[0]);
    auto const* const b = static_cast<double const*>(in[1]);
    for (long n = 0; n < 5000; ++n)
        Eigen::Map<block>(static_cast<double*>(out) + n * 144).noalias() =
            Eigen::Map<block const>(a + n * 144) * Eigen::Map<block const>(b + n * 144);
}

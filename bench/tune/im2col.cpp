// bench.tune.im2col : convolutions as programs have them, beside column matrices around products.
// SPDX-License-Identifier: MIT
//
//   bench/bench.tune.im2col [LAYER...] [--evaluations N] [--seconds S] [--seed S]
//
// Both sides are programs with constant weights, tuned in the same way. For im2col, the column
// matrix of one row of pixels, which stays in the second cache, is built by copies of whole runs
// and multiplied, row after row. Times are medians of processor time per call on one core, in
// turns.
//
// im2col LAYER
//   direct_ms=, im2col_ms=     of a call
//   copies_ms=, products_ms=   of the two parts of im2col, by themselves
//   im2col_vs_direct=          time of direct over that of im2col: above 1 im2col would pay
//   products_vs_direct=        the same if the copies took no time
#include <attune/attune.hpp>
#include <attune/core/constant_array.hpp>
#include <attune/tune/program/nest.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "../support/arguments.hpp"
#include "../support/names.hpp"
#include "../support/page_allocator.hpp"
#include "../support/pin.hpp"
#include "contest.hpp"
#include "program_arguments.hpp"
#include "program_layers.hpp"
#include "program_tuning.hpp"

namespace {

struct arguments {
    std::vector<std::string> layers{};
    bench::program_search search{};
};

/// A layer of program_layers.hpp, and the product of one row of its pixels.
template <class Layer, int Size, int Channels, int Features, int Taps, int Stride>
struct subject {
    using direct = bench::layers::convolution_weights<Layer, Taps, Stride, Channels, Features>;
    static constexpr std::string_view name = Layer::name;
    static constexpr int out = Layer::out_width;
    static constexpr int depth = Taps * Taps * Channels;
    static constexpr std::size_t reach = Size + Taps; ///< pixels of a row with those around it
    static constexpr std::size_t padded_elements = reach * reach * Channels;

    struct product {
        static constexpr std::array<int, 0> inputs{};
        static constexpr auto A = attune::array<"A", float, out, depth>();
        static constexpr auto B = attune::constant<"B", float, depth, Features>();
        static constexpr auto C = attune::array<"C", float, out, Features>();
        static constexpr auto program = attune::nest<"product_of_a_row">(
            C[bench::layers::i][bench::layers::j] = attune::sum(bench::layers::k)(
                A[bench::layers::i][bench::layers::k] * B[bench::layers::k][bench::layers::j]));
    };

    /// The image with zeros around it.
    static void pad(float const* x, float* padded)
    {
        constexpr std::size_t row = std::size_t{Size} * Channels;
        std::memset(padded, 0, sizeof(float) * padded_elements);
        for (std::size_t h = 0; h < Size; ++h)
            std::memcpy(padded + ((h + Taps / 2) * reach + Taps / 2) * Channels, x + h * row,
                        sizeof(float) * row);
    }
    /// The column matrix of the pixels of row `h`: out x depth.
    static void columns(float const* padded, std::size_t h, float* to)
    {
        constexpr std::size_t run = std::size_t{Taps} * Channels;
        for (std::size_t w = 0; w < out; ++w)
            for (std::size_t r = 0; r < Taps; ++r, to += run)
                std::memcpy(to, padded + ((Stride * h + r) * reach + Stride * w) * Channels,
                            sizeof(float) * run);
    }
};

template <class Layer>
auto data_of()
{
    return bench::program_arguments<typename decltype(Layer::program)::signature>(
        Layer::program.describe(), Layer::inputs);
}

template <class Subject>
void run(arguments const& asked)
{
    if (!asked.layers.empty() &&
        std::count(asked.layers.begin(), asked.layers.end(), Subject::name) == 0)
        return;
    using convolution = typename Subject::direct::weights;
    using product = typename Subject::product;
    auto data = data_of<convolution>();
    auto row = data_of<product>();
    auto const direct = bench::tune_program(convolution::program.kernel(), data, asked.search);
    auto const multiply = bench::tune_program(product::program.kernel(), row, asked.search);

    bench::page_vector<float>& image = data.array(0);
    bench::page_vector<float>& columns = row.array(0);
    attune::constant_array<float> const weights(std::span<float const>(data.array(1)));
    bench::page_vector<float> padded(Subject::padded_elements);
    bench::page_vector<float> result(data.result().size());
    std::size_t const width = result.size() / Subject::out;
    auto const product_of = [&](std::size_t h) {
        (*multiply.code)(columns, weights, std::span<float>(result).subspan(h * width, width));
    };
    auto const copies = [&](auto&& then) {
        Subject::pad(image.data(), padded.data());
        for (std::size_t h = 0; h < Subject::out; ++h) {
            Subject::columns(padded.data(), h, columns.data());
            then(h);
        }
    };
    auto const products = [&] {
        for (std::size_t h = 0; h < Subject::out; ++h)
            product_of(h);
    };
    data.call(*direct.code);
    copies(product_of);
    for (std::size_t at = 0; at < result.size(); ++at)
        if (!(std::fabs(result[at] - data.result()[at]) <=
              1e-3f * (1 + std::fabs(data.result()[at]))))
            throw std::runtime_error("im2col gives " + std::to_string(result[at]) + " for " +
                                     std::to_string(data.result()[at]));
    std::vector<double> const s =
        bench::contest({bench::here("direct", [&] { data.call(*direct.code); }),
                        bench::here("im2col", [&] { copies(product_of); }),
                        bench::here("copies", [&] { copies([](std::size_t) {}); }),
                        bench::here("products", products)});
    std::printf("im2col %s direct_ms=%.4f im2col_ms=%.4f copies_ms=%.4f products_ms=%.4f "
                "im2col_vs_direct=%.3f products_vs_direct=%.3f\n",
                std::string(Subject::name).c_str(), s[0] * 1e3, s[1] * 1e3, s[2] * 1e3, s[3] * 1e3,
                s[0] / s[1], s[0] / s[3]);
    std::fflush(stdout);
}

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of(argv[0], [&] {
        using namespace bench::layers;
        arguments asked;
        bench::read_arguments(argc, argv,
                              {{"LAYER", &asked.layers},
                               {"--evaluations", &asked.search.evaluations, 1},
                               {"--seconds", &asked.search.seconds, 1},
                               {"--seed", &asked.search.seed}});
        for (std::string const& layer : asked.layers)
            bench::require_known("LAYER", layer, {"conv_56", "conv_28", "conv_7x7"});
        bench::pin_to_one_core();
        run<subject<conv_56, 56, 64, 64, 3, 1>>(asked);
        run<subject<conv_28, 28, 128, 128, 3, 1>>(asked);
        run<subject<conv_7x7, 224, 3, 64, 7, 2>>(asked);
        return 0;
    });
}

// bench.tune.device_libraries : programs tuned on a GPU beside the vendor's libraries, and beside kernels by hand.
// SPDX-License-Identifier: MIT
//
//   bench/bench.tune.device_libraries [PROGRAM...] [--evaluations N] [--seconds S] [--seed S]
//                                     [--any-device]
//
// Programs are made for the device, or, with --any-device, as for one that is not known.
// The matrix product of 4096 x 4096 numbers is beside cuBLAS, the convolution of 3 x 3 taps (32
// images of 28 x 28, 128 channels) beside the fastest algorithm of cuDNN, softmax and layer norm
// (16384 rows of 1024) beside a kernel by hand, whose threads keep a row in registers. Both are
// timed by the device's events in turns, five times 20 batches of 5 ms.
//
// Prints   device_library NAME
//            evaluations= failures= seconds=   of the tuning
//            ours_us= library_us=   the least of five medians
//            of_library=            library_us / ours_us, 1.00 is as fast as the library
//            error=                 of our result: |ours - theirs| / |theirs|
//            configuration=
// Where there is no device, the one line `device_library skipped:` says why.
#include <attune/attune.hpp>
#include <attune/compile/nvrtc.hpp>
#include <attune/core/random.hpp>
#include <attune/cuda/code.hpp>
#include <attune/cuda/device_array.hpp>
#include <attune/cuda/primary_context.hpp>
#include <attune/tune/program/nest.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "../support/arguments.hpp"
#include "../support/cublas.hpp"
#include "../support/cudnn.hpp"
#include "../support/device_time.hpp"
#include "../support/names.hpp"

namespace {

using attune::array;
using attune::sum;
using attune::temporary;

auto const [i, j, k] = attune::axes<"i", "j", "k">();
auto const [n, h, w, f, r, s, c] = attune::axes<"n", "h", "w", "f", "r", "s", "c">();

struct arguments {
    std::vector<std::string> programs{};
    std::uint32_t evaluations = 100;
    std::uint32_t seconds = 120;
    std::uint64_t seed = 0;
    bool is_for_any_device = false;
};

/// Numbers on the device, from -1 to 1.
template <class T>
attune::device_array<T> some(std::size_t count, std::uint64_t seed)
{
    std::vector<T> out(count);
    attune::random_engine draw(seed);
    for (T& one : out)
        one = static_cast<T>(static_cast<float>(attune::uniform_below(draw, 2001)) / 1000 - 1);
    return attune::device_array<T>{std::span<T const>{out}};
}

/// |a - b| / |b|, in double.
template <class T>
double difference(attune::device_array<T> const& a, attune::device_array<T> const& b)
{
    std::vector<T> const mine = a.to_host();
    std::vector<T> const theirs = b.to_host();
    double off = 0;
    double all = 0;
    for (std::size_t at = 0; at < mine.size(); ++at) {
        double const x = static_cast<double>(mine[at]);
        double const y = static_cast<double>(theirs[at]);
        off += (x - y) * (x - y);
        all += y * y;
    }
    return std::sqrt(off / all);
}

struct machine {
    attune::nvrtc_compiler compiler;
    std::shared_ptr<attune::detail::cuda::driver const> driver;
};

/// A kernel by hand, of one block of `threads` for each of `rows` rows.
class kernel_by_hand {
public:
    kernel_by_hand(machine const& on, char const* text, std::string name, int arrays, int rows)
        : driver_(on.driver)
    {
        attune::compile_request request;
        request.function = std::move(name);
        for (int a = 0; a < arrays; ++a)
            request.arguments.emplace_back(a + 1 < arrays ? "float const*" : "float*");
        request.launch.grid[0] = static_cast<unsigned>(rows);
        request.launch.block[0] = 256;
        auto const made = on.compiler.compile(attune::source_text(text, "by_hand.cu"), request);
        if (auto const* const failed = std::get_if<attune::failure>(&made))
            throw std::runtime_error(failed->reason + '\n' + failed->log);
        if (driver_ == nullptr) return;
        auto loaded = attune::detail::cuda::loaded_code::load(
            driver_, attune::device_variant_of(std::get<attune::callable>(made)));
        if (auto const* const failed = std::get_if<attune::failure>(&loaded))
            throw std::runtime_error(failed->reason);
        code_.emplace(std::get<attune::detail::cuda::loaded_code>(std::move(loaded)));
    }
    bool operator()(std::vector<void*> arrays) const
    {
        std::vector<void*> addresses;
        for (void*& one : arrays)
            addresses.push_back(&one);
        return code_->launch(addresses.data(), nullptr) == 0;
    }

private:
    std::shared_ptr<attune::detail::cuda::driver const> driver_;
    std::optional<attune::detail::cuda::loaded_code> code_;
};

/// Tunes `call` and prints a line.
/// @param call     gets what is to be called with the arguments
/// @param library  one call of the library, or of the kernel by hand
/// @param error    of our result beside that of the library, once both were called
template <class Program>
void compare(std::string const& name, Program const& program, machine const& on,
             arguments const& asked, auto const& call, std::function<bool()> const& library,
             std::function<double()> const& error)
{
    attune::tuning_options const options{
        .limits = {.evaluations = asked.evaluations, .seconds = static_cast<double>(asked.seconds)},
        .search = {.seed = asked.seed},
        .progress = attune::silent_progress()};
    attune::program_options made;
    if (!asked.is_for_any_device) made.device = on.compiler.target().limits;
    attune::tuned fast{program.resident_kernel(made), on.compiler, options};
    call(fast);
    attune::tuning_report const report = fast.report();
    double off = std::nan("");
    std::vector<double> ours;
    std::vector<double> theirs;
    auto const our_call = [&] {
        call(fast);
        return true;
    };
    for (int round = 0; round < 5; ++round) {
        if (auto const took = bench::device_seconds(*on.driver, our_call)) ours.push_back(*took);
        if (auto const took = bench::device_seconds(*on.driver, library)) theirs.push_back(*took);
        if (round == 0) off = error();
    }
    auto const least_us = [](std::vector<double> const& of) {
        return of.empty() ? std::nan("") : 1e6 * *std::min_element(of.begin(), of.end());
    };
    double const ours_us = least_us(ours);
    double const library_us = least_us(theirs);
    std::printf("device_library %s evaluations=%u failures=%u seconds=%.1f ours_us=%.1f "
                "library_us=%.1f of_library=%.2f error=%.1e configuration=\"%s\"\n",
                name.c_str(), report.evaluations, attune::total(report.failures), report.elapsed_s,
                ours_us, library_us, library_us / ours_us, off, report.configuration.c_str());
    for (attune::failure const& why : report.first_failures)
        std::printf("  %s: %s\n", std::string(describe(why.stage)).c_str(), why.reason.c_str());
    std::fflush(stdout);
}

template <class T>
void product(std::string const& name, machine const& on, arguments const& asked)
{
    constexpr int size = 4096;
    constexpr auto A = array<"A", T, size, size>();
    constexpr auto B = array<"B", T, size, size>();
    constexpr auto C = array<"C", T, size, size>();
    constexpr auto program = attune::nest<"matmul">(C[i][j] = sum(k)(A[i][k] * B[k][j]));
    std::size_t const count = std::size_t{size} * size;
    attune::device_array<T> const a = some<T>(count, 1);
    attune::device_array<T> const b = some<T>(count, 2);
    attune::device_array<T> mine(count);
    attune::device_array<T> theirs(count);
    bench::cublas const cublas;
    compare(
        name, program, on, asked, [&](auto& fast) { fast(a.span(), b.span(), mine.span()); },
        [&] {
            if (!cublas.is_there()) return false;
            if constexpr (std::is_same_v<T, float>)
                return cublas.sgemm(a.span().data(), b.span().data(), theirs.span().data(), size);
            else
                return cublas.hgemm(a.span().data(), b.span().data(), theirs.span().data(), size);
        },
        [&] { return cublas.is_there() ? difference(mine, theirs) : std::nan(""); });
}

template <class T>
void convolution(std::string const& name, machine const& on, arguments const& asked)
{
    constexpr int images = 32, side = 28, channels = 128, taps = 3;
    constexpr auto X = array<"X", T, images, side, side, channels>();
    constexpr auto W = array<"W", T, taps, taps, channels, channels>();
    constexpr auto Y = array<"Y", T, images, side, side, channels>();
    constexpr auto program = attune::nest<"convolution">(
        Y[n][h][w][f] =
            sum(r, s, c)(attune::padded(X)[n][h + r - 1][w + s - 1][c] * W[r][s][c][f]));
    std::size_t const count = std::size_t{images} * side * side * channels;
    attune::device_array<T> const x = some<T>(count, 1);
    attune::device_array<T> const filters =
        some<T>(std::size_t{taps} * taps * channels * channels, 2);
    // cuDNN has the features of a filter first.
    std::vector<T> const from = filters.to_host();
    std::vector<T> turned(from.size());
    for (std::size_t tap = 0; tap < taps * taps; ++tap)
        for (std::size_t in = 0; in < channels; ++in)
            for (std::size_t out = 0; out < channels; ++out)
                turned[(out * taps * taps + tap) * channels + in] =
                    from[(tap * channels + in) * channels + out];
    attune::device_array<T> const theirs_filters{std::span<T const>{turned}};
    attune::device_array<T> mine(count);
    attune::device_array<T> theirs(count);
    bench::cudnn_convolution::shape const shape{images, side, side, channels, channels, taps};
    bool const is_half = sizeof(T) == 2;
    bench::cudnn_convolution const nhwc(shape, is_half, true);
    bench::cudnn_convolution const nchw(shape, is_half, false);
    auto const by = [&](bench::cudnn_convolution const& one) {
        return one.is_there() &&
               one(x.span().data(), theirs_filters.span().data(), theirs.span().data());
    };
    // The layout that cuDNN is faster with; the result is compared in ours.
    std::optional<double> const in_ours =
        bench::device_seconds(*on.driver, [&] { return by(nhwc); });
    std::optional<double> const in_other =
        bench::device_seconds(*on.driver, [&] { return by(nchw); });
    bool const is_other = in_other && (!in_ours || *in_other < *in_ours);
    std::printf("  cuDNN: NHWC algorithm %d %.1f us, NCHW algorithm %d %.1f us\n", nhwc.algorithm(),
                1e6 * in_ours.value_or(0), nchw.algorithm(), 1e6 * in_other.value_or(0));
    compare(
        name, program, on, asked, [&](auto& fast) { fast(x.span(), filters.span(), mine.span()); },
        [&] { return by(is_other ? nchw : nhwc); },
        [&] { return by(nhwc) ? difference(mine, theirs) : std::nan(""); });
}

constexpr int rows = 16384;
constexpr int columns = 1024;

constexpr char const* text_by_hand = R"(
__device__ float over_block(float mine, bool is_largest)
{
    __shared__ float all[8];
    for (int away = 16; away > 0; away /= 2) {
        float const other = __shfl_xor_sync(0xffffffffu, mine, away);
        mine = is_largest ? fmaxf(mine, other) : mine + other;
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0) all[threadIdx.x / 32] = mine;
    __syncthreads();
    mine = all[0];
    for (int warp = 1; warp < 8; ++warp)
        mine = is_largest ? fmaxf(mine, all[warp]) : mine + all[warp];
    return mine;
}
// A row of 1024 numbers is the work of 256 threads.
extern "C" __global__ void __launch_bounds__(256) softmax(float const* __restrict__ in, float* __restrict__ out)
{
    size_t const at = static_cast<size_t>(blockIdx.x) * 256 + threadIdx.x;
    float4 x = reinterpret_cast<float4 const*>(in)[at];
    float const largest = over_block(fmaxf(fmaxf(x.x, x.y), fmaxf(x.z, x.w)), true);
    x = {expf(x.x - largest), expf(x.y - largest), expf(x.z - largest), expf(x.w - largest)};
    float const scale = 1 / over_block(x.x + x.y + x.z + x.w, false);
    reinterpret_cast<float4*>(out)[at] = {x.x * scale, x.y * scale, x.z * scale, x.w * scale};
}
extern "C" __global__ void __launch_bounds__(256)
    layer_norm(float const* __restrict__ in, float const* __restrict__ g, float const* __restrict__ b,
               float* __restrict__ out)
{
    size_t const at = static_cast<size_t>(blockIdx.x) * 256 + threadIdx.x;
    float4 x = reinterpret_cast<float4 const*>(in)[at];
    float const mean = over_block(x.x + x.y + x.z + x.w, false) / 1024;
    x = {x.x - mean, x.y - mean, x.z - mean, x.w - mean};
    float const spread = over_block(x.x * x.x + x.y * x.y + x.z * x.z + x.w * x.w, false) / 1024;
    float const scale = rsqrtf(spread + 1e-5f);
    float4 const gain = reinterpret_cast<float4 const*>(g)[threadIdx.x];
    float4 const more = reinterpret_cast<float4 const*>(b)[threadIdx.x];
    reinterpret_cast<float4*>(out)[at] = {x.x * scale * gain.x + more.x, x.y * scale * gain.y + more.y,
                                          x.z * scale * gain.z + more.z, x.w * scale * gain.w + more.w};
}
)";

void softmax(std::string const& name, machine const& on, arguments const& asked)
{
    constexpr auto X = array<"X", float, rows, columns>();
    constexpr auto Y = array<"Y", float, rows, columns>();
    constexpr auto largest = temporary<"largest", float, rows>();
    constexpr auto power = temporary<"power", float, rows, columns>();
    constexpr auto total = temporary<"total", float, rows>();
    constexpr auto program = attune::nest<"softmax">(
        largest[i] = attune::max(j)(X[i][j]), power[i][j] = exp(X[i][j] - largest[i]),
        total[i] = sum(j)(power[i][j]), Y[i][j] = power[i][j] / total[i]);
    std::size_t const count = std::size_t{rows} * columns;
    attune::device_array<float> x = some<float>(count, 1);
    attune::device_array<float> mine(count);
    attune::device_array<float> theirs(count);
    kernel_by_hand const by_hand(on, text_by_hand, "softmax", 2, rows);
    compare(
        name, program, on, asked, [&](auto& fast) { fast(x.span(), mine.span()); },
        [&] { return by_hand({x.span().data(), theirs.span().data()}); },
        [&] { return difference(mine, theirs); });
}

void layer_norm(std::string const& name, machine const& on, arguments const& asked)
{
    constexpr auto X = array<"X", float, rows, columns>();
    constexpr auto g = array<"g", float, columns>();
    constexpr auto b = array<"b", float, columns>();
    constexpr auto Y = array<"Y", float, rows, columns>();
    constexpr auto mean = temporary<"mean", float, rows>();
    constexpr auto spread = temporary<"spread", float, rows>();
    constexpr auto program = attune::nest<"layer_norm">(
        mean[i] = sum(j)(X[i][j]) * (1.0f / columns),
        spread[i] = sum(j)((X[i][j] - mean[i]) * (X[i][j] - mean[i])) * (1.0f / columns),
        Y[i][j] = (X[i][j] - mean[i]) * (1.0f / sqrt(spread[i] + 1e-5f)) * g[j] + b[j]);
    std::size_t const count = std::size_t{rows} * columns;
    attune::device_array<float> x = some<float>(count, 1);
    attune::device_array<float> gain = some<float>(columns, 2);
    attune::device_array<float> more = some<float>(columns, 3);
    attune::device_array<float> mine(count);
    attune::device_array<float> theirs(count);
    kernel_by_hand const by_hand(on, text_by_hand, "layer_norm", 4, rows);
    compare(
        name, program, on, asked,
        [&](auto& fast) { fast(x.span(), gain.span(), more.span(), mine.span()); },
        [&] {
            return by_hand(
                {x.span().data(), gain.span().data(), more.span().data(), theirs.span().data()});
        },
        [&] { return difference(mine, theirs); });
}

struct row {
    std::string name;
    void (*run)(std::string const&, machine const&, arguments const&);
};

std::vector<row> table()
{
    return {{"matmul_f32", product<float>},
            {"convolution_f32", convolution<float>},
#ifdef ATTUNE_HAS_FLOAT16
            {"matmul_f16", product<_Float16>},
            {"convolution_f16", convolution<_Float16>},
#endif
            {"softmax", softmax},
            {"layer_norm", layer_norm}};
}

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of(argv[0], [&] {
        arguments asked;
        bench::read_arguments(argc, argv,
                              {{"PROGRAM", &asked.programs},
                               {"--evaluations", &asked.evaluations, 1},
                               {"--seconds", &asked.seconds, 1},
                               {"--seed", &asked.seed},
                               {"--any-device", &asked.is_for_any_device}});
        std::vector<row> const all = table();
        std::vector<std::string> known;
        for (row const& one : all)
            known.push_back(one.name);
        for (std::string const& name : asked.programs)
            bench::require_known("PROGRAM", name, known);
        attune::nvrtc_compiler const compiler;
        if (std::string const why = compiler.missing(); !why.empty()) {
            std::printf("device_library skipped: %s\n", why.c_str());
            return 0;
        }
        std::printf("device name=\"%s\" compiler=\"%s\"\n", compiler.target().limits.name.c_str(),
                    compiler.identity().c_str());
        machine const on{compiler, compiler.target().driver};
        attune::detail::cuda::primary_context const context{on.driver, compiler.target().ordinal};
        attune::detail::cuda::context_scope const here{context};
        for (row const& one : all)
            if (asked.programs.empty() ||
                std::count(asked.programs.begin(), asked.programs.end(), one.name))
                one.run(one.name, on, asked);
        return 0;
    });
}

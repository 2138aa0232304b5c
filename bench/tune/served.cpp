// bench.tune.served : how many calls of other sizes the tuned variant serves, and what that costs.
// SPDX-License-Identifier: MIT
//
//   bench.tune.served [--kernels NAME[,NAME...]] [--calls 1000] [--evaluations 10] [--regret 0]
//                     [--several 1] [--seed 1]
//
// Each kernel is tuned at one set of sizes and then called with sizes that are drawn log-uniformly
// from 1 (or the least that the kernel takes) to sixteen times these, each by itself, on arrays
// where the allocator puts them. A line for each kernel:
//   by_variant_100, by_variant_1000  share of the first so many calls after the tuning that the
//                   best known variant for their sizes served, which is the default where
//                   speedup=1.00, and at about the sizes where it was measured to be faster
//   slower          calls of these sizes: the default served them
//   worst_call_ms   the longest call, less two executions of the default on the same arguments
//   proof_s         seconds of the calls that attune made to prove the variant
//   share_of_tuning   proof_s over the time of the tuning
//   sizes           tuned sizes; with --several 0 always one
//   tree_regret     what the report says of sizes that the tree leaves out: see tuning_report
//   regret          time lost: that of what serves over that of variants that were tuned for the
//                   very sizes, each of them called once, over --regret sizes, less 1; 0: not
//                   measured
// The last line has the means over the kernels, and the worst of worst_call_ms and proof_s.
#include <attune/compile/clang.hpp>
#include <attune/measure/clock/clocks.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "../../examples/kernels/all.hpp"
#include "../support/arguments.hpp"
#include "../support/duel.hpp"
#include "../support/names.hpp"
#include "served_outside.hpp"

namespace {

double wall_s() { return attune::system_clocks{}.wall_s(); }

using sizes = bench::served_sizes;
using bench::numbers;
using kernels::area;
using in = std::span<float const>;
using out = std::span<float>;

struct arguments {
    std::string kernels{};
    std::size_t calls = 1000;
    std::uint32_t evaluations = 10;
    std::size_t regret = 0;
    std::size_t several = 1;
    std::size_t seed = 1;
};

// Each case: the sizes that it is tuned for, the least ones, and the data of a call.

struct sgemm : kernels::sgemm {
    static sizes first() { return {96}; }
    static int least() { return 1; }
    void resize(sizes const& s)
    {
        n = s[0];
        a = numbers(area(n, n));
        b = numbers(area(n, n));
        c = numbers(area(n, n));
    }
};

struct batched_gemm : kernels::batched_gemm {
    static sizes first() { return {16, 100}; }
    static int least() { return 1; }
    void resize(sizes const& s)
    {
        n = s[0];
        count = s[1];
        a = numbers(area(n * n, count));
        b = numbers(area(n * n, count));
        c = numbers(area(n * n, count));
    }
};

struct stencil2d : kernels::stencil2d {
    static sizes first() { return {150, 200}; }
    static int least() { return 3; }
    void resize(sizes const& s)
    {
        height = s[0];
        width = s[1];
        in = numbers(area(height, width));
        out = in;
    }
};

struct harris : kernels::harris {
    static sizes first() { return {100, 150}; }
    static int least() { return 5; }
    void resize(sizes const& s)
    {
        height = s[0];
        width = s[1];
        in = numbers(area(height, width));
        out = numbers(area(height - 4, width - 4));
    }
};

struct convolution2d : kernels::convolution2d {
    static sizes first() { return {60, 80}; }
    static int least() { return extent; }
    void resize(sizes const& s)
    {
        height = s[0];
        width = s[1];
        in = numbers(area(height, width));
        filter = numbers(area(extent, extent));
        out = numbers(area(height - extent + 1, width - extent + 1));
    }
};

/// Its rows cannot be drawn by attune: kernel.calls(f) makes matrices.
struct spmv : kernels::spmv {
    static attune::kernel<signature> kernel()
    {
        return kernels::spmv::kernel().calls([](attune::call_draw& draw) {
            auto const n = static_cast<int>(draw.size(1, 16 * first()[0]));
            kernels::csr_matrix a =
                kernels::make_matrix(kernels::pattern::power_law, n, n, std::min(n, 16), draw());
            std::vector<float> x = draw.reals(static_cast<std::size_t>(n));
            return std::tuple{a.start, a.column, a.value, x, x};
        });
    }
    static sizes first() { return {2000}; }
    static int least() { return 1; }
    void resize(sizes const& s)
    {
        a = kernels::make_matrix(kernels::pattern::power_law, s[0], s[0], std::min(s[0], 16), 1);
        x = numbers(static_cast<std::size_t>(a.columns));
        y = numbers(static_cast<std::size_t>(a.rows));
    }
};

/// Three sizes: m x k times k x n.
struct gemm {
    static constexpr char const* name = "gemm";
    static constexpr auto rows = attune::ordinal<"ROWS">(attune::values(1, 2, 4, 8));
    static constexpr auto columns = attune::ordinal<"COLUMNS">(attune::values(1, 8, 16, 32));
    static constexpr auto depth = attune::ordinal<"DEPTH">(attune::values(16, 64, 256));
    static constexpr auto space = attune::space(rows, columns, depth);
    using signature = void(in, in, out, int, int, int);
    static attune::kernel<signature> kernel()
    {
        return {name,
                attune::source_text(R"(
#include <attune/tunable.hpp>
#include <algorithm>
#include <span>
constexpr int rows = ATTUNE_TUNABLE(ROWS, 1);
constexpr int columns = ATTUNE_TUNABLE(COLUMNS, 1);
constexpr int depth = ATTUNE_TUNABLE(DEPTH, 16);
void gemm(std::span<float const> a, std::span<float const> b, std::span<float> c, int m, int n, int k)
{
    for (int i = 0; i < m * n; ++i) c[i] = 0;
    for (int from = 0; from < k; from += depth) {
        int const to = std::min(k, from + depth);
        int i = 0;
        for (; i + rows <= m; i += rows) {
            int j = 0;
            for (; j + columns <= n; j += columns) {
                float sum[rows][columns] = {};
                for (int l = from; l < to; ++l)
                    for (int r = 0; r < rows; ++r)
                        for (int s = 0; s < columns; ++s)
                            sum[r][s] += a[(i + r) * k + l] * b[l * n + j + s];
                for (int r = 0; r < rows; ++r)
                    for (int s = 0; s < columns; ++s) c[(i + r) * n + j + s] += sum[r][s];
            }
            for (int r = 0; r < rows; ++r)
                for (int l = from; l < to; ++l)
                    for (int s = j; s < n; ++s) c[(i + r) * n + s] += a[(i + r) * k + l] * b[l * n + s];
        }
        for (; i < m; ++i)
            for (int l = from; l < to; ++l)
                for (int j = 0; j < n; ++j) c[i * n + j] += a[i * k + l] * b[l * n + j];
    }
}
)",
                                    "gemm.kernel.cpp"),
                space};
    }
    static sizes first() { return {64, 64, 64}; }
    static int least() { return 1; }
    void resize(sizes const& s)
    {
        size = s;
        a = numbers(area(s[0], s[2]));
        b = numbers(area(s[2], s[1]));
        c = numbers(area(s[0], s[1]));
    }
    void call(auto&& run) { run(a, b, c, size[0], size[1], size[2]); }
    sizes size;
    std::vector<float> a, b, c;
};

/// No integers: the length is the size.
struct axpy {
    static constexpr char const* name = "axpy";
    static constexpr auto unroll = attune::ordinal<"UNROLL">(attune::values(1, 4, 8, 16, 32));
    static constexpr auto flags = attune::flags<"FLAGS">("-O1", "-O3");
    static constexpr auto space = attune::space(unroll, flags);
    using signature = void(in, out, float);
    static attune::kernel<signature> kernel()
    {
        return {name,
                attune::source_text(R"(
#include <attune/tunable.hpp>
#include <span>
constexpr int unroll = ATTUNE_TUNABLE(UNROLL, 1);
void axpy(std::span<float const> x, std::span<float> y, float a)
{
    std::size_t i = 0;
    for (; i + unroll <= x.size(); i += unroll) {
        float sum[unroll];
        for (int j = 0; j < unroll; ++j) sum[j] = y[i + j] + a * x[i + j];
        for (int j = 0; j < unroll; ++j) y[i + j] = sum[j];
    }
    for (; i < x.size(); ++i) y[i] += a * x[i];
}
)",
                                    "axpy.kernel.cpp"),
                space};
    }
    static sizes first() { return {10'000}; }
    static int least() { return 1; }
    void resize(sizes const& s)
    {
        x = numbers(static_cast<std::size_t>(s[0]));
        y = x;
    }
    void call(auto&& run) { run(x, y, 0.5f); }
    std::vector<float> x, y;
};

struct transpose {
    static constexpr char const* name = "transpose";
    static constexpr auto tile = attune::ordinal<"TILE">(attune::values(1, 4, 8, 16, 32, 64));
    static constexpr auto space = attune::space(tile);
    using signature = void(in, out, int, int);
    static attune::kernel<signature> kernel()
    {
        return {name,
                attune::source_text(R"(
#include <attune/tunable.hpp>
#include <algorithm>
#include <span>
constexpr int tile = ATTUNE_TUNABLE(TILE, 1);
void transpose(std::span<float const> x, std::span<float> y, int rows, int columns)
{
    for (int i = 0; i < rows; i += tile)
        for (int j = 0; j < columns; j += tile)
            for (int c = j; c < std::min(j + tile, columns); ++c)
                for (int r = i; r < std::min(i + tile, rows); ++r) y[c * rows + r] = x[r * columns + c];
}
)",
                                    "transpose.kernel.cpp"),
                space};
    }
    static sizes first() { return {200, 200}; }
    static int least() { return 1; }
    void resize(sizes const& s)
    {
        size = s;
        x = numbers(area(s[0], s[1]));
        y = x;
    }
    void call(auto&& run) { run(x, y, size[0], size[1]); }
    sizes size;
    std::vector<float> x, y;
};

/// Rows of a prefix sum and of an offset array: lengths n and n + 1.
struct segments {
    static constexpr char const* name = "segments";
    static constexpr auto unroll = attune::ordinal<"UNROLL">(attune::values(1, 2, 4, 8));
    static constexpr auto flags = attune::flags<"FLAGS">("-O1", "-O3");
    static constexpr auto space = attune::space(unroll, flags);
    using signature = void(in, out, int);
    static attune::kernel<signature> kernel()
    {
        return {name,
                attune::source_text(R"(
#include <attune/tunable.hpp>
#include <span>
constexpr int unroll = ATTUNE_TUNABLE(UNROLL, 1);
void segments(std::span<float const> edge, std::span<float> width, int n)
{
    int i = 0;
    for (; i + unroll <= n; i += unroll)
        for (int j = 0; j < unroll; ++j) width[i + j] = edge[i + j + 1] - edge[i + j];
    for (; i < n; ++i) width[i] = edge[i + 1] - edge[i];
}
)",
                                    "segments.kernel.cpp"),
                space};
    }
    static sizes first() { return {5'000}; }
    static int least() { return 1; }
    void resize(sizes const& s)
    {
        size = s;
        edge = numbers(static_cast<std::size_t>(s[0]) + 1);
        width = numbers(static_cast<std::size_t>(s[0]));
    }
    void call(auto&& run) { run(edge, width, size[0]); }
    sizes size;
    std::vector<float> edge, width;
};

struct bilateral {
    static constexpr char const* name = "bilateral";
    static constexpr auto tile = attune::ordinal<"TILE">(attune::values(1, 2, 4, 8, 16));
    static constexpr auto flags = attune::flags<"FLAGS">("-O3", "-ffast-math");
    static constexpr auto space = attune::space(tile, flags);
    using signature = void(in, out, int, int, float);
    static attune::kernel<signature> kernel()
    {
        attune::kernel<signature> made{name,
                                       attune::source_text(R"(
#include <attune/tunable.hpp>
#include <span>
constexpr int tile = ATTUNE_TUNABLE(TILE, 1);
static float at(std::span<float const> x, int height, int width, int i, int j, float range)
{
    float const own = x[i * width + j];
    float sum = 0, weights = 0;
    for (int a = -2; a <= 2; ++a)
        for (int b = -2; b <= 2; ++b) {
            int const r = i + a < 0 ? 0 : i + a >= height ? height - 1 : i + a;
            int const c = j + b < 0 ? 0 : j + b >= width ? width - 1 : j + b;
            float const v = x[r * width + c];
            float const weight = 1 / ((1.0f + a * a + b * b) * (1 + range * (v - own) * (v - own)));
            sum += weight * v;
            weights += weight;
        }
    return sum / weights;
}
void bilateral(std::span<float const> x, std::span<float> y, int height, int width, float range)
{
    for (int i = 0; i < height; ++i) {
        int j = 0;
        for (; j + tile <= width; j += tile)
            for (int t = 0; t < tile; ++t) y[i * width + j + t] = at(x, height, width, i, j + t, range);
        for (; j < width; ++j) y[i * width + j] = at(x, height, width, i, j, range);
    }
}
)",
                                                           "bilateral.kernel.cpp"),
                                       space};
        return made.template tolerate<1>({.relative = 1e-4});
    }
    static sizes first() { return {60, 80}; }
    static int least() { return 1; }
    void resize(sizes const& s)
    {
        size = s;
        x = numbers(area(s[0], s[1]));
        y = x;
    }
    void call(auto&& run) { run(x, y, size[0], size[1], 3.0f); }
    sizes size;
    std::vector<float> x, y;
};

attune::tuning_options quick(std::uint32_t evaluations,
                             attune::size_policy sizes = attune::size_policy::first)
{
    attune::tuning_options made;
    made.limits.evaluations = evaluations;
    made.sizes = sizes;
    made.progress = attune::silent_progress();
    return made;
}

/// The default as it is, without attune.
template <class Case>
attune::callable default_of(attune::clang_compiler const& compiler)
{
    auto const kernel = Case::kernel();
    attune::kernel_description const& d = kernel.describe();
    attune::description const declared = attune::detail::with_annotated_defaults(d);
    attune::chain_of_trees const space = attune::detail::space_of_call(d, declared, {});
    auto made = compiler.compile(
        d.source, attune::detail::make_variant(d, space.describe(),
                                               attune::detail::default_point(space).value()));
    if (auto const* const why = std::get_if<attune::failure>(&made))
        throw std::runtime_error(std::string(Case::name) + ": " + why->reason + "\n" + why->log);
    return std::get<attune::callable>(std::move(made));
}

struct totals {
    std::vector<double> first{};
    std::vector<double> all{};
    std::vector<double> worst_ms{};
    std::vector<double> proof_s{};
    std::vector<double> regret{};
    std::size_t calls = 0;
};

/// Times what serves beside a variant that is tuned for these very sizes.
template <class Case>
bench::comparison
compare_at(attune::tuned<typename Case::signature, attune::clang_compiler>& serves, Case& problem,
           sizes const& at, arguments const& given)
{
    problem.resize(at);
    attune::tuned<typename Case::signature, attune::clang_compiler> own{
        Case::kernel(), attune::clang_compiler{}, quick(given.evaluations)};
    problem.call(own);
    problem.call(serves);
    return bench::duel({}, [&] { problem.call(own); }, [&] { problem.call(serves); }, {.max_s = 1});
}

template <class Case>
void run_case(arguments const& given, totals& into)
{
    attune::clang_compiler const compiler;
    attune::callable const plain = default_of<Case>(compiler);
    attune::tuned<typename Case::signature, attune::clang_compiler> tuned{
        Case::kernel(), compiler,
        quick(given.evaluations,
              given.several != 0 ? attune::size_policy::several : attune::size_policy::first)};
    Case problem;
    problem.resize(Case::first());
    problem.call(tuned);
    attune::tuning_report const report = tuned.report();
    std::mt19937_64 random(given.seed);
    auto const draw = [&] {
        sizes made;
        for (int const n : Case::first()) {
            double const low = std::log2(Case::least());
            double const high = std::log2(16.0 * n + 1);
            double const part = static_cast<double>(random() >> 11) * 0x1p-53;
            made.push_back(static_cast<int>(std::exp2(low + part * (high - low))));
        }
        return made;
    };
    auto const best_served = [&] {
        attune::tuning_report const now = tuned.report();
        return now.coverage.by_winner + now.shapes.slower;
    };
    std::uint64_t served = best_served();
    std::size_t by_variant_100 = 0;
    std::size_t by_variant = 0;
    double worst_ms = 0;
    for (std::size_t i = 0; i < given.calls; ++i) {
        problem.resize(draw());
        double const begun_s = wall_s();
        problem.call(tuned);
        double took_ms = 1e3 * (wall_s() - begun_s);
        std::uint64_t const now = best_served();
        by_variant += now > served ? 1 : 0;
        served = now;
        if (i < 100) by_variant_100 = by_variant;
        if (took_ms > 5) {
            double const plain_s = wall_s();
            problem.call(*plain.template as<typename Case::signature>());
            took_ms -= 2e3 * (wall_s() - plain_s);
        }
        worst_ms = std::max(worst_ms, took_ms);
    }
    tuned.wait();
    double own_s = 0;
    double served_s = 0;
    for (std::size_t i = 0; i < given.regret; ++i) {
        bench::comparison const one = compare_at<Case>(tuned, problem, draw(), given);
        own_s += one.a.value;
        served_s += one.b.value;
    }
    attune::tuning_report const now = tuned.report();
    for (std::string const& one : now.notices)
        std::fprintf(stderr, "%s: %s\n", Case::name, one.c_str());
    for (attune::uncovered_calls const& one : now.coverage.rest)
        std::fprintf(stderr, "%s: %llu calls where %s: %s\n", Case::name,
                     static_cast<unsigned long long>(one.calls), one.shape.c_str(),
                     one.why.c_str());
    double const share_100 = static_cast<double>(by_variant_100) /
                             static_cast<double>(std::min<std::size_t>(100, given.calls));
    double const share = static_cast<double>(by_variant) / static_cast<double>(given.calls);
    double const regret = own_s > 0 ? served_s / own_s - 1 : 0;
    std::printf("%-14s speedup=%.2f by_variant_100=%.3f by_variant_1000=%.3f verified=%llu "
                "by_class=%llu by_default=%llu wrong=%llu slower=%llu unknown=%llu proofs=%llu "
                "worst_call_ms=%.1f proof_s=%.2f share_of_tuning=%.2f sizes=%zu tree_regret=%.3f "
                "regret=%.3f\n",
                Case::name, report.speedup, share_100, share,
                static_cast<unsigned long long>(now.shapes.verified),
                static_cast<unsigned long long>(now.shapes.by_class),
                static_cast<unsigned long long>(now.shapes.by_default),
                static_cast<unsigned long long>(now.shapes.wrong),
                static_cast<unsigned long long>(now.shapes.slower),
                static_cast<unsigned long long>(now.shapes.unknown),
                static_cast<unsigned long long>(now.shapes.proofs), worst_ms, now.shapes.proof_s,
                now.shapes.proof_s / report.elapsed_s, std::max<std::size_t>(1, now.sizes.size()),
                now.size_regret.value_or(0), regret);
    std::fflush(stdout);
    into.calls += given.calls;
    into.first.push_back(share_100);
    into.all.push_back(share);
    into.worst_ms.push_back(worst_ms);
    into.proof_s.push_back(now.shapes.proof_s);
    into.regret.push_back(regret);
}

double mean(std::vector<double> const& of)
{
    double sum = 0;
    for (double const v : of)
        sum += v;
    return of.empty() ? 0 : sum / static_cast<double>(of.size());
}

int run(int argc, char** argv)
{
    arguments given;
    bench::read_arguments(argc, argv,
                          {{"--kernels", &given.kernels},
                           {"--calls", &given.calls, 1},
                           {"--evaluations", &given.evaluations, 2},
                           {"--regret", &given.regret},
                           {"--several", &given.several},
                           {"--seed", &given.seed}});
    totals all;
    std::vector<std::string> names;
    auto const visit = [&](auto&& f) {
        f.template operator()<gemm>();
        f.template operator()<sgemm>();
        f.template operator()<batched_gemm>();
        f.template operator()<stencil2d>();
        f.template operator()<harris>();
        f.template operator()<convolution2d>();
        f.template operator()<axpy>();
        f.template operator()<transpose>();
        f.template operator()<segments>();
        f.template operator()<bilateral>();
        f.template operator()<spmv>();
        f.template operator()<bench::lu>();
        f.template operator()<bench::lennard_jones>();
        f.template operator()<bench::lattice_boltzmann>();
        f.template operator()<bench::utf8_validation>();
        f.template operator()<bench::smith_waterman>();
        f.template operator()<bench::fft_pass>();
        f.template operator()<bench::sparse_rows>();
    };
    visit([&]<class Case> { names.emplace_back(Case::name); });
    bench::require_known("--kernels", given.kernels, names);
    visit([&]<class Case> {
        if (bench::is_in(given.kernels, Case::name)) run_case<Case>(given, all);
    });
    std::printf("total calls=%zu by_variant_100=%.3f by_variant_1000=%.3f worst_call_ms=%.1f "
                "proof_s=%.2f regret=%.3f\n",
                all.calls, mean(all.first), mean(all.all),
                *std::max_element(all.worst_ms.begin(), all.worst_ms.end()),
                *std::max_element(all.proof_s.begin(), all.proof_s.end()), mean(all.regret));
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of("bench.tune.served", [&] { return run(argc, argv); });
}

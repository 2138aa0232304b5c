// bench.tune.start : the first call of a new process, whose store and cache know the winner.
// SPDX-License-Identifier: MIT
//
// Run      bench.tune.start [--rounds 15] [--evaluations 6] [--folder /tmp]
// Prints   for each kernel, medians over new processes that take turns: main_ms from the first
//          statement of main() to the end of the first call; construct_ms and call_ms, its parts
//          from the construction of `tuned` on; exec_ms from before the process was started. The
//          last line has the slowest kernel's main_ms, and whether any of them had LLVM in it
#include <attune/attune.hpp>
#include <attune/compile/clang.hpp>
#include <attune/compile/system/process.hpp>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "../support/arguments.hpp"
#include "../support/median.hpp"
#include "../support/scratch_folder.hpp"

namespace {

double now_ms()
{
    std::timespec t{};
    ::clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_nsec);
}

/// One number, no input, seven configurations.
namespace little {
inline constexpr auto lanes = attune::ordinal<"LANES">(attune::powers_of_two(1, 64));
inline constexpr auto space = attune::space(lanes);
constexpr char const* text = R"(#include <attune/tunable.hpp>
#include <cstddef>
#include <span>
void little(std::span<float const> x, std::span<float> y)
{
    constexpr int lanes = ATTUNE_TUNABLE(LANES, 1);
    std::size_t i = 0;
    for (; i + lanes <= x.size(); i += lanes)
        for (int j = 0; j < lanes; ++j)
            y[i + j] = 2.0f * x[i + j] + 1.0f;
    for (; i < x.size(); ++i)
        y[i] = 2.0f * x[i] + 1.0f;
}
)";
} // namespace little

/// A product of matrices: three inputs, eight parameters, constraints between them, 10^5
/// configurations of 10^6.
namespace wide {
inline constexpr auto m = attune::input<"M", int>();
inline constexpr auto n = attune::input<"N", int>();
inline constexpr auto k = attune::input<"K", int>();
inline constexpr auto rows = attune::ordinal<"ROWS">(attune::powers_of_two(4, 256));
inline constexpr auto columns = attune::ordinal<"COLUMNS">(attune::powers_of_two(4, 256));
inline constexpr auto depth = attune::ordinal<"DEPTH">(attune::powers_of_two(4, 256));
inline constexpr auto row = attune::ordinal<"ROW">(attune::powers_of_two(1, 16));
inline constexpr auto column = attune::ordinal<"COLUMN">(attune::powers_of_two(1, 32));
inline constexpr auto unroll = attune::ordinal<"UNROLL">(attune::powers_of_two(1, 16));
inline constexpr auto order = attune::categorical<"ORDER">(0, 1, 2, 3, 4, 5);
inline constexpr auto ahead = attune::ordinal<"AHEAD">(attune::powers_of_two(1, 64));
inline constexpr auto space = attune::space(rows, columns, depth, row, column, unroll, order, ahead)
                                  .where(rows % row == 0)
                                  .where(columns % column == 0)
                                  .where(depth % unroll == 0)
                                  .where(rows <= m)
                                  .where(columns <= n)
                                  .where(depth <= k)
                                  .where(rows * depth + depth * columns <= 32'768);
constexpr char const* text = R"(#include <attune/tunable.hpp>
#include <algorithm>
#include <span>
constexpr int rows = ATTUNE_TUNABLE(ROWS, 4), columns = ATTUNE_TUNABLE(COLUMNS, 4);
constexpr int depth = ATTUNE_TUNABLE(DEPTH, 4), row = ATTUNE_TUNABLE(ROW, 1);
constexpr int column = ATTUNE_TUNABLE(COLUMN, 1), unroll = ATTUNE_TUNABLE(UNROLL, 1);
constexpr int order = ATTUNE_TUNABLE(ORDER, 0), ahead = ATTUNE_TUNABLE(AHEAD, 1);
void wide(std::span<float const> a, std::span<float const> b, std::span<float> c, int m, int n, int k)
{
    static_assert(row + column + unroll + order + ahead > 0);
    std::fill(c.begin(), c.end(), 0.0f);
    for (int k0 = 0; k0 < k; k0 += depth)
        for (int i0 = 0; i0 < m; i0 += rows)
            for (int j0 = 0; j0 < n; j0 += columns)
                for (int i = i0; i < std::min(m, i0 + rows); ++i)
                    for (int p = k0; p < std::min(k, k0 + depth); ++p)
                        for (int j = j0; j < std::min(n, j0 + columns); ++j)
                            c[i * n + j] += a[i * k + p] * b[p * n + j];
}
)";
} // namespace wide

attune::tuning_options options_of(std::size_t evaluations)
{
    attune::tuning_options out;
    out.limits = {.evaluations = evaluations};
    out.progress = attune::silent_progress();
    return out;
}

bool has_llvm()
{
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);)
        for (std::string_view const one : {"libLLVM", "libclang", "libattune_clang"})
            if (line.find(one) != line.npos) return true;
    return false;
}

/// What one process is started for; its times are its output.
struct first_call {
    double main_ms;          ///< when main() began
    double exec_ms;          ///< when its parent started it
    std::string store;       ///< a file
    std::size_t evaluations; ///< as they were asked for when the store was filled
    bool is_warm;            ///< it has to be remembered

    template <class Signature, class... Args>
    int run(attune::kernel<Signature> const& kernel, Args&&... args) const
    {
        double const begun_ms = now_ms();
        attune::tuned tuned{kernel, attune::clang_compiler{}, attune::store{store},
                            options_of(evaluations)};
        double const made_ms = now_ms();
        tuned(args...);
        double const over_ms = now_ms();
        attune::tuning_report const report = tuned.report();
        if (is_warm && report.how != attune::decision::remembered)
            throw std::runtime_error("the winner is not remembered: " + report.summary());
        std::printf("%.6f %.6f %.6f %.6f %d\n", over_ms - main_ms, made_ms - begun_ms,
                    over_ms - made_ms, over_ms - exec_ms, has_llvm() ? 1 : 0);
        return 0;
    }
    int run(std::string const& name) const
    {
        if (name == "little") {
            attune::kernel<void(std::span<float const>, std::span<float>)> const kernel{
                "little", attune::source_text(little::text, "little.kernel.cpp"), little::space};
            std::vector<float> x(1 << 14, 0.5F), y(x.size());
            return run(kernel, x, y);
        }
        attune::kernel<void(std::span<float const>, std::span<float const>, std::span<float>, int,
                            int, int)>
            kernel{"wide", attune::source_text(wide::text, "wide.kernel.cpp"), wide::space};
        kernel.bind<3>(wide::m).bind<4>(wide::n).bind<5>(wide::k);
        constexpr int m = 64, n = 96, k = 48;
        std::vector<float> a(m * k, 0.5F), b(k * n, 0.25F), c(m * n);
        return run(kernel, a, b, c, m, n, k);
    }
};

struct times {
    std::vector<double> main_ms{}, construct_ms{}, call_ms{}, exec_ms{};
};

int measure(std::size_t rounds, std::size_t evaluations, std::string const& folder)
{
    bench::scratch_folder const all{folder};
    std::string const& path = all.path();
    ::setenv("ATTUNE_CACHE", (path + "/cache").c_str(), 1);
    std::string const self = std::filesystem::read_symlink("/proc/self/exe").string();
    bool has_any_llvm = false;
    auto const start = [&](std::string const& name, bool is_warm, times& to) {
        attune::detail::process_result const ended = attune::detail::run_process(
            {self, "--first-call", name, path + "/store", std::to_string(evaluations),
             is_warm ? "warm" : "cold", std::to_string(now_ms())},
            120.0);
        double main_ms = 0, construct_ms = 0, call_ms = 0, exec_ms = 0;
        int llvm = 1;
        if (!ended.succeeded() || std::sscanf(ended.output.c_str(), "%lf %lf %lf %lf %d", &main_ms,
                                              &construct_ms, &call_ms, &exec_ms, &llvm) != 5)
            throw std::runtime_error(name + ": " + ended.output);
        to.main_ms.push_back(main_ms);
        to.construct_ms.push_back(construct_ms);
        to.call_ms.push_back(call_ms);
        to.exec_ms.push_back(exec_ms);
        if (is_warm) has_any_llvm = has_any_llvm || llvm != 0;
    };
    constexpr char const* names[] = {"little", "wide"};
    times of[2];
    for (char const* const name : names) {
        times unread;
        start(name, false, unread);
        start(name, true, unread);
    }
    for (std::size_t round = 0; round < rounds; ++round)
        for (std::size_t i = 0; i < 2; ++i)
            start(names[i], true, of[i]);
    double worst = 0;
    for (std::size_t i = 0; i < 2; ++i) {
        double const main_ms = bench::median(of[i].main_ms);
        std::printf("kernel name=%s main_ms=%.2f construct_ms=%.2f call_ms=%.2f exec_ms=%.2f "
                    "processes=%zu\n",
                    names[i], main_ms, bench::median(of[i].construct_ms),
                    bench::median(of[i].call_ms), bench::median(of[i].exec_ms), rounds);
        worst = main_ms > worst ? main_ms : worst;
    }
    std::printf("total first_call_ms=%.2f llvm_mapped=%d\n", worst, has_any_llvm ? 1 : 0);
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    double const main_ms = now_ms();
    return bench::exit_code_of(argv[0], [&] {
        if (argc == 7 && std::string_view(argv[1]) == "--first-call")
            return first_call{main_ms, std::strtod(argv[6], nullptr), argv[3],
                              std::strtoul(argv[4], nullptr, 10),
                              std::string_view(argv[5]) == "warm"}
                .run(argv[2]);
        std::size_t rounds = 15, evaluations = 6;
        std::string folder = std::filesystem::temp_directory_path().string();
        bench::read_arguments(
            argc, argv,
            {{"--rounds", &rounds, 1}, {"--evaluations", &evaluations, 1}, {"--folder", &folder}});
        return measure(rounds, evaluations, folder);
    });
}

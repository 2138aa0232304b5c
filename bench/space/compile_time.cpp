// bench/space/compile_time.cpp - what a declaration of 20 parameters, and programs cost the compiler.
// SPDX-License-Identifier: MIT
//
// Compiles, in turn, an empty file, one that declares the space of KTT's 3D convolution, 20
// parameters and ten constraints, as a typed pack and lowers it, one that includes what programs
// need, and one that makes kernels of twelve layers; the last two without and with -O2. Prints the
// medians of the processor seconds (user and system), the difference to the file without the
// declarations, and that for each of them:
//
//   compile_time program=ktt_conv3d flags=-O0 seconds=1.91 above_s=1.87 each_s=1.87
#include <array>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

#include "../support/arguments.hpp"
#include "../support/median.hpp"
#include "../support/spawned_compiler.hpp"

namespace {

constexpr std::size_t repeats = 3;

constexpr std::string_view conv3d = R"cpp(#include <attune/declare/lower.hpp>
#include <attune/declare/pack.hpp>
#include <attune/declare/parameters.hpp>
using namespace attune;
inline constexpr auto ALGORITHM = ordinal<"ALGORITHM">(values(0, 1, 2));
inline constexpr auto TBX = ordinal<"TBX">(values(8, 16, 32, 64));
inline constexpr auto TBY = ordinal<"TBY">(values(8, 16, 32, 64));
inline constexpr auto TBZ = ordinal<"TBZ">(values(1, 2, 4, 8, 16, 32));
inline constexpr auto LOCAL = ordinal<"LOCAL">(values(0, 1, 2));
inline constexpr auto WPTX = ordinal<"WPTX">(values(1, 2, 4, 8));
inline constexpr auto WPTY = ordinal<"WPTY">(values(1, 2, 4, 8));
inline constexpr auto WPTZ = ordinal<"WPTZ">(values(1, 2, 4, 8));
inline constexpr auto VECTOR = ordinal<"VECTOR">(values(1, 2, 4));
inline constexpr auto UNROLL_FACTOR = ordinal<"UNROLL_FACTOR">(values(1, 3));
inline constexpr auto CONSTANT_COEFF = ordinal<"CONSTANT_COEFF">(values(0, 1));
inline constexpr auto CACHE_WORK_TO_REGS = ordinal<"CACHE_WORK_TO_REGS">(values(0, 1));
inline constexpr auto REVERSE_LOOP_ORDER = ordinal<"REVERSE_LOOP_ORDER">(values(0, 1));
inline constexpr auto REVERSE_LOOP_ORDER2 = ordinal<"REVERSE_LOOP_ORDER2">(values(0, 1));
inline constexpr auto REVERSE_LOOP_ORDER3 = ordinal<"REVERSE_LOOP_ORDER3">(values(0, 1));
inline constexpr auto PADDING = ordinal<"PADDING">(values(0, 1));
inline constexpr auto Z_ITERATIONS = ordinal<"Z_ITERATIONS">(values(4, 8, 16, 32));
inline constexpr auto TBX_XL =
    ordinal<"TBX_XL">(values(1, 2, 3, 4, 8, 9, 10, 16, 17, 18, 32, 33, 34, 64, 65, 66));
inline constexpr auto TBY_XL =
    ordinal<"TBY_XL">(values(1, 2, 3, 4, 8, 9, 10, 16, 17, 18, 32, 33, 34, 64, 65, 66));
inline constexpr auto TBZ_XL =
    ordinal<"TBZ_XL">(values(1, 2, 3, 4, 8, 9, 10, 16, 17, 18, 32, 33, 34, 64, 65, 66));
inline constexpr auto halo = select(LOCAL == 1, 2, 0);
inline constexpr auto declared =
    space(ALGORITHM, TBX, TBY, TBZ, LOCAL, WPTX, WPTY, WPTZ, VECTOR, UNROLL_FACTOR, CONSTANT_COEFF,
          CACHE_WORK_TO_REGS, REVERSE_LOOP_ORDER, REVERSE_LOOP_ORDER2, REVERSE_LOOP_ORDER3, PADDING,
          Z_ITERATIONS, TBX_XL, TBY_XL, TBZ_XL)
        .where((TBX_XL == TBX + (2 + WPTX - 1) / WPTX && LOCAL == 2) || (LOCAL != 2 && TBX_XL == TBX),
               (TBY_XL == TBY + (2 + WPTY - 1) / WPTY && LOCAL == 2) || (LOCAL != 2 && TBY_XL == TBY),
               (TBZ_XL == TBZ + (2 + WPTZ - 1) / WPTZ && LOCAL == 2) || (LOCAL != 2 && TBZ_XL == TBZ),
               LOCAL != 0 || PADDING == 0,
               TBX_XL * TBY_XL * TBZ_XL <= 1024,
               LOCAL == 0 || (TBX_XL * WPTX + halo + PADDING) * (TBY_XL * WPTY + halo) *
                       (TBZ_XL * WPTZ + select(ALGORITHM == 2 || LOCAL == 1, 2, 0)) * 4 <= 32768,
               CACHE_WORK_TO_REGS == 1 || REVERSE_LOOP_ORDER3 == 0,
               WPTX % VECTOR == 0 && (LOCAL != 2 || 2 % VECTOR == 0),
               ALGORITHM == 1 || (ALGORITHM == 2 && TBZ == 1 && WPTZ == 1 && LOCAL != 0) ||
                   (ALGORITHM == 0 && TBX == 8 && TBY == 8 && TBZ == 1 && WPTX == 1 && WPTY == 1 &&
                    WPTZ == 1 && LOCAL == 0 && VECTOR == 1 && UNROLL_FACTOR == 1 &&
                    CONSTANT_COEFF == 1 && CACHE_WORK_TO_REGS == 1 && REVERSE_LOOP_ORDER == 1 &&
                    REVERSE_LOOP_ORDER2 == 1 && REVERSE_LOOP_ORDER3 == 1),
               ALGORITHM == 2 || Z_ITERATIONS == 16);
int main() { return lower(declared).parameters.size() == 20 ? 0 : 1; }
)cpp";

constexpr std::string_view header = R"cpp(#include <attune/tune/program/nest.hpp>
int main() {}
)cpp";

// Three layers of four shapes, as a network has them.
constexpr std::string_view layers = R"cpp(#include <attune/tune/program/nest.hpp>
using namespace attune;
inline constexpr auto h = axis<"h">();
inline constexpr auto w = axis<"w">();
inline constexpr auto c = axis<"c">();
inline constexpr auto f = axis<"f">();
template <int Height, int Channels>
struct convolution {
    static constexpr auto r = axis<"r", 3>();
    static constexpr auto s = axis<"s", 3>();
    static constexpr auto X = array<"X", float, Height, Height, Channels>();
    static constexpr auto W = array<"W", float, 3, 3, Channels, 64>();
    static constexpr auto b = array<"b", float, 64>();
    static constexpr auto Y = array<"Y", float, Height, Height, 64>();
    static constexpr auto program = nest<"convolution">(
        Y[h][w][f] = max(sum(r, s, c)(padded(X)[h + r - 1][w + s - 1][c] * W[r][s][c][f]) + b[f],
                         0.0f));
};
template <int Rows, int Columns>
struct dense {
    static constexpr auto X = array<"X", float, Rows, 64>();
    static constexpr auto W = array<"W", float, 64, Columns>();
    static constexpr auto b = array<"b", float, Columns>();
    static constexpr auto Y = array<"Y", float, Rows, Columns>();
    static constexpr auto gelu = [](auto v) { return 0.5f * v * (1.0f + erf(v * 0.70710678f)); };
    static constexpr auto program =
        nest<"dense">(Y[h][w] = gelu(sum(c)(X[h][c] * W[c][w]) + b[w]));
};
template <int Rows, int Columns>
struct softmax {
    static constexpr auto X = array<"X", float, Rows, Columns>();
    static constexpr auto Y = array<"Y", float, Rows, Columns>();
    static constexpr auto largest = temporary<"largest", float, Rows>();
    static constexpr auto power = temporary<"power", float, Rows, Columns>();
    static constexpr auto total = temporary<"total", float, Rows>();
    static constexpr auto program = nest<"softmax">(largest[h] = attune::max(w)(X[h][w]),
                                                    power[h][w] = exp(X[h][w] - largest[h]),
                                                    total[h] = sum(w)(power[h][w]),
                                                    Y[h][w] = power[h][w] / total[h]);
};
template <class... Layer>
bool are_kernels() { return (Layer::program.kernel().describe().space.parameters.empty() && ...); }
int main()
{
    return are_kernels<convolution<56, 64>, convolution<28, 128>, convolution<14, 256>,
                       convolution<7, 512>, dense<1, 64>, dense<16, 128>, dense<64, 256>,
                       dense<128, 512>, softmax<1, 10>, softmax<16, 100>, softmax<64, 1000>,
                       softmax<128, 128>>();
}
)cpp";

struct program {
    std::string_view name;
    std::string_view text;
    std::string flags;
    std::size_t without; ///< the file without the declarations
    int declarations;
    std::vector<double> seconds{};
};

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of(argv[0], [&] {
        bench::read_arguments(argc, argv, {});
        std::array<program, 6> programs{{{"empty", "int main() {}\n", "-O0", 0, 0},
                                         {"ktt_conv3d", conv3d, "-O0", 0, 1},
                                         {"nest_header", header, "-O0", 0, 0},
                                         {"nest_layers", layers, "-O0", 2, 12},
                                         {"nest_header", header, "-O2", 0, 0},
                                         {"nest_layers", layers, "-O2", 4, 12}}};
        std::vector<std::string> paths;
        for (program const& p : programs)
            paths.push_back(bench::write_temporary(p.text));
        for (std::size_t run = 0; run <= repeats; ++run)
            for (std::size_t i = 0; i != programs.size(); ++i) {
                double const seconds =
                    bench::compile_s(paths[i], {programs[i].flags, "-c", "-o", "/dev/null"});
                if (run != 0)
                    programs[i].seconds.push_back(seconds); // the first only warms the files
            }
        for (std::string const& path : paths)
            ::unlink(path.c_str());
        for (program const& p : programs) {
            double const seconds = bench::median(p.seconds);
            double const above = seconds - bench::median(programs[p.without].seconds);
            std::printf(
                "compile_time program=%.*s flags=%s seconds=%.3f above_s=%.3f each_s=%.3f\n",
                static_cast<int>(p.name.size()), p.name.data(), p.flags.c_str(), seconds, above,
                p.declarations == 0 ? 0.0 : above / p.declarations);
        }
        return 0;
    });
}

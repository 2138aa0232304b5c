// bench/space/compile_time.cpp - what a declaration of 20 parameters costs the compiler.
// SPDX-License-Identifier: MIT
//
// Compiles (-c -O0) an empty file and one that declares the space of KTT's 3D convolution, 20
// parameters and ten constraints, as a typed pack and lowers it, in turn; prints the medians of the
// processor seconds (user and system) and their difference:
//
//   compile_time program=ktt_conv3d seconds=1.91 above_empty_s=1.87
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

constexpr std::size_t repeats = 7;

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

struct program {
    std::string_view name;
    std::string_view text;
    std::vector<double> seconds{};
};

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of(argv[0], [&] {
        bench::read_arguments(argc, argv, {});
        std::array<program, 2> programs{{{"empty", "int main() {}\n"}, {"ktt_conv3d", conv3d}}};
        std::vector<std::string> paths;
        for (program const& p : programs)
            paths.push_back(bench::write_temporary(p.text));
        for (std::size_t run = 0; run <= repeats; ++run)
            for (std::size_t i = 0; i != programs.size(); ++i) {
                double const seconds = bench::compile_s(paths[i], {"-c", "-o", "/dev/null"});
                if (run != 0)
                    programs[i].seconds.push_back(seconds); // the first only warms the files
            }
        for (std::string const& path : paths)
            ::unlink(path.c_str());
        double const empty = bench::median(programs[0].seconds);
        for (program const& p : programs) {
            double const seconds = bench::median(p.seconds);
            std::printf("compile_time program=%.*s seconds=%.3f above_empty_s=%.3f\n",
                        static_cast<int>(p.name.size()),
                        p.name.data(),
                        seconds,
                        seconds - empty);
        }
        return 0;
    });
}

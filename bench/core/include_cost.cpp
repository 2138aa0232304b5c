// bench/core/include_cost.cpp - what attune's headers cost a user's compiler.
// SPDX-License-Identifier: MIT
//
// Spawns the compiler of this build on files that only include <Eigen/Dense> or <attune/attune.hpp>
// and on a declaration of 20 parameters, as it stands in a user's header and with its lowering to
// plain data, in turn; prints the medians of the processor seconds (user and system):
//
//   include_cost file=attune.hpp seconds=0.77 vs_eigen_dense=1.05
//
// Only the front end runs (-fsyntax-only), because that is what an include costs.
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

struct program {
    std::string_view name;
    std::string text;
    std::vector<double> seconds{};
};

/// Twenty parameters of all common kinds and eight constraints over them; `lowered`: also made into
/// the run-time form, as the one file that tunes does.
std::string declaration_20(bool lowered)
{
    std::string text = std::string(lowered ? "#include <attune/declare/lower.hpp>\n" : "") +
                       "#include <attune/declare/pack.hpp>\n"
                       "#include <attune/declare/parameters.hpp>\n"
                       "using namespace attune;\n";
    std::string list;
    for (int i = 0; i != 20; ++i) {
        std::string const n = std::to_string(i);
        std::string const name = "p" + n;
        text += "inline constexpr auto " + name + " = ";
        if (i < 8)
            text += "ordinal<\"P" + n + "\">(powers_of_two(1, 256));\n";
        else if (i < 14)
            text += "ordinal<\"P" + n + "\">(values(1, 2, 3, 4, 6, 8));\n";
        else if (i < 18)
            text += "boolean<\"P" + n + "\">();\n";
        else
            text += "permutation<\"P" + n + "\", 3>();\n";
        list += (i == 0 ? "" : ", ") + name;
    }
    text += "inline constexpr auto declared = space(" + list +
            ").where(p0 * p1 <= 1024, p2 * p3 <= 1024, p0 % p2 == 0, p1 % p3 == 0,\n"
            "    4 * p4 * p5 <= 49152, p6 >= p8, p7 % p9 == 0, !p14 || p10 > 1);\n"
            "int main() { return " +
            (lowered ? "lower(declared).parameters.size()" : "declared.size") +
            " == 20 ? 0 : 1; }\n";
    return text;
}

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of(argv[0], [&] {
        bench::read_arguments(argc, argv, {});
        std::array<program, 4> programs{{
            {"eigen_dense", "#include <Eigen/Dense>\nint main() {}\n"},
            {"attune.hpp", "#include <attune/attune.hpp>\nint main() {}\n"},
            {"declaration_20", declaration_20(false)},
            {"declaration_20_lowered", declaration_20(true)},
        }};
        std::vector<std::string> paths;
        for (program const& p : programs)
            paths.push_back(bench::write_temporary(p.text));
        for (std::size_t run = 0; run <= repeats; ++run)
            for (std::size_t i = 0; i != programs.size(); ++i) {
                double const seconds = bench::compile_s(paths[i], {"-fsyntax-only"});
                if (run != 0)
                    programs[i].seconds.push_back(seconds); // the first only warms the files
            }
        for (std::string const& path : paths)
            unlink(path.c_str());

        double const eigen = bench::median(programs[0].seconds);
        for (program const& p : programs) {
            double const seconds = bench::median(p.seconds);
            std::printf("include_cost file=%.*s seconds=%.3f vs_eigen_dense=%.2f\n",
                        static_cast<int>(p.name.size()), p.name.data(), seconds, seconds / eigen);
        }
        return 0;
    });
}

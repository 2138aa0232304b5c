// bench/core/include_cost.cpp - what attune's headers cost a user's compiler.
// SPDX-License-Identifier: MIT
//
// Spawns the compiler of this build on files that only include <Eigen/Dense> or <attune/attune.hpp>
// and on a declaration of 20 parameters, as it stands in a user's header and with its lowering to
// plain data, in turn; prints the medians of the processor seconds (user and system):
//
//   include_cost file=attune.hpp seconds=0.41 vs_eigen_dense=0.63
//
// Only the front end runs (-fsyntax-only), because that is what an include costs.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <spawn.h>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

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

/// The include folders that CMake joined by ':', searched last, as system folders are.
void add_folders(std::vector<std::string>& arguments, std::string_view joined)
{
    while (!joined.empty()) {
        std::size_t const end = std::min(joined.find(':'), joined.size());
        arguments.emplace_back("-idirafter");
        arguments.emplace_back(joined.substr(0, end));
        joined.remove_prefix(std::min(end + 1, joined.size()));
    }
}

/// Processor seconds of one compiler process and its children; exits when it fails.
double compile_s(std::string const& file)
{
    std::vector<std::string> words{
        ATTUNE_BENCH_COMPILER, "-std=c++20", "-fsyntax-only", "-I", ATTUNE_BENCH_INCLUDE};
    add_folders(words, ATTUNE_BENCH_EIGEN);
    add_folders(words, ATTUNE_BENCH_BOOST);
    words.push_back(file);
    std::vector<char*> arguments;
    for (std::string& word : words)
        arguments.push_back(word.data());
    arguments.push_back(nullptr);

    pid_t child = 0;
    int status = 0;
    rusage usage{};
    if (posix_spawnp(&child, arguments[0], nullptr, nullptr, arguments.data(), environ) != 0 ||
        wait4(child, &status, 0, &usage) != child || status != 0) {
        std::fprintf(stderr, "include_cost: %s failed on %s\n", words[0].c_str(), file.c_str());
        std::exit(1);
    }
    auto const seconds = [](timeval const& time) {
        return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double median(std::vector<double> values)
{
    auto const middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// Writes `text` to a new temporary file and returns its path.
std::string write_temporary(std::string const& text)
{
    char const* const folder = std::getenv("TMPDIR");
    std::string path = std::string(folder != nullptr ? folder : P_tmpdir) + "/includeXXXXXX.cpp";
    int const file = mkstemps(path.data(), 4);
    if (file < 0 || write(file, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
        std::fprintf(stderr, "include_cost: cannot write %s\n", path.c_str());
        std::exit(1);
    }
    close(file);
    return path;
}

} // namespace

int main()
{
    std::array<program, 4> programs{{
        {"eigen_dense", "#include <Eigen/Dense>\nint main() {}\n"},
        {"attune.hpp", "#include <attune/attune.hpp>\nint main() {}\n"},
        {"declaration_20", declaration_20(false)},
        {"declaration_20_lowered", declaration_20(true)},
    }};
    std::vector<std::string> paths;
    for (program const& p : programs)
        paths.push_back(write_temporary(p.text));
    for (std::size_t run = 0; run <= repeats; ++run)
        for (std::size_t i = 0; i != programs.size(); ++i) {
            double const seconds = compile_s(paths[i]);
            if (run != 0) programs[i].seconds.push_back(seconds); // the first only warms the files
        }
    for (std::string const& path : paths)
        unlink(path.c_str());

    double const eigen = median(programs[0].seconds);
    for (program const& p : programs) {
        double const seconds = median(p.seconds);
        std::printf("include_cost file=%.*s seconds=%.3f vs_eigen_dense=%.2f\n",
                    static_cast<int>(p.name.size()),
                    p.name.data(),
                    seconds,
                    seconds / eigen);
    }
}

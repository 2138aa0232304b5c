// bench.core.weight : what attune costs a consumer's compiler, beside another version of it.
// SPDX-License-Identifier: MIT
//
//   bench/bench.core.weight [--against FOLDER] [--repeats N] [--compiler NAME] [--rows NAMES]
//
// FOLDER is a checkout of the other version: each step is then followed by the same step of that
// version. NAMES are rows, separated by commas; without, all. Each row is measured with g++ and
// with clang++-19, or with the named compiler alone:
//
//   header_only   examples/01_first_tune.cpp with ATTUNE_HEADER_ONLY and -O2
//   optimizer     a file that uses attune::optimizer alone, compiled in the same way
//   consumer      the units that CMake builds for a consumer of attune::clang, Release with -O2:
//                 a line for each unit, then their sum
//   installed     examples/01_first_tune.cpp with -O2, to be linked with installed libraries
//   attune_hpp    #include <attune/attune.hpp> alone, -fsyntax-only; then the same of Eigen/Dense
//
// A line has the medians of N runs: processor seconds of the compiler and its children, the peak
// memory of the largest of these processes, and the lines that it read of attune's own files (of
// Eigen's for eigen_dense). ratio: of the seconds to those of the other version, whose figures
// follow. The last line has the worst of the compilers: the ratios of header_only and consumer, the
// longest unit, attune.hpp over Eigen/Dense. `-` stands for what was not measured. All rows of two
// versions take half an hour; stderr names the row that runs.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../support/arguments.hpp"
#include "../support/median.hpp"
#include "../support/names.hpp"
#include "../support/scratch_folder.hpp"
#include "../support/spawned_compiler.hpp"

namespace {

namespace fs = std::filesystem;

struct arguments {
    std::string against{};
    std::size_t repeats = 1;
    std::string compiler{};
    std::string rows{};
};

constexpr std::string_view optimizer_text = R"cpp(#include <attune/declare/pack.hpp>
#include <attune/declare/parameters.hpp>
#include <attune/search/optimizer.hpp>
inline constexpr auto tile = attune::ordinal<"TILE">(attune::powers_of_two(1, 256));
inline constexpr auto chunk = attune::integer<"CHUNK">(1, 100);
inline constexpr auto space = attune::space(tile, chunk).where(tile * chunk <= 4096);
int main()
{
    attune::optimizer optimizer{space, {.seed = 7}};
    for (int i = 0; i < 60; ++i)
        if (auto const c = optimizer.ask()) optimizer.tell(*c, 1.0 * (*c)[tile] / (*c)[chunk]);
    return optimizer.best_value().has_value() ? 0 : 1;
}
)cpp";

constexpr std::string_view consumer_text = R"cmake(cmake_minimum_required(VERSION 3.25)
project(attune_weight LANGUAGES CXX)
add_subdirectory("${ATTUNE_SOURCE}" attune)
add_executable(consumer consumer.cpp)
target_link_libraries(consumer PRIVATE attune::clang)
)cmake";

/// What one step took, run by run.
struct weight {
    std::vector<double> cpu_s{};
    std::vector<double> peak_mb{};
    std::size_t lines = 0;

    [[nodiscard]] double seconds() const { return bench::median(cpu_s); }
    [[nodiscard]] double memory() const { return bench::median(peak_mb); }
};

/// One version of attune.
struct tree {
    std::string folder;  ///< absolute
    std::string scratch; ///< its own, for what is compiled
};

/// One process of a compiler that writes what it read to `dependencies`.
struct step {
    std::string name;
    std::string command; ///< for sh
    std::string dependencies;
    std::string own; ///< files below this folder count
};

[[nodiscard]] std::string quoted(std::string const& word)
{
    std::string text = "'";
    for (char const c : word)
        text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "'";
}

void write(std::string const& path, std::string_view text)
{
    std::ofstream out(path);
    out << text;
    if (!out.flush()) throw std::runtime_error(path + ": cannot be written");
}

[[nodiscard]] std::string read(std::string const& path)
{
    std::ifstream in(path);
    if (!in) throw std::runtime_error(path + ": cannot be read");
    return {std::istreambuf_iterator<char>(in), {}};
}

[[nodiscard]] std::size_t lines_of(std::string const& path)
{
    static std::map<std::string, std::size_t> known;
    auto const [at, is_new] = known.try_emplace(path, 0);
    if (is_new) {
        std::string const text = read(path);
        at->second = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    }
    return at->second;
}

/// Lines of the files below `own` that a rule of make names behind its colon.
[[nodiscard]] std::size_t lines_read(std::string const& dependencies, std::string const& own)
{
    std::istringstream words(read(dependencies));
    std::size_t lines = 0;
    for (std::string word; words >> word;)
        if (word != "\\") {
            std::string const path = fs::path(word).lexically_normal().string();
            if (path.starts_with(own)) lines += lines_of(path);
        }
    return lines;
}

/// Errors  std::runtime_error: it ended with an error, which it told on stderr
void run(step const& s, weight& w)
{
    rusage const used = bench::spawned({"/bin/sh", "-c", s.command});
    w.cpu_s.push_back(bench::processor_s(used));
    w.peak_mb.push_back(static_cast<double>(used.ru_maxrss) / 1024);
    w.lines = lines_read(s.dependencies, s.own);
}

/// Runs all steps in turn, `repeats` times.
[[nodiscard]] std::vector<weight> run_in_turn(std::vector<step> const& steps, std::size_t repeats)
{
    std::vector<weight> weights(steps.size());
    for (std::size_t i = 0; i != repeats; ++i)
        for (std::size_t j = 0; j != steps.size(); ++j)
            run(steps[j], weights[j]);
    return weights;
}

void print(std::string_view row, std::string const& compiler, weight const& w, weight const* other)
{
    std::printf("weight %.*s compiler=%s cpu_s=%.2f peak_mb=%.0f lines=%zu",
                static_cast<int>(row.size()), row.data(), compiler.c_str(), w.seconds(), w.memory(),
                w.lines);
    if (other != nullptr)
        std::printf(" ratio=%.3f against_cpu_s=%.2f against_peak_mb=%.0f against_lines=%zu",
                    w.seconds() / other->seconds(), other->seconds(), other->memory(),
                    other->lines);
    std::printf("\n");
    std::fflush(stdout);
}

/// The compiler on one file, as a consumer without CMake calls it.
[[nodiscard]] step one_file(std::string const& compiler, std::string const& name,
                            std::string const& file, tree const& t, std::string const& flags)
{
    std::string const out = t.scratch + "/" + name;
    std::vector<std::string> folders;
    bench::add_folders(folders, ATTUNE_BENCH_EIGEN);
    bench::add_folders(folders, ATTUNE_BENCH_BOOST);
    std::string command = quoted(compiler) + " -std=c++20 -I " + quoted(t.folder + "/include");
    for (std::string const& word : folders)
        command += " " + quoted(word);
    command += " " + flags + " -MD -MF " + quoted(out + ".d") + " " + quoted(file);
    if (!flags.starts_with("-fsyntax-only")) command += " -c -o " + quoted(out + ".o");
    return {name, "exec " + command, out + ".d", t.folder + "/include/"};
}

/// What ninja runs for a consumer of attune::clang, without the consumer's own file.
/// Errors  std::runtime_error: CMake or Ninja is missing, or attune could not be configured
[[nodiscard]] std::vector<step> units(std::string const& compiler, tree const& t)
{
    std::string const project = t.scratch + "/consumer";
    std::string const build = project + "/" + fs::path(compiler).filename().string();
    fs::create_directories(project);
    write(project + "/CMakeLists.txt", consumer_text);
    write(project + "/consumer.cpp", "int main() {}\n");
    std::string const configure =
        "cmake -G Ninja -D CMAKE_BUILD_TYPE=Release -D 'CMAKE_CXX_FLAGS_RELEASE=-O2 -DNDEBUG' "
        "-D CMAKE_CXX_COMPILER_LAUNCHER= -D CMAKE_CXX_COMPILER=" +
        quoted(compiler) + " -D ATTUNE_SOURCE=" + quoted(t.folder) + " -S " + quoted(project) +
        " -B " + quoted(build) + " > " + quoted(build + ".log") + " 2>&1";
    if (std::system(configure.c_str()) != 0)
        throw std::runtime_error(t.folder +
                                 ": CMake could not configure a consumer of it; needs cmake, ninja "
                                 "and what attune::clang needs:\n" +
                                 read(build + ".log"));
    std::string const list = build + "/commands";
    std::string const ask = "ninja -C " + quoted(build) + " -t commands consumer > " + quoted(list);
    if (std::system(ask.c_str()) != 0)
        throw std::runtime_error(build + ": ninja -t commands failed");
    std::vector<step> out;
    std::istringstream lines(read(list));
    for (std::string line; std::getline(lines, line);) {
        std::size_t const source = line.rfind(" -c ");
        std::size_t const rule = line.find(" -MF ");
        if (source == std::string::npos || rule == std::string::npos ||
            line.ends_with("/consumer.cpp"))
            continue;
        std::string const name = fs::path(line.substr(source + 4)).stem().string();
        std::string const dependencies = line.substr(rule + 5, line.find(' ', rule + 5) - rule - 5);
        out.push_back({"unit." + name, "cd " + quoted(build) + " && exec " + line,
                       build + "/" + dependencies, t.folder + "/include/"});
    }
    if (out.empty()) throw std::runtime_error(t.folder + ": attune::clang has no unit");
    return out;
}

[[nodiscard]] weight sum(std::vector<weight> const& parts)
{
    weight total;
    for (weight const& w : parts) {
        total.cpu_s.resize(w.cpu_s.size());
        total.peak_mb.resize(w.cpu_s.size());
        total.lines += w.lines;
        for (std::size_t i = 0; i != w.cpu_s.size(); ++i) {
            total.cpu_s[i] += w.cpu_s[i];
            total.peak_mb[i] = std::max(total.peak_mb[i], w.peak_mb[i]);
        }
    }
    return total;
}

/// The worst of the compilers; 0: not measured.
struct totals {
    double header_only = 0;
    double consumer = 0;
    double longest_unit_s = 0;
    double attune_hpp_vs_eigen = 0;
};

void keep_worst(double& worst, double value) { worst = std::max(worst, value); }

class measured_rows {
public:
    measured_rows(std::vector<tree> trees, std::size_t repeats)
        : trees_(std::move(trees))
        , repeats_(repeats)
    {
    }

    void measure(std::string_view row, std::string const& compiler)
    {
        std::fprintf(stderr, "weight: %.*s with %s\n", static_cast<int>(row.size()), row.data(),
                     compiler.c_str());
        if (row == "consumer")
            measure_consumer(compiler);
        else if (row == "attune_hpp")
            measure_attune_hpp(compiler);
        else
            measure_file(row, compiler);
    }

    [[nodiscard]] totals const& worst() const noexcept { return worst_; }

private:
    void measure_file(std::string_view row, std::string const& compiler)
    {
        std::vector<step> steps;
        for (tree const& t : trees_) {
            std::string file = t.folder + "/examples/01_first_tune.cpp";
            if (row == "optimizer") {
                file = t.scratch + "/optimizer.cpp";
                write(file, optimizer_text);
            }
            steps.push_back(one_file(compiler, std::string(row), file, t,
                                     row == "installed" ? "-O2" : "-O2 -DATTUNE_HEADER_ONLY"));
        }
        std::vector<weight> const w = run_in_turn(steps, repeats_);
        print(row, compiler, w[0], w.size() > 1 ? &w[1] : nullptr);
        if (row == "header_only" && w.size() > 1)
            keep_worst(worst_.header_only, w[0].seconds() / w[1].seconds());
    }

    void measure_consumer(std::string const& compiler)
    {
        std::vector<std::vector<step>> of_tree;
        for (tree const& t : trees_)
            of_tree.push_back(units(compiler, t));
        std::vector<std::vector<weight>> weights(trees_.size());
        for (std::size_t repeat = 0; repeat != repeats_; ++repeat)
            for (std::size_t i = 0, left = 1; left != 0; ++i) {
                left = 0;
                for (std::size_t t = 0; t != trees_.size(); ++t) {
                    weights[t].resize(of_tree[t].size());
                    if (i >= of_tree[t].size()) continue;
                    ++left;
                    std::fprintf(stderr, "weight:   %s\n", of_tree[t][i].name.c_str());
                    run(of_tree[t][i], weights[t][i]);
                }
            }
        for (std::size_t i = 0; i != weights[0].size(); ++i) {
            weight const* other = nullptr;
            for (std::size_t j = 0; trees_.size() > 1 && j != weights[1].size(); ++j)
                if (of_tree[1][j].name == of_tree[0][i].name) other = &weights[1][j];
            print(of_tree[0][i].name, compiler, weights[0][i], other);
            keep_worst(worst_.longest_unit_s, weights[0][i].seconds());
        }
        weight const own = sum(weights[0]);
        weight const other = trees_.size() > 1 ? sum(weights[1]) : weight{};
        print("consumer", compiler, own, trees_.size() > 1 ? &other : nullptr);
        if (trees_.size() > 1) keep_worst(worst_.consumer, own.seconds() / other.seconds());
    }

    void measure_attune_hpp(std::string const& compiler)
    {
        std::vector<step> steps;
        for (tree const& t : trees_) {
            std::string const file = t.scratch + "/attune_hpp.cpp";
            write(file, "#include <attune/attune.hpp>\nint main() {}\n");
            steps.push_back(one_file(compiler, "attune_hpp", file, t, "-fsyntax-only"));
        }
        std::string const file = trees_[0].scratch + "/eigen_dense.cpp";
        write(file, "#include <Eigen/Dense>\nint main() {}\n");
        steps.push_back(one_file(compiler, "eigen_dense", file, trees_[0], "-fsyntax-only"));
        std::string const eigen = ATTUNE_BENCH_EIGEN;
        steps.back().own = eigen.substr(0, eigen.find(':')) + "/";
        std::vector<weight> const w = run_in_turn(steps, repeats_);
        print("attune_hpp", compiler, w[0], trees_.size() > 1 ? &w[1] : nullptr);
        print("eigen_dense", compiler, w.back(), nullptr);
        keep_worst(worst_.attune_hpp_vs_eigen, w[0].seconds() / w.back().seconds());
    }

    std::vector<tree> trees_;
    std::size_t repeats_;
    totals worst_{};
};

/// The sources of one folder: how many, and their lines.
struct sources {
    std::size_t files = 0;
    std::size_t lines = 0;
};

[[nodiscard]] sources sources_in(std::string const& folder)
{
    sources out;
    for (fs::directory_entry const& entry : fs::recursive_directory_iterator(folder))
        if (entry.is_regular_file()) {
            ++out.files;
            out.lines += lines_of(entry.path().string());
        }
    return out;
}

void print_sources(char const* name, std::vector<tree> const& trees)
{
    sources const own = sources_in(trees[0].folder + "/" + name);
    std::printf("weight %s files=%zu lines=%zu", name, own.files, own.lines);
    if (trees.size() > 1) {
        sources const other = sources_in(trees[1].folder + "/" + name);
        std::printf(" against_files=%zu against_lines=%zu", other.files, other.lines);
    }
    std::printf("\n");
    std::fflush(stdout);
}

void print_total(char const* name, double value)
{
    if (value > 0)
        std::printf(" %s=%.3f", name, value);
    else
        std::printf(" %s=-", name);
}

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of(argv[0], [&] {
        arguments a;
        bench::read_arguments(argc, argv,
                              {{"--against", &a.against},
                               {"--repeats", &a.repeats, 1},
                               {"--compiler", &a.compiler},
                               {"--rows", &a.rows}});
        std::vector<std::string> const known{"header_only", "optimizer", "consumer", "installed",
                                             "attune_hpp"};
        bench::require_known("--rows", a.rows, known);
        std::vector<std::string> folders{ATTUNE_BENCH_SOURCE};
        if (!a.against.empty()) {
            folders.push_back(fs::absolute(a.against).lexically_normal().string());
            if (folders.back().ends_with('/')) folders.back().pop_back();
            if (!fs::exists(folders.back() + "/include/attune/attune.hpp"))
                throw std::runtime_error(a.against + ": is no checkout of attune");
        }
        ::setenv("CCACHE_DISABLE", "1", 1);
        bench::scratch_folder const scratch(fs::temp_directory_path().string());
        std::vector<tree> trees;
        for (std::string const& folder : folders) {
            trees.push_back({folder, scratch.path() + "/" + std::to_string(trees.size())});
            fs::create_directory(trees.back().scratch);
        }
        measured_rows rows(trees, a.repeats);
        std::vector<std::string> compilers{"g++", "clang++-19"};
        if (!a.compiler.empty()) compilers = {a.compiler};
        for (std::string const& compiler : compilers) {
            std::string const there = "command -v " + quoted(compiler) + " > /dev/null";
            if (std::system(there.c_str()) != 0) {
                std::printf("weight skipped compiler=%s: it was not found\n", compiler.c_str());
                continue;
            }
            for (std::string const& row : known)
                if (bench::is_in(a.rows, row)) rows.measure(row, compiler);
        }
        print_sources("include", trees);
        print_sources("tests", trees);
        std::printf("total");
        print_total("header_only", rows.worst().header_only);
        print_total("consumer", rows.worst().consumer);
        print_total("longest_unit_s", rows.worst().longest_unit_s);
        print_total("attune_hpp_vs_eigen", rows.worst().attune_hpp_vs_eigen);
        std::printf("\n");
        return 0;
    });
}

// tests/tune/second_run.cpp - what was tuned once runs in the next process without a compiler in it.
// SPDX-License-Identifier: MIT
#include <attune/compile/clang.hpp>
#include <attune/compile/system/process.hpp>
#include <attune/remember/store.hpp>
#include <attune/tune/tuned.hpp>

#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "../support/cache_folder.hpp"
#include "../support/set_variable.hpp"

namespace {

inline constexpr auto step = attune::ordinal<"STEP">(attune::powers_of_two(1, 8));
inline constexpr auto space = attune::space(step);

/// With a static object, so that a winner needs its constructors.
/// @param comment  in the kernel's text
attune::kernel<void(std::span<float const>, std::span<float>)>
total_kernel(std::string const& comment = {})
{
    return {"total",
            attune::source_text(
                std::string("#include <attune/tunable.hpp>\n#include <cmath>\n#include <span>\n") +
                    "constexpr int step = ATTUNE_TUNABLE(STEP, 1);\n" + comment +
                    "struct half { float value; half() : value(std::sqrt(0.25f)) {} };\n"
                    "static half const factor;\n"
                    "void total(std::span<float const> x, std::span<float> sum)\n"
                    "{\n"
                    "    float lanes[step] = {};\n"
                    "    for (unsigned i = 0; i < x.size(); i += step)\n"
                    "        for (int j = 0; j < step; ++j) lanes[j] += x[i + j];\n"
                    "    sum[0] = 0;\n"
                    "    for (float const lane : lanes) sum[0] += factor.value * lane;\n"
                    "}\n",
                "total.kernel.cpp"),
            space};
}

/// One run over the store and the cache that the environment names.
attune::tuning_report run_once()
{
    std::vector<float> const x(4096, 0.5f);
    std::vector<float> sum(1);
    attune::tuning_options options;
    options.limits.evaluations = 3;
    attune::tuned total{total_kernel(), attune::clang_compiler{},
                        attune::store{std::getenv("ATTUNE_TEST_STORE")}, options};
    total(x, sum);
    CHECK(sum[0] == 1024.0f);
    return total.report();
}

bool llvm_is_mapped()
{
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);)
        if (line.find("libLLVM") != std::string::npos ||
            line.find("libattune_clang") != std::string::npos)
            return true;
    return false;
}

/// One case of this file, in a process of its own.
attune::detail::process_result in_new_process(std::string const& name)
{
    std::string const program = std::filesystem::read_symlink("/proc/self/exe").string();
    return attune::detail::run_process({program, "--no-skip", "--test-case=" + name}, 120.0);
}

} // namespace

TEST_CASE("process of a test: tunes" * doctest::skip())
{
    if (std::getenv("ATTUNE_TEST_STORE") == nullptr) return;
    CHECK(run_once().how != attune::decision::remembered);
    CHECK(llvm_is_mapped());
}

TEST_CASE("process of a test: remembers" * doctest::skip())
{
    if (std::getenv("ATTUNE_TEST_STORE") == nullptr) return;
    CHECK(run_once().how == attune::decision::remembered);
    CHECK_FALSE(llvm_is_mapped());
}

TEST_CASE("the second run of a program has no LLVM in its process")
{
    if (!attune::clang_compiler().notice().empty()) {
        MESSAGE("skipped: " << attune::clang_compiler().notice());
        return;
    }
    if (attune::detail::find_program("ld").empty()) {
        MESSAGE("skipped: no ld in PATH");
        return;
    }
    attune_test::cache_folder const folder;
    std::string const store = std::filesystem::path(folder.path()).parent_path() / "total.attune";
    attune_test::set_variable const cache("ATTUNE_CACHE", folder.path());
    attune_test::set_variable const used("ATTUNE_TEST_STORE", store);
    auto const run = [](std::string const& name) {
        attune::detail::process_result const result = in_new_process("process of a test: " + name);
        CHECK_MESSAGE(result.succeeded(), result.output);
        CHECK(result.output.find(" 1 passed") != std::string::npos);
    };
    run("tunes");
    run("remembers");
    run("remembers");
    for (std::filesystem::path const& file : folder.files())
        std::filesystem::remove(file);
    CHECK_FALSE(in_new_process("process of a test: remembers").succeeded()); // opens LLVM again,
    run("remembers"); // and has linked the winner anew
}

TEST_CASE("a comment in the source, or another macro, costs no tuning where the code is the same")
{
    attune_test::cache_folder const folder;
    std::string const path = std::filesystem::path(folder.path()).parent_path() / "total.attune";
    std::vector<float> const x(1 << 16, 0.5f);
    std::vector<float> sum(1);
    auto const how = [&](std::string const& comment) {
        attune::tuning_options options;
        options.limits.evaluations = 3;
        attune::tuned total{total_kernel(comment), attune::clang_compiler{}, attune::store{path},
                            options};
        total(x, sum);
        return total.explain(x, sum).how;
    };
    CHECK(how("") == attune::choice_match::exact);
    CHECK(how("// three lines\n// that move\n// all others\n") ==
          attune::choice_match::exact_by_code);
    CHECK(how("// three lines\n// that move\n// all others\n") == attune::choice_match::exact);
    CHECK(how("#define UNUSED 1\n") == attune::choice_match::exact_by_code);
    CHECK(how("#define step 2\n") == attune::choice_match::exact); // tuned again
}

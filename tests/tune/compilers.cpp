// tests/tune/compilers.cpp : flags and compilers as parameters of a tuning
#include <attune/attune.hpp>
#include <attune/compile/clang.hpp>
#include <attune/compile/compiler_choice.hpp>
#include <attune/compile/system.hpp>

#include <doctest/doctest.h>
#include <span>
#include <string>
#include <vector>

namespace {

inline constexpr auto step = attune::ordinal<"STEP">(attune::values(1, 2));
inline constexpr auto flags = attune::flags<"FLAGS">("-O3", "-O2 -fno-unroll-loops");
inline constexpr auto cxx = attune::compilers<"CXX">("clang", "g++");
inline constexpr auto space = attune::space(step, flags, cxx);

using scale_kernel = attune::kernel<void(std::span<float>, int)>;

} // namespace

TEST_CASE("flags and compilers are searched like any other parameter")
{
    attune::clang_options options;
    options.fallback = false;
    attune::system_compiler const gpp({.command = "g++"});
    if (!attune::clang_compiler().notice().empty() || !gpp.missing().empty()) return;

    scale_kernel const kernel{
        "scale",
        attune::source_text("#include <attune/tunable.hpp>\n#include <span>\n"
                            "void scale(std::span<float> x, int n)\n"
                            "{\n    for (int j = 0; j < ATTUNE_TUNABLE(STEP, 1); ++j)\n"
                            "        for (int i = j; i < n; i += ATTUNE_TUNABLE(STEP, 1))\n"
                            "            x[i] *= 2;\n}\n",
                            "scale.kernel.cpp"),
        space};
    attune::tuned scale{
        kernel,
        attune::compiler_choice{{"clang", attune::clang_compiler{options}}, {"g++", gpp}},
        attune::memory_store{},
        {.limits = {.evaluations = 8}, .progress = attune::silent_progress()}};
    std::vector<float> x(50'000, 1.0F);
    scale(x, 50'000);
    CHECK(x == std::vector<float>(50'000, 2.0F));
    attune::tuning_report const report = scale.report();
    CHECK(report.evaluations == 8);
    CHECK(attune::total(report.failures) == 0);
    CHECK(report.configuration.find("CXX=") != std::string::npos);
    CHECK(report.configuration.find("FLAGS+=-O") != std::string::npos);
    CHECK(report.compiler.find("clang: clang ") == 0);
    CHECK(report.compiler.find("; g++: g++ ") != std::string::npos);
}

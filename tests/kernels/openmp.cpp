// tests/kernels/openmp.cpp - kernels with OpenMP on as many threads as a parameter says, also in a forked child.
// SPDX-License-Identifier: MIT
#include <attune/attune.hpp>
#include <attune/compile/clang.hpp>
#include <attune/compile/source/signature.hpp>
#include <attune/compile/system.hpp>
#include <attune/measure/clock/clocks.hpp>
#include <attune/measure/sandbox/child_process.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <doctest/doctest.h>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "../../examples/kernels/all.hpp"

namespace {

constexpr auto threads = attune::ordinal<"THREADS">(attune::values(1, 2, 3));

// Eight pieces of work, dealt in turn; each notes who does it.
attune::kernel_source who_works()
{
    return attune::source_text(
        "#include <attune/tunable.hpp>\n#include <span>\n#include <unistd.h>\n"
        "constexpr int threads = ATTUNE_TUNABLE(THREADS, 1);\n"
        "void work(std::span<int> who, std::span<double> sums, int length)\n{\n"
        "#pragma omp parallel for schedule(static, 1) num_threads(threads)\n"
        "    for (int i = 0; i < 8; ++i) {\n"
        "        double sum = 0;\n"
        "        for (int k = 1; k <= length; ++k)\n"
        "            sum += 1.0 / (static_cast<double>(k) * k);\n"
        "        sums[i] = sum;\n"
        "        who[i] = gettid();\n    }\n}\n",
        "who_works.cpp");
}

using work_signature = void(std::span<int>, std::span<double>, int);

attune::callable work_on(int count, attune::kernel_source const& source)
{
    attune::compile_request v = attune::variant_of<work_signature>("work");
    v.macros = {{"THREADS", std::to_string(count)}};
    attune::compile_result made = attune::clang_compiler{}.compile(source, v);
    if (auto const* const failed = std::get_if<attune::failure>(&made)) FAIL(failed->log);
    return std::get<attune::callable>(std::move(made));
}
attune::callable work_on(int count) { return work_on(count, kernels::with_openmp(who_works())); }

std::size_t workers(attune::callable const& code)
{
    std::vector<int> who(8);
    std::vector<double> sums(8);
    code.as<work_signature>()(who, sums, 1000);
    return std::set<int>(who.begin(), who.end()).size();
}

/// Tunes the number of threads, and looks at the result.
template <class Compiler>
attune::tuning_report tune_work(Compiler const& compiler)
{
    attune::kernel_source source = who_works();
    source.flags = {"-fopenmp"};
    attune::kernel<work_signature> kernel{"work", source, attune::space(threads)};
    // sum of 1 / k^2 for k <= n = pi^2 / 6 - 1 / n + 1 / (2 n^2) - ...
    auto const is_right = [](std::span<double const> sums, int n) {
        double const sum = 1.6449340668482264 - 1.0 / n + 0.5 / n / n;
        return std::all_of(sums.begin(), sums.end(),
                           [&](double s) { return std::abs(s - sum) < 1e-9; });
    };
    kernel.check([is_right](std::span<int>, std::span<double> sums, int length) {
        return is_right(sums, length);
    });
    attune::tuned tuned{kernel,
                        compiler,
                        attune::memory_store{},
                        {.limits = {.evaluations = 4}, .progress = attune::silent_progress()}};
    std::vector<int> who(8);
    std::vector<double> sums(8);
    tuned(who, sums, 20'000);
    CHECK(is_right(sums, 20'000));
    return tuned.report();
}

bool lacks_openmp()
{
    if (attune::clang_compiler{}.identity().find("clang") == std::string::npos) {
        MESSAGE("skipped: without Clang's module this is GCC's OpenMP, which has a case below");
        return true;
    }
    if (kernels::has_openmp()) return false;
    MESSAGE("skipped: LLVM's OpenMP library was not found (Debian: libomp5-19)");
    return true;
}

} // namespace

TEST_CASE("without OpenMP the number of threads makes no difference, and the kernel works")
{
    CHECK(workers(work_on(2, who_works())) == 1);
}

TEST_CASE("the kernels with a number of threads, and only those, are compiled with OpenMP")
{
    if (lacks_openmp()) return;
    std::size_t parallel = 0;
    kernels::for_each_kernel([&]<class Kernel> {
        CAPTURE(std::string{Kernel::name});
        auto const kernel = Kernel::kernel();
        auto const& flags = kernel.describe().source.flags;
        bool const has_flag = std::find(flags.begin(), flags.end(), "-fopenmp") != flags.end();
        bool const has_pragma =
            kernel.describe().source.text.find("num_threads(threads)") != std::string::npos;
        bool has_parameter = false;
        for (auto const& parameter : kernel.describe().space.parameters)
            has_parameter = has_parameter || parameter.name == "THREADS";
        CHECK(has_flag == has_parameter);
        CHECK(has_pragma == has_parameter);
        parallel += has_flag ? 1 : 0;
    });
    CHECK(parallel == 5);
}

TEST_CASE("as many threads work as the parameter says, in the program and in its children")
{
    if (lacks_openmp()) return;
    attune::callable const one = work_on(1);
    attune::callable const two = work_on(2);
    CHECK(workers(one) == 1);
    CHECK(workers(two) == 2);
    // The program's threads are not there in the child: it gets its own.
    for (int again = 0; again < 3; ++again) {
        attune::detail::child_end const end = attune::detail::run_in_child(
            [] {}, [&] { return workers(two) == 2 ? "" : "not two"; }, {.check_s = 20});
        CHECK(end.ending == attune::detail::child_ending::returned);
        CHECK(end.text == "");
    }
    CHECK(workers(two) == 2);
}

TEST_CASE("what runs on two threads is timed by the wall clock")
{
    if (lacks_openmp()) return;
    attune::callable const two = work_on(2);
    std::vector<int> who(8);
    std::vector<double> sums(8);
    attune::system_clocks clocks;
    auto const run = [&] { two.as<work_signature>()(who, sums, 1'000'000); };
    run();
    attune::detail::run_profile const seen = attune::detail::profile(clocks, run);
    CHECK(attune::detail::suitable_clock(seen) == attune::clock_choice::wall);
}

TEST_CASE("a kernel with OpenMP is tuned behind forks: every number of threads passes")
{
    if (lacks_openmp()) return;
    attune::tuning_report const report = tune_work(attune::clang_compiler{});
    CHECK(report.isolation == "fork: it is cheap in this process");
    CHECK(report.evaluations == 3);
    CHECK(attune::total(report.failures) == 0);
}

TEST_CASE("with GCC's OpenMP, which does not survive a fork, tuning goes on without forks")
{
    attune::system_compiler const gcc{{.command = "g++"}};
    if (!gcc.missing().empty()) {
        MESSAGE("skipped: " << gcc.missing());
        return;
    }
    // In a child, because the threads of libgomp stay with the process that has used it.
    attune::detail::child_end const end = attune::detail::run_in_child(
        [] {},
        [&]() -> std::string {
            attune::tuning_report const report = tune_work(gcc);
            if (report.evaluations != 3 || attune::total(report.failures) != 0)
                return report.summary();
            return report.isolation;
        },
        {.check_s = 60});
    CHECK(end.ending == attune::detail::child_ending::objected);
    CHECK(end.text == "guard: this program has used OpenMP through libgomp, whose parallel regions "
                      "hang in a forked child");
}

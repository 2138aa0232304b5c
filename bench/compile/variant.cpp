// bench.compile.variant : what one variant costs, in process and by a compiler that is spawned.
// SPDX-License-Identifier: MIT
//
// Run      bench.compile.variant [rounds]
// Prints   a line for the opening of the module, then a line per header set: milliseconds of
//          processor time per variant of a blocked matrix product (sgemm.kernel.cpp), from text to
//          code that can be called (in process, headers parsed before) or to a shared object
//          (spawned), as the mean over eight configurations of the median over `rounds`; and the
//          processor time of the first variant, which parses the headers. Then the same for the
//          kernel of the first example, whose edges and packing give the optimiser twice the work.
//          Last, medians for variants that were compiled before: from the object in the cache, and
//          the winner's shared object, which needs no LLVM; and the first variant of a run with
//          <algorithm> and <cmath>, whose headers no run parsed before, and an earlier one did.
//          vs_x is our time over that of x, so that less than 1 means that we are cheaper.
#include <attune/compile/clang.hpp>
#include <attune/compile/source/signature.hpp>
#include <attune/compile/system/process.hpp>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "../support/arguments.hpp"
#include "../support/median.hpp"
#include "../support/variant_cost.hpp"

namespace {

using signature = void(float const*, float const*, float*, int);
using example_signature = void(std::span<float const>,
                               std::span<float const>,
                               std::span<float>,
                               int);

struct header_set {
    char const* name;
    char const* text;
};
constexpr header_set header_sets[] = {{"none", ""},
                                      {"cmath", "#include <cmath>\n"},
                                      {"algorithm", "#include <algorithm>\n"},
                                      {"immintrin", "#include <immintrin.h>\n"}};

/// Small and large blocks in registers, both orders of the loops over them.
std::vector<attune::compile_request> variants()
{
    struct shape {
        char const *rows, *columns, *tile_k, *columns_first;
    };
    constexpr shape shapes[] = {{"1", "16", "16", "false"},
                                {"2", "16", "64", "true"},
                                {"4", "16", "64", "false"},
                                {"4", "32", "128", "true"},
                                {"6", "32", "256", "false"},
                                {"8", "16", "32", "true"},
                                {"8", "32", "64", "false"},
                                {"16", "16", "64", "false"}};
    std::vector<attune::compile_request> out;
    for (shape const& s : shapes) {
        out.push_back(attune::variant_of<signature>("sgemm"));
        out.back().macros = {{"ROWS", s.rows},
                             {"COLUMNS", s.columns},
                             {"TILE_K", s.tile_k},
                             {"COLUMNS_FIRST", s.columns_first}};
    }
    return out;
}

/// The product of examples/sgemm.kernel.cpp, from its default to what is unrolled furthest.
std::vector<attune::compile_request> example_variants()
{
    struct shape {
        char const *m, *n, *k, *unroll, *order;
    };
    constexpr shape shapes[] = {{"16", "16", "16", "1", "{0, 1, 2}"},
                                {"64", "32", "32", "4", "{1, 0, 2}"},
                                {"32", "64", "128", "8", "{0, 1, 2}"},
                                {"8", "8", "8", "8", "{0, 1, 2}"}};
    std::vector<attune::compile_request> out;
    for (shape const& s : shapes) {
        out.push_back(attune::variant_of<example_signature>("sgemm"));
        out.back().macros = {{"TILE_M", s.m},
                             {"TILE_N", s.n},
                             {"TILE_K", s.k},
                             {"UNROLL", s.unroll},
                             {"ORDER", s.order}};
    }
    return out;
}

[[noreturn]] void fail(std::string const& why)
{
    std::fprintf(stderr, "bench.compile.variant: %s\n", why.c_str());
    std::exit(1);
}

void run(char const* name,
         char const* headers,
         attune::kernel_source const& kernel,
         std::vector<attune::compile_request> const& all,
         attune::clang_compiler const& compiler,
         std::string const& clang,
         std::string const& gpp,
         int rounds)
{
    attune::detail::temporary_folder const folder;
    double const first = bench::in_process_s(compiler, kernel, all.front());
    double sums[3] = {};
    for (attune::compile_request const& v : all) {
        std::vector<double> seconds[3];
        for (int round = 0; round < rounds; ++round) {
            seconds[0].push_back(bench::in_process_s(compiler, kernel, v));
            seconds[1].push_back(bench::spawned_s(clang, kernel, v, folder));
            seconds[2].push_back(bench::spawned_s(gpp, kernel, v, folder));
        }
        for (std::size_t i = 0; i < 3; ++i)
            sums[i] += bench::median(seconds[i]);
    }
    double const per_ms = 1e3 / static_cast<double>(all.size());
    std::printf("%s headers=%s in_process_ms=%.1f clang_ms=%.1f gpp_ms=%.1f vs_clang=%.3f "
                "vs_gpp=%.3f first_ms=%.1f\n",
                name,
                headers,
                sums[0] * per_ms,
                sums[1] * per_ms,
                sums[2] * per_ms,
                sums[0] / sums[1],
                sums[0] / sums[2],
                first * 1e3);
    std::fflush(stdout);
}

/// What a variant costs that was compiled before: from its object, and as the winner of a tuning.
void run_cached(int rounds)
{
    attune::detail::temporary_folder const folder;
    attune::clang_options options;
    options.cache.folder = folder.path() + "/cache";
    attune::clang_compiler const compiler(options);
    attune::kernel_source const kernel = attune::source_file("sgemm.kernel.cpp");
    std::vector<double> compiled;
    std::vector<double> loaded;
    std::vector<double> won;
    for (attune::compile_request const& v : variants()) {
        compiled.push_back(bench::in_process_s(compiler, kernel, v));
        if (!compiler.keep_winner(kernel, v)) fail("the linker made no shared object");
        for (int round = 0; round < rounds; ++round) {
            loaded.push_back(bench::in_process_s(compiler, kernel, v));
            double const begin = bench::own_seconds();
            if (!compiler.find_winner(kernel, v)) fail("the winner was not kept");
            won.push_back(bench::own_seconds() - begin);
        }
    }
    // As in a later run of the program: a session that knows no kernel, a variant that is new.
    attune::kernel_source with_headers = kernel;
    with_headers.text = "#include <algorithm>\n#include <cmath>\n" + kernel.text;
    std::vector<double> firsts;
    for (attune::compile_request const& v : variants())
        firsts.push_back(bench::in_process_s(attune::clang_compiler(options), with_headers, v));
    double const parsed = firsts.front();
    firsts.erase(firsts.begin());
    std::printf("variant_cached compile_ms=%.1f object_ms=%.3f winner_ms=%.3f first_run_ms=%.1f "
                "later_run_ms=%.1f\n",
                bench::median(compiled) * 1e3,
                bench::median(loaded) * 1e3,
                bench::median(won) * 1e3,
                parsed * 1e3,
                bench::median(firsts) * 1e3);
}

void run_all(int rounds)
{
    attune::clang_options options;
    options.cache.enabled = false;
    attune::clang_compiler const compiler(options);
    double const begin = bench::own_seconds();
    std::string const identity = compiler.identity(); // "clang 19.1.7 ..."
    std::printf("variant_module first_use_ms=%.1f\n", (bench::own_seconds() - begin) * 1e3);
    if (!compiler.notice().empty()) fail(compiler.notice());
    std::string const major = identity.substr(6, identity.find('.') - 6);
    std::string const clang = attune::detail::find_program("clang++-" + major);
    std::string const gpp = attune::detail::find_program("g++");
    if (clang.empty() || gpp.empty()) fail("g++ and clang++-" + major + " are not both installed");
    for (header_set const& headers : header_sets) {
        attune::kernel_source kernel = attune::source_file("sgemm.kernel.cpp");
        kernel.text = headers.text + kernel.text;
        run("variant", headers.name, kernel, variants(), compiler, clang, gpp, rounds);
    }
    run("variant_example",
        "algorithm,span",
        attune::source_file("../../examples/sgemm.kernel.cpp"),
        example_variants(),
        compiler,
        clang,
        gpp,
        rounds);
    run_cached(rounds);
}

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of(argv[0], [&] {
        int rounds = 3;
        bench::read_arguments(argc, argv, {{"rounds", &rounds, 1}});
        run_all(rounds);
        return 0;
    });
}

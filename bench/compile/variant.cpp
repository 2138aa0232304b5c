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
//          These measure Clang in this process. Then wall milliseconds a variant of 40 variants, in
//          this process, in the compile server and by clang++: one at a time and two at a time; and
//          the resident MiB of a process that compiled them here, and in the server.
//          vs_x is our time over that of x, so that less than 1 means that we are cheaper.
#include <attune/compile/clang.hpp>
#include <attune/compile/source/signature.hpp>
#include <attune/compile/system/process.hpp>

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <span>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "../support/arguments.hpp"
#include "../support/median.hpp"
#include "../support/variant_cost.hpp"

namespace {

using signature = void(float const*, float const*, float*, int);
using example_signature = void(std::span<float const>, std::span<float const>, std::span<float>,
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
    constexpr shape shapes[] = {{"1", "16", "16", "false"},  {"2", "16", "64", "true"},
                                {"4", "16", "64", "false"},  {"4", "32", "128", "true"},
                                {"6", "32", "256", "false"}, {"8", "16", "32", "true"},
                                {"8", "32", "64", "false"},  {"16", "16", "64", "false"}};
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

void run(char const* name, char const* headers, attune::kernel_source const& kernel,
         std::vector<attune::compile_request> const& all, attune::clang_compiler const& compiler,
         std::string const& clang, std::string const& gpp, int rounds)
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
                name, headers, sums[0] * per_ms, sums[1] * per_ms, sums[2] * per_ms,
                sums[0] / sums[1], sums[0] / sums[2], first * 1e3);
    std::fflush(stdout);
}

/// What a variant costs that was compiled before: from its object, and as the winner of a tuning.
void run_cached(int rounds)
{
    attune::detail::temporary_folder const folder;
    attune::clang_options options;
    options.cache.folder = folder.path() + "/cache";
    options.separate_process = false;
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
                bench::median(compiled) * 1e3, bench::median(loaded) * 1e3,
                bench::median(won) * 1e3, parsed * 1e3, bench::median(firsts) * 1e3);
}

/// Forty variants of the product, as different as those of a tuning.
std::vector<attune::compile_request> forty_variants()
{
    std::vector<attune::compile_request> out;
    for (char const* const rows : {"1", "2", "4", "6", "8"})
        for (char const* const columns : {"16", "32"})
            for (char const* const tile_k : {"16", "32", "64", "128"}) {
                out.push_back(attune::variant_of<signature>("sgemm"));
                out.back().macros = {{"ROWS", rows},
                                     {"COLUMNS", columns},
                                     {"TILE_K", tile_k},
                                     {"COLUMNS_FIRST", "false"}};
            }
    return out;
}

double wall_s()
{
    std::timespec t{};
    ::clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// Wall seconds until `threads` threads have done all.
template <class Do>
double wall_s_of(std::vector<attune::compile_request> const& all, int threads, Do const& one)
{
    double const begin = wall_s();
    std::atomic<std::size_t> next{0};
    std::vector<std::thread> team;
    for (int t = 0; t < threads; ++t)
        team.emplace_back([&] {
            for (std::size_t i = 0; (i = next.fetch_add(1)) < all.size();)
                one(all[i]);
        });
    for (std::thread& member : team)
        member.join();
    return wall_s() - begin;
}

attune::clang_compiler compiler_in(bool server)
{
    attune::clang_options options;
    options.cache.enabled = false;
    options.separate_process = server;
    return attune::clang_compiler(options);
}

/// Resident MiB of a process of its own that compiled the variants.
double resident_mib(attune::kernel_source const& kernel, bool server)
{
    int ends[2] = {};
    if (::pipe(ends) != 0) fail("no pipe");
    pid_t const child = ::fork();
    if (child == 0) {
        attune::clang_compiler const compiler = compiler_in(server);
        for (attune::compile_request const& v : forty_variants())
            (void)bench::in_process_s(compiler, kernel, v);
        unsigned long pages[2] = {};
        std::FILE* const file = std::fopen("/proc/self/statm", "r");
        bool const is_read =
            file != nullptr && std::fscanf(file, "%lu %lu", &pages[0], &pages[1]) == 2;
        double const mib = is_read ? static_cast<double>(pages[1]) * 4096 / (1 << 20) : 0;
        _exit(::write(ends[1], &mib, sizeof mib) == sizeof mib ? 0 : 1);
    }
    double mib = 0;
    if (::read(ends[0], &mib, sizeof mib) != sizeof mib) fail("a child said nothing");
    ::waitpid(child, nullptr, 0);
    ::close(ends[0]);
    ::close(ends[1]);
    return mib;
}

/// The same variants in this process, in the compile server and by a spawned clang++.
void run_places(std::string const& clang, double const (&mib)[2], int rounds)
{
    attune::kernel_source const kernel = attune::source_file("sgemm.kernel.cpp");
    std::vector<attune::compile_request> const all = forty_variants();
    attune::clang_compiler const here = compiler_in(false);
    attune::clang_compiler const server = compiler_in(true);
    double const begin = wall_s();
    (void)bench::in_process_s(server, kernel, all.front());
    double const first = wall_s() - begin;
    std::vector<double> seconds[3][2];
    for (int round = 0; round < rounds; ++round)
        for (int threads : {1, 2}) {
            auto const note = [&](std::size_t place, auto const& one) {
                seconds[place][threads - 1].push_back(wall_s_of(all, threads, one));
            };
            note(0, [&](auto const& v) { (void)bench::in_process_s(here, kernel, v); });
            note(1, [&](auto const& v) { (void)bench::in_process_s(server, kernel, v); });
            note(2, [&](auto const& v) {
                attune::detail::temporary_folder const folder;
                (void)bench::spawned_s(clang, kernel, v, folder);
            });
        }
    double const per_ms = 1e3 / static_cast<double>(all.size());
    for (std::size_t threads = 0; threads < 2; ++threads) {
        double const ms[3] = {bench::median(seconds[0][threads]) * per_ms,
                              bench::median(seconds[1][threads]) * per_ms,
                              bench::median(seconds[2][threads]) * per_ms};
        std::printf("variant_places at_once=%zu here_ms=%.1f server_ms=%.1f clang_ms=%.1f "
                    "server_vs_here=%.3f server_vs_clang=%.3f\n",
                    threads + 1, ms[0], ms[1], ms[2], ms[1] / ms[0], ms[1] / ms[2]);
    }
    std::printf("variant_places first_ms=%.1f here_mib=%.0f server_mib=%.0f\n", first * 1e3, mib[0],
                mib[1]);
}

void run_all(int rounds)
{
    attune::kernel_source const product = attune::source_file("sgemm.kernel.cpp");
    // First, because a child has what this process has loaded.
    double const mib[2] = {resident_mib(product, false), resident_mib(product, true)};
    attune::clang_options options;
    options.cache.enabled = false;
    options.separate_process = false;
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
    run("variant_example", "algorithm,span", attune::source_file("../../examples/sgemm.kernel.cpp"),
        example_variants(), compiler, clang, gpp, rounds);
    run_cached(rounds);
    run_places(clang, mib, rounds);
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

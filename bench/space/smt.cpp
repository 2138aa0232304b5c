// bench/space/smt.cpp - how long Z3 takes to list a space, by threads, subspaces and interval filter.
// SPDX-License-Identifier: MIT
//
// Run      bench.space.smt [--batch N] [--hidden N] [--threads N] [--seconds S]
//          Batch sizes 1..N, default 64; N hidden sizes, default 32; workers 1, 2, 4, ... up to N,
//          default 4; seconds after which a listing is given up, default 600
// Prints   Table IV of DnnSAT (Gao et al. 2021, Sec. V-C): seq2seq under a bound on FLOPs that all
//          configurations keep. A line per threads and subspace size, `equal` for one part per
//          worker; off_s, on_s: seconds without and with the interval filter; off_x, on_x: how many
//          times faster than one thread with one part and no filter; checks: questions to Z3.
//          A listing that is given up has `none`. The last line: seconds of the trees to count
//          them.
// Note     wall time
#include <attune/declare/model/network.hpp>
#include <attune/declare/parameters.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/query/exact_size.hpp>
#ifdef ATTUNE_BENCH_SMT
#include <attune/space/smt/smt_solver.hpp>
#endif

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "../../tests/support/networks.hpp"
#include "../support/arguments.hpp"

namespace {

constexpr auto batch = attune::integer<"BATCH">(1, 256);
constexpr auto hidden = attune::ordinal<"HIDDEN">(attune::range(32, 1024, 8));

struct request {
    std::uint32_t batch = 64;
    std::uint32_t hidden = 32;
    std::uint32_t threads = 4;
    std::uint32_t seconds = 600;
};

#ifdef ATTUNE_BENCH_SMT

double since(std::chrono::steady_clock::time_point begin)
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// The first values of both parameters, under a bound that all of them keep.
attune::description space_of(request const& asked)
{
    attune::model::network const net = attune_tests::seq2seq({.batch = batch, .hidden = hidden});
    std::vector<attune_tests::quantity> const limits{net.flops() <= std::int64_t{1} << 50};
    attune::description out = net.space(attune::space(batch, hidden), limits);
    out.parameters[0].integers.resize(asked.batch);
    out.parameters[1].integers.resize(asked.hidden);
    return out;
}

struct timing {
    double seconds = 0;
    std::uint64_t checks = 0; ///< 0: given up
};

timing list(attune::smt_solver const& solver, request const& asked, attune::smt_options o)
{
    o.seconds = asked.seconds;
    auto const begin = std::chrono::steady_clock::now();
    attune::smt_listing const got = solver.enumerate(o);
    double const seconds = since(begin);
    if (!got.is_complete) return {};
    if (got.points.size() != std::uint64_t{asked.batch} * asked.hidden)
        throw std::runtime_error("Z3 lists " + std::to_string(got.points.size()) +
                                 " configurations");
    return {seconds, got.checks};
}

void print(char const* name, timing const& t, double baseline)
{
    std::string const by =
        baseline > 0 && t.checks > 0 ? std::to_string(baseline / t.seconds) : "none";
    if (t.checks == 0)
        std::printf(" %s_s=none %s_x=none %s_checks=none", name, name, name);
    else
        std::printf(" %s_s=%.2f %s_x=%s %s_checks=%llu", name, t.seconds, name, by.c_str(), name,
                    static_cast<unsigned long long>(t.checks));
}

void run(request const& asked)
{
    attune::description const space = space_of(asked);
    attune::smt_solver const solver(space);
    double baseline = 0;
    for (std::uint64_t const size : {0U, 512U, 128U, 32U, 8U})
        for (unsigned threads = 1; threads <= asked.threads; threads *= 2) {
            attune::smt_options o;
            o.threads = threads;
            o.subspace_size = size;
            timing const off = list(solver, asked, o);
            o.interval_filter = true;
            timing const on = list(solver, asked, o);
            if (size == 0 && threads == 1) baseline = off.seconds;
            std::printf("table_4 threads=%u subspace=%s", threads,
                        size == 0 ? "equal" : std::to_string(size).c_str());
            print("off", off, baseline);
            print("on", on, baseline);
            std::printf("\n");
            std::fflush(stdout);
        }
    auto const begin = std::chrono::steady_clock::now();
    attune::chain_of_trees const chain(space);
    std::string const valid = attune::exact_size(chain).str();
    std::printf("total valid=%s trees_s=%.5f\n", valid.c_str(), since(begin));
}

#else

void run(request const&) { throw std::runtime_error("built without libz3 (Debian: libz3-dev)"); }

#endif

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of(argv[0], [&] {
        request asked;
        bench::read_arguments(argc, argv,
                              {{"--batch", &asked.batch, 2},
                               {"--hidden", &asked.hidden, 2},
                               {"--threads", &asked.threads, 1},
                               {"--seconds", &asked.seconds, 1}});
        if (asked.batch > 256 || asked.hidden > 125)
            throw std::runtime_error("--batch is at most 256, --hidden at most 125");
        run(asked);
        return 0;
    });
}

// bench/space/materialise.cpp - how fast all configurations of a space are enumerated and written to a file.
// SPDX-License-Identifier: MIT
//
// Run      bench.space.materialise [--repeat K] [--threads N] [--most M] [--folder FOLDER]
//                                  [--benchmark_...]
//          K: how often, default 3; the median counts.  N: threads that make rows, default as many
//          as processors.  M: configurations, default 100,000,000; a tenth of them as JSON lines,
//          which are four times as long.  FOLDER to write into, default that of temporary files;
//          /dev/shm is always another, where it exists. Each needs 30 bytes for each of M
// Prints   decode: chain_of_trees::at() of each number, one thread, of the first million.
//          enumerate: configurations(), one thread, no text.  rows: their text as CSV and JSON
//          lines, by 1 thread and by N, not written.  write: the same by N threads into a file of
//          each folder, synchronised and renamed at the end, which counts; the file is removed.
//          Each line has configurations and bytes per second; JSON has the processor time of all
//          threads, too, which other programs disturb less. Then a line with the least of the
//          files, in millions.
// Space    126,023,334 configurations: two tilings of two extents and a vector width, tied by a
//          product and a remainder; a boolean, a text of three
// Note     wall time: other programs count. A figure of a folder is also that of its device
#include <attune/core/posix/replace_file.hpp>
#include <attune/declare/parameters.hpp>
#include <attune/ship/tool/detail/rows.hpp>
#include <attune/space/build_pack.hpp>
#include <attune/space/query/configurations.hpp>

#include <algorithm>
#include <benchmark/benchmark.h>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "../support/key_value_reporter.hpp"

namespace {

namespace tool = attune::detail::tool;
using tool::row_format;

attune::chain_of_trees tilings()
{
    constexpr auto m0 = attune::integer<"TILE_M">(1, 64);
    constexpr auto n0 = attune::integer<"TILE_N">(1, 64);
    constexpr auto v0 = attune::ordinal<"WIDTH">(attune::values(1, 2, 4, 8, 16));
    constexpr auto m1 = attune::integer<"INNER_M">(1, 64);
    constexpr auto n1 = attune::integer<"INNER_N">(1, 64);
    constexpr auto v1 = attune::ordinal<"INNER_WIDTH">(attune::values(1, 2, 4, 8, 16));
    constexpr auto pack = attune::boolean<"PACK">();
    constexpr auto design = attune::categorical<"DESIGN">("plain", "packed", "direct");
    return attune::build(attune::space(m0, n0, v0, m1, n1, v1, pack, design)
                             .where(m0 * n0 <= 1024, m0 % v0 == 0, m1 * n1 <= 1024, m1 % v1 == 0));
}

/// What a run makes.
struct amount {
    double rows = 0;
    double bytes = 0;
};

/// Makes the first `most` rows of a space.
amount make_rows(attune::chain_of_trees const& space, std::uint64_t most, row_format format,
                 unsigned threads, std::function<void(std::string_view)> const& to)
{
    amount out;
    tool::row_blocks(space, {0, most}, format, threads)
        .run([&](std::string_view text, attune::leaf_count rows) {
            out.rows += static_cast<double>(rows);
            out.bytes += static_cast<double>(text.size());
            to(text);
            return true;
        });
    return out;
}

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of(argv[0], [&] {
        std::uint32_t threads = std::max(std::thread::hardware_concurrency(), 1U);
        std::size_t most = 100'000'000;
        std::string folder_given = std::filesystem::temp_directory_path().string();
        bench::read_flags(
            argc, argv,
            {{"--threads", &threads, 1}, {"--most", &most, 10}, {"--folder", &folder_given}}, 3,
            "--repeat");
        std::vector<std::string> folders{folder_given};
        if (std::filesystem::is_directory("/dev/shm") && folder_given != "/dev/shm")
            folders.push_back("/dev/shm");
        attune::chain_of_trees const all = tilings();
        most = std::min(most, static_cast<std::size_t>(attune::whole_range(all).last));
        std::uint64_t seen = 0;
        std::map<std::string, amount> made;
        auto const add = [&](std::string const& name, auto work) {
            auto const once = [&, name, work](benchmark::State& state) {
                amount const done = made[name] = work(state);
                state.SetItemsProcessed(static_cast<std::int64_t>(done.rows));
                state.SetBytesProcessed(static_cast<std::int64_t>(done.bytes));
            };
            bench::add(name, once)->Iterations(1)->MeasureProcessCPUTime()->UseRealTime();
        };
        add("decode", [&](auto&) {
            std::uint64_t const some = std::min<std::uint64_t>(most, 1'000'000);
            for (std::uint64_t i = 0; i < some; ++i)
                seen += all.at(i)[0].index;
            return amount{static_cast<double>(some), 0};
        });
        add("enumerate", [&](auto&) {
            amount out;
            for (attune::point const& p :
                 attune::configurations(all, attune::configuration_range{0, most})) {
                seen += p[0].index;
                ++out.rows;
            }
            return out;
        });
        for (row_format const format : {row_format::csv, row_format::jsonl}) {
            bool const is_csv = format == row_format::csv;
            std::string const name = is_csv ? "csv" : "jsonl";
            std::uint64_t const rows = is_csv ? most : most / 10;
            for (unsigned const n : std::set{1U, threads})
                add("rows/" + name + '/' + std::to_string(n),
                    [&all, &seen, rows, format, n](auto&) {
                        return make_rows(all, rows, format, n,
                                         [&](std::string_view text) { seen += text.size(); });
                    });
            for (std::string const& folder : folders)
                add("write/" + name + folder, [&, rows, format,
                                               path = folder + "/bench_space_materialise." +
                                                      name](benchmark::State& state) {
                    attune::detail::replaced_file file(path);
                    amount const out = make_rows(all, rows, format, threads,
                                                 [&](std::string_view text) { file.write(text); });
                    file.finish();
                    state.PauseTiming();
                    std::filesystem::remove(path);
                    state.ResumeTiming();
                    return out;
                });
        }
        auto const seconds = bench::run();
        if (seconds.empty()) return 0;
        amount least{1e300, 1e300};
        for (auto const& [name, done] : made)
            if (name.starts_with("write/"))
                least = {std::min(least.rows, done.rows / seconds.at(name)),
                         std::min(least.bytes, done.bytes / seconds.at(name))};
        std::printf("total million_per_s=%.1f MB_per_s=%.0f%s\n", 1e-6 * least.rows,
                    1e-6 * least.bytes, seen == 0 ? " " : "");
        return 0;
    });
}

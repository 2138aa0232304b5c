// bench.tune.background : calls of many sizes while they are tuned in the background.
// SPDX-License-Identifier: MIT
//
// Run      ATTUNE_CACHE=off bench.tune.background [--sizes 32] [--evaluations 15] [--total 0]
// [--threads 2] [--untuned 3] [--online] [--against 0]
//          --total: evaluations of all sizes together, 0: no limit; --untuned: seconds of the same
//          calls with the default, before; --online: candidates are timed in these calls;
//          --against: evaluations of a tuning of each size by itself, to compare the winners with
// Prints   untuned, tuning and tuned: number of calls, 99.9th percentile and longest of them, wrong
//          results, share of the time in calls beyond 1.25 medians of the untuned calls of the size
//          (what slow candidates cost online, and what the machine did); with --against, the
//          winner's time over that of a tuning by itself, for each size and as the geometric mean;
//          the last line the time from the first call to the last tuning, the evaluations, the
//          speedup over the untuned calls (geometric mean over sizes of median times), and the
//          verifications for the size met last
#include <attune/attune.hpp>
#include <attune/compile/clang.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "../support/arguments.hpp"
#include "../support/interleaved.hpp"
#include "../support/median.hpp"
#include "../support/page_allocator.hpp"

namespace {

using clock_type = std::chrono::steady_clock;

inline constexpr auto n = attune::input<"N", int>();
inline constexpr auto rows = attune::ordinal<"ROWS">(attune::values(1, 2, 4, 8));
inline constexpr auto columns = attune::ordinal<"COLUMNS">(attune::values(1, 8, 16, 32, 64));
inline constexpr auto depth = attune::ordinal<"DEPTH">(attune::values(8, 16, 32, 64));
inline constexpr auto space = attune::space(rows, columns, depth).where(rows <= n);

// c += a * b in tiles, square.
constexpr char const* text = R"(#include <attune/tunable.hpp>
#include <algorithm>
#include <span>
void product(std::span<float const> a, std::span<float const> b, std::span<float> c, int n)
{
    constexpr int rows = ATTUNE_TUNABLE(ROWS, 1);
    constexpr int columns = ATTUNE_TUNABLE(COLUMNS, 1);
    constexpr int depth = ATTUNE_TUNABLE(DEPTH, 8);
    for (int k0 = 0; k0 < n; k0 += depth)
        for (int i0 = 0; i0 < n; i0 += rows)
            for (int j0 = 0; j0 < n; j0 += columns)
                for (int i = i0; i < std::min(n, i0 + rows); ++i)
                    for (int k = k0; k < std::min(n, k0 + depth); ++k)
                        for (int j = j0; j < std::min(n, j0 + columns); ++j)
                            c[i * n + j] += a[i * n + k] * b[k * n + j];
}
)";

void plain_product(std::span<float const> a, std::span<float const> b, std::span<float> c, int size)
{
    auto const count = static_cast<std::size_t>(size);
    for (std::size_t k0 = 0; k0 < count; k0 += 8)
        for (std::size_t i = 0; i < count; ++i)
            for (std::size_t j = 0; j < count; ++j)
                for (std::size_t k = k0; k < std::min(count, k0 + 8); ++k)
                    c[i * count + j] += a[i * count + k] * b[k * count + j];
}

using product = void(std::span<float const>, std::span<float const>, std::span<float>, int);
using tuned_product = attune::tuned<product, attune::clang_compiler>;

/// The arrays of one size, of one thread. Values are small integers: every order of sums is exact.
/// The arrays of all threads lie alike: of arrays as malloc() places them one thread's are tuned
/// for, and variants with vectors of 64 bytes take 1.4e-4 or 3.5e-4 s (N=128) in another's.
struct arrays {
    int size;
    bench::page_vector<float> a, b, c, right;

    explicit arrays(int of)
        : size(of)
        , a(squared(of))
        , b(squared(of))
        , c(squared(of))
        , right(squared(of))
    {
        for (std::size_t i = 0; i < a.size(); ++i) {
            a[i] = static_cast<float>(i % 5);
            b[i] = static_cast<float>(i % 7);
        }
        plain_product(a, b, right, size);
    }
    static std::size_t squared(int of)
    {
        return static_cast<std::size_t>(of) * static_cast<std::size_t>(of);
    }
};

/// What one thread, or all, saw.
struct seen {
    std::vector<std::vector<double>> seconds; ///< of each call, by size
    std::uint64_t wrong = 0;

    void add(seen const& other)
    {
        seconds.resize(other.seconds.size());
        for (std::size_t i = 0; i < seconds.size(); ++i)
            seconds[i].insert(seconds[i].end(), other.seconds[i].begin(), other.seconds[i].end());
        wrong += other.wrong;
    }
};

/// Calls all sizes in turns on several threads until `is_over`, which is asked after each round.
template <class Condition>
seen call_all(tuned_product& of, std::vector<std::vector<arrays>>& data, Condition const& is_over,
              std::atomic<std::uint64_t>& rounds)
{
    std::vector<seen> each(data.size());
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < data.size(); ++t)
        threads.emplace_back([&, t] {
            seen& mine = each[t];
            mine.seconds.resize(data[t].size());
            do {
                for (std::size_t s = 0; s < data[t].size(); ++s) {
                    arrays& one = data[t][s];
                    std::fill(one.c.begin(), one.c.end(), 0.0F);
                    auto const before = clock_type::now();
                    of(one.a, one.b, one.c, one.size);
                    mine.seconds[s].push_back(
                        std::chrono::duration<double>(clock_type::now() - before).count());
                    if (one.c != one.right) ++mine.wrong;
                }
                ++rounds;
            } while (!is_over());
        });
    for (std::thread& t : threads)
        t.join();
    seen all;
    for (seen const& one : each)
        all.add(one);
    return all;
}

/// Share of the time in calls that is beyond 1.25 medians of the untuned ones.
double late_share(seen const& what, seen const& untuned)
{
    double late = 0;
    double all = 0;
    for (std::size_t s = 0; s < what.seconds.size(); ++s) {
        double const usual = bench::median(untuned.seconds[s]);
        for (double const one : what.seconds[s]) {
            all += one;
            if (one > 1.25 * usual) late += one - usual;
        }
    }
    return late / all;
}

void print(char const* name, seen const& what, seen const& untuned)
{
    std::vector<double> all;
    for (std::vector<double> const& one : what.seconds)
        all.insert(all.end(), one.begin(), one.end());
    std::sort(all.begin(), all.end());
    std::size_t const at = std::min(all.size() - 1, all.size() * 999 / 1000);
    std::printf("%-8s calls=%zu p999_ms=%.2f max_ms=%.2f wrong=%llu late_share=%.4f\n", name,
                all.size(), 1e3 * all[at], 1e3 * all.back(),
                static_cast<unsigned long long>(what.wrong), late_share(what, untuned));
    std::fflush(stdout);
}

struct wanted {
    std::size_t sizes = 32;
    std::uint32_t evaluations = 15;
    std::uint32_t total = 0;
    std::size_t threads = 2;
    std::size_t untuned_s = 3;
    bool online = false;
    std::uint32_t against = 0;
};

/// Geometric mean over sizes of one winner's time over the other's, in turns.
double ratio_of(tuned_product& one, tuned_product& other, std::vector<arrays>& data)
{
    double logs = 0;
    for (arrays& of : data) {
        auto const repeated = [&of](tuned_product& by) {
            return [&of, &by] {
                for (int i = 0; i < 5; ++i)
                    by(of.a, of.b, of.c, of.size);
            };
        };
        std::vector<double> const medians =
            bench::interleaved_medians({repeated(one), repeated(other)}, 41);
        logs += std::log(medians[0] / medians[1]);
        auto const choice_of = [&of](tuned_product& by) {
            return by.explain(of.a, of.b, of.c, of.size).configuration;
        };
        std::printf("size     n=%d ratio=%.3f tuned=\"%s\" alone=\"%s\"\n", of.size,
                    medians[0] / medians[1], choice_of(one).c_str(), choice_of(other).c_str());
        std::fflush(stdout);
    }
    return std::exp(logs / static_cast<double>(data.size()));
}

int run(wanted const& what)
{
    auto const [sizes, evaluations, total, thread_count, untuned_s, online, against] = what;
    attune::kernel<product> kernel{"product", attune::source_text(text, "product.kernel.cpp"),
                                   space};
    kernel.bind<3>(n);
    kernel.fallback(plain_product);
    std::vector<std::vector<arrays>> data(thread_count);
    for (std::vector<arrays>& one : data)
        for (std::size_t s = 0; s < sizes; ++s)
            one.emplace_back(static_cast<int>(64 + 4 * s));

    attune::tuning_options options;
    options.limits = {.evaluations = evaluations};
    if (total > 0) options.limits.total.evaluations = total;
    options.progress = attune::silent_progress();
    std::atomic<std::uint64_t> rounds{0};
    auto const lasting = [](std::size_t s) {
        return
            [end = clock_type::now() + std::chrono::seconds(s)] { return clock_type::now() > end; };
    };

    options.on_miss = attune::miss_policy::lookup_only;
    tuned_product plain{kernel, attune::clang_compiler{}, options};
    seen const untuned = call_all(plain, data, lasting(untuned_s), rounds);
    print("untuned", untuned, untuned);

    options.on_miss =
        online ? attune::miss_policy::online : attune::miss_policy::tune_in_background;
    std::atomic<std::uint64_t> evaluated{0};
    options.progress = [&](attune::progress const& p) {
        if (p.event == attune::progress_event::evaluated) ++evaluated;
    };
    tuned_product tuned{kernel, attune::clang_compiler{}, options};
    rounds = 0;
    std::atomic<bool> is_over{false};
    auto const begin = clock_type::now();
    std::thread waits([&] {
        while (rounds < thread_count)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        // Online, wait() has the tuning end where there are no calls for a moment: there are.
        tuned.wait();
        is_over = true;
    });
    seen const tuning = call_all(tuned, data, [&] { return is_over.load(); }, rounds);
    waits.join();
    double const whole_s = std::chrono::duration<double>(clock_type::now() - begin).count();
    print("tuning", tuning, untuned);
    seen const after = call_all(tuned, data, lasting(untuned_s), rounds);
    print("tuned", after, untuned);
    if (against > 0) {
        options.on_miss = attune::miss_policy::tune_if_missing;
        options.limits = {.evaluations = against};
        options.search.use_related = false;
        options.progress = attune::silent_progress();
        tuned_product alone{kernel, attune::clang_compiler{}, options};
        for (arrays& one : data.front())
            static_cast<void>(alone.tune(one.a, one.b, one.c, one.size));
        std::printf("against  evaluations=%llu ratio=%.4f\n",
                    static_cast<unsigned long long>(against * sizes),
                    ratio_of(tuned, alone, data.front()));
    }

    double logs = 0;
    for (std::size_t s = 0; s < sizes; ++s)
        logs += std::log(bench::median(untuned.seconds[s]) / bench::median(after.seconds[s]));
    attune::served_shapes const shapes = tuned.report().shapes;
    std::printf("total    whole_s=%.1f evaluations=%llu speedup=%.3f wrong=%llu verified=%llu "
                "verification_ms=%.2f\n",
                whole_s, static_cast<unsigned long long>(evaluated.load()),
                std::exp(logs / static_cast<double>(sizes)),
                static_cast<unsigned long long>(untuned.wrong + tuning.wrong + after.wrong),
                static_cast<unsigned long long>(shapes.verified), 1e3 * shapes.seconds);
    return untuned.wrong + tuning.wrong + after.wrong == 0 ? 0 : 1;
}

} // namespace

int main(int argc, char** argv)
{
    wanted what;
    return bench::exit_code_of(argv[0], [&] {
        bench::read_arguments(argc, argv,
                              {{"--sizes", &what.sizes, 1},
                               {"--evaluations", &what.evaluations, 1},
                               {"--total", &what.total},
                               {"--threads", &what.threads, 1},
                               {"--untuned", &what.untuned_s, 1},
                               {"--online", &what.online},
                               {"--against", &what.against}});
        return run(what);
    });
}

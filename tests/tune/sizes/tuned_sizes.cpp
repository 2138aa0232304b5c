// tests/tune/sizes/tuned_sizes.cpp - calls of many sizes, each served by the variant that is best at its size.
// SPDX-License-Identifier: MIT
#include <attune/tune/sizes/tuned_sizes.hpp>

#include <attune/attune.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <doctest/doctest.h>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "../../support/accumulate.hpp"
#include "../../support/scratch_directory.hpp"
#include "../../support/timed_bench.hpp"

using namespace attune_test;
using attune::miss_policy;
using attune::size_policy;

namespace {

constexpr int ways_of_doubling = 6;
/// The way that ran the latest call of this thread.
thread_local int latest = -1;

/// y = 2 x. All ways take about as long: the times of tunings are a script.
/// @tparam Wrong  wrong for sizes of this remainder by 16; 16: right
template <int Way, int Wrong = 16>
void doubled(std::span<double const> x, std::span<double> y, int n)
{
    idle(20'000);
    for (int i = 0; i < n; ++i)
        y[static_cast<std::size_t>(i)] = 2 * x[static_cast<std::size_t>(i)];
    if (n > 1 && n % 16 == Wrong) y[1] = 0;
    latest = Way;
}

/// The way that is best at a size: 0 to 5 for 32, 128, 512 ... 32,768.
int best_way(double n)
{
    return std::clamp(static_cast<int>(std::lround((std::log2(n) - 5) / 2)), 0,
                      ways_of_doubling - 1);
}

double scripted_s(double n, int way)
{
    double const off = (std::log2(n) - 5) / 2 - way;
    return 1e-6 * n * (1 + off * off);
}

using signature = void(std::span<double const>, std::span<double>, int);

struct doubling {
    template <int Wrong = 16>
    static scripted_compiler compiler()
    {
        return scripted_compiler{[](attune::compile_request const& v) -> scripted_compiler::answer {
            return std::array<void*, ways_of_doubling>{
                reinterpret_cast<void*>(&doubled<0>), reinterpret_cast<void*>(&doubled<1>),
                reinterpret_cast<void*>(&doubled<2>), reinterpret_cast<void*>(&doubled<3, Wrong>),
                reinterpret_cast<void*>(&doubled<4>), reinterpret_cast<void*>(&doubled<5>)}
                .at(static_cast<std::size_t>(std::stoi(v.macros.at(0).value)));
        }};
    }

    struct sized_bench final : timed_bench {
        static inline time_script const no_script{};
        doubling& of;
        double size;
        sized_bench(doubling& from, double n)
            : timed_bench(no_script)
            , of(from)
            , size(n)
        {
        }
        double seconds_of(attune::callable const& code) const override
        {
            int way = 0;
            void* const all[] = {
                reinterpret_cast<void*>(&doubled<0>), reinterpret_cast<void*>(&doubled<1>),
                reinterpret_cast<void*>(&doubled<2>), reinterpret_cast<void*>(&doubled<3>),
                reinterpret_cast<void*>(&doubled<4>), reinterpret_cast<void*>(&doubled<5>)};
            for (int i = 0; i < ways_of_doubling; ++i)
                if (all[i] == code.address) way = i;
            if (code.address == reinterpret_cast<void*>(&doubled<3, 5>)) way = 3;
            return scripted_s(size, way);
        }
        attune::outcome time(attune::callable const& code, double stop_above_s, double limit_s,
                             attune::timing_record& record) override
        {
            ++of.evaluations;
            return timed_bench::time(code, stop_above_s, limit_s, record);
        }
        std::vector<attune::time_sample>
        sample(attune::callable const&, attune::timing_record const&, std::size_t, double) override
        {
            return {};
        }
    };

    attune::tuning_options options(miss_policy policy, size_policy sizes)
    {
        attune::tuning_options out;
        out.limits = {.evaluations = 40, .seconds = 60};
        out.on_miss = policy;
        out.sizes = sizes;
        out.search.strategy = attune::search_with<attune::exhaustive_searcher>();
        out.progress = attune::silent_progress();
        out.measuring.make_bench = [this](attune::tuning_problem const& problem,
                                          attune::tuning_options const&) {
            ++tunings;
            auto const bytes = problem.frame.buffers.at(0).bytes;
            return std::unique_ptr<attune::bench>(
                std::make_unique<sized_bench>(*this, static_cast<double>(bytes / sizeof(double))));
        };
        return out;
    }
    static attune::kernel<signature> kernel()
    {
        static constexpr auto way = attune::ordinal<"WAY">(attune::range(0, ways_of_doubling - 1));
        return {"doubled", attune::source_text("int w = ATTUNE_TUNABLE(WAY, 0);\n", "d.kernel.cpp"),
                attune::space(way)};
    }

    /// Calls once. @return  the way that ran
    template <class Tuned>
    int call(Tuned& by, int n)
    {
        auto const size = static_cast<std::size_t>(n);
        std::memset(y.data(), 0, size * sizeof(double));
        by(std::span<double const>(x).first(size), std::span<double>(y).first(size), n);
        REQUIRE(std::memcmp(y.data(), twice.data(), size * sizeof(double)) == 0);
        return latest;
    }
    /// Calls with drawn sizes near these until each is served by the way that is best there.
    /// @return  false: not within a minute
    template <class Tuned>
    bool calls_until_best(Tuned& by, std::vector<int> const& sizes)
    {
        auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
        std::mt19937 random(1);
        while (std::chrono::steady_clock::now() < end) {
            std::size_t right = 0;
            for (int const n : sizes) {
                call(by, n + static_cast<int>(random() % 4) * n / 16);
                right += call(by, n) == best_way(n) ? 1U : 0U;
            }
            if (right == sizes.size()) return true;
        }
        return false;
    }

    std::vector<double> x = std::vector<double>(40'000, 3.0);
    std::vector<double> y = std::vector<double>(40'000);
    std::vector<double> const twice = std::vector<double>(40'000, 6.0);
    std::atomic<int> evaluations{0};
    std::atomic<int> tunings{0};
};

} // namespace

TEST_CASE("calls of several sizes are served by their variants")
{
    doubling of;
    std::vector<int> called{512, 32'768};
    miss_policy policy = miss_policy::tune_in_background;
    size_policy sizes = size_policy::automatic;
    bool has_log = false;
    SUBCASE("in the background") { called = {512, 32, 2'048, 32'768}; }
    SUBCASE("beside a program whose first call tunes")
    {
        policy = miss_policy::tune_if_missing;
        sizes = size_policy::several;
    }
    SUBCASE("with a log, which tells the sizes apart") { has_log = true; }
    support::scratch_directory directory;
    attune::tuning_options options = of.options(policy, sizes);
    if (has_log) options.event_log = directory.file("log");
    attune::tuned call{of.kernel(), of.compiler(), options};
    CHECK(of.calls_until_best(call, called));
    call.wait();
    // Each size was measured with the variants of the others: what a size that is left out gets.
    attune::tuning_report const report = call.report();
    REQUIRE(report.sizes.size() >= called.size());
    CHECK(report.sizes.size() <= 8);
    REQUIRE(report.size_regret);
    double sum = 0;
    for (attune::size_report const& one : report.sizes) {
        REQUIRE(one.sizes.starts_with("argument 2: "));
        double const n = std::stod(one.sizes.substr(12));
        CHECK(one.configuration == "WAY=" + std::to_string(best_way(n)));
        CHECK(one.best_s == doctest::Approx(scripted_s(n, best_way(n))));
        REQUIRE(one.left_out_s);
        CHECK(*one.left_out_s >= one.best_s);
        sum += *one.left_out_s / one.best_s - 1;
    }
    CHECK(*report.size_regret == doctest::Approx(sum / static_cast<double>(report.sizes.size())));
}

TEST_CASE("all further sizes together have the evaluations of one tuning")
{
    constexpr int most = ways_of_doubling;
    doubling of;
    attune::tuning_options options =
        of.options(miss_policy::tune_in_background, size_policy::automatic);
    options.limits.evaluations = most;
    attune::tuned call{of.kernel(), of.compiler(), options};
    auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (std::chrono::steady_clock::now() < end && call.report().sizes.size() < 3 &&
           of.evaluations < ways_of_doubling + most)
        for (int const n : {512, 32, 128, 2'048, 32'768})
            of.call(call, n);
    call.wait();
    CHECK(call.report().sizes.size() >= 2);
    CHECK(of.evaluations > ways_of_doubling);
    CHECK(of.evaluations <= ways_of_doubling + most);
}

TEST_CASE(
    "without leave for a thread, and with the policy of one size, the first size's winner serves")
{
    doubling of;
    size_policy sizes = size_policy::automatic;
    miss_policy policy = miss_policy::tune_if_missing;
    SUBCASE("a call tunes") {}
    SUBCASE("one size")
    {
        sizes = size_policy::first;
        policy = miss_policy::tune_in_background;
    }
    attune::tuned call{of.kernel(), of.compiler(), of.options(policy, sizes)};
    of.call(call, 512);
    call.wait();
    // Several sizes would be tuned after .1 s, if so many seconds are left.
    auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (call.report().coverage.seconds < 0.5 && std::chrono::steady_clock::now() < end)
        for (int i = 0; i < 100; ++i)
            for (int const n : {512, 32, 32'768})
                of.call(call, n);
    REQUIRE(call.report().coverage.seconds >= 0.5);
    call.wait();
    CHECK(of.call(call, 512) == 2);
    CHECK(of.evaluations <= ways_of_doubling);
}

TEST_CASE("what was found for several sizes serves at the next start")
{
    support::scratch_directory directory;
    doubling of;
    std::string const path = directory.file("sizes.attune");
    std::vector<int> const sizes{512, 32, 32'768};
    {
        attune::tuned call{of.kernel(), of.compiler(), attune::store{path},
                           of.options(miss_policy::tune_in_background, size_policy::automatic)};
        REQUIRE(of.calls_until_best(call, sizes));
        call.wait();
    }
    int const before = of.evaluations;
    for (miss_policy const policy : {miss_policy::tune_in_background, miss_policy::tune_if_missing,
                                     miss_policy::lookup_only}) {
        attune::tuned call{of.kernel(), of.compiler(), attune::store{path},
                           of.options(policy, size_policy::automatic)};
        int first = 32'768; // its size is not the first one that was tuned
        auto const size = static_cast<std::size_t>(first);
        CHECK(call.explain(std::span<double const>(of.x).first(size),
                           std::span<double>(of.y).first(size), first)
                  .configuration == "WAY=5");
        auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (of.call(call, first) != 5 && std::chrono::steady_clock::now() < end) {
        }
        CHECK(of.call(call, first) == 5);
        CHECK(of.calls_until_best(call, sizes));
        call.wait();
        CHECK(of.evaluations == before);
    }
}

TEST_CASE("a variant that is wrong at some sizes is never served there, whichever size it won")
{
    doubling of;
    attune::tuned call{of.kernel(), of.compiler<5>(),
                       of.options(miss_policy::tune_in_background, size_policy::automatic)};
    bool is_served = false; // way 3 is best at 2,048
    auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    for (int i = 0; !is_served && std::chrono::steady_clock::now() < end; ++i) {
        of.call(call, 512);
        of.call(call, 2'048 + i % 64);
        of.call(call, 1'024 + 5);
        is_served = of.call(call, 2'048) == 3;
    }
    CHECK(is_served);
    for (int i = 0; i < 4'096; ++i)
        of.call(call, i + 1);
}

TEST_CASE("a child of a fork is served by all sizes that were tuned before")
{
    doubling of;
    attune::tuned call{of.kernel(), of.compiler(),
                       of.options(miss_policy::tune_in_background, size_policy::automatic)};
    std::vector<int> const sizes{512, 32, 32'768};
    for (int i = 0; i < 20; ++i) { // also while a tuning is under way
        for (int const n : sizes)
            of.call(call, n);
        pid_t const child = ::fork();
        if (child == 0) {
            bool is_right = true;
            for (int const n : sizes) {
                auto const size = static_cast<std::size_t>(n);
                call(std::span<double const>(of.x).first(size), std::span<double>(of.y).first(size),
                     n);
                for (std::size_t k = 0; k < size; ++k)
                    is_right = is_right && of.y[k] == 6;
            }
            ::_exit(is_right ? 0 : 1);
        }
        int status = -1;
        REQUIRE(::waitpid(child, &status, 0) == child);
        CHECK(status == 0);
    }
    REQUIRE(of.calls_until_best(call, sizes));
    pid_t const child = ::fork();
    if (child == 0) {
        bool is_best = true;
        for (int const n : sizes) {
            auto const size = static_cast<std::size_t>(n);
            call(std::span<double const>(of.x).first(size), std::span<double>(of.y).first(size), n);
            is_best = is_best && latest == best_way(n);
        }
        ::_exit(is_best ? 0 : 1);
    }
    int status = -1;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
}

TEST_CASE("many threads that call all sizes get right results, and are served in the end")
{
    doubling of;
    attune::tuned call{of.kernel(), of.compiler(),
                       of.options(miss_policy::tune_in_background, size_policy::automatic)};
    std::atomic<bool> is_over{false};
    std::atomic<int> wrong{0};
    std::vector<std::thread> others;
    for (int t = 0; t < 3; ++t)
        others.emplace_back([&, t] {
            std::vector<double> y(of.x.size());
            std::mt19937 random(static_cast<unsigned>(t));
            while (!is_over) {
                auto const n = std::size_t{32} << (random() % 11);
                call(std::span<double const>(of.x).first(n), std::span<double>(y).first(n),
                     static_cast<int>(n));
                for (std::size_t i = 0; i < n; ++i)
                    if (y[i] != 6) ++wrong;
            }
        });
    CHECK(of.calls_until_best(call, {512, 32'768}));
    is_over = true;
    for (std::thread& one : others)
        one.join();
    CHECK(wrong == 0);
}

TEST_CASE("the strides of a view have different names")
{
    using volume = attune::volume_view<double const>;
    static constexpr auto way = attune::ordinal<"WAY">(attune::range(0, 1));
    attune::kernel<double(volume)> const kernel{
        "first_of", attune::source_text("int w = ATTUNE_TUNABLE(WAY, 0);\n", "f.kernel.cpp"),
        attune::space(way)};
    auto const first_of = [](volume of) {
        idle(50'000);
        return of.data()[0];
    };
    double (*const code)(volume) = first_of;
    scripted_compiler const compiler{
        [code](attune::compile_request const&) { return reinterpret_cast<void*>(code); }};
    time_script script;
    script.seconds = {{reinterpret_cast<void*>(code), 1e-5}};
    attune::tuning_options options;
    options.on_miss = miss_policy::tune_in_background;
    options.progress = attune::silent_progress();
    options.measuring.make_bench = [&](attune::tuning_problem const&,
                                       attune::tuning_options const&) {
        return std::unique_ptr<attune::bench>(std::make_unique<timed_bench>(script));
    };
    attune::tuned call{kernel, compiler, options};
    std::vector<double> const x(1 << 18, 1.0);
    CHECK(call(volume(x.data(), 4, 4, 4)) == 1);
    call.wait();
    auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (call.report().sizes.size() < 2 && std::chrono::steady_clock::now() < end)
        CHECK(call(volume(x.data(), 64, 64, 64)) == 1);
    call.wait();
    attune::tuning_report const report = call.report();
    REQUIRE(report.sizes.size() == 2);
    CHECK(report.sizes[1].sizes == "argument 0: 4096, number 2 of argument 0: 64");
}

TEST_CASE("sizes of a kernel whose space reads figures of the machine serve at the next start")
{
    support::scratch_directory directory;
    doubling of;
    std::string const path = directory.file("figures.attune");
    static constexpr auto way = attune::ordinal<"WAY">(attune::range(0, ways_of_doubling - 1));
    attune::kernel<signature> const kernel{
        "doubled", attune::source_text("int w = ATTUNE_TUNABLE(WAY, 0);\n", "d.kernel.cpp"),
        attune::space(way).where(way * 8 <= attune::machine::l1_bytes)};
    std::vector<int> const sizes{512, 32'768};
    for (miss_policy const policy : {miss_policy::tune_in_background, miss_policy::lookup_only}) {
        attune::tuned call{kernel, of.compiler(), attune::store{path},
                           of.options(policy, size_policy::automatic)};
        CHECK(of.calls_until_best(call, sizes));
        call.wait();
    }
}

TEST_CASE("what is left of the evaluations tunes no size that it could only measure the default at")
{
    doubling of;
    attune::tuning_options options =
        of.options(miss_policy::tune_in_background, size_policy::automatic);
    options.limits.evaluations = 2 * ways_of_doubling + 3;
    attune::tuned call{of.kernel(), of.compiler(), options};
    auto const called_s = [&] { return call.report().coverage.seconds; };
    auto const calls_for = [&](double seconds) {
        auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
        double const most_s = called_s() + seconds;
        while (called_s() < most_s && std::chrono::steady_clock::now() < end)
            for (int const n : {512, 32, 2'048, 32'768})
                of.call(call, n);
        call.wait();
    };
    auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (call.report().sizes.size() < 3 && std::chrono::steady_clock::now() < end)
        calls_for(0.2);
    calls_for(0.5);
    attune::tuning_report const report = call.report();
    REQUIRE(report.sizes.size() == 3);
    for (attune::size_report const& one : report.sizes)
        CHECK(one.configuration ==
              "WAY=" + std::to_string(best_way(std::stod(one.sizes.substr(12)))));
}

TEST_CASE("the tuning of a further size measures what served it before")
{
    support::scratch_directory directory;
    doubling of;
    std::string const path = directory.file("rival.attune");
    attune::tuning_options options =
        of.options(miss_policy::tune_in_background, size_policy::automatic);
    options.search.use_related = false;
    {
        attune::tuned call{of.kernel(), of.compiler(), attune::store{path}, options};
        of.call(call, 32'768);
        call.wait();
        REQUIRE(of.evaluations == ways_of_doubling);
    }
    options.limits.evaluations = 3; // the search alone tries ways 0, 1 and 2
    attune::tuned call{of.kernel(), of.compiler(), attune::store{path}, options};
    auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (call.report().sizes.size() < 2 && std::chrono::steady_clock::now() < end)
        of.call(call, 2'048);
    call.wait();
    attune::tuning_report const report = call.report();
    REQUIRE(report.sizes.size() == 2);
    REQUIRE(report.sizes[1].left_out_s);
    CHECK(*report.sizes[1].left_out_s == doctest::Approx(scripted_s(2'048, 5)));
}

TEST_CASE("where the total is spent, the report is still that of the first size's tuning")
{
    doubling of;
    attune::tuning_options options =
        of.options(miss_policy::tune_in_background, size_policy::automatic);
    options.limits.total.evaluations = ways_of_doubling;
    attune::tuned call{of.kernel(), of.compiler(), options};
    of.call(call, 512);
    call.wait();
    REQUIRE(call.report().how == attune::decision::tuned);
    auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (call.report().coverage.seconds < 0.5 && std::chrono::steady_clock::now() < end)
        of.call(call, 32'768);
    call.wait();
    CHECK(call.report().how == attune::decision::tuned);
    CHECK(of.tunings == 1);
}

TEST_CASE("a tuning by calls that waits for its size goes on with the next call of that size")
{
    support::scratch_directory directory;
    doubling of;
    std::string const path = directory.file("rests.attune");
    attune::tuning_options options =
        of.options(miss_policy::tune_in_background, size_policy::automatic);
    {
        attune::tuned call{of.kernel(), of.compiler(), attune::store{path}, options};
        of.call(call, 512);
        call.wait();
    }
    options.on_miss = miss_policy::online;
    options.limits.evaluations = 2; // the default, and what served before
    options.limits.lost_share = 0.5;
    attune::tuned call{of.kernel(), of.compiler(), attune::store{path}, options};
    auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(90);
    auto const has_time = [end] { return std::chrono::steady_clock::now() < end; };
    int const before = of.tunings;
    while (of.tunings == before && has_time())
        of.call(call, 32'768);
    std::this_thread::sleep_for(std::chrono::milliseconds(1'500)); // longer than its patience
    while (call.report().sizes.size() < 2 && has_time()) {
        of.call(call, 32'768);
        of.call(call, 512);
    }
    CHECK(call.report().sizes.size() >= 2);
}

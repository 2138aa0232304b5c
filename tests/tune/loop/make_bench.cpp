// tests/tune/loop/make_bench.cpp - which bench a problem gets, and several benches at work, without a device behind any.
// SPDX-License-Identifier: MIT
#include <attune/tune/loop/make_bench.hpp>

#include <attune/core/error.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <doctest/doctest.h>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "../../support/accumulate.hpp"
#include "../../support/device_saxpy.hpp"
#include "../../support/scripted_device.hpp"

using namespace attune_test;
using attune::detail::bench_pool;

namespace {

/// A problem of arrays of the host with any compiler, and its bench.
template <class Compiler>
struct problem_with {
    Compiler compiler;
    attune::kernel<on_host> kernel = saxpy_kernel<on_host, plain>();
    saxpy_data data{};
    attune::detail::any_compiler any = attune::detail::make_any_compiler(compiler);
    attune::call_frame frame =
        attune::detail::make_call_frame<std::span<float const>, std::span<float>, float, int>(
            {}, data.x, data.y, 2.0F, data.n());
    attune::chain_of_trees space = attune::detail::space_of_call(
        kernel.describe(), attune::detail::with_annotated_defaults(kernel.describe()),
        {{"n", attune::number::of(std::int64_t{100})}});
    attune::tuning_options options = quick_options();

    explicit problem_with(Compiler with)
        : compiler(std::move(with))
    {
    }
    [[nodiscard]] std::string protection(bool predict = false)
    {
        attune::detail::device_finder const find_device =
            attune::detail::make_device_finder(compiler);
        auto const device = find_device ? find_device() : nullptr;
        attune::tuning_problem const problem{
            kernel.describe(), space,  *attune::detail::default_point(space), any, frame,
            device.get(),      predict};
        return attune::detail::make_bench(problem, options)->protection();
    }
};

/// What each device does, by ordinal; the own one is 0.
struct script {
    std::map<int, double> default_s{};
    std::map<int, std::string> never_starts{};
    std::map<int, attune::failure> refuses_default{};
};

/// One that knows where it is.
struct acting_bench final : attune::bench {
    script const& acts;
    int ordinal;

    explicit acting_bench(script const& s, int at = 0)
        : acts(s)
        , ordinal(at)
    {
    }
    attune::first_run_result establish(attune::callable const&, double) override
    {
        auto const why = acts.refuses_default.find(ordinal);
        if (why != acts.refuses_default.end()) return why->second;
        return 1.0;
    }
    attune::first_run_result first_run(attune::callable const&, double) override { return 1.0; }
    attune::outcome time(attune::callable const&, double, double, attune::timing_record&) override
    {
        auto const known = acts.default_s.find(ordinal);
        return attune::measurement::exact(known == acts.default_s.end() ? 1.0 : known->second);
    }
    std::variant<attune::round_times, std::size_t> compare(std::span<attune::callable const>,
                                                           double) override
    {
        return std::size_t{0};
    }
    std::string protection() const override { return "acting"; }
    std::unique_ptr<attune::bench> on_device(int at) const override
    {
        auto const why = acts.never_starts.find(at);
        if (why != acts.never_starts.end()) throw attune::error(why->second, "there", "");
        return std::make_unique<acting_bench>(acts, at);
    }
};

struct crew : bench_pool {
    crew(script const& acts, std::vector<int> const& others)
        : bench_pool(std::make_unique<acting_bench>(acts), others)
    {
        set_up({}, 1.0, attune::measurement::exact(1.0));
    }
    /// Which device did each of `count` jobs.
    std::vector<int> places(std::size_t count)
    {
        std::vector<int> out(count, -1);
        std::vector<job> jobs;
        for (int& at : out)
            jobs.emplace_back(
                [&at](attune::bench& b) { at = dynamic_cast<acting_bench&>(b).ordinal; });
        work(jobs);
        return out;
    }
};

} // namespace

TEST_CASE("code for this processor is tried here")
{
    problem_with p{accumulate_compiler()};
    p.options.measuring.protect = attune::isolation::guard;
    CHECK(p.protection() == "guard: as asked");
}

TEST_CASE("code for a device is tried on it, in a worker unless this process is asked for")
{
    problem_with p{saxpy_compiler()};
    CHECK(p.protection().starts_with("worker"));
    p.options.measuring.protect = attune::isolation::fork;
    CHECK(p.protection().starts_with("worker"));
    p.options.measuring.protect = attune::isolation::guard;
    CHECK(p.protection() == "in process: as asked");
    p.options.measuring.protect = attune::isolation::none;
    CHECK(p.protection() == "in process: as asked");
}

TEST_CASE("without a device there are predictions, for those who ask, or an error")
{
    problem_with p{scripted_device_compiler{[](attune::compile_request const&) {
        return scripted_device_compiler::answer{attune::code_resources{}};
    }}};
    CHECK(p.protection(true) == "nothing runs: predicted for sm_90");
    CHECK(has(error_of([&] { (void)p.protection(); }), "there is no device to run kernel 'saxpy'"));
}

TEST_CASE("a bench alone does everything on the calling thread")
{
    script const acts;
    crew alone{acts, {}};
    CHECK(alone.size() == 1);
    std::thread::id where;
    std::vector<bench_pool::job> const jobs{
        [&](attune::bench&) { where = std::this_thread::get_id(); }};
    alone.work(jobs);
    CHECK(where == std::this_thread::get_id());
    CHECK(alone.places(3) == std::vector{0, 0, 0});
    CHECK(alone.protection() == "acting");
    CHECK(alone.notices().empty());
}

TEST_CASE("jobs go to the benches in order, as often as it takes")
{
    script const acts;
    crew three{acts, {2, 1}};
    CHECK(three.size() == 3);
    CHECK(three.places(0).empty());
    CHECK(three.places(1) == std::vector{0});
    CHECK(three.places(2) == std::vector{0, 2});
    CHECK(three.places(3) == std::vector{0, 2, 1});
    CHECK(three.places(5) == std::vector{0, 2, 1, 0, 2});
    CHECK(three.protection() ==
          "acting; measured: 5 on the first device, 4 on device 2, 2 on device 1");
}

TEST_CASE("as many jobs are done at once as there are benches")
{
    script const acts;
    crew three{acts, {1, 2}};
    std::atomic<int> here = 0;
    std::atomic<int> met = 0;
    auto const meet = [&](attune::bench&) {
        ++here;
        auto const until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (here < 3 && std::chrono::steady_clock::now() < until)
            std::this_thread::yield();
        if (here == 3) ++met;
    };
    std::vector<bench_pool::job> const jobs{meet, meet, meet};
    three.work(jobs);
    CHECK(met == 3);
}

TEST_CASE("a bench that throws is left out, and its job is done elsewhere")
{
    script const acts;
    crew three{acts, {1, 2}};
    std::vector<int> done;
    auto const job = [&](int& at) {
        return [&at](attune::bench& b) {
            int const here = dynamic_cast<acting_bench&>(b).ordinal;
            if (here == 1) throw attune::error("no worker comes up any more", "why", "next");
            at = here;
        };
    };
    std::vector<int> places(3, -1);
    std::vector<bench_pool::job> const jobs{job(places[0]), job(places[1]), job(places[2])};
    three.work(jobs);
    CHECK(places == std::vector{0, 0, 2});
    REQUIRE(three.notices().size() == 1);
    CHECK(three.notices().front() == "device 1 is left out: no worker comes up any more (why)");
    CHECK(three.size() == 3);
    CHECK(three.places(3) == std::vector{0, 2, 0});
    CHECK(three.notices().size() == 1);
}

TEST_CASE("what the own bench throws is thrown, when the others are ready")
{
    script const acts;
    crew two{acts, {1}};
    std::atomic<bool> ready = false;
    std::vector<bench_pool::job> const jobs{
        [](attune::bench&) { throw std::runtime_error("gone"); },
        [&](attune::bench&) {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            ready = true;
        }};
    CHECK_THROWS_WITH_AS(two.work(jobs), "gone", std::runtime_error);
    CHECK(ready);
}

TEST_CASE("devices without a bench, or where the default does not work, are left out")
{
    script acts;
    acts.never_starts[1] = "out of memory";
    acts.refuses_default[2] = {attune::failure_stage::verify, "argument 1 differs", {}};
    crew some{acts, {1, 2, 3}};
    CHECK(some.size() == 4);
    CHECK(some.places(4) == std::vector{0, 3, 0, 3});
    REQUIRE(some.notices().size() == 2);
    CHECK(some.notices()[0] == "device 1 is left out: out of memory (there)");
    CHECK(some.notices()[1] == "device 2 is left out: the default configuration, which works on "
                               "the first device, computed a wrong result: argument 1 differs");
}

TEST_CASE("a default that takes another time by more than 5 % is worth a notice, and no more")
{
    script acts;
    acts.default_s = {{1, 1.049}, {2, 1.2}, {3, 0.94}};
    crew unlike{acts, {1, 2, 3}};
    REQUIRE(unlike.notices().size() == 2);
    CHECK(unlike.notices()[0].starts_with(
        "on device 2 the default takes 1.20 times as long as on the first"));
    CHECK(unlike.notices()[1].starts_with("on device 3 the default takes 0.94 times as long"));
    CHECK(unlike.places(4) == std::vector{0, 1, 2, 3});
}

// tests/measure/device/worker/worker_bench.cpp : mirrors include/attune/measure/device/worker/worker_bench.hpp, included first
// SPDX-License-Identifier: MIT
#include <attune/measure/device/worker/worker_bench.hpp>

#include <attune/core/error.hpp>

#include <csignal>
#include <cstddef>
#include <doctest/doctest.h>
#include <memory>
#include <string>
#include <unistd.h>
#include <variant>
#include <vector>

#include "../../../support/open_files.hpp"
#include "../../../support/scripted_worker.hpp"
#include "../../../support/set_variable.hpp"

namespace worker = attune::detail::worker;
using attune::failure;
using attune::failure_stage;
using attune_test::contains;
using attune_test::quick;
using attune_test::scripted_bench;
using attune_test::start_scripted;
using attune_test::text_thrown_by;
using fixture = attune_test::scripted_worker;

TEST_CASE("every function of a bench asks a worker, which is another process")
{
    fixture const f;
    CHECK(std::get<double>(f.establish()) == 0.5);
    CHECK(f.second_array() == f.y);
    CHECK(f.process() != ::getpid());
    CHECK(f.process() == f.process());
    attune::timing_record taken;
    auto const timed = f.bench->time(scripted_bench::variant("0.125"), 3, 4, &taken);
    auto const& m = std::get<attune::measurement>(timed);
    CHECK(m.value == 0.125);
    CHECK(m.low == 3); // what this bench was told as stop_above_s and limit_s
    CHECK(m.high == 4);
    CHECK(taken.times == std::vector{0.125, 0.25});
    CHECK(taken.disturbed == std::vector{1U});
    CHECK(taken.clock == "script");
    std::vector<attune::device_variant> const two{scripted_bench::variant("2"),
                                                  scripted_bench::variant("1")};
    auto const compared = f.bench->compare(two, 0.2);
    auto const& times = std::get<attune::round_times>(compared);
    CHECK(times.rounds(0) == 1);
    CHECK(times.rounds(1) == 2);
    CHECK(times.seconds(1)[1] == 1.5);
    CHECK(f.bench->replacements() == 0);
    CHECK(f.bench->protection() == "worker: variants run in a process of their own");
}

TEST_CASE("a variant that ends its process fails, and the next one finds another")
{
    int const before = attune_test::open_descriptors();
    {
        fixture const f;
        CHECK(std::holds_alternative<double>(f.establish()));
        struct {
            char const* entry;
            failure_stage stage;
            char const* reason;
        } const deaths[] = {
            {"segv", failure_stage::crash, "SIGSEGV (invalid memory access)"},
            {"kill", failure_stage::crash, "SIGKILL"},
            {"exit", failure_stage::crash, "exit(3) was called"},
            {"shout", failure_stage::crash, "SIGABRT"},
            {"hang", failure_stage::timeout, "still running after 0.2 s"},
            {"nonsense", failure_stage::crash, "damaged"},
            {"illegal", failure_stage::crash, "CUDA_ERROR_ILLEGAL_ADDRESS"},
        };
        std::size_t died = 0;
        for (auto const& death : deaths) {
            CAPTURE(death.entry);
            int const one = f.process();
            failure const why = f.failing(death.entry);
            CHECK(why.stage == death.stage);
            CHECK(contains(why.reason, death.reason));
            CHECK(f.process() != one);
            CHECK(f.bench->replacements() == ++died);
            CHECK(::kill(one, 0) != 0); // and no zombie of it is left
        }
        CHECK(f.failing("shout").log == "this is what it printed");
        CHECK(std::get<double>(f.run("0.75")) == 0.75);
        CHECK(contains(f.bench->protection(), "replaced 8 times"));
    }
    CHECK(attune_test::has_no_children());
    CHECK(attune_test::open_descriptors() == before);
}

TEST_CASE("failures that a context survives cost nothing")
{
    fixture const f;
    CHECK(std::holds_alternative<double>(f.establish()));
    int const one = f.process();
    CHECK(f.failing("wrong").stage == failure_stage::verify);
    CHECK(f.failing("refused").stage == failure_stage::launch);
    CHECK(f.process() == one);
}

TEST_CASE("a variant that wrote where it must not costs its worker, and the next one finds another")
{
    fixture const f;
    CHECK(std::holds_alternative<double>(f.establish()));
    int const one = f.process();
    failure const why = f.failing("spoils");
    CHECK(why.stage == failure_stage::verify);
    CHECK(why.reason == "written up to 4 bytes past the end");
    CHECK(f.process() != one);
    CHECK(f.bench->replacements() == 1);
    auto const timed = f.bench->time(scripted_bench::variant("spoils"), 1, 0.2, nullptr);
    CHECK(std::get<failure>(timed).stage == failure_stage::verify);
    CHECK(std::get<double>(f.run("0.75")) == 0.75);
    CHECK(f.bench->replacements() == 2);
}

TEST_CASE("a default that contents nobody asked for lead astray gets a worker that never saw them")
{
    fixture const f;
    CHECK(std::get<double>(f.establish("astray")) == 1.0);
    CHECK(f.bench->replacements() == 1);
    CHECK(std::get<double>(f.run("0.75")) == 0.75);
    CHECK(f.bench->replacements() == 1);
}

TEST_CASE("with no time left, contestants are waited for as long as the default's time allows")
{
    fixture const f;
    CHECK(std::get<double>(f.establish("0.5")) == 0.5);
    std::vector<attune::device_variant> const two{scripted_bench::variant("nap"),
                                                  scripted_bench::variant("0.25")};
    CHECK(std::holds_alternative<attune::round_times>(f.bench->compare(two, 0)));
    CHECK(f.bench->replacements() == 0);
}

TEST_CASE("another worker has the caller's arrays, and the default established")
{
    fixture const f;
    std::vector<std::vector<std::byte>> expected(2);
    expected[1].assign(12, std::byte{9}); // this bench holds it from then on
    CHECK(std::holds_alternative<double>(
        f.bench->establish(scripted_bench::variant("0.5"), expected, 0.2)));
    std::vector<int> const held(3, 0x09090909);
    CHECK(f.second_array() == held);
    CHECK(f.failing("segv").stage == failure_stage::crash);
    CHECK(f.times("0.5") == 0.5); // by another one
    CHECK(f.second_array() == held);
    // Before anything is established there is nothing to establish again.
    fixture const g;
    CHECK(std::holds_alternative<failure>(g.establish("segv")));
    CHECK(g.times("0.5") == 0.5);
    CHECK(g.second_array() == g.y);
}

TEST_CASE("timing and comparing survive their variants too")
{
    fixture const f;
    CHECK(std::holds_alternative<double>(f.establish()));
    auto const timed = f.bench->time(scripted_bench::variant("kill"), 1, 0.2, nullptr);
    CHECK(std::get<failure>(timed).stage == failure_stage::crash);
    CHECK(contains(std::get<failure>(timed).reason, "SIGKILL"));
    auto const hung = [&] {
        attune::detail::device_bench_options shorter{.timing_limit_s = 0.1};
        fixture const g(quick(), shorter);
        CHECK(std::holds_alternative<double>(g.establish()));
        return g.bench->time(scripted_bench::variant("hang"), 1, 0.1, nullptr);
    }();
    CHECK(std::get<failure>(hung).stage == failure_stage::timeout);
    auto const failed_of = [](fixture const& by, std::vector<std::string> const& entries) {
        std::vector<attune::device_variant> tried;
        for (std::string const& entry : entries)
            tried.push_back(scripted_bench::variant(entry));
        return std::get<std::size_t>(by.bench->compare(tried, 0.2));
    };
    CHECK(failed_of(f, {"1", "illegal", "2"}) == 1); // by the bench's own word
    CHECK(failed_of(f, {"1", "2", "exit"}) == 2);    // found by trying each
    fixture const soon; // a contestant may take many times as long as the default
    CHECK(std::holds_alternative<double>(soon.establish("0.01")));
    CHECK(failed_of(soon, {"hang", "2"}) == 0);
    CHECK(std::get<double>(soon.run("0.75")) == 0.75);
    CHECK(std::get<double>(f.run("0.75")) == 0.75);
}

TEST_CASE("a default that dies of contents nobody asked for is tried without them")
{
    fixture const f;
    CHECK(std::get<double>(f.establish("no perturbing")) == 1.0);
    CHECK(f.bench->replacements() == 1);
    attune::detail::device_bench_options options{.perturb = false};
    fixture const g(quick(), options);
    CHECK(std::get<double>(g.establish("no perturbing")) == 1.0);
    CHECK(g.bench->replacements() == 0);
}

TEST_CASE("an error of the environment is asked about twice, then thrown as it was")
{
    fixture const f;
    CHECK(std::holds_alternative<double>(f.establish()));
    int const one = f.process();
    std::string const text = text_thrown_by<attune::error>([&] { (void)f.run("throw"); });
    CHECK(text == attune::error("no more memory", "here", "buy some").what());
    CHECK(f.process() != one);
}

TEST_CASE("when no worker comes up any more, that is an error with the last one's reason")
{
    auto const count = std::make_shared<int>(0);
    fixture const f(quick([count](int socket, int log) {
        if (++*count == 1) return start_scripted(socket, log);
        int const id = ::fork();
        if (id == 0) ::_exit(5);
        return id;
    }));
    CHECK(std::holds_alternative<double>(f.establish()));
    CHECK(f.failing("segv").stage == failure_stage::crash);
    std::string const text = text_thrown_by<attune::error>([&] { (void)f.run("0.5"); });
    CHECK(contains(text, "no worker process comes up any more"));
    CHECK(contains(text, "3 attempts"));
    CHECK(contains(text, "exit(5) was called"));
    CHECK(*count == 4);
    CHECK(attune_test::has_no_children());
}

TEST_CASE("the default failing in every other worker is an error that says so")
{
    // It depends on the process it runs in: as a device that breaks would.
    auto const marker = std::make_shared<int>(0);
    fixture const g(quick([marker](int socket, int log) {
        attune_test::set_variable const later{"ATTUNE_TEST_DEFAULT",
                                              ++*marker > 1 ? "bad" : "good"};
        return start_scripted(socket, log);
    }));
    CHECK(std::holds_alternative<double>(g.establish("depends")));
    CHECK(g.failing("segv").stage == failure_stage::crash);
    std::string const text = text_thrown_by<attune::error>([&] { (void)g.run("0.5"); });
    CHECK(contains(text, "the default configuration, which worked before: SIGABRT"));
    CHECK(*marker == 4);
}

TEST_CASE("a worker that is silent from the start does not come up")
{
    worker::worker_options how = quick([](int, int) {
        int const id = ::fork();
        if (id == 0) {
            ::pause();
            ::_exit(0);
        }
        return id;
    });
    how.start_limit_s = 0.2;
    CHECK(contains(text_thrown_by<attune::error>([&] { fixture const f(how); }),
                   "the worker process does not answer within 0.2 s"));
    CHECK(attune_test::has_no_children());
}

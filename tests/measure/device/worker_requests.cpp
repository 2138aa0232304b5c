// tests/measure/device/worker_requests.cpp : include/attune/measure/device/worker/worker_bench.hpp where a worker cannot answer, or what it answers cannot be.
// SPDX-License-Identifier: MIT
#include <attune/measure/device/worker/worker_bench.hpp>
// and what the test needs besides
#include <attune/core/error.hpp>

#include <cstddef>
#include <doctest/doctest.h>
#include <memory>
#include <string>
#include <unistd.h>
#include <variant>
#include <vector>

#include "../../support/scripted_worker.hpp"
#include "../../support/set_variable.hpp"

namespace worker = attune::detail::worker;
using attune::failure;
using attune::failure_stage;
using attune_test::contains;
using attune_test::quick;
using attune_test::scripted_bench;
using attune_test::start_scripted;
using attune_test::text_thrown_by;
using fixture = attune_test::scripted_worker;

TEST_CASE("contents are those of the latest run, or of none: never the default's for a variant's")
{
    fixture const f;
    CHECK(std::holds_alternative<double>(f.establish()));
    struct {
        char const* entry;
        char const* reason;
    } const unread[] = {
        {"dies when read", "its result cannot be read: SIGKILL"},
        {"throws when read", "its result cannot be read: no memory to share (here)"},
        {"short when read", "its result cannot be read: a message is damaged"},
    };
    std::size_t died = 0;
    for (auto const& one : unread) {
        CAPTURE(one.entry);
        CHECK(std::get<double>(f.run(one.entry)) == 1.0);
        failure const why = f.unreadable();
        CHECK(why.stage == failure_stage::crash);
        CHECK(contains(why.reason, one.reason));
        // Nor by asking again: who has them is no more.
        CHECK(contains(f.unreadable().reason, "its result cannot be read: the worker process"));
        CHECK(f.bench->replacements() == died++);
        CHECK(std::get<double>(f.run("0.75")) == 0.75);
        CHECK(f.second_array().size() == f.y.size());
    }
    CHECK(f.bench->replacements() == died);
}

TEST_CASE("a comparison that names nobody who took part is none")
{
    fixture const f;
    CHECK(std::holds_alternative<double>(f.establish()));
    auto const failed_of = [&](std::vector<std::string> const& entries) {
        std::vector<attune::device_variant> tried;
        for (std::string const& entry : entries)
            tried.push_back(scripted_bench::variant(entry));
        return std::get<std::size_t>(f.bench->compare(tried, 0.2));
    };
    // Each of them works alone: the last one it is, never one that is not there.
    CHECK(failed_of({"1", "liar"}) == 1);
    CHECK(failed_of({"1", "2", "forgetful"}) == 2);
    CHECK(std::get<double>(f.run("0.75")) == 0.75);
}

TEST_CASE("a worker that reaches the arrays by no route says why")
{
    auto const deaf = [](int socket, int) {
        int const id = ::fork();
        if (id != 0) return id;
        constexpr double for_ever = 1e18;
        worker::message got;
        while (worker::receive(socket, got, for_ever) == worker::transfer::done) {
            attune::detail::message_writer text;
            text.put_text("cuIpcOpenMemHandle: MAP_FAILED");
            worker::message answer{.kind = worker::message_kind::unreachable, .text = text.take()};
            if (worker::send(socket, answer, for_ever) != worker::transfer::done) break;
        }
        ::_exit(0);
    };
    std::string const text = text_thrown_by<attune::error>([&] { fixture const f(quick(deaf)); });
    CHECK(contains(text, "cannot reach the arrays"));
    CHECK(contains(text, "cuIpcOpenMemHandle: MAP_FAILED"));
    CHECK(contains(text, "next: "));
}

TEST_CASE("a worker leaves no core file, and wakes no program that collects them")
{
    fixture const f;
    CHECK(std::holds_alternative<double>(f.establish()));
    CHECK(std::get<double>(f.run("core limit")) == 1);
}

TEST_CASE("under MPS the program's context may go with a worker's, and every text says so")
{
    attune_test::set_variable const on{"ATTUNE_TEST_CU_MPS", "1"};
    {
        fixture const f;
        CHECK(std::holds_alternative<double>(f.establish()));
        CHECK(contains(f.bench->protection(), "MPS"));
    }
    auto const driver = attune::detail::cuda::open_driver(ATTUNE_SCRIPTED_DRIVER);
    worker::worker_options how = quick();
    how.is_required = true;
    std::string const refused = text_thrown_by<attune::error>(
        [&] { (void)worker::make_worker_bench(driver, {}, {}, how); });
    CHECK(contains(refused, "MPS"));
    CHECK(contains(refused, "isolation::automatic"));
    auto const count = std::make_shared<int>(0);
    fixture const f(quick([count](int socket, int log) {
        if (++*count == 1) return start_scripted(socket, log);
        int const id = ::fork();
        if (id == 0) ::_exit(5);
        return id;
    }));
    CHECK(std::holds_alternative<double>(f.establish()));
    CHECK(f.failing("segv").stage == failure_stage::crash);
    CHECK(contains(text_thrown_by<attune::error>([&] { (void)f.run("0.5"); }), "MPS"));
}

TEST_CASE("without MPS a worker that is required is a worker, and no text names MPS")
{
    worker::worker_options how = quick();
    how.is_required = true;
    auto const bench = worker::make_worker_bench(
        attune::detail::cuda::open_driver(ATTUNE_SCRIPTED_DRIVER), {}, {}, how);
    CHECK(bench->protection() == "worker: variants run in a process of their own");
}

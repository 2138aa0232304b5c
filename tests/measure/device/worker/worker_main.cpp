// tests/measure/device/worker/worker_main.cpp : the main loop in include/attune/measure/device/worker/worker_process.hpp
// SPDX-License-Identifier: MIT
#include <attune/measure/device/worker/worker_process.hpp>
// and what the test needs besides
#include <attune/measure/clock/clocks.hpp>
#include <attune/measure/device/worker/worker_arrays.hpp>
#include <attune/measure/device/worker/worker_protocol.hpp>

#include <cstddef>
#include <doctest/doctest.h>
#include <memory>
#include <poll.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "../../../support/open_files.hpp"
#include "../../../support/scripted_bench.hpp"

namespace worker = attune::detail::worker;
using attune_test::scripted_bench;
using worker::message;
using worker::message_kind;
using worker::transfer;

namespace {

double in_s(double seconds) { return attune::system_clocks().wall_s() + seconds; }

std::unique_ptr<attune::detail::device_bench>
make_scripted(std::shared_ptr<attune::detail::cuda::driver const> d,
              attune::detail::device_call call, attune::detail::device_bench_options const& how)
{
    return std::make_unique<scripted_bench>(std::move(d), std::move(call), how);
}

/// A worker in a thread: for requests that do not end it.
class served {
public:
    served()
        : ends_(worker::make_connection())
        , thread_([this] { worker::serve(ends_.second.get(), make_scripted); })
    {
    }
    ~served()
    {
        ends_.first = worker::descriptor();
        thread_.join();
    }

    [[nodiscard]] message ask(message const& asked)
    {
        message got;
        CHECK(worker::send(ends_.first.get(), asked, in_s(20)) == transfer::done);
        CHECK(worker::receive(ends_.first.get(), got, in_s(20)) == transfer::done);
        return got;
    }
    [[nodiscard]] std::string thrown_for(message const& asked)
    {
        message const got = ask(asked);
        CHECK(got.kind == message_kind::thrown);
        attune::detail::message_reader from(got.text);
        return worker::get_thrown(from).what();
    }

private:
    std::pair<worker::descriptor, worker::descriptor> ends_;
    std::thread thread_;
};

/// The call of two host arrays, as a message to begin with.
message begin_with(std::vector<float>& x, std::vector<int>& y, std::string const& bus)
{
    attune::detail::device_call call;
    call.buffers.push_back(
        {attune::detail::as_buffer(std::span(x), 0), attune::detail::memory_place::host});
    call.buffers.push_back(
        {attune::detail::as_buffer(std::span(y), 1), attune::detail::memory_place::host});
    worker::beginning how;
    how.driver_path = ATTUNE_SCRIPTED_DRIVER;
    how.bus = bus;
    how.call = call;
    message out;
    worker::pack_arrays(attune::detail::cuda::open_driver(ATTUNE_SCRIPTED_DRIVER), call,
                        worker::route::handle, how, out);
    attune::detail::message_writer text;
    worker::put(text, how);
    out.text = text.take();
    return out;
}

message with_variant(message_kind kind, std::string const& entry, double limit_s)
{
    message out{.kind = kind};
    attune::detail::message_writer text;
    text.put(limit_s);
    worker::put(text, scripted_bench::variant(entry));
    if (kind == message_kind::establish) worker::put_arrays(out, text, {});
    out.text = text.take();
    return out;
}

} // namespace

TEST_CASE("a worker answers from a bench with the program's arrays")
{
    std::vector<float> x{1, 2, 3};
    std::vector<int> y{4, 5};
    served s;
    CHECK(s.ask(begin_with(x, y, "0000:42:00.0")).kind == message_kind::ready);
    message const got = s.ask(with_variant(message_kind::establish, "0.5", 1));
    CHECK(got.kind == message_kind::answer);
    attune::detail::message_reader from(got.text);
    CHECK(std::get<double>(worker::get_first_run_result(from)) == 0.5);
    message asked{.kind = message_kind::contents};
    attune::detail::message_writer text;
    text.put(std::size_t{1});
    asked.text = text.take();
    message held = s.ask(asked);
    attune::detail::message_reader of(held.text);
    auto const arrays = worker::get_arrays(held, of);
    REQUIRE(arrays.size() == 1);
    std::vector<int> back(2);
    REQUIRE(arrays[0].size() == 8);
    std::memcpy(back.data(), arrays[0].data(), 8);
    CHECK(back == y);
}

TEST_CASE("an exception is an answer, and the worker serves on")
{
    std::vector<float> x{1};
    std::vector<int> y{4};
    served s;
    // Nothing has begun.
    CHECK(s.thrown_for(with_variant(message_kind::first_run, "0.5", 1)).find("damaged") !=
          std::string::npos);
    CHECK(s.ask(begin_with(x, y, "0000:41:00.0")).kind == message_kind::ready);
    CHECK(s.thrown_for(with_variant(message_kind::first_run, "0.5", 1)).find("not established") !=
          std::string::npos);
    CHECK(s.thrown_for(with_variant(message_kind::establish, "throw", 1)) ==
          attune::error("no more memory", "here", "buy some").what());
    message nonsense{.kind = static_cast<message_kind>(77)};
    CHECK(s.thrown_for(nonsense).find("damaged") != std::string::npos);
    CHECK(s.ask(with_variant(message_kind::establish, "0.5", 1)).kind == message_kind::answer);
}

TEST_CASE("a device is found by its place on the bus")
{
    std::vector<float> x{1};
    std::vector<int> y{4};
    served s;
    std::string const text = s.thrown_for(begin_with(x, y, "0000:99:00.0"));
    CHECK(text.find("does not see the device at 0000:99:00.0") != std::string::npos);
    CHECK(text.find("CUDA_VISIBLE_DEVICES") != std::string::npos);
}

TEST_CASE("a worker ends when the program has closed its end")
{
    auto [here, there] = worker::make_connection();
    int const id = ::fork();
    if (id == 0) {
        here = worker::descriptor();
        worker::live_as_worker(there.get(), ::getppid(), make_scripted);
    }
    there = worker::descriptor();
    here = worker::descriptor();
    int status = -1;
    CHECK(::waitpid(id, &status, 0) == id);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    // One whose parent is another already does not begin to serve.
    auto const ends = worker::make_connection();
    int const orphan = ::fork();
    if (orphan == 0) worker::live_as_worker(ends.second.get(), 1 << 30, make_scripted);
    CHECK(::waitpid(orphan, &status, 0) == orphan);
    CHECK(WIFEXITED(status));
}

TEST_CASE(
    "a worker dies with the program that started it, whatever it does, and not with its thread")
{
    auto ends = worker::make_connection();
    // The writing end is the worker's alone: it is closed when the worker is no more.
    int alive[2] = {-1, -1};
    REQUIRE(::pipe(alive) == 0);
    int const program = ::fork();
    if (program == 0) {
        std::thread([&] {
            int const parent = ::getpid();
            if (::fork() != 0) return;
            ends.first = worker::descriptor();
            worker::live_as_worker(ends.second.get(), parent, make_scripted);
        }).join();
        ::close(alive[1]);
        ends.second = worker::descriptor();
        std::vector<float> x{1};
        std::vector<int> y{4};
        message got;
        bool serves = worker::send(ends.first.get(), begin_with(x, y, "0000:42:00.0"), in_s(20)) ==
                          transfer::done &&
                      worker::receive(ends.first.get(), got, in_s(20)) == transfer::done;
        // It hangs when this program ends.
        serves = serves &&
                 worker::send(ends.first.get(), with_variant(message_kind::establish, "hang", 1),
                              in_s(20)) == transfer::done &&
                 worker::receive(ends.first.get(), got, in_s(0.1)) == transfer::late;
        ::_exit(serves ? 0 : 1);
    }
    ends = {};
    ::close(alive[1]);
    int status = -1;
    CHECK(::waitpid(program, &status, 0) == program);
    CHECK(WEXITSTATUS(status) == 0);
    pollfd end{alive[0], POLLIN, 0};
    CHECK(::poll(&end, 1, 20000) == 1);
    CHECK((end.revents & POLLHUP) != 0);
    ::close(alive[0]);
}

// tests/measure/device/worker/worker_wire.cpp : mirrors include/attune/measure/device/worker/worker_wire.hpp, included first
// SPDX-License-Identifier: MIT
#include <attune/measure/device/worker/worker_wire.hpp>

#include <attune/measure/clock/clocks.hpp>

#include <array>
#include <cstddef>
#include <doctest/doctest.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include "../../../support/open_files.hpp"

namespace worker = attune::detail::worker;
using attune::detail::damaged_message;
using attune_test::open_descriptors;
using worker::message;
using worker::message_kind;
using worker::transfer;

namespace {

double in_s(double seconds) { return attune::system_clocks().wall_s() + seconds; }

} // namespace

TEST_CASE("a message arrives as it was sent, also one longer than the socket holds")
{
    int const before = open_descriptors();
    {
        auto const [here, there] = worker::make_connection();
        CHECK(here.get() > 3);
        CHECK(there.get() > 3);
        message sent{.kind = message_kind::time};
        sent.text.assign(3 << 20, 'x');
        sent.text[1234567] = 'y';
        message got;
        std::thread sender(
            [&, to = here.get()] { CHECK(worker::send(to, sent, in_s(10)) == transfer::done); });
        CHECK(worker::receive(there.get(), got, in_s(10)) == transfer::done);
        sender.join();
        CHECK(got.kind == message_kind::time);
        CHECK(got.text == sent.text);
        CHECK_FALSE(got.bulk.is_open());
    }
    CHECK(open_descriptors() == before);
}

TEST_CASE("shared memory goes along and is read on the other side")
{
    int const before = open_descriptors();
    {
        auto const [here, there] = worker::make_connection();
        message sent{.kind = message_kind::contents, .bulk_bytes = 5000};
        {
            worker::shared_memory memory(5000);
            CHECK(memory.data()[4999] == std::byte{0});
            memory.data()[4999] = std::byte{42};
            sent.bulk = memory.take_file();
        }
        // It can be sent again: to another worker.
        for (int times = 0; times < 2; ++times) {
            message got;
            CHECK(worker::send(here.get(), sent, in_s(10)) == transfer::done);
            CHECK(worker::receive(there.get(), got, in_s(10)) == transfer::done);
            CHECK(got.bulk_bytes == 5000);
            worker::shared_memory const seen(std::move(got.bulk), 5000);
            CHECK(seen.data()[4999] == std::byte{42});
        }
    }
    CHECK(open_descriptors() == before);
}

TEST_CASE("shared memory that is shorter than it should be is damaged: reading it would be SIGBUS")
{
    worker::shared_memory memory(100);
    CHECK_THROWS_AS(worker::shared_memory(memory.take_file(), 101), damaged_message);
    CHECK_THROWS_AS(worker::shared_memory(worker::descriptor(), 1), damaged_message);
}

TEST_CASE("an end that is closed is seen, and sending to it is no signal")
{
    auto [here, there] = worker::make_connection();
    there = worker::descriptor();
    message any;
    CHECK(worker::send(here.get(), any, in_s(10)) == transfer::ended);
    CHECK(worker::receive(here.get(), any, in_s(10)) == transfer::ended);
}

TEST_CASE("a message that breaks off has ended")
{
    auto [here, there] = worker::make_connection();
    message sent;
    sent.text.assign(1000, 'x');
    CHECK(worker::send(here.get(), sent, in_s(10)) == transfer::done);
    std::array<char, 600> part{};
    REQUIRE(::recv(there.get(), part.data(), part.size(), 0) == 600);
    auto [other, last] = worker::make_connection();
    REQUIRE(::send(other.get(), part.data(), part.size(), 0) == 600);
    other = worker::descriptor();
    message got;
    CHECK(worker::receive(last.get(), got, in_s(10)) == transfer::ended);
}

TEST_CASE("silence ends with the time limit, on either side")
{
    auto const [here, there] = worker::make_connection();
    message got;
    double const begun_s = in_s(0);
    CHECK(worker::receive(here.get(), got, in_s(0.05)) == transfer::late);
    CHECK(in_s(0) - begun_s >= 0.05);
    message much; // nobody takes it
    much.text.assign(64 << 20, 'x');
    CHECK(worker::send(here.get(), much, in_s(0.05)) == transfer::late);
}

TEST_CASE("bytes that are no message are damaged")
{
    auto const [here, there] = worker::make_connection();
    std::array<char, 64> noise{};
    noise.fill('?');
    REQUIRE(::send(here.get(), noise.data(), noise.size(), 0) == 64);
    message got;
    CHECK_THROWS_AS((void)worker::receive(there.get(), got, in_s(10)), damaged_message);
}

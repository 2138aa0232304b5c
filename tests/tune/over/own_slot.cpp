// tests/tune/over/own_slot.cpp - a slot on a thread of this process.
// SPDX-License-Identifier: MIT
#include <attune/core/outcome.hpp>
#include <attune/tune/over/slots.hpp>

#include <atomic>
#include <doctest/doctest.h>
#include <optional>
#include <stdexcept>
#include <thread>
#include <variant>

using attune::point;
using attune::detail::guarded_evaluation;
using attune::detail::own_slot;

namespace {

guarded_evaluation next(own_slot& slot)
{
    for (;;) {
        if (std::optional<guarded_evaluation> out = slot.take()) return *out;
        std::this_thread::yield();
    }
}

} // namespace

TEST_CASE("each configuration is evaluated once, elsewhere, and its outcome is taken once")
{
    std::thread::id const caller = std::this_thread::get_id();
    std::atomic<int> calls = 0;
    own_slot slot([&](point const& at) -> attune::evaluation {
        ++calls;
        if (std::this_thread::get_id() == caller) return -1.0;
        return 10.0 * at.front().index;
    });
    CHECK(!slot.take());
    for (unsigned i = 0; i < 50; ++i) {
        slot.submit({{.index = i}});
        guarded_evaluation const seen = next(slot);
        CHECK(!seen.is_fault);
        CHECK(std::get<attune::measurement>(seen.seen.result).value == 10.0 * i);
        CHECK(!slot.take());
    }
    CHECK(calls == 50);
}

TEST_CASE("what the objective throws is a failure, and the slot goes on")
{
    own_slot slot([](point const& at) -> attune::evaluation {
        if (at.front().index == 0) throw std::runtime_error("no licence");
        return 1.0;
    });
    slot.submit({{.index = 0}});
    guarded_evaluation const seen = next(slot);
    CHECK(seen.is_fault);
    CHECK(std::get<attune::failure>(seen.seen.result).reason == "no licence");
    slot.submit({{.index = 1}});
    CHECK(!next(slot).is_fault);
}

TEST_CASE("the end waits for the evaluation at work, and begins none")
{
    std::atomic<bool> may_end = false;
    std::atomic<bool> has_begun = false;
    std::atomic<bool> has_ended = false;
    {
        own_slot slot([&](point const&) -> attune::evaluation {
            has_begun = true;
            while (!may_end)
                std::this_thread::yield();
            has_ended = true;
            return 1.0;
        });
        slot.submit({{.index = 0}});
        while (!has_begun)
            std::this_thread::yield();
        may_end = true;
    }
    CHECK(has_ended);
    own_slot const idle([](point const&) -> attune::evaluation { return 1.0; });
}

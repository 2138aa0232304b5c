// tests/tune/on_miss.cpp - what a call does whose inputs the store does not know.
// SPDX-License-Identifier: MIT
#include <attune/attune.hpp>

#include <atomic>
#include <csignal>
#include <doctest/doctest.h>
#include <string>
#include <thread>
#include <vector>

#include "../../bench/support/shape_calls.hpp"
#include "../support/installation.hpp"
#include "../support/notices.hpp"
#include "../support/set_variable.hpp"
#include "../support/texts.hpp"

using namespace attune_test;
using attune::decision;
using attune::miss_policy;
using attune::progress_event;

namespace {

void* const usual_code = std::get<void*>(code_of<usual>());

auto policy(miss_policy which)
{
    return [which](attune::tuning_options& o) { o.on_miss = which; };
}

attune::tuning_report tune_now(memory_installation& one)
{
    return one.known.tune(
        one.shape(one.data.x, one.data.y, 3.0),
        {},
        attune::detail::make_call_frame<std::span<double const>, std::span<double>, double>(
            {}, one.data.x, one.data.y, 3.0));
}

/// Holds the tuning at its first event until released.
struct held_tuning {
    std::atomic<bool> began{false};
    std::atomic<bool> is_released{false};

    auto options()
    {
        return [this](attune::tuning_options& o) {
            o.on_miss = miss_policy::tune_in_background;
            o.progress = [this, heard = o.progress](attune::progress const& p) {
                heard(p);
                if (p.event != progress_event::started) return;
                began = true;
                while (!is_released)
                    std::this_thread::yield();
            };
        };
    }
    void await() const
    {
        while (!began)
            std::this_thread::yield();
    }
};

} // namespace

TEST_CASE("lookup_only tunes nothing, and serves what the store knows")
{
    attune::memory_store empty;
    memory_installation one{empty,
                            ways<usual, fast>(),
                            accumulate_source(),
                            accumulate_compiler(),
                            policy(miss_policy::lookup_only)};
    CHECK(one.obtain() == usual_code);
    CHECK(one.ready() == usual_code);
    CHECK(one.how() == decision::served_default);
    CHECK(contains(one.known.report().reason, "the store has no result"));
    CHECK(one.heard.count(progress_event::started) == 0);
    CHECK(empty.records().empty());

    auto store = tuned_store();
    memory_installation other{store,
                              ways<usual, fast>(),
                              accumulate_source(),
                              accumulate_compiler(),
                              policy(miss_policy::lookup_only)};
    CHECK(other.obtain() == fast_code);
    CHECK(other.how() == decision::remembered);
}

TEST_CASE("tune() tunes whatever the policy is; what the default served is looked at again")
{
    attune::memory_store store;
    memory_installation one{store,
                            ways<usual, fast>(),
                            accumulate_source(),
                            accumulate_compiler(),
                            policy(miss_policy::lookup_only)};
    CHECK(one.obtain() == usual_code);
    CHECK(!one.known.is_tuned({}));
    std::vector<double> const y = one.data.y;
    CHECK(tune_now(one).how == decision::tuned);
    CHECK(one.data.y == y);
    CHECK(one.known.is_tuned({}));
    CHECK(one.obtain() == fast_code);
    std::size_t const tunings = one.heard.count(progress_event::started);
    CHECK(tunings == 1);
    CHECK(tune_now(one).how == decision::tuned);
    CHECK(one.heard.count(progress_event::started) == 1);
}

TEST_CASE("is_tuned() asks the store")
{
    auto store = tuned_store();
    memory_installation one{store, ways<usual, fast>()};
    CHECK(one.known.is_tuned({}));
    CHECK(one.ready() == nullptr);
    CHECK(one.compiler.compiled().empty());
    memory_installation other{store, ways<usual, fast, crawling>()};
    CHECK(!other.known.is_tuned({}));
}

TEST_CASE("in the background: the default serves at once, then the winner, on the same shape")
{
    attune::memory_store store;
    held_tuning held;
    memory_installation one{
        store, ways<usual, fast>(), accumulate_source(), accumulate_compiler(), held.options()};
    CHECK(one.obtain() == usual_code);
    held.await();
    CHECK(one.ready() == usual_code); // without another look
    CHECK(one.how() == decision::served_default);
    CHECK(contains(one.known.report().reason, "background"));
    // The tuning has its own data.
    std::vector<double>().swap(one.data.y);
    held.is_released = true;
    one.known.wait();
    CHECK(one.how() == decision::tuned);
    CHECK(store.records().size() == 1);
    CHECK(one.known.is_tuned({}));
    one.data = accumulate_data{};
    CHECK(one.obtain() == fast_code);
    CHECK(one.heard.count(progress_event::started) == 1);
}

TEST_CASE("in the background: what the store knows is served by the first call")
{
    auto store = tuned_store();
    memory_installation one{store,
                            ways<usual, fast>(),
                            accumulate_source(),
                            accumulate_compiler(),
                            policy(miss_policy::tune_in_background)};
    CHECK(one.obtain() == fast_code);
    one.known.wait();
    CHECK(one.how() == decision::remembered);
}

TEST_CASE("in the background: new shapes are verified there, and a wrong one is never served")
{
    std::size_t which = 0;
    while (std::string(bench::faults[which].name) != "remainder of 16")
        ++which;
    bench::shape_arrays arrays(4'096);
    recorded_progress heard;
    attune::tuning_options options = quick_options(heard.sink());
    options.on_miss = miss_policy::tune_in_background;
    attune::tuned<bench::faulty_signature, bench::faulty_compiler, attune::memory_store> call{
        bench::faulty_kernel(which),
        bench::faulty_compiler{which},
        attune::memory_store{},
        options};
    auto const runs = [&] {
        std::uint64_t const before = call.report().shapes.executions;
        call.wait();
        return call.report().shapes.executions > before;
    };
    bench::shape_choice s;
    s.n = 1'024;
    CHECK(arrays.is_right(s, call));
    call.wait();
    REQUIRE(call.report().how == decision::tuned);
    CHECK(arrays.is_right(s, call));
    s.n = 512;
    CHECK(arrays.is_right(s, call));
    call.wait();
    CHECK(call.report().shapes.verified == 1);
    CHECK(arrays.is_right(s, call));
    CHECK(!runs());
    s.n = 515;
    CHECK(arrays.is_right(s, call));
    call.wait();
    CHECK(call.report().shapes.wrong == 1);
    CHECK(arrays.is_right(s, call));
    CHECK(!runs());
}

TEST_CASE("a tuning that was cut short is not what serves for good")
{
    attune::memory_store store;
    {
        memory_installation one{store,
                                ways<usual, fast, same_as_usual>(),
                                accumulate_source(),
                                accumulate_compiler(),
                                [](attune::tuning_options& o) { o.limits.evaluations = 2; }};
        (void)one.obtain();
    }
    REQUIRE(store.records().size() == 1);
    memory_installation more{store,
                             ways<usual, fast, same_as_usual>(),
                             accumulate_source(),
                             accumulate_compiler(),
                             [](attune::tuning_options& o) {
                                 o.limits.evaluations = 3;
                                 o.on_miss = miss_policy::tune_in_background;
                             }};
    CHECK(!more.known.is_tuned({}));
    (void)more.obtain();
    more.known.wait();
    CHECK(more.heard.count(progress_event::started) == 1);
    CHECK(more.known.is_tuned({}));
    // Where nothing may be tuned, it is better than nothing.
    memory_installation less{store,
                             ways<usual, fast, same_as_usual>(),
                             accumulate_source(),
                             accumulate_compiler(),
                             [](attune::tuning_options& o) {
                                 o.limits.evaluations = 60;
                                 o.on_miss = miss_policy::lookup_only;
                             }};
    (void)less.obtain();
    CHECK(less.how() == decision::remembered);
}

TEST_CASE("a tuning cannot be waited for from within, and a sink that throws ends nothing else")
{
    attune::memory_store store;
    std::string said;
    attune::detail::dispatch_table* table = nullptr;
    memory_installation one{store,
                            ways<usual, fast>(),
                            accumulate_source(),
                            accumulate_compiler(),
                            [&](attune::tuning_options& o) {
                                o.on_miss = miss_policy::tune_in_background;
                                o.progress = [&](attune::progress const& p) {
                                    if (p.event != progress_event::started) return;
                                    said = text_thrown_by<attune::error>([&] { table->wait(); });
                                    throw 42;
                                };
                            }};
    table = &one.known;
    CHECK(one.obtain() == usual_code);
    one.known.wait();
    CHECK(contains(said, "is being tuned"));
    CHECK(one.obtain() == usual_code);
    one.known.wait();
}

TEST_CASE("in the background: no signal of the program's is taken")
{
    struct sigaction before{};
    REQUIRE(::sigaction(SIGINT, nullptr, &before) == 0);
    attune::memory_store store;
    held_tuning held;
    memory_installation one{
        store, ways<usual, fast>(), accumulate_source(), accumulate_compiler(), held.options()};
    CHECK(one.obtain() == usual_code);
    held.await();
    struct sigaction now{};
    REQUIRE(::sigaction(SIGINT, nullptr, &now) == 0);
    CHECK((now.sa_handler == before.sa_handler));
    held.is_released = true;
    one.known.wait();
}

TEST_CASE("in the background: a call whose copy would be too large keeps the default, and says so")
{
    attune::memory_store store;
    memory_installation one{store,
                            ways<usual, fast>(),
                            accumulate_source(),
                            accumulate_compiler(),
                            [](attune::tuning_options& o) {
                                o.on_miss = miss_policy::tune_in_background;
                                o.limits.copied_bytes = 8;
                            }};
    CHECK(one.obtain() == usual_code);
    one.known.wait();
    CHECK(one.obtain() == usual_code);
    CHECK(one.heard.count(progress_event::started) == 0);
    CHECK(one.heard.count(progress_event::notice) == 1);
    CHECK(tune_now(one).how == decision::tuned);
    CHECK(one.obtain() == fast_code);
}

TEST_CASE("in the background: a default that fails leaves the default, and the reason")
{
    attune::memory_store store;
    void* const crashing_code = std::get<void*>(code_of<crashing>());
    scripted_compiler const crashes_by_default{
        [crashing_code](attune::compile_request const& v) -> scripted_compiler::answer {
            scripted_compiler::answer const made = accumulate_script(v);
            void* const* const code = std::get_if<void*>(&made);
            if (code != nullptr && *code == usual_code) return crashing_code;
            return made;
        },
        "scripted 1"};
    memory_installation one{store,
                            ways<usual, fast>(),
                            accumulate_source(),
                            crashes_by_default,
                            policy(miss_policy::tune_in_background)};
    CHECK(one.obtain() == crashing_code);
    one.known.wait();
    CHECK(one.obtain() == crashing_code);
    CHECK(one.how() == decision::served_default);
    CHECK(!one.known.report().reason.empty());
    CHECK(store.records().empty());
}

TEST_CASE("the end of the object ends a tuning in the background")
{
    attune::memory_store store;
    held_tuning held;
    {
        memory_installation one{store,
                                ways<usual, crawling, same_as_usual, fast>(),
                                accumulate_source(),
                                accumulate_compiler(),
                                held.options()};
        CHECK(one.obtain() == usual_code);
        held.await();
        held.is_released = true;
    }
    for (attune::record const& r : store.records())
        CHECK(r.interrupted);
}

TEST_CASE("a mode that is none is told")
{
    set_variable const mode("ATTUNE_MODE", "sometimes");
    attune::memory_store store;
    memory_installation one{store, ways<usual, fast>()};
    CHECK(one.obtain() == fast_code);
    CHECK(one.heard.count(progress_event::notice) >= 1);
}

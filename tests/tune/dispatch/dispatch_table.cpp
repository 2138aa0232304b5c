// tests/tune/dispatch/dispatch_table.cpp - the variants in use, and how a new one comes about.
// SPDX-License-Identifier: MIT
#include <attune/tune/dispatch/dispatch_table.hpp>

#include <attune/tune/tuned.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <doctest/doctest.h>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "../../support/ignored_interrupts.hpp"
#include "../../support/installation.hpp"
#include "../../support/minimal_record_store.hpp"
#include "../../support/notices.hpp"
#include "../../support/scratch_directory.hpp"
#include "../../support/texts.hpp"

using namespace attune_test;
using attune::decision;
using attune::progress_event;

TEST_CASE("what was obtained once is there without another look")
{
    attune::memory_store store;
    memory_installation one{store, ways<usual, fast>()};
    CHECK(one.ready() == nullptr);
    CHECK(one.obtain() == fast_code);
    CHECK(one.ready() == fast_code);
    CHECK(one.known.shapes().shapes().size() == 1);
    std::size_t const compiled = one.compiler.compiled().size();
    CHECK(one.obtain() == fast_code);
    CHECK(one.compiler.compiled().size() == compiled);
    CHECK(store.records().size() == 1);
    CHECK(one.how() == decision::tuned);
}

TEST_CASE("a store that knows the kernel saves the tuning: one compilation, no evaluation")
{
    attune::memory_store store;
    memory_installation first{store, ways<usual, fast>()};
    (void)first.obtain();
    memory_installation second{store, ways<usual, fast>()};
    CHECK(second.obtain() == fast_code);
    CHECK(second.compiler.compiled() == std::vector<std::string>{"WAY=1"});
    attune::tuning_report const report = second.known.report();
    CHECK(report.how == decision::remembered);
    CHECK(report.evaluations == 0);
    CHECK(report.configuration == "WAY=1");
    CHECK(report.speedup > 1);
    CHECK(report.speedup == doctest::Approx(first.known.report().speedup).epsilon(1e-9));
    CHECK(report.best.value == store.records()[0].best_s);
    CHECK(store.records().size() == 1);
    CHECK(second.heard.count(progress_event::started) == 0);
}

TEST_CASE("a compiler that keeps winners is asked for them, and given those to keep")
{
    struct keeping_compiler : scripted_compiler {
        keeping_compiler()
            : scripted_compiler(accumulate_compiler())
        {
        }
        std::optional<attune::callable> find_winner(attune::kernel_source const& k,
                                                    attune::compile_request const& v)
        {
            ++asked;
            if (kept.empty()) return {};
            return std::get<attune::callable>(compile(k, v));
        }
        bool keep_winner(attune::kernel_source const&, attune::compile_request const& v)
        {
            kept.push_back(v.macros.at(0).value);
            return true;
        }
        int asked = 0;
        std::vector<std::string> kept{};
    };
    attune::memory_store store;
    keeping_compiler compiler;
    auto const obtain = [&] {
        accumulate_data data;
        recorded_progress heard;
        attune::detail::dispatch_table known{
            accumulate_kernel(ways<usual, fast>()).any_shape().describe(),
            attune::detail::make_any_compiler(compiler), attune::detail::make_any_store(store),
            quick_options(heard.sink()), accumulate_shape::layout()};
        return known
            .obtain(accumulate_shape{{.any_shape = true}}(data.x, data.y, 3.0), {}, data.frame())
            .code.address;
    };
    CHECK(obtain() == fast_code);
    CHECK(compiler.asked == 0);
    CHECK(compiler.kept == std::vector<std::string>{"1", "0"}); // and what it is verified against
    std::size_t const compiled = compiler.compiled().size();
    CHECK(obtain() == fast_code);
    CHECK(compiler.asked == 1);
    CHECK(compiler.kept.size() == 2);
    CHECK(compiler.compiled().size() == compiled + 1); // by find_winner
    compiler.kept.clear();                             // lost: it is compiled, and kept again
    CHECK(obtain() == fast_code);
    CHECK(compiler.kept == std::vector<std::string>{"1"});
}

TEST_CASE("a source or a compiler that makes other code, and another space, tune again")
{
    auto store = tuned_store();
    auto const with_default = [](way instead, std::string const& identity) {
        return scripted_compiler{[instead](attune::compile_request v) {
                                     for (attune::macro_definition& m : v.macros)
                                         if (m.value == "0")
                                             m.value = std::to_string(static_cast<int>(instead));
                                     return accumulate_script(v);
                                 },
                                 identity};
    };
    auto other_text = accumulate_source();
    other_text.text += "// changed\n";
    memory_installation source{store, ways<usual, fast>(), other_text,
                               with_default(crawling, "scripted 1")};
    (void)source.obtain();
    CHECK(source.how() == decision::tuned);
    memory_installation schema{store, ways<usual, fast, wrong>()};
    (void)schema.obtain();
    CHECK(schema.how() == decision::tuned);
    memory_installation compiler{store, ways<usual, fast>(), accumulate_source(),
                                 with_default(tiring, "scripted 2")};
    (void)compiler.obtain();
    CHECK(compiler.heard.count(progress_event::started) == 1);
    CHECK(store.records().size() == 4);
    memory_installation same{store, ways<usual, fast>()};
    (void)same.obtain();
    CHECK(same.how() == decision::remembered);
}

TEST_CASE(
    "a remembered configuration that does not compile any more leads to a notice and a tuning")
{
    auto store = tuned_store();
    int calls = 0;
    scripted_compiler moody{[&](attune::compile_request const& v) -> scripted_compiler::answer {
        if (++calls == 1) return attune::failure{attune::failure_stage::compile, "header gone"};
        return accumulate_script(v);
    }};
    memory_installation second{store, ways<usual, fast>(), accumulate_source(), moody};
    CHECK(second.obtain() == fast_code);
    CHECK(second.how() == decision::tuned);
    std::string const told = second.heard.texts(progress_event::notice);
    CHECK(has(told, "did not compile"));
    CHECK(has(told, "header gone"));
    auto const kept = notices_but_noise(second.known.report()); // also for those who hear nothing
    REQUIRE(kept.size() == 1);
    CHECK(has(told, kept[0]));
}

TEST_CASE("a remembered configuration outside of the space leads to a notice and a tuning")
{
    attune::memory_store known = tuned_store();
    attune::record strange = known.records()[0];
    strange.configuration = {{"WAY", "77"}};
    attune::memory_store store;
    store.add(strange);
    memory_installation second{store, ways<usual, fast>()};
    CHECK(second.obtain() == fast_code);
    CHECK(second.how() == decision::tuned);
    CHECK(has(second.heard.texts(progress_event::notice), "not in the space"));
    CHECK(notices_but_noise(second.known.report()).size() == 1);
}

namespace {

/// Code of the ways, of which those in `changed` are wrong.
scripted_compiler with_wrong(std::vector<std::string> changed)
{
    return scripted_compiler{[changed = std::move(changed)](attune::compile_request v) {
        for (attune::macro_definition& m : v.macros)
            if (std::find(changed.begin(), changed.end(), m.value) != changed.end())
                m.value = std::to_string(static_cast<int>(wrong));
        return accumulate_script(v);
    }};
}

} // namespace

TEST_CASE("of remembered configurations that are wrong here the next best is verified, then serves")
{
    attune::memory_store store;
    auto const space = ways<usual, fast, breaking>();
    memory_installation first{store, space};
    (void)first.obtain();
    REQUIRE(first.how() == decision::tuned);
    std::string const winner = store.records()[0].configuration[0].second;
    std::string const other = winner == "1" ? "13" : "1";
    calls_to<wrong> = 0;
    for (int process = 0; process < 3; ++process) {
        memory_installation later{store, space, accumulate_source(), with_wrong({winner})};
        CHECK(later.obtain() != std::get<void*>(code_of<usual>()));
        CHECK(later.known.report().configuration == "WAY=" + other);
        CHECK(later.how() == decision::remembered);
        CHECK(has(later.heard.texts(progress_event::notice), "verifying the next best"));
    }
    CHECK(store.records().size() == 1);
    CHECK(calls_to<wrong> == 0);
}

TEST_CASE("if every remembered configuration is wrong here, one tuning follows")
{
    attune::memory_store store;
    auto const space = ways<usual, fast, breaking>();
    for (auto const policy_here :
         {attune::miss_policy::tune_if_missing, attune::miss_policy::tune_in_background}) {
        store = attune::memory_store{};
        (void)memory_installation{store, space}.obtain();
        calls_to<wrong> = 0;
        for (int process = 0; process < 3; ++process) {
            memory_installation later{store, space, accumulate_source(), with_wrong({"1", "13"}),
                                      policy(policy_here)};
            for (int call = 0; call < 4; ++call) {
                CHECK(later.obtain() == std::get<void*>(code_of<usual>()));
                later.known.wait();
            }
            CHECK(store.records().size() == 2);
            CHECK(store.records().back().configuration[0].second == "0");
            CHECK(later.heard.count(progress_event::started) == (process == 0 ? 1 : 0));
        }
        CHECK(calls_to<wrong> == 0);
    }
}

TEST_CASE("a tuning after a wrong winner does not run the code that was wrong")
{
    // Each process finds another configuration wrong, and what was wrong before is so still.
    attune::memory_store store;
    auto const space = ways<usual, fast, breaking, tiring>();
    (void)memory_installation{store, space}.obtain();
    std::vector<std::string> changed;
    for (int process = 0; process < 3; ++process) {
        changed.push_back(store.records().back().configuration[0].second);
        if (changed.back() == "0") break;
        memory_installation later{store, space, accumulate_source(), with_wrong(changed)};
        for (int call = 0; call < 2; ++call)
            (void)later.obtain();
        std::string const serves = later.known.report().configuration;
        for (std::string const& one : changed)
            CHECK(serves != "WAY=" + one);
    }
    memory_installation last{store, space, accumulate_source(), with_wrong({"1", "13", "11"})};
    for (int call = 0; call < 2; ++call)
        CHECK(last.obtain() == std::get<void*>(code_of<usual>()));
}

TEST_CASE("a store of winners alone: a wrong one is verified once in a process")
{
    support::minimal_record_store store;
    installation<support::minimal_record_store> first{store, ways<usual, fast>()};
    (void)first.obtain();
    installation<support::minimal_record_store> later{store, ways<usual, fast>(),
                                                      accumulate_source(), with_wrong({"1"})};
    for (int call = 0; call < 4; ++call)
        CHECK(later.obtain() == std::get<void*>(code_of<usual>()));
    CHECK(later.compiler.compiled().size() == 2);
}

TEST_CASE("Ctrl-C during a tuning: the record is stored and says so")
{
    ignored_interrupts const interrupts;
    attune::memory_store store;
    memory_installation one{store, ways<usual, fast, crawling>(), accumulate_source(),
                            accumulate_compiler(), [](attune::tuning_options& o) {
                                o.progress = [](attune::progress const& p) {
                                    if (p.evaluation == 2 && p.improved) ::raise(SIGINT);
                                };
                            }};
    CHECK(one.obtain() == fast_code);
    CHECK(interrupts.is_in_place());
    CHECK(one.known.report().interrupted);
    REQUIRE(store.records().size() == 1);
    CHECK(store.records()[0].interrupted);
    CHECK(store.records()[0].configuration[0].second == "1");
}

TEST_CASE("a store that cannot be written gives one notice, and the result is used")
{
    attune::store store{"/proc/attune/cannot/be/made.attune"};
    installation<attune::store> one{store, ways<usual, fast>()};
    CHECK(one.obtain() == fast_code);
    CHECK(one.how() == decision::tuned);
    auto const kept = notices_but_noise(one.known.report());
    REQUIRE(kept.size() == 1);
    CHECK(has(kept[0], "/proc/attune/cannot/be/made.attune"));
    installation<attune::store> two{store, ways<usual, fast>()}; // the process still profits
    CHECK(two.obtain() == fast_code);
    CHECK(two.how() == decision::remembered);
    CHECK(two.heard.count(progress_event::notice) == 0);
}

TEST_CASE("a tuning that cannot begin leaves nothing behind, and the next call tries again")
{
    attune::memory_store store;
    int calls = 0;
    scripted_compiler moody{[&](attune::compile_request const& v) -> scripted_compiler::answer {
        if (++calls == 1) return attune::failure{attune::failure_stage::compile, "not yet"};
        return accumulate_script(v);
    }};
    memory_installation one{store, ways<usual, fast>(), accumulate_source(), moody};
    CHECK_THROWS_AS((void)one.obtain(), attune::error);
    CHECK(one.ready() == nullptr);
    CHECK(store.records().empty());
    CHECK(one.obtain() == fast_code);
}

TEST_CASE("what is wrong with the kernel file is an error before anything is called")
{
    attune::memory_store store;
    auto const refusal = [&](auto const& space, std::string text) {
        return error_of([&] {
            memory_installation one{store, space,
                                    attune::source_text(std::move(text), "accumulate.kernel.cpp")};
        });
    };
    CHECK(has(refusal(ways<usual, fast>(), "int nothing;"), "parameter WAY, file accumulate.ker"));
    CHECK(has(refusal(ways<usual, fast>(),
                      "int w = ATTUNE_TUNABLE(WAY, 0);\nint r = ATTUNE_TUNABLE(ROAD, 0);"),
              "ROAD at accumulate.kernel.cpp:2"));
    CHECK(has(refusal(ways<usual, fast>(), "\nint w = ATTUNE_TUNABLE(WAY, 5);"),
              "WAY, default 5 at accumulate.kernel.cpp:2"));
}

TEST_CASE("a progress sink may ask for the report: it is that of the tuning before")
{
    attune::memory_store store;
    attune::detail::dispatch_table const* self = nullptr;
    std::vector<std::string> seen;
    memory_installation one{store, ways<usual, fast>(), accumulate_source(), accumulate_compiler(),
                            [&](attune::tuning_options& o) {
                                o.progress = [&](attune::progress const&) {
                                    seen.push_back(self->report().configuration);
                                };
                            }};
    self = &one.known;
    CHECK(one.obtain() == fast_code);
    REQUIRE(!seen.empty());
    CHECK(seen == std::vector<std::string>(seen.size(), "")); // there was none before
    CHECK(one.known.report().configuration == "WAY=1");
}

TEST_CASE("a progress sink that calls the kernel it hears of gets the default")
{
    attune::memory_store store;
    std::function<void()> call = [] {};
    memory_installation one{
        store, ways<usual, fast>(), accumulate_source(), accumulate_compiler(),
        [&](attune::tuning_options& o) { o.progress = [&](attune::progress const&) { call(); }; }};
    int calls = 0;
    call = [&] {
        ++calls;
        CHECK(one.obtain() == std::get<void*>(code_of<usual>()));
    };
    CHECK(one.obtain() == fast_code);
    CHECK(calls > 2);
    call = [] {};
    CHECK(one.obtain() == fast_code);
}

namespace {

template <way Way>
void add_to(std::span<double const> x, std::span<double> y, int)
{
    accumulate<Way>(x, y, 1.0);
}
/// Each value of its third argument is another problem.
attune::kernel<void(std::span<double const>, std::span<double>, int)> kernel_of_inputs()
{
    attune::kernel<void(std::span<double const>, std::span<double>, int)> kernel{
        "accumulate", accumulate_source(), ways<usual, fast>()};
    kernel.bind<2>(attune::input<"WHICH", int>());
    return kernel;
}

} // namespace

TEST_CASE("a shape that the winner covers is served by it while another thread tunes")
{
    scripted_compiler const compiler{
        [](attune::compile_request const& v) -> scripted_compiler::answer {
            return reinterpret_cast<void*>(v.macros.at(0).value == "1" ? &add_to<fast>
                                                                       : &add_to<usual>);
        },
        "scripted 1"};
    enum class stage { free, wanted, reached };
    std::atomic<stage> hold{stage::free};
    attune::tuned call{kernel_of_inputs(), compiler, attune::memory_store{},
                       quick_options([&](attune::progress const& p) {
                           stage wanted = stage::wanted;
                           if (p.event != progress_event::evaluated ||
                               !hold.compare_exchange_strong(wanted, stage::reached))
                               return;
                           while (hold != stage::free)
                               std::this_thread::yield();
                       })};
    accumulate_data first;
    accumulate_data second;
    call(first.x, first.y, 1);
    call.wait(); // calls beside a proof are not counted
    accumulate_data covered(900);
    while (call.report().shapes.by_class == 0) {
        covered = accumulate_data(covered.x.size() - 1);
        call(covered.x, covered.y, 1);
    }
    call.wait(); // a check beside the program would have the turn
    auto const is_served_fast = [&] {
        long const before = calls_to<fast>;
        call(covered.x, covered.y, 1);
        return calls_to<fast> == before + 1;
    };
    hold = stage::wanted;
    std::thread other([&] { call(second.x, second.y, 2); });
    while (hold != stage::reached)
        std::this_thread::yield();
    CHECK(is_served_fast());
    hold = stage::free;
    other.join();
    CHECK(covered.called_times(2, 1.0));
    CHECK(second.called_times(1, 1.0));
}

TEST_CASE("a call with other inputs does not wait while the default of the first is compiled")
{
    struct compiler_that_waits {
        attune::compile_result compile(attune::kernel_source const&, attune::compile_request const&)
        {
            bool const is_first = !begun->exchange(true);
            auto const until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
            while (is_first && !*is_other_served && std::chrono::steady_clock::now() < until)
                std::this_thread::yield();
            return attune::callable{reinterpret_cast<void*>(&add_to<fast>),
                                    std::make_shared<int>(0), "fast", 0.001, identity()};
        }
        std::string identity() const { return "waiting 1"; }
        std::shared_ptr<std::atomic<bool>> begun = std::make_shared<std::atomic<bool>>(false);
        std::shared_ptr<std::atomic<bool>> is_other_served =
            std::make_shared<std::atomic<bool>>(false);
    };
    attune::tuning_options options = quick_options();
    options.on_miss = attune::miss_policy::lookup_only;
    compiler_that_waits const compiler;
    attune::tuned call{kernel_of_inputs(), compiler, attune::memory_store{}, options};
    accumulate_data first;
    accumulate_data second;
    std::atomic<bool> is_first_served{false};
    std::thread other([&] {
        call(first.x, first.y, 1);
        is_first_served = true;
    });
    while (!*compiler.begun)
        std::this_thread::yield();
    call(second.x, second.y, 2);
    CHECK(!is_first_served);
    *compiler.is_other_served = true;
    other.join();
    CHECK(first.called_times(1, 1.0));
    CHECK(second.called_times(1, 1.0));
}

TEST_CASE("a log that says that the default failed is no reason not to tune")
{
    ignored_interrupts const interrupts;
    support::scratch_directory const directory;
    std::string const log = directory.file("log");
    attune::memory_store store;
    {
        memory_installation one{store, ways<usual, fast, crawling>(), accumulate_source(),
                                accumulate_compiler(), [&](attune::tuning_options& o) {
                                    o.event_log = log;
                                    o.progress = [](attune::progress const& p) {
                                        if (p.evaluation == 2 && p.improved) ::raise(SIGINT);
                                    };
                                }};
        (void)one.obtain();
        REQUIRE(one.known.report().interrupted);
    }
    std::string text = support::read_file(log);
    std::size_t const value = text.find(",\"value\"", text.find("{\"told\""));
    REQUIRE(value != text.npos);
    text.replace(value, text.find('}', value) - value, ",\"failed\":3,\"reason\":\"edited\"");
    support::write_file(log, text);
    memory_installation two{store, ways<usual, fast, crawling>(), accumulate_source(),
                            accumulate_compiler(),
                            [&](attune::tuning_options& o) { o.event_log = log; }};
    CHECK(two.obtain() == fast_code);
    CHECK(two.how() == decision::tuned);
}

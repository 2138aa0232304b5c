// tests/tune/installed.cpp - the variants in use, and how a new one comes about.
// SPDX-License-Identifier: MIT
#include <attune/tune/installed.hpp>

#include <csignal>
#include <doctest/doctest.h>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "../support/accumulate.hpp"

using namespace attune_test;
using attune::decision;
using attune::progress_event;

namespace {

bool has(std::string const& text, std::string const& part)
{
    return text.find(part) != std::string::npos;
}

/// One set of installed variants with its own compiler, over a store that others share.
template <class Store>
struct installation {
    accumulate_data data{};
    scripted_compiler compiler;
    recorded_progress heard{};
    attune::installed_variants known;

    template <class Pack>
    installation(Store& store,
                 Pack const& space,
                 attune::kernel_source source = accumulate_source(),
                 scripted_compiler with = accumulate_compiler(),
                 std::function<void(attune::tuning_options&)> const& change = {})
        : compiler(std::move(with))
        , known(accumulate_kernel(space, std::move(source)).describe(),
                attune::make_any_compiler(compiler),
                attune::make_any_store(store),
                changed(change))
    {
    }

    void* obtain()
    {
        return known.obtain(
            {},
            attune::make_call_frame<std::span<double const>, std::span<double>, double>(
                {}, data.x, data.y, 3.0));
    }
    decision how() const { return known.report().how; }

private:
    attune::tuning_options changed(std::function<void(attune::tuning_options&)> const& change)
    {
        auto options = quick_options(heard.sink());
        if (change) change(options);
        return options;
    }
};

using memory_installation = installation<attune::memory_store>;

void* const fast_code = std::get<void*>(code_of<fast>());

/// What is in the store after a tuning over usual and fast.
attune::memory_store tuned_store()
{
    attune::memory_store store;
    memory_installation first{store, ways<usual, fast>()};
    (void)first.obtain();
    return store;
}

} // namespace

TEST_CASE("what was obtained once is there without another look")
{
    attune::memory_store store;
    memory_installation one{store, ways<usual, fast>()};
    CHECK(one.known.first() == nullptr);
    CHECK(one.obtain() == fast_code);
    REQUIRE(one.known.first() != nullptr);
    CHECK(one.known.first()->code.address == fast_code);
    CHECK(one.known.first()->next == nullptr);
    std::size_t const compiled = one.compiler.compiled().size();
    CHECK(one.obtain() == fast_code);
    CHECK(one.compiler.compiled().size() == compiled);
    CHECK(store.records().size() == 1);
    CHECK(one.how() == decision::tuned);
}

TEST_CASE("a store that knows the kernel saves the tuning: one compilation, no evaluation")
{
    auto store = tuned_store();
    memory_installation second{store, ways<usual, fast>()};
    CHECK(second.obtain() == fast_code);
    CHECK(second.compiler.compiled() == std::vector<std::string>{"WAY=1"});
    attune::tuning_report const report = second.known.report();
    CHECK(report.how == decision::remembered);
    CHECK(report.evaluations == 0);
    CHECK(report.configuration == "WAY=1");
    CHECK(report.speedup > 1);
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
                                                    attune::variant const& v)
        {
            ++asked;
            if (kept.empty()) return {};
            return std::get<attune::callable>(compile(k, v));
        }
        bool keep_winner(attune::kernel_source const&, attune::variant const& v)
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
        attune::installed_variants known{accumulate_kernel(ways<usual, fast>()).describe(),
                                         attune::make_any_compiler(compiler),
                                         attune::make_any_store(store),
                                         quick_options(heard.sink())};
        return known.obtain(
            {},
            attune::make_call_frame<std::span<double const>, std::span<double>, double>(
                {}, data.x, data.y, 3.0));
    };
    CHECK(obtain() == fast_code);
    CHECK(compiler.asked == 0);
    CHECK(compiler.kept == std::vector<std::string>{"1"});
    std::size_t const compiled = compiler.compiled().size();
    CHECK(obtain() == fast_code);
    CHECK(compiler.asked == 1);
    CHECK(compiler.kept.size() == 1);
    CHECK(compiler.compiled().size() == compiled + 1); // by find_winner
    compiler.kept.clear();                             // lost: it is compiled, and kept again
    CHECK(obtain() == fast_code);
    CHECK(compiler.kept == std::vector<std::string>{"1"});
}

TEST_CASE("another source, another space or another compiler tunes again")
{
    auto store = tuned_store();
    auto other_text = accumulate_source();
    other_text.text += "// changed\n";
    memory_installation source{store, ways<usual, fast>(), other_text};
    (void)source.obtain();
    CHECK(source.how() == decision::tuned);
    memory_installation schema{store, ways<usual, fast, wrong>()};
    (void)schema.obtain();
    CHECK(schema.how() == decision::tuned);
    memory_installation compiler{
        store, ways<usual, fast>(), accumulate_source(), accumulate_compiler("scripted 2")};
    (void)compiler.obtain();
    CHECK(compiler.how() == decision::tuned);
    CHECK(store.records().size() == 4);
    memory_installation same{store, ways<usual, fast>()};
    (void)same.obtain();
    CHECK(same.how() == decision::remembered);
}

TEST_CASE("the option retune tunes although the store knows")
{
    auto store = tuned_store();
    memory_installation again{store,
                              ways<usual, fast>(),
                              accumulate_source(),
                              accumulate_compiler(),
                              [](attune::tuning_options& o) { o.retune = true; }};
    CHECK(again.obtain() == fast_code);
    CHECK(again.how() == decision::tuned);
    CHECK(store.records().size() == 2);
}

TEST_CASE(
    "a remembered configuration that does not compile any more leads to a notice and a tuning")
{
    auto store = tuned_store();
    int calls = 0;
    scripted_compiler moody{[&](attune::variant const& v) -> scripted_compiler::answer {
        if (++calls == 1) return attune::failure{attune::failure_stage::compile, "header gone"};
        return accumulate_script(v);
    }};
    memory_installation second{store, ways<usual, fast>(), accumulate_source(), moody};
    CHECK(second.obtain() == fast_code);
    CHECK(second.how() == decision::tuned);
    std::string const told = second.heard.texts(progress_event::notice);
    CHECK(has(told, "did not compile"));
    CHECK(has(told, "header gone"));
    REQUIRE(second.known.report().notices.size() == 1); // also for those who hear nothing
    CHECK(told == second.known.report().notices[0] + '\n');
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
    CHECK(second.known.report().notices.size() == 1);
}

TEST_CASE("Ctrl-C during a tuning: the record is stored and says so")
{
    struct sigaction former{};
    struct sigaction ignored{};
    ignored.sa_handler = SIG_IGN;
    ::sigaction(SIGINT, &ignored, &former);
    attune::memory_store store;
    memory_installation one{store,
                            ways<usual, fast, crawling>(),
                            accumulate_source(),
                            accumulate_compiler(),
                            [](attune::tuning_options& o) {
                                o.progress = [](attune::progress const& p) {
                                    if (p.evaluation == 2 && p.improved) ::raise(SIGINT);
                                };
                            }};
    CHECK(one.obtain() == fast_code);
    struct sigaction after{};
    ::sigaction(SIGINT, &former, &after);
    bool const back = after.sa_handler == SIG_IGN;
    CHECK(back);
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
    CHECK(one.heard.count(progress_event::notice) == 1);
    REQUIRE(one.known.report().notices.size() == 1);
    CHECK(has(one.known.report().notices[0], "/proc/attune/cannot/be/made.attune"));
    installation<attune::store> two{store, ways<usual, fast>()}; // the process still profits
    CHECK(two.obtain() == fast_code);
    CHECK(two.how() == decision::remembered);
    CHECK(two.heard.count(progress_event::notice) == 0);
}

TEST_CASE("a tuning that cannot begin leaves nothing behind, and the next call tries again")
{
    attune::memory_store store;
    int calls = 0;
    scripted_compiler moody{[&](attune::variant const& v) -> scripted_compiler::answer {
        if (++calls == 1) return attune::failure{attune::failure_stage::compile, "not yet"};
        return accumulate_script(v);
    }};
    memory_installation one{store, ways<usual, fast>(), accumulate_source(), moody};
    CHECK_THROWS_AS((void)one.obtain(), attune::error);
    CHECK(one.known.first() == nullptr);
    CHECK(store.records().empty());
    CHECK(one.obtain() == fast_code);
}

TEST_CASE("what is wrong with the kernel file is an error before anything is compiled")
{
    attune::memory_store store;
    auto const refusal = [&](auto const& space, std::string text) -> std::string {
        memory_installation one{
            store, space, attune::source_text(std::move(text), "accumulate.kernel.cpp")};
        try {
            (void)one.obtain();
        } catch (attune::error const& e) {
            CHECK(one.compiler.compiled().empty());
            return e.what();
        }
        return "no error";
    };
    CHECK(has(refusal(ways<usual, fast>(), "int nothing;"), "parameter WAY, file accumulate.ker"));
    CHECK(has(refusal(ways<usual, fast>(),
                      "int w = ATTUNE_TUNABLE(WAY, 0);\nint r = ATTUNE_TUNABLE(ROAD, 0);"),
              "ROAD at accumulate.kernel.cpp:2"));
    CHECK(has(refusal(ways<usual, fast>(), "\nint w = ATTUNE_TUNABLE(WAY, 5);"),
              "WAY, default 5 at accumulate.kernel.cpp:2"));
}

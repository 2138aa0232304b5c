// tests/tune/on_miss.cpp - what a call does whose inputs the store does not know.
// SPDX-License-Identifier: MIT
#include <attune/attune.hpp>
#include <attune/remember/detail/store_file.hpp>
#include <attune/space/schedule/program_features.hpp>
#include <attune/tune/dispatch/choice/kept_lessons.hpp>
#include <attune/tune/lessons.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <doctest/doctest.h>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "../support/faulty_calls.hpp"
#include "../support/installation.hpp"
#include "../support/notices.hpp"
#include "../support/scratch_directory.hpp"
#include "../support/set_variable.hpp"
#include "../support/texts.hpp"

using namespace attune_test;
using attune::decision;
using attune::miss_policy;
using attune::progress_event;

namespace {

void* const usual_code = std::get<void*>(code_of<usual>());

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

/// Variants of this kernel never run: where they are says which they are.
inline constexpr auto size_input = attune::input<"N", int>();
inline constexpr auto choice = attune::ordinal<"P">(attune::range(0, 63));
std::array<char, 64> places{};

/// A kernel of many sizes. The times of its variants are a script, and evaluations are counted.
struct many_sizes {
    using signature = void(std::span<double>, int);
    /// Seconds of a variant at a size.
    std::function<double(int size, int p)> seconds = [](int, int p) { return 1e-3 * (100 - p); };
    std::map<int, int> evaluations{}; ///< by size
    recorded_progress heard;
    std::vector<double> x = std::vector<double>(1'000);
    scripted_compiler compiler{[](attune::compile_request const& v) -> scripted_compiler::answer {
        return &places.at(static_cast<std::size_t>(std::stoi(v.macros.at(0).value)));
    }};
    attune::memory_store store{};
    std::unique_ptr<attune::detail::dispatch_table> known{};

    struct sized_bench final : timed_bench {
        static inline time_script const no_script{};
        many_sizes& of;
        int size;
        sized_bench(many_sizes& from, int n)
            : timed_bench(no_script)
            , of(from)
            , size(n)
        {
        }
        double seconds_of(attune::callable const& code) const override
        {
            return of.seconds(size,
                              static_cast<int>(static_cast<char*>(code.address) - &places[0]));
        }
        attune::outcome time(attune::callable const& code, double stop_above_s, double limit_s,
                             attune::timing_record& record) override
        {
            ++of.evaluations[size];
            return timed_bench::time(code, stop_above_s, limit_s, record);
        }
        std::vector<attune::time_sample>
        sample(attune::callable const&, attune::timing_record const&, std::size_t, double) override
        {
            return {};
        }
    };

    explicit many_sizes(std::function<void(attune::tuning_options&)> const& change,
                        decltype(attune::description::rows) rows = {})
    {
        auto options = quick_options(heard.sink());
        options.on_miss = miss_policy::tune_in_background;
        options.search.use_related = false;
        options.measuring.make_bench = [this](attune::tuning_problem const& problem,
                                              attune::tuning_options const&) {
            auto const size = problem.frame.buffers.at(0).bytes / sizeof(double);
            return std::unique_ptr<attune::bench>(
                std::make_unique<sized_bench>(*this, static_cast<int>(size)));
        };
        change(options);
        attune::kernel<signature> kernel{
            "sized", attune::source_text("int p = ATTUNE_TUNABLE(P, 0);", "sized.kernel.cpp"),
            attune::space(choice).where(size_input + choice >= 0)};
        kernel.bind<1>(size_input);
        kernel.any_shape();
        attune::kernel_description described = kernel.describe();
        described.space.rows = std::move(rows);
        if (described.space.rows) described.space.row_names = attune::program_feature_names();
        known = std::make_unique<attune::detail::dispatch_table>(
            std::move(described), attune::detail::make_any_compiler(compiler),
            attune::detail::make_any_store(store), options, shape::layout());
    }
    using shape = attune::detail::shape_of_call<std::span<double>, int>;
    shape const key_of{attune::detail::shape_choice{.bound = {false, true}, .any_shape = true}};

    /// What a call with this size gets: the value of P.
    int call(int n)
    {
        std::span<double> const part(x.data(), static_cast<std::size_t>(n));
        auto const key = key_of(part, n);
        attune::detail::known_shape* const met = known->shapes().find(key);
        attune::detail::installed_variant const* by = met != nullptr ? met->serves.load() : nullptr;
        if (by != nullptr && met->counter.load() != nullptr) met->counter.load()->add();
        if (by == nullptr)
            by = &known->obtain(
                key, {attune::number::of(std::int64_t{n})},
                attune::detail::make_call_frame<std::span<double>, int>({}, part, n));
        return static_cast<int>(static_cast<char*>(by->code.address) - &places[0]);
    }
    attune::tuning_report tune(int n)
    {
        std::span<double> const part(x.data(), static_cast<std::size_t>(n));
        return known->tune(key_of(part, n), {attune::number::of(std::int64_t{n})},
                           attune::detail::make_call_frame<std::span<double>, int>({}, part, n));
    }
    int evaluated() const
    {
        int sum = 0;
        for (auto const& [size, count] : evaluations)
            sum += count;
        return sum;
    }
};

/// One row, as wide as those of programs: the value of P in all columns.
attune::program_rows row_of(attune::description const&, std::span<attune::coordinate const> at)
{
    std::size_t const width = attune::program_feature_names().size();
    return {std::vector<double>(width, static_cast<double>(at[0].index)), width};
}

struct walking {
    std::vector<attune::point> ask(std::size_t k) { return own.ask(k); }
    void tell(attune::point const& p, attune::outcome const& o) { own.tell(p, o); }
    attune::exhaustive_searcher own;
};

/// Notes what it learns from: the seconds of each program.
struct noting_search : walking {
    noting_search(attune::chain_of_trees const& space, std::vector<std::vector<double>>* to)
        : walking{attune::exhaustive_searcher(space)}
        , learnt(to)
    {
    }
    void learn_from(attune::cost_samples const& others)
    {
        std::vector<double>& seconds = learnt->emplace_back();
        for (std::size_t i = 0; i < others.size(); ++i)
            seconds.push_back(others.value(i).value_or(0));
    }
    std::vector<std::vector<double>>* learnt;
};

/// Notes what techniques gained before: the requests of each kernel.
struct noting_techniques : walking {
    noting_techniques(attune::chain_of_trees const& space,
                      std::vector<std::map<std::string, std::size_t>>* to)
        : walking{attune::exhaustive_searcher(space)}
        , learnt(to)
    {
    }
    void learn_from(attune::search::technique_history const& past)
    {
        std::map<std::string, std::size_t>& requests = learnt->emplace_back();
        for (attune::search::representation const& of : past.representations())
            for (attune::search::technique_use const& use : of.uses)
                requests[of.label] += use.requests;
    }
    std::vector<std::map<std::string, std::size_t>>* learnt;
};

} // namespace

TEST_CASE("lookup_only tunes nothing, and serves what the store knows")
{
    attune::memory_store empty;
    memory_installation one{empty, ways<usual, fast>(), policy(miss_policy::lookup_only)};
    CHECK(one.obtain() == usual_code);
    CHECK(one.ready() == usual_code);
    CHECK(one.how() == decision::served_default);
    CHECK(contains(one.known.report().reason, "the store has no result"));
    CHECK(one.heard.count(progress_event::started) == 0);
    CHECK(empty.records().empty());
    auto store = tuned_store();
    CHECK(
        memory_installation{store, ways<usual, fast>(), policy(miss_policy::lookup_only)}.call() ==
        obtained{fast_code, decision::remembered});
}

TEST_CASE("tune() tunes whatever the policy is; what the default served is looked at again")
{
    attune::memory_store store;
    memory_installation one{store, ways<usual, fast>(), policy(miss_policy::lookup_only)};
    CHECK(one.obtain() == usual_code);
    CHECK(!one.known.is_tuned({}));
    std::vector<double> const y = one.data.y;
    CHECK(one.tune().how == decision::tuned);
    CHECK(one.data.y == y);
    CHECK(one.known.is_tuned({}));
    CHECK(one.obtain() == fast_code);
    CHECK(one.heard.count(progress_event::started) == 1);
    CHECK(one.tune().how == decision::tuned);
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
    memory_installation one{store, ways<usual, fast>(), held.options()};
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

TEST_CASE("in the background: new shapes are verified there, and a wrong one is never served")
{
    bench::shape_arrays arrays(4'096);
    recorded_progress heard;
    attune::tuning_options options = quick_options(heard.sink());
    options.on_miss = miss_policy::tune_in_background;
    auto call = tuned_with_fault(fault_named("remainder of 16"), attune::memory_store{}, options);
    auto const runs = [&] {
        std::uint64_t const before = call.report().shapes.executions;
        call.wait();
        return call.report().shapes.executions > before;
    };
    auto const calls = [&](int n) { // the first one, and one when nothing is being verified
        CHECK(arrays.is_right(of_length(n), call));
        call.wait();
        CHECK(arrays.is_right(of_length(n), call));
        return call.report();
    };
    REQUIRE(calls(1'024).how == decision::tuned);
    CHECK(calls(512).shapes.verified == 1);
    CHECK(!runs());
    CHECK(calls(515).shapes.wrong == 1);
    CHECK(!runs());
}

TEST_CASE("a tuning that was cut short is not what serves for good")
{
    attune::memory_store store;
    {
        memory_installation one{store, ways<usual, fast, same_as_usual>(),
                                [](attune::tuning_options& o) { o.limits.evaluations = 2; }};
        (void)one.obtain();
    }
    REQUIRE(store.records().size() == 1);
    memory_installation more{store, ways<usual, fast, same_as_usual>(),
                             [](attune::tuning_options& o) {
                                 o.limits.evaluations = 3;
                                 o.on_miss = miss_policy::tune_in_background;
                             }};
    CHECK(!more.known.is_tuned({}));
    auto const known = more.known.explain(more.shape(more.data.x, more.data.y, 3.0), {});
    CHECK(known.how == attune::choice_match::exact);
    CHECK(contains(known.why, "less than is asked now"));
    CHECK(more.obtain() == usual_code);
    more.known.wait();
    CHECK(more.heard.count(progress_event::started) == 1);
    CHECK(more.known.is_tuned({}));
    CHECK(more.obtain() == fast_code);
    // Where nothing may be tuned, it is better than nothing.
    memory_installation less{store, ways<usual, fast, same_as_usual>(),
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
    memory_installation one{store, ways<usual, fast>(), [&](attune::tuning_options& o) {
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
    memory_installation one{store, ways<usual, fast>(), held.options()};
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
    memory_installation one{store, ways<usual, fast>(), [](attune::tuning_options& o) {
                                o.on_miss = miss_policy::tune_in_background;
                                o.limits.copied_bytes = 8;
                            }};
    CHECK(one.obtain() == usual_code);
    one.known.wait();
    CHECK(one.obtain() == usual_code);
    CHECK(one.heard.count(progress_event::started) == 0);
    CHECK(one.heard.count(progress_event::notice) == 1);
    CHECK(one.tune().how == decision::tuned);
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
    memory_installation one{store, ways<usual, fast>(), accumulate_source(), crashes_by_default,
                            policy(miss_policy::tune_in_background)};
    CHECK(one.obtain() == crashing_code);
    one.known.wait();
    CHECK(one.call() == obtained{crashing_code, decision::served_default});
    CHECK(!one.known.report().reason.empty());
    CHECK(store.records().empty());
}

TEST_CASE("the end of the object ends a tuning in the background")
{
    attune::memory_store store;
    held_tuning held;
    {
        memory_installation one{store, ways<usual, crawling, same_as_usual, fast>(),
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

TEST_CASE("in the background: every size gets its share of a total")
{
    held_tuning held;
    many_sizes many{[&](attune::tuning_options& o) {
        held.options()(o);
        o.limits.total.evaluations = 480;
    }};
    constexpr int sizes = 32;
    for (int n = 1; n <= sizes; ++n)
        CHECK(many.call(n) == 0);
    held.await();
    held.is_released = true;
    many.known->wait();
    CHECK(many.evaluated() == 480);
    for (int n = 1; n <= sizes; ++n) {
        CHECK(many.evaluations[n] == 15);
        CHECK(many.call(n) == 14);
    }
    CHECK(many.heard.count(progress_event::started) == sizes);
    for (attune::record const& one : many.store.records())
        CHECK(one.asked.evaluations == 15);
}

TEST_CASE("in the background: after the first slices, the most seconds to save go on first")
{
    // Ten evaluations each, and then ten for one of them.
    held_tuning held;
    many_sizes many{[&](attune::tuning_options& o) {
        held.options()(o);
        o.limits.evaluations = 40;
        o.limits.total.evaluations = 40;
    }};
    SUBCASE("the one that is called most") {}
    SUBCASE("the slowest")
    {
        many.seconds = [](int n, int p) { return (n == 2 ? 1e-1 : 1e-3) * (100 - p); };
    }
    SUBCASE("the one with the most to gain")
    {
        many.seconds = [](int n, int p) {
            return n == 2 ? 1e-3 * (100 - p) : 1e-3 * (100 - 0.01 * p);
        };
    }
    bool const by_calls =
        many.seconds(1, 0) == many.seconds(2, 0) && many.seconds(1, 9) == many.seconds(2, 9);
    for (int n = 1; n <= 3; ++n)
        CHECK(many.call(n) == 0);
    held.await();
    for (int i = 0; i < 1'000; ++i)
        for (int n = 1; n <= 3; ++n)
            if (!by_calls || n == 2 || i < 10) (void)many.call(n);
    held.is_released = true;
    many.known->wait();
    CHECK(many.evaluations[1] == 10);
    CHECK(many.evaluations[2] == 20);
    CHECK(many.evaluations[3] == 10);
    CHECK(many.call(1) == 9);
    CHECK(many.call(2) == 19);
    CHECK(many.known->is_tuned({attune::number::of(std::int64_t{2})}));
}

TEST_CASE("in the background: a tuning goes on where its slice ended, and tune() ends it")
{
    std::atomic<int> started{0};
    std::atomic<bool> is_first_over{false};
    std::atomic<bool> is_released{false};
    many_sizes many{[&](attune::tuning_options& o) {
        o.limits.evaluations = 40;
        o.progress = [&](attune::progress const& p) {
            if (p.event != progress_event::started || ++started != 2) return;
            is_first_over = true;
            while (!is_released)
                std::this_thread::yield();
        };
    }};
    CHECK(many.call(5) == 0);
    while (!is_first_over)
        std::this_thread::yield();
    CHECK(many.call(5) == 9); // the winner of the first slice
    SUBCASE("alone")
    {
        is_released = true;
        many.known->wait();
        CHECK(started == 3);
    }
    SUBCASE("with tune()")
    {
        std::thread releases([&] { is_released = true; });
        auto const report = many.tune(5);
        CHECK(report.evaluations == 40);
        releases.join();
        many.known->wait();
    }
    CHECK(many.evaluations[5] == 40);
    CHECK(many.call(5) == 39);
    CHECK(many.store.records().back().evaluations == 40);
    CHECK(many.store.records().back().asked.evaluations == 40);
}

TEST_CASE("the time that measured programs took to read is that of the search")
{
    support::scratch_directory const folder;
    std::string const path = folder.file("programs");
    many_sizes many{[&](attune::tuning_options& o) {
                        o.limits.evaluations = 3;
                        o.search.samples = path;
                    },
                    row_of};
    using attune::detail::store_file;
    store_file writer = store_file::open_to_append(path);
    REQUIRE(writer.lock(store_file::sharing::exclusive));
    attune::tuning_report const report = many.tune(5);
    CHECK(report.evaluations == 3);
    CHECK(report.search_s >= 3); // the reader waited for the writer's lock, and then gave up
    CHECK(report.elapsed_s >= report.search_s);
}

TEST_CASE("in the background: a tuning reads measured programs once, however many slices it has")
{
    support::scratch_directory const folder;
    std::string const path = folder.file("programs");
    attune::description d = attune::build(attune::space(choice)).describe();
    d.rows = row_of;
    d.row_names = attune::program_feature_names();
    attune::chain_of_trees const space(d);
    attune::detail::kept_samples others(path, {.kernel = "other"}, space);
    auto const measure_other = [&](double seconds) {
        others.keep({space.at(std::uint64_t{0}), attune::measurement::exact(seconds), {}});
    };
    std::vector<std::vector<double>> learnt;
    int started = 0;
    many_sizes many{[&](attune::tuning_options& o) {
                        o.limits.evaluations = 40;
                        o.search.samples = path;
                        o.search.strategy = attune::search_with<noting_search>(&learnt);
                        o.progress = [&](attune::progress const& p) {
                            if (p.event != progress_event::started) return;
                            measure_other(1 + ++started); // another process
                        };
                    },
                    row_of};
    bool has_some = false;
    SUBCASE("there are some") { has_some = true; }
    SUBCASE("there are none: nothing is learnt") { has_some = false; }
    if (has_some) measure_other(1);
    (void)many.call(5);
    many.known->wait();
    CHECK(started == 3);
    std::vector<double> const first{1.0};
    CHECK(learnt == std::vector<std::vector<double>>(has_some ? 3 : 0, first));
    // A tuning of other inputs reads them anew.
    learnt.clear();
    (void)many.call(6);
    many.known->wait();
    REQUIRE(learnt.size() == 3);
    CHECK(std::count(learnt[0].begin(), learnt[0].end(), 4.0) == 1); // of another process
    CHECK(learnt[1] == learnt[0]);
    CHECK(learnt[2] == learnt[0]);
}

TEST_CASE("in the background: a tuning reads what techniques gained once, of its kernel as well")
{
    support::scratch_directory const folder;
    std::string const path = folder.file("gains");
    auto const gain = [&](char const* kernel, std::size_t requests) {
        attune::detail::kept_techniques(path, kernel, {})
            .keep(std::vector<attune::search::technique_use>{{"some", requests, 1}});
    };
    std::vector<std::map<std::string, std::size_t>> learnt;
    int started = 0;
    many_sizes many{[&](attune::tuning_options& o) {
        o.limits.evaluations = 40;
        o.search.techniques = path;
        o.search.strategy = attune::search_with<noting_techniques>(&learnt);
        o.progress = [&](attune::progress const& p) {
            if (p.event != progress_event::started) return;
            ++started;
            gain("other", 10); // another process
        };
    }};
    gain("other", 1);
    gain("sized", 2); // an earlier tuning of this kernel
    (void)many.call(5);
    many.known->wait();
    CHECK(started == 3);
    using requests = std::map<std::string, std::size_t>;
    CHECK(learnt == std::vector<requests>(3, requests{{"other", 1}, {"sized", 2}}));
    // A tuning of other inputs reads them anew.
    learnt.clear();
    (void)many.call(6);
    many.known->wait();
    REQUIRE(learnt.size() == 3);
    CHECK(learnt[0].at("other") > 1);
    CHECK(learnt[1] == learnt[0]);
    CHECK(learnt[2] == learnt[0]);
}

namespace {

/// `last` is measured to be the fastest, and is so for shapes unless it is slow there.
template <way last>
void check_next_winner()
{
    constexpr bool is_slow = last == crawling;
    // The best is not among the first 16 of 32 evaluations, and what does not compile counts.
    constexpr auto way_of_32 = attune::categorical<"WAY">(0, 1, 20, 21, 22, 23, 24, 25, 26, 27, 28,
                                                          29, 30, 31, 32, 33, 34, 35, int{last});
    attune::memory_store store;
    std::atomic<int> started{0};
    std::atomic<int> allowed{1};
    time_script times;
    times.seconds[usual_code] = 3;
    times.seconds[fast_code] = 2;
    times.seconds[std::get<void*>(code_of<last>())] = 1;
    auto options = quick_options();
    options.on_miss = miss_policy::tune_in_background;
    options.limits.evaluations = 32;
    options.measuring.make_bench = timed_by(times);
    options.progress = [&](attune::progress const& p) {
        if (p.event != progress_event::started) return;
        ++started;
        while (started > allowed)
            std::this_thread::yield();
    };
    auto const await = [&](int number) {
        while (started < number)
            std::this_thread::yield();
    };
    attune::tuned call{accumulate_kernel(attune::space(way_of_32)), accumulate_compiler(), store,
                       options};
    accumulate_data large(64);
    accumulate_data small(48);
    auto const served = [&](accumulate_data& data) {
        data.y.assign(data.y.size(), 100.0);
        long const before_fast = calls_to<fast>;
        long const before_last = calls_to<last>;
        call(data.x, data.y, 3.0);
        CHECK(data.called_times(1, 3.0));
        return calls_to<fast> > before_fast ? fast : calls_to<last> > before_last ? last : usual;
    };
    CHECK(served(large) == usual);
    await(2);
    CHECK(served(large) == fast);
    CHECK(served(small) == usual); // unknown, and the turn is that of the tuning
    CHECK(served(small) == usual); // met again: it will be verified
    allowed = 2;
    await(3);
    CHECK(served(small) == fast);
    CHECK(served(large) == fast);
    allowed = 3;
    call.wait();
    CHECK(served(large) == last);
    CHECK(served(small) == fast);
    call.wait();
    CHECK(served(small) == (is_slow ? fast : last));
    CHECK((call.report().shapes.slower > 0) == is_slow);
    CHECK(call.report().shapes.wrong == 0);
}

} // namespace

TEST_CASE("in the background: what served a shape goes on until the new winner is verified for it")
{
    check_next_winner<tiring>();
}

TEST_CASE("in the background: a new winner that is slow for a shape does not serve it")
{
    check_next_winner<crawling>();
}

namespace {

template <int Steps>
double sum_of(std::span<double const> x)
{
    idle(Steps);
    double out = 0;
    for (double const one : x)
        out += one;
    return out;
}

double twice_the_sum(std::span<double const> x) { return 2 * sum_of<0>(x); }

/// A kernel that returns a value: usual, wrong or slow, fast.
/// @tparam Slow  steps of the second variant; 0: it is wrong
template <int Usual = 200'000, int Slow = 0>
attune::tuned<double(std::span<double const>), scripted_compiler>
online_sum(attune::progress_sink sink, double lost_share = 0.5)
{
    scripted_compiler compiler{[](attune::compile_request const& v) -> scripted_compiler::answer {
        std::string const which = v.macros.at(0).value;
        return which == "0"   ? reinterpret_cast<void*>(&sum_of<Usual>)
               : which == "1" ? reinterpret_cast<void*>(Slow > 0 ? &sum_of<Slow> : &twice_the_sum)
                              : reinterpret_cast<void*>(&sum_of<100>);
    }};
    auto options = quick_options(std::move(sink));
    options.on_miss = miss_policy::online;
    options.limits.lost_share = lost_share;
    attune::kernel<double(std::span<double const>)> const kernel{
        "sum", attune::source_text("int w = ATTUNE_TUNABLE(W, 0);", "sum.kernel.cpp"),
        attune::space(attune::categorical<"W">(0, 1, 2))};
    return {kernel, compiler, options};
}

} // namespace

TEST_CASE("online: calls decide, every one of them is right, and then they are free")
{
    recorded_progress heard;
    auto call = online_sum(heard.sink());
    std::vector<double> const x(100, 1.0);
    std::atomic<bool> is_over{false};
    std::atomic<int> wrong_results{0};
    std::vector<std::thread> others;
    for (int t = 0; t < 2; ++t)
        others.emplace_back([&] {
            while (!is_over)
                if (call(x) != 100) ++wrong_results;
        });
    for (int i = 0; i < 1'000'000 && call.report().how != decision::tuned; ++i)
        if (call(x) != 100) ++wrong_results;
    is_over = true;
    for (std::thread& t : others)
        t.join();
    CHECK(wrong_results == 0);
    attune::tuning_report const report = call.report();
    CHECK(report.how == decision::tuned);
    CHECK(report.evaluations == 3);
    CHECK(contains(report.isolation, "calls of the program"));
    CHECK(report.speedup > 1);
    CHECK(call(x) == 100);
    CHECK(heard.count(progress_event::started) == 1);
}

TEST_CASE(
    "online: where calls stop to come, nobody waits for them; the tuning goes on with the next")
{
    recorded_progress heard;
    auto call = online_sum(heard.sink());
    std::vector<double> const x(100, 1.0);
    CHECK(call(x) == 100);
    call.wait();
    CHECK(call.report().how != decision::tuned);
    for (int i = 0; i < 1'000'000 && call.report().how != decision::tuned; ++i)
        CHECK(call(x) == 100);
    CHECK(call.report().how == decision::tuned);
    call.wait();
}

TEST_CASE("online: calls of all sizes pay for the candidates of one")
{
    constexpr int most_calls = 100'000; // this size alone would pay after a quarter of a million
    recorded_progress heard;
    auto call = online_sum<20'000, 40'000>(heard.sink(), 0.005);
    std::vector<double> const x(200, 1.0);
    std::span<double const> const one(x.data(), 100);
    int calls = 0;
    CHECK(call(one) == 100);
    CHECK(contains(call.report().reason, "in calls where argument 0 has 100 elements"));
    for (; calls < most_calls && call.report().how != decision::tuned; ++calls) {
        std::size_t const n = calls % 200 == 0 || calls % 200 == 1 ? 100 : 200;
        REQUIRE(call(std::span(x).first(n)) == static_cast<double>(n));
    }
    CHECK(call.report().how == decision::tuned);
}

TEST_CASE("online: a size that does not come again is tuned on a copy, and the report says so")
{
    std::function<std::string()> reason;
    std::string reasons; // at each event, in the thread that tunes
    recorded_progress heard([&](attune::progress const&) { reasons += reason() + '\n'; });
    auto call = online_sum(heard.sink());
    reason = [&] { return call.report().reason; };
    std::vector<double> const x(100'000, 1.0);
    std::atomic<bool> is_over{false};
    std::thread waits([&] { // so that the tuning is not patient
        while (!is_over) {
            call.wait();
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    });
    for (std::size_t n = 1; n <= x.size() && call.report().how != decision::tuned; ++n)
        REQUIRE(call(std::span(x).first(n)) == static_cast<double>(n));
    is_over = true;
    waits.join();
    CHECK(call.report().how == decision::tuned);
    CHECK(call.report().evaluations == 3);
    call.wait();
    CHECK(contains(reasons, "candidates are timed on a copy of a call where argument 0 has 1 "));
    CHECK(contains(heard.texts(progress_event::notice), "are rare"));
    CHECK(call(x) == 100'000);
}

TEST_CASE("online: the end of the object ends it, and tune() tunes in the call")
{
    recorded_progress heard;
    auto call = online_sum(heard.sink());
    std::vector<double> const x(100, 1.0);
    for (int i = 0; i < 10; ++i)
        CHECK(call(x) == 100);
    SUBCASE("the end") {}
    SUBCASE("tune()")
    {
        CHECK(call.tune(x).how == decision::tuned);
        CHECK(call(x) == 100);
    }
}

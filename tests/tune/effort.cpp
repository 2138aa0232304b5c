// tests/tune/effort.cpp - what a store knows serves where it was tuned as hard as is asked now.
// SPDX-License-Identifier: MIT
#include <attune/search/random.hpp>
#include <attune/tune/dispatch/choice/remembered_choice.hpp>
#include <attune/tune/pipeline/core_pin.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <string>
#include <unistd.h>
#include <vector>

#include "../support/installation.hpp"
#include "../support/notices.hpp"
#include "../support/set_variable.hpp"

using namespace attune_test;
using attune::decision;

namespace {

auto evaluations(std::uint64_t count)
{
    return [count](attune::tuning_options& o) { o.limits = {.evaluations = count, .seconds = 30}; };
}

/// In a space of four; the exhaustive search goes from the left to the right.
memory_installation over_four(attune::memory_store& store, std::uint64_t count)
{
    return {store, ways<usual, crawling, fast, same_as_usual>(), evaluations(count)};
}

/// Proposes the first two configurations that are not known, and then nothing more.
class first_two {
public:
    explicit first_two(attune::chain_of_trees const& space, std::uint64_t /*seed*/)
        : all_(space)
    {
    }
    [[nodiscard]] std::vector<attune::point> ask(std::size_t k)
    {
        std::vector<attune::point> out = all_.ask(std::min(k, left_));
        left_ -= out.size();
        return out;
    }
    void tell(attune::point const& at, attune::outcome const& result) { all_.tell(at, result); }

private:
    attune::exhaustive_searcher all_;
    std::size_t left_ = 2;
};

} // namespace

TEST_CASE("a harder tuning is run where the store knows an easier one, from where that ended")
{
    attune::memory_store store;
    {
        memory_installation one = over_four(store, 2);
        CHECK(one.obtain() != fast_code);
        CHECK(one.known.report().evaluations == 2);
    }
    REQUIRE(store.records().size() == 1);
    CHECK(store.records()[0].asked == attune::tuning_effort{2, 30.0});
    CHECK(store.records()[0].ended == "budget");
    {
        memory_installation as_hard = over_four(store, 2);
        CHECK(as_hard.obtain() != fast_code);
        CHECK(as_hard.how() == decision::remembered);
    }
    {
        memory_installation harder = over_four(store, 3);
        CHECK(harder.call() == obtained{fast_code, decision::tuned});
        CHECK(harder.known.report().evaluations == 3);
        CHECK(harder.compiler.compiled() == std::vector<std::string>{"WAY=0", "WAY=1"});
        CHECK(notices_but_noise(harder.known.report()) == continuing("an earlier", 2));
    }
    for (std::uint64_t const count : {1U, 3U, 0U})
        CHECK(over_four(store, count).call() == obtained{fast_code, decision::remembered});
}

TEST_CASE("a tuning that a rule ended is as hard as it was allowed to be")
{
    auto const until_target = [](attune::tuning_options& o) {
        o.limits = {.evaluations = 4, .seconds = 30, .target = 1.0};
    };
    attune::memory_store store;
    for (int run = 0; run < 2; ++run) {
        memory_installation one{store, ways<usual, crawling, fast, same_as_usual>(), until_target};
        CHECK(one.obtain() != fast_code);
        CHECK((one.how() == decision::remembered) == (run == 1));
    }
    CHECK(store.records().size() == 1);
    CHECK(store.records()[0].ended == "stop rule");
}

TEST_CASE("where a search proposes nothing more and something is left, a harder tuning is run")
{
    auto const of_a_search_that_ends = [](attune::tuning_options& o) {
        o.limits = {.evaluations = 60, .seconds = 30};
        o.search.strategy = attune::search_with<first_two>();
    };
    attune::memory_store store;
    memory_installation one{store, ways<usual, crawling, fast, same_as_usual>(),
                            of_a_search_that_ends};
    CHECK(one.obtain() == fast_code);
    REQUIRE(store.records().size() == 1);
    CHECK(one.known.report().evaluations == 3);
    CHECK(store.records()[0].ended == "stop rule");
    CHECK(over_four(store, 60).call() == obtained{fast_code, decision::remembered});
    memory_installation harder = over_four(store, 61);
    CHECK(harder.call() == obtained{fast_code, decision::tuned});
    CHECK(harder.known.report().evaluations == 4);
}

TEST_CASE("what was timed with other threads is another problem, if the kernel uses threads")
{
    attune::kernel_source source = accumulate_source();
    source.text += "#pragma omp barrier\n";
    auto const obtained_with = [&](char const* threads, auto& store, auto const& text) {
        set_variable const limit{"OMP_THREAD_LIMIT", ""};
        set_variable const said{"OMP_NUM_THREADS", threads};
        memory_installation one{store, ways<usual, fast>(), text};
        static_cast<void>(one.obtain());
        return one.how();
    };
    attune::memory_store store;
    CHECK(obtained_with("", store, source) == decision::tuned);
    CHECK(obtained_with("1001", store, source) == decision::tuned);
    CHECK(obtained_with("1001", store, source) == decision::remembered);
    CHECK(obtained_with("1002", store, source) == decision::tuned);
    CHECK(obtained_with("", store, source) == decision::remembered);
    REQUIRE(store.records().size() == 3);
    std::size_t const usable = attune::detail::usable_threads(); // fewer under taskset
    attune::named_texts const own =
        usable == static_cast<std::size_t>(::sysconf(_SC_NPROCESSORS_ONLN))
            ? attune::named_texts{}
            : attune::named_texts{{"threads", std::to_string(usable)}};
    CHECK(store.records()[0].key.setting == own);
    CHECK(store.records()[1].key.setting == attune::named_texts{{"threads", "1001"}});
    CHECK(store.records()[0].threads >= 1); // as the clocks saw it: more on a disturbed machine
    attune::memory_store other;
    CHECK(obtained_with("", other, accumulate_source()) == decision::tuned);
    CHECK(obtained_with("1001", other, accumulate_source()) == decision::remembered);
}

TEST_CASE("a record names the configurations that the final could not tell from the winner")
{
    attune::memory_store store;
    void* const usual_code = std::get<void*>(code_of<usual>());
    time_script const equal{.seconds = {{usual_code, 1e-3}, {fast_code, 1e-3}}};
    memory_installation one{store, ways<usual, fast>(), {}, &equal};
    static_cast<void>(one.obtain());
    REQUIRE(store.records().size() == 1);
    REQUIRE(one.known.report().ties == std::vector<std::string>{"WAY=1"});
    CHECK(store.records()[0].ties == std::vector<attune::value_texts>{{"1"}});
}

TEST_CASE("a store says what device it was")
{
    attune::memory_store store;
    memory_installation one{store, ways<usual, fast>()};
    static_cast<void>(one.obtain());
    CHECK(store.text().find("\"facts\":{\"isa\":\"") != std::string::npos);
}

// tests/tune/known_choice.cpp - what is known for a call, what of it serves, and what is said of it.
// SPDX-License-Identifier: MIT
#include <attune/tune/known_choice.hpp>

#include <attune/remember/store.hpp>

#include <algorithm>
#include <doctest/doctest.h>
#include <string>
#include <variant>
#include <vector>

#include "../support/faulty_calls.hpp"
#include "../support/installation.hpp"
#include "../support/notices.hpp"
#include "../support/scratch_directory.hpp"
#include "../support/set_variable.hpp"
#include "../support/texts.hpp"

using namespace attune_test;
using attune::choice_match;
using attune::decision;
using attune::known_choice;
using attune::miss_policy;
using attune::progress_event;

namespace {

auto const many = ways<usual, crawling, same_as_usual, fast>();
void* const usual_code = std::get<void*>(code_of<usual>());
void* const crawling_code = std::get<void*>(code_of<crawling>());

/// The same code by another text.
attune::kernel_source commented()
{
    attune::kernel_source out = accumulate_source();
    out.text += "// a comment\n";
    return out;
}

auto nothing_to_spend(attune::tuning_options& o) { o.limits.evaluations = 0; }

/// The fast way is wrong in this version.
scripted_compiler wrong_where_fast()
{
    return scripted_compiler{[](attune::compile_request const& v) {
        for (attune::macro_definition const& m : v.macros)
            if (m.name == "WAY" && m.value == "1") return code_of<wrong>();
        return accumulate_script(v);
    }};
}

template <class Store>
known_choice explained(installation<Store>& one)
{
    return one.known.explain(one.shape(one.data.x, one.data.y, 3.0), {});
}

} // namespace

TEST_CASE("a choice is one line of text")
{
    known_choice one{.kernel = "sgemm",
                     .configuration = "TILE_M=64 UNROLL=4",
                     .how = choice_match::near_size,
                     .distance = 0.693,
                     .why = "best for N=512, not N=1024",
                     .serves = true};
    CHECK(one.text() ==
          "sgemm: TILE_M=64 UNROLL=4 (near size, distance 0.69): best for N=512, not N=1024");
    one.serves = false;
    CHECK(one.text().ends_with("N=1024; it has not served this shape so far"));
    CHECK(known_choice{.kernel = "k", .configuration = "A=1", .why = "nothing is known"}.text() ==
          "k: A=1 (default): nothing is known");
}

TEST_CASE("the best of another version serves where nothing is tuned, once it is verified")
{
    attune::memory_store store = tuned_store(many);
    auto const rows = store.records().size();
    for (options_change const& change :
         {policy(miss_policy::lookup_only), options_change(nothing_to_spend)}) {
        memory_installation later{store, many, next_version(), accumulate_compiler(), change};
        known_choice const before = explained(later);
        CHECK(before.how == choice_match::near_size);
        CHECK(before.configuration == "WAY=1");
        CHECK(before.distance == doctest::Approx(0.25));
        CHECK(has(before.why, "another version of the source"));
        CHECK(!before.serves);
        CHECK(later.obtain() == fast_code);
        CHECK(later.ready() == fast_code);
        CHECK(later.how() == decision::served_near);
        CHECK(has(later.known.report().summary(), "WAY=1 serves where it is verified"));
        CHECK(later.known.report().shapes.verified == 1);
        CHECK(explained(later).serves);
        CHECK(!later.known.is_tuned({}));
        CHECK(later.heard.count(progress_event::started) == 0);
        CHECK(later.data.called_times(0, 3.0));
    }
    CHECK(store.records().size() == rows); // no time was transferred
}

TEST_CASE("the best of another version is never served where it is wrong, and is not tried again")
{
    attune::memory_store store = tuned_store(many);
    {
        memory_installation later{store, ways<usual, crawling, fast>(), // others are no better
                                  next_version(), wrong_where_fast(),
                                  policy(miss_policy::lookup_only)};
        CHECK(later.obtain() == crawling_code);
        CHECK(later.obtain() == crawling_code);
        CHECK(later.known.report().shapes.wrong == 1);
        CHECK(!explained(later).serves);
    }
    memory_installation again{store, ways<usual, crawling, fast>(), next_version(),
                              wrong_where_fast(), policy(miss_policy::lookup_only)};
    CHECK(again.obtain() == crawling_code);
    CHECK(again.known.report().shapes.executions == 0);
    CHECK(explained(again).how == choice_match::by_default);
}

TEST_CASE("the best of another setting serves the shapes that it was verified for, not its classes")
{
    support::scratch_directory const directory;
    bench::shape_arrays arrays(4'096);
    auto const process = [&](attune::miss_policy on_miss, attune::cache_state cache) {
        attune::tuning_options options = quick_options();
        options.on_miss = on_miss;
        options.measuring.cache = cache;
        return tuned_with_fault(fault_named("remainder of 16"),
                                attune::store{directory.file("store")}, options);
    };
    {
        auto warm = process(miss_policy::tune_if_missing, attune::cache_state::warm);
        for (int const n : {1'024, 512, 512, 2'048, 2'048})
            CHECK(arrays.is_right(of_length(n), warm));
        REQUIRE(warm.report().how == decision::tuned);
    }
    auto cold = process(miss_policy::lookup_only, attune::cache_state::cold);
    CHECK(arrays.is_right(of_length(1'536), cold)); // its class is proven, it is not
    CHECK(cold.report().how == decision::served_near);
    CHECK(cold.report().shapes.by_class == 0);
    CHECK(cold.report().shapes.verified == 1);
    CHECK(arrays.is_right(of_length(515), cold));
    CHECK(arrays.is_right(of_length(515), cold));
    CHECK(cold.report().shapes.wrong == 1);
    auto again = process(miss_policy::lookup_only, attune::cache_state::cold);
    CHECK(arrays.is_right(of_length(515), again));
    CHECK(again.report().how == decision::served_default); // what failed once here is not tried
}

TEST_CASE("tune() tunes inputs that the best of others served, and the winner takes its place")
{
    attune::memory_store store = tuned_store(many);
    memory_installation right{store, many, next_version(), accumulate_compiler("other"),
                              policy(miss_policy::lookup_only)};
    CHECK(right.obtain() == fast_code);
    CHECK(right.tune().how == decision::tuned);
    CHECK(right.known.is_tuned({}));
    CHECK(explained(right).how == choice_match::exact);
    CHECK(right.obtain() == fast_code);
    CHECK(explained(right).serves);
    CHECK(right.how() == decision::tuned);
}

TEST_CASE("in the background: the best of another version serves while the tuning lasts")
{
    attune::memory_store store = tuned_store(many);
    memory_installation* self = nullptr;
    std::vector<void*> seen;
    memory_installation later{
        store, many, next_version(), accumulate_compiler(), [&](attune::tuning_options& o) {
            o.on_miss = miss_policy::tune_in_background;
            o.progress = [&](attune::progress const&) { seen.push_back(self->ready()); };
        }};
    self = &later;
    CHECK(later.obtain() == crawling_code);
    later.known.wait();
    REQUIRE(!seen.empty());
    CHECK(std::find(seen.begin(), seen.end(), fast_code) != seen.end());
    CHECK(later.call() == obtained{fast_code, decision::tuned});
    CHECK(explained(later).how == choice_match::exact);
}

TEST_CASE("a comment in the source costs no tuning: the code is the same")
{
    attune::memory_store store = tuned_store(many);
    std::size_t const known = store.records().size();
    for (int run = 0; run < 2; ++run) {
        memory_installation later{store, many, commented()};
        known_choice const found = explained(later);
        CHECK(found.how == (run == 0 ? choice_match::exact_by_code : choice_match::exact));
        CHECK(found.distance == 0);
        CHECK(later.call() == obtained{fast_code, decision::remembered});
        CHECK(later.heard.count(progress_event::started) == 0);
        CHECK(later.known.is_tuned({}));
        CHECK(store.records().size() == known + 1); // under the new text as well
    }
    memory_installation compiler{store, many, accumulate_source(),
                                 accumulate_compiler("a patch release")};
    CHECK(compiler.call() == obtained{fast_code, decision::remembered});
    CHECK(explained(compiler).how == choice_match::exact_by_code);
}

TEST_CASE("what others tuned is compiled here: a store names configurations, and has no code")
{
    attune::memory_store store = tuned_store(many);
    scripted_compiler const here = accumulate_compiler();
    memory_installation later{store, many, accumulate_source(), here};
    CHECK(later.call() == obtained{fast_code, decision::remembered});
    CHECK(later.heard.count(progress_event::started) == 0);
    CHECK(std::ranges::count(here.compiled(), "WAY=1") == 1);
}

TEST_CASE("other code of the winner or of the default is tuned again")
{
    for (std::string const differs : {"0", "1"}) {
        attune::memory_store store = tuned_store(many);
        scripted_compiler const other{[differs](attune::compile_request const& v) {
            for (attune::macro_definition const& m : v.macros)
                if (m.name == "WAY" && m.value == differs) return code_of<crawling>();
            return accumulate_script(v);
        }};
        memory_installation later{store, many, commented(), other};
        (void)later.obtain();
        CHECK(later.how() != decision::remembered);
        CHECK(later.heard.count(progress_event::started) == 1);
    }
}

TEST_CASE("rows of the same code count: a harder tuning after a comment measures only what is new")
{
    attune::memory_store store;
    auto const of = [](std::uint64_t evaluations) {
        return [=](attune::tuning_options& o) {
            o.limits.evaluations = evaluations;
            o.search.use_related = false;
        };
    };
    auto const space = ways<usual, crawling, fast, same_as_usual>();
    {
        memory_installation first{store, space, of(2)};
        (void)first.obtain();
        CHECK(first.known.report().evaluations == 2);
    }
    memory_installation later{store, space, commented(), accumulate_compiler(), of(3)};
    CHECK(later.call() == obtained{fast_code, decision::tuned});
    CHECK(later.known.report().evaluations == 3);
    CHECK(later.known.report().same_code == 1); // the crawling way
}

TEST_CASE("ATTUNE_FORCE wins over a tuning and over the store, and is verified like any other")
{
    attune::memory_store store = tuned_store(many);
    {
        set_variable const force("ATTUNE_FORCE", "WAY=10");
        memory_installation one{store, many};
        CHECK(explained(one).how == choice_match::forced);
        CHECK(one.call() == obtained{crawling_code, decision::served_forced});
        CHECK(one.known.report().shapes.verified == 1);
        CHECK(explained(one).serves);
        attune::memory_store empty;
        memory_installation unknown{empty, many};
        CHECK(unknown.obtain() == crawling_code);
        CHECK(unknown.heard.count(progress_event::started) == 0);
        CHECK(empty.records().empty());
    }
    {
        set_variable const force("ATTUNE_FORCE", "WAY=2");
        memory_installation one{store, ways<usual, fast, wrong>()};
        CHECK(one.obtain() == usual_code);
        CHECK(one.known.report().shapes.wrong == 1);
        CHECK(!explained(one).serves);
    }
    {
        set_variable const force("ATTUNE_FORCE", "WAY=0");
        memory_installation one{store, many};
        CHECK(one.obtain() == usual_code);
        CHECK(explained(one).how == choice_match::forced);
    }
}

TEST_CASE("what ATTUNE_FORCE names in vain is told, and the rest goes on")
{
    attune::memory_store store = tuned_store(many);
    for (auto const& [text, said] :
         {std::pair{"WAY=77", "WAY can be 0, 10, 9, 1"},
          std::pair{"TILE=4", "TILE is no parameter of this kernel, which has WAY"},
          std::pair{"fast", "ATTUNE_FORCE is 'fast', which names no value"}}) {
        set_variable const force("ATTUNE_FORCE", text);
        memory_installation one{store, many};
        CHECK(one.call() == obtained{fast_code, decision::remembered});
        CHECK(has(one.heard.texts(progress_event::notice), said));
    }
    set_variable const force("ATTUNE_FORCE", "WAY=5");
    memory_installation one{store, ways<usual, fast, refused>()};
    CHECK(one.obtain() == fast_code);
    CHECK(has(one.heard.texts(progress_event::notice),
              "ATTUNE_FORCE is ignored: WAY=5 did not compile"));
}

TEST_CASE("ATTUNE_STORE: the files are read, then the program's own store; the first is written to")
{
    support::scratch_directory const directory;
    std::string const shipped = directory.file("shipped");
    std::string const own = directory.file("own");
    {
        attune::store made{shipped};
        installation<attune::store> first{made, ways<usual, fast>()};
        CHECK(first.obtain() == fast_code);
    }
    set_variable const stores("ATTUNE_STORE", own + ':' + shipped);
    attune::memory_store of_program = tuned_store(many);
    std::size_t const known = of_program.records().size();
    CHECK(memory_installation{of_program, ways<usual, fast>()}.call() ==
          obtained{fast_code, decision::remembered});
    CHECK(memory_installation{of_program, many}.call() ==
          obtained{fast_code, decision::remembered});
    CHECK(memory_installation{of_program, ways<usual, crawling, fast>()}.call() ==
          obtained{fast_code, decision::tuned});
    CHECK(of_program.records().size() == known);
    attune::store written{own};
    installation<attune::store> next{written, ways<usual, crawling, fast>()};
    CHECK(next.call() == obtained{fast_code, decision::remembered});
}

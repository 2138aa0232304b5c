// tests/tune/dispatch/choice/kept_techniques.cpp : what techniques gain is kept, and chosen by.
// SPDX-License-Identifier: MIT
#include <attune/tune/dispatch/choice/kept_techniques.hpp>

#include <attune/core/random.hpp>
#include <attune/remember/files/sample_file.hpp>
#include <attune/remember/memory_store.hpp>
#include <attune/remember/store.hpp>
#include <attune/search/compose/technique_sets.hpp>
#include <attune/search/compose/technique_text.hpp>
#include <attune/search/exhaustive.hpp>
#include <attune/search/meta/auc_bandit.hpp>
#include <attune/tune/recommended.hpp>
#include <attune/tune/tuned.hpp>

#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <filesystem>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "../../../support/accumulate.hpp"
#include "../../../support/scratch_directory.hpp"
#include "../../../support/texts.hpp"

using attune::detail::kept_techniques;
using attune::search::technique_history;
using attune::search::technique_use;

namespace {

technique_history all_in(std::string const& path)
{
    return kept_techniques(path, "none", attune::description{}).all();
}

} // namespace

TEST_CASE("what techniques gained is kept by kernel and structure of its space")
{
    support::scratch_directory const folder;
    std::string const path = folder.file("gains");
    attune::description d;
    attune::parameter_description flag;
    flag.name = "FLAG";
    flag.kind = attune::parameter_kind::boolean;
    flag.type = attune::value_kind::boolean;
    d.parameters = {flag};
    kept_techniques one(path, "one", d);
    kept_techniques other(path, "other", {});
    CHECK(one.all().representations().empty());
    one.keep(std::vector<technique_use>{{"a", 10, 2}, {"b", 0, 0}});
    one.keep(std::vector<technique_use>{{"a", 5, 1}});
    other.keep(std::vector<technique_use>{{"b", 7, 7}});
    other.keep({}); // no technique was asked: no line
    for (technique_history const& h : {one.all(), other.all()}) {
        REQUIRE(h.representations().size() == 2);
        CHECK(h.representations()[0].label == "one");
        CHECK(h.representations()[0].runs == 2);
        REQUIRE(h.representations()[0].uses.size() == 1);
        CHECK(h.representations()[0].uses[0].requests == 15);
        CHECK(h.representations()[0].uses[0].new_bests == 3);
        CHECK(attune::search::structure_text(h.representations()[0].structure) == "boolean.1*1");
        CHECK(h.representations()[1].uses[0].new_bests == 7);
    }
    CHECK(one.problem().empty());
}

TEST_CASE("tunings add what their techniques gained, and begin with those that gained most")
{
    support::scratch_directory const folder;
    std::string const path = folder.file("gains");
    using namespace attune_test;
    std::string const store = folder.file("store");
    auto const tune_by = [&](attune::tuning_search const& search, std::string const& log) {
        attune::tuning_options options = quick_options();
        options.search = search;
        options.event_log = log;
        accumulate_data data;
        attune::tuned kernel{accumulate_kernel(ways<usual, fast, refused, unloadable, throwing>()),
                             accumulate_compiler(),
                             attune::store{log.empty() ? store : folder.file("another store")},
                             options};
        kernel(data.x, data.y, 1.0);
        CHECK(data.called_times(1, 1.0));
    };
    attune::tuning_search bandit;
    bandit.strategy = attune::search::auc_bandit_of(attune::search::technique_set_a()).make;
    bandit.techniques = path;
    tune_by(bandit, "");
    technique_history const first = all_in(path);
    REQUIRE(first.representations().size() == 1);
    std::size_t requests = 0;
    for (technique_use const& use : first.representations()[0].uses)
        requests += use.requests;
    CHECK(requests == 4); // the default is nobody's
    CHECK(first.representations()[0].gains.count() == 1);
    CHECK(*first.representations()[0].gains.quantile(.5) > 1);

    // The rows of the store say the same: who proposed what, and what it was worth.
    std::map<std::string, technique_use> by_rows;
    double best = std::numeric_limits<double>::infinity();
    std::string const rows = support::read_file(store);
    for (std::size_t at = 0, end = 0; at < rows.size(); at = end + 1) {
        end = rows.find('\n', at);
        auto const line = nlohmann::json::parse(rows.substr(at, end - at));
        if (!line.contains("try")) continue;
        technique_use& use = by_rows[line.value("by", "")];
        ++use.requests;
        if (!line.contains("s") || line["s"][0] >= best) continue;
        best = line["s"][0];
        ++use.new_bests;
    }
    CHECK(by_rows[""].requests == 1);
    CHECK(by_rows.size() == 1 + first.representations()[0].uses.size());
    for (technique_use const& use : first.representations()[0].uses) {
        CHECK(by_rows[use.name].requests == use.requests);
        CHECK(by_rows[use.name].new_bests == use.new_bests);
    }

    // The next one begins with what gained most, and its log has the history.
    std::string const log = folder.file("log");
    tune_by(attune::recommended_search(path), log);
    CHECK(support::read_file(log).find("techniques\\n") != std::string::npos);
    CHECK(all_in(path).representations()[0].runs == 2);
}

TEST_CASE("a tuning in slices beside the program is one search in the file")
{
    using namespace attune_test;
    support::scratch_directory const folder;
    std::string const path = folder.file("gains");
    attune::tuning_options options = quick_options();
    options.limits.evaluations = 20;
    options.on_miss = attune::miss_policy::tune_in_background;
    options.search.strategy = attune::search::auc_bandit_of(attune::search::technique_set_a()).make;
    options.search.techniques = path;
    accumulate_data data;
    auto const space =
        attune::space(attune::categorical<"WAY">(int{usual}, int{fast}, int{same_as_usual}),
                      attune::integer<"MORE">(0, 15));
    attune::tuned kernel{
        accumulate_kernel(
            space,
            attune::source_text(
                "constexpr int way = ATTUNE_TUNABLE(WAY, 0) + 0 * ATTUNE_TUNABLE(MORE, 0);\n",
                "accumulate.kernel.cpp")),
        accumulate_compiler(), attune::memory_store{}, options};
    kernel(data.x, data.y, 1.0);
    kernel.wait();
    technique_history const kept = all_in(path);
    REQUIRE(kept.representations().size() == 1);
    CHECK(kept.representations()[0].runs == 1);
    std::size_t requests = 0;
    for (technique_use const& use : kept.representations()[0].uses)
        requests += use.requests;
    CHECK(requests == 19); // the default is nobody's
}

TEST_CASE("a file of something else is left alone, and the report says so")
{
    support::scratch_directory const folder;
    std::string const path = folder.file("store");
    support::write_file(path, "{\"attune_store\":2}\n");
    kept_techniques kept(path, "one", {});
    CHECK(kept.all().representations().empty());
    kept.keep(std::vector<technique_use>{{"a", 10, 2}});
    CHECK(kept.problem().find("none of samples") != std::string::npos);
    CHECK(support::read_file(path) == "{\"attune_store\":2}\n");
}

TEST_CASE("a tuning says by which strategy it was made, in the file and in the store")
{
    using namespace attune_test;
    namespace search = attune::search;
    std::string const climb = search::parse_technique("climb;change_rate,1").name;
    std::string const bandit = search::auc_bandit_of(search::technique_set_a()).name;
    struct made_by {
        attune::search_factory strategy;
        std::string name; // empty: unknown
        bool is_bandit = false;
    };
    for (made_by const& by :
         {made_by{search::parse_technique("climb;change_rate,1").make, climb},
          made_by{search::auc_bandit_of(search::technique_set_a()).make, bandit, true},
          made_by{attune::default_search(), "automatic"},
          made_by{search::recommended(), "recommended", true},
          made_by{search::recommended({}, {.interval = 7}), "", true}, // options without a name
          made_by{attune::search_with<attune::exhaustive_searcher>(), ""}}) {
        CAPTURE(by.name);
        support::scratch_directory const folder;
        std::string const path = folder.file("gains");
        {
            attune::tuning_options options = quick_options();
            options.search.strategy = by.strategy;
            options.search.techniques = path;
            accumulate_data data;
            attune::tuned kernel{
                accumulate_kernel(ways<usual, fast, refused, unloadable, throwing>()),
                accumulate_compiler(), attune::store{folder.file("store")}, options};
            kernel(data.x, data.y, 1.0);
        }
        attune::store store{folder.file("store")};
        std::vector<attune::record> const kept =
            attune::memory_store::from_text(store.text()).records();
        REQUIRE(kept.size() == 1);
        CHECK(kept[0].strategy == by.name);
        technique_history const first = all_in(path);
        bool const has_line = by.is_bandit || !by.name.empty();
        REQUIRE(first.representations().size() == (has_line ? 1 : 0));
        if (!has_line) continue;
        search::representation const& of = first.representations()[0];
        REQUIRE(of.strategies.size() == (by.name.empty() ? 0 : 1));
        std::size_t requests = 0;
        std::size_t new_bests = 0;
        for (technique_use const& use : of.uses) {
            requests += use.requests;
            new_bests += use.new_bests;
        }
        CHECK(requests == 4);  // the default is nobody's
        CHECK(new_bests == 1); // the fast way
        if (!by.is_bandit) {
            REQUIRE(of.uses.size() == 1);
            CHECK(of.uses[0].name == by.name);
        }
        if (by.name.empty()) continue;
        CHECK(of.strategies[0].name == by.name);
        CHECK(of.strategies[0].gains == of.gains);
        CHECK(of.gains.count() == 1);
    }
}

TEST_CASE("lines without a strategy are read, and damaged ones are left out")
{
    support::scratch_directory const folder;
    std::string const path = folder.file("gains");
    kept_techniques kept(path, "one", {});
    kept.keep(std::vector<technique_use>{{"a", 10, 2}}, 2, {}, "climb;change_rate,1");
    kept.keep(std::vector<technique_use>{{"a", 10, 2}}, 3); // as before strategies were kept
    REQUIRE(kept.problem().empty());
    auto const strategies = [&] { return all_in(path).representations().at(0).strategies; };
    CHECK(all_in(path).representations().at(0).runs == 2);
    REQUIRE(strategies().size() == 1);
    CHECK(strategies()[0].name == "climb;change_rate,1");
    CHECK(strategies()[0].gains.count() == 1);
    std::string const text = support::read_file(path);
    std::size_t const at = text.find("strategy ");
    REQUIRE(at != text.npos);
    // Its gains are no steps.
    support::write_file(path, text.substr(0, at) + "strategy x" + text.substr(at + 10));
    CHECK(all_in(path).representations().at(0).runs == 1);
    CHECK(strategies().empty());
}

TEST_CASE("of a long file all() is what reading all of its lines gives")
{
    namespace search = attune::search;
    support::scratch_directory const folder;
    std::string const path = folder.file("gains");
    attune::random_engine engine(4);
    auto const below = [&](std::uint64_t n) { return attune::uniform_below(engine, n); };
    std::vector<kept_techniques> kernels;
    for (std::uint32_t i = 0; i < 3; ++i) {
        attune::description d;
        attune::parameter_description number;
        number.kind = attune::parameter_kind::integer;
        number.type = attune::value_kind::integer;
        number.range_count = 10 + i;
        d.parameters.assign(i, number);
        kernels.emplace_back(path, "kernel" + std::to_string(i % 2), d);
    }
    std::size_t ids = 0;
    for (int step = 0; step < 8; ++step) {
        std::vector<kept_techniques::logged_line> lines;
        for (std::size_t i = 0; i < 200; ++i) {
            std::vector<technique_use> uses;
            for (int u = 0; u < 5; ++u) {
                std::size_t const requests = below(100);
                uses.push_back({std::string(100, 't') + std::to_string(below(30)), requests,
                                below(requests + 1)});
            }
            std::string line = kernels[below(3)].line_of(
                uses, below(3) == 0 ? 0 : 1 + 9 * attune::uniform_unit(engine),
                below(2) == 0 ? "strategy" + std::to_string(below(3)) : "");
            if (!line.empty()) lines.push_back({{std::to_string(ids++)}, std::move(line)});
        }
        if (step == 5) std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
        static_cast<void>(kernels[0].add_new(lines));
        REQUIRE(kernels[0].problem().empty());
        attune::detail::sample_file all(path, attune::detail::techniques_meaning);
        std::string const whole = history_text(search::read_history(all.last(1'000'000)));
        REQUIRE(!whole.empty());
        kept_techniques kept(path, "", {});
        CHECK(history_text(kept.all()) == whole); // one writes the sum, the other reads it
        CHECK(std::filesystem::exists(path + ".sums") == (step >= 2));
        CHECK(history_text(kept.all()) == whole);
        CHECK(kept.damaged().count == (step < 5 ? 0 : 1)); // the line that was cut
    }
}

// tests/tune/dispatch/choice/kept_lessons.cpp - gains of techniques and measured programs are kept, and chosen by.
// SPDX-License-Identifier: MIT
#include <attune/tune/dispatch/choice/kept_lessons.hpp>

#include <attune/core/random.hpp>
#include <attune/remember/files/sample_file.hpp>
#include <attune/remember/memory_store.hpp>
#include <attune/remember/store.hpp>
#include <attune/search/compose/technique_sets.hpp>
#include <attune/search/compose/technique_text.hpp>
#include <attune/search/cost/cost_samples.hpp>
#include <attune/search/meta/auc_bandit.hpp>
#include <attune/search/random.hpp>
#include <attune/search/two_level/evolutionary_search.hpp>
#include <attune/space/schedule/derived_space.hpp>
#include <attune/space/schedule/device/device_space.hpp>
#include <attune/tune/recommended.hpp>
#include <attune/tune/tuned.hpp>

#include <algorithm>
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
#include "../../../support/nest_examples.hpp"
#include "../../../support/scratch_directory.hpp"
#include "../../../support/texts.hpp"

using attune::chain_of_trees;
using attune::detail::kept_samples;
using attune::detail::kept_techniques;
using attune::search::technique_history;
using attune::search::technique_use;

namespace {

technique_history all_in(std::string const& path)
{
    return kept_techniques(path, "none", attune::description{}).all();
}

std::size_t requests_of(attune::search::representation const& of)
{
    std::size_t out = 0;
    for (technique_use const& use : of.uses)
        out += use.requests;
    return out;
}

chain_of_trees device_space_of(attune::nest_description const& nest)
{
    return chain_of_trees(attune::device_space(nest).describe());
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
    CHECK(requests_of(first.representations()[0]) == 4); // the default is nobody's
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
    CHECK(requests_of(kept.representations()[0]) == 19); // the default is nobody's
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
        CHECK(requests_of(of) == 4); // the default is nobody's
        std::size_t new_bests = 0;
        for (technique_use const& use : of.uses)
            new_bests += use.new_bests;
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

TEST_CASE("programs for a GPU are kept and read back, apart from those for a processor")
{
    support::scratch_directory const folder;
    std::string const path = folder.file("programs");
    chain_of_trees const space = device_space_of(support::matmul(64, 96, 32));
    chain_of_trees const other = device_space_of(support::softmax(5, 67));
    chain_of_trees const host(attune::derived_space(support::matmul(64, 96, 32)).describe());
    kept_samples ours(path, {.kernel = "ours"}, space);
    kept_samples theirs(path, {.kernel = "theirs"}, other);
    kept_samples of_host(path, {.kernel = "host"}, host);
    for (std::uint64_t n = 0; n < 4; ++n)
        ours.keep({space.at(7 * n),
                   attune::measurement::exact(1e-3 * (1.0 + static_cast<double>(n))),
                   {}});
    ours.keep({space.at(std::uint64_t{1}),
               attune::failure{attune::failure_stage::launch, "too many"},
               {}});
    of_host.keep({host.at(std::uint64_t{3}), attune::measurement::exact(1), {}});

    attune::cost_samples const seen = theirs.others();
    REQUIRE(seen.size() == 5);
    attune::expected_rows const rows(space);
    for (std::uint64_t n = 0; n < 4; ++n) {
        CHECK(seen.programs()[n] == *rows.of(space.at(7 * n)));
        CHECK(seen.value(n) == 1e-3 * (1.0 + static_cast<double>(n)));
    }
    CHECK(!seen.value(4));
    CHECK(attune::expected_rows(other).fit(seen)); // a model of them can predict these
    CHECK(ours.others().size() == 0);              // its own
    CHECK(of_host.others().size() == 0);           // of another kind
    theirs.keep({other.at(std::uint64_t{2}), attune::measurement::exact(2), {}});
    CHECK(ours.others().size() == 1);
}

TEST_CASE("a space whose rows have no names keeps nothing")
{
    support::scratch_directory const folder;
    attune::description d = attune::device_space(support::softmax(5, 67)).describe();
    d.row_names.clear();
    chain_of_trees const space(d);
    kept_samples ours(folder.file("programs"), {.kernel = "ours"}, space);
    ours.keep({space.at(std::uint64_t{1}), attune::measurement::exact(1), {}});
    kept_samples theirs(folder.file("programs"), {.kernel = "theirs"}, space);
    CHECK(theirs.others().size() == 0);
}

TEST_CASE("a search learns from programs for a GPU, and proposes configurations of another")
{
    chain_of_trees const first = device_space_of(support::matmul(64, 96, 32));
    attune::expected_rows const rows(first);
    attune::cost_samples samples;
    attune::random_engine draw(1);
    // The fewer threads, the quicker.
    std::vector<std::string> const names = first.describe().row_names;
    auto const threads_at = std::find(names.begin(), names.end(), "threads") - names.begin();
    auto const seconds = [&](attune::program_rows const& of) {
        return 1e-6 * of.row(0)[static_cast<std::size_t>(threads_at)];
    };
    for (int n = 0; n < 120; ++n)
        if (auto const of = rows.of(first.sample(draw))) samples.add("first", *of, seconds(*of));
    chain_of_trees const second = device_space_of(support::matmul(128, 64, 48));
    attune::expected_rows const others(second);
    double learnt = 0;
    double plain = 0;
    constexpr int seeds = 6;
    for (int seed = 0; seed < seeds; ++seed) {
        attune::evolutionary_search search(second, static_cast<std::uint64_t>(seed),
                                           {.population = 64, .batch = 8});
        search.learn_from(samples);
        for (attune::point const& at : search.ask(8)) {
            CHECK(second.contains(at));
            learnt += seconds(*others.of(at)) / (8 * seeds);
        }
        for (int n = 0; n < 8; ++n)
            plain += seconds(*others.of(second.sample(draw))) / (8 * seeds);
    }
    CHECK(learnt < plain);
}

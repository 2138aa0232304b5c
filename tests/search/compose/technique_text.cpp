// tests/search/compose/technique_text.cpp : mirrors include/attune/search/compose/technique_text.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/compose/technique_text.hpp>

#include <attune/core/error.hpp>
#include <attune/declare/group.hpp>
#include <attune/search/compose/closed.hpp>
#include <attune/search/compose/simplex.hpp>
#include <attune/search/compose/technique_sets.hpp>
#include <attune/search/meta/auc_bandit.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <doctest/doctest.h>
#include <limits>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../laws/searcher.hpp"
#include "../../support/searcher_trials.hpp"

namespace search = attune::search;
using attune::point;
using search::operators;
using search::parse_technique;
using search::technique;

namespace {

/// The points that a search asks for in a valley, one by one.
std::vector<point> walk(technique const& by, std::uint64_t seed, int evaluations = 60)
{
    attune::chain_of_trees const space = searcher_trials::every_kind();
    attune::any_searcher s = by.make(space, seed);
    std::vector<point> out;
    for (int i = 0; i < evaluations; ++i) {
        out.push_back(searcher_law::asked_of(s));
        s.tell(out.back(),
               attune::measurement::exact(searcher_trials::every_kind_cost(space, out.back())));
    }
    return out;
}

std::string why_refused(std::string_view name)
{
    try {
        (void)parse_technique(name);
    } catch (attune::error const& e) {
        bool const is_nested = name.find('{') != name.npos; // the inner name is shown
        std::string_view const root = name.substr(0, name.find_first_of("; "));
        CHECK((is_nested || e.where().find(root) != std::string::npos));
        return e.what_alone();
    }
    return "nothing";
}

/// A mutation for numbers of one's own.
struct to_middle {
    static constexpr std::string_view kind = "u";
    static bool holds(search::gene_view const& g) { return g.parameter().name == "u"; }
    static constexpr std::string_view name = "to_middle";
    static constexpr std::size_t parents = 1;
    double share = 0.5;
    static void settings(auto& self, auto const& visit) { visit("share", self.share); }
    void operator()(search::gene child, search::other_parents, attune::random_engine&) const
    {
        child.set_share(share);
    }
};

/// Made of a name and laws, so that the run-time form is held to them, too.
struct parsed : attune::any_searcher {
    parsed(attune::chain_of_trees const& space, std::uint64_t seed)
        : attune::any_searcher(
              parse_technique("greedy number;set_linear;[1,0.7,-0.7,[]] categorical;randomize;[[]]")
                  .make(space, seed))
    {
    }
};

} // namespace

TEST_CASE_TEMPLATE_INVOKE(searcher_laws, parsed);

TEST_CASE("names have the form of the thesis, with all settings and sorted kinds")
{
    using map = operators<search::permutation<search::pmx>, search::number<search::set_linear>,
                          search::boolean<search::flip>>;
    CHECK(search::technique_of(search::random_three_parents{}, map{}).name ==
          "random_three_parents;crossover_rate,0.9;information_sharing,1.0;population,30 "
          "boolean;flip;[[]] number;set_linear;[1.0,0.7,-0.7,[]] "
          "permutation;cross_pmx;[[[strength,0.3]]]");
    CHECK(search::technique_of(search::nelder_mead{}).name ==
          "nelder_mead;contraction,0.5;edge,0.1;expansion,2.0;reflection,1.0;shrink,0.5;start,"
          "random");
    CHECK(search::technique_of(search::pso{}).name ==
          "pso;crossover,ox1;inertia,0.5;population,30;pull_best,0.5;pull_own,0.5;strength,0.3");
}

TEST_CASE("a name makes the same technique as the template")
{
    using map = operators<search::permutation<search::pmx>, search::number<search::set_linear>,
                          search::tile<search::stochastic_mix>, search::boolean<search::flip>>;
    map with;
    std::get<0>(with.entries).with.strength = 0.5;
    std::get<2>(with.entries).with.weights = {1, 0.25, 2};
    search::random_three_parents const base{.population = 7};
    technique const typed = search::technique_of(base, with);
    technique const read = parse_technique(typed.name);
    CHECK(read.name == typed.name);
    CHECK(walk(read, 1) == walk(typed, 1));
    CHECK(walk(read, 1) != walk(typed, 2));
}

TEST_CASE("every technique of the library, and every set, is made again by its name")
{
    std::vector<technique> all = search::technique_library();
    CHECK(all.size() >= 33);
    for (auto const& set : {search::technique_set_a(), search::technique_set_pgd(),
                            search::technique_set_d(), search::technique_set_orders()})
        all.insert(all.end(), set.begin(), set.end());
    all.push_back(
        search::auc_bandit_of(search::technique_set_a(), {.window = 100, .exploration = 0.15}));
    all.push_back(search::round_robin_of(
        {search::auc_bandit_of(search::technique_set_d()), search::technique_of(search::ga{})}));
    for (std::string_view const local :
         {"annealing", "coordinate_descent", "differential_evolution", "genetic", "local_search",
          "neighbourhood_descent", "particle_swarm"})
        all.push_back(parse_technique(local));
    std::set<std::string> names;
    for (technique const& t : all) {
        CAPTURE(t.name);
        names.insert(t.name);
        technique const again = parse_technique(t.name);
        CHECK(again.name == t.name);
        CHECK(walk(again, 5, 40) == walk(t, 5, 40));
    }
    CHECK(names.size() >= 33 + 3);
}

TEST_CASE("the sets are those of the thesis")
{
    auto const roots = [](std::vector<technique> const& set) {
        std::string out;
        for (technique const& t : set)
            out += t.name.substr(0, t.name.find_first_of("; ")) + " ";
        return out;
    };
    CHECK(roots(search::technique_set_a()) ==
          "de_alt uniform_greedy_mutation normal_greedy_mutation nelder_mead ");
    CHECK(roots(search::technique_set_pgd()) == "pso pso pso ga ga ga de_alt ");
    CHECK(roots(search::technique_set_d()) == "nelder_mead de pattern_search pso ");
}

TEST_CASE("the set for orders finds shorter tours than the sets of the thesis")
{
    // Cities on a circle of length 24, numbered at random: the ways are those along it, and the
    // shortest tour has length 24.
    constexpr std::uint32_t cities = 24;
    attune::random_engine engine(3);
    std::vector<int> place(cities);
    std::iota(place.begin(), place.end(), 0);
    attune::shuffle(std::span(place), engine);
    attune::description d;
    attune::detail::append_digits(d, "tour", cities);
    attune::chain_of_trees const space(d);
    auto const length = [&](point const& p) {
        std::vector<std::uint16_t> const order = attune::detail::order_of(d, 0, p);
        int sum = 0;
        for (std::size_t i = 0; i < order.size(); ++i) {
            int const way = std::abs(place[order[i]] - place[order[(i + 1) % order.size()]]);
            sum += std::min(way, static_cast<int>(cities) - way);
        }
        return sum;
    };
    auto const sum_of_best = [&](std::vector<technique> const& set) {
        int sum = 0;
        for (std::uint64_t seed = 0; seed < 3; ++seed) {
            attune::any_searcher s = search::auc_bandit_of(set).make(space, seed);
            int best = std::numeric_limits<int>::max();
            for (int i = 0; i < 800; ++i) {
                point const p = s.ask(1).at(0);
                best = std::min(best, length(p));
                s.tell(p, attune::measurement::exact(length(p)));
            }
            CHECK(best >= static_cast<int>(cities));
            sum += best;
        }
        return sum;
    };
    int const found = sum_of_best(search::technique_set_orders());
    CHECK(found < sum_of_best(search::technique_set_a()));
    CHECK(found < sum_of_best(search::technique_set_pgd()));
}

TEST_CASE("what is left out of a name has its default")
{
    CHECK(parse_technique("greedy").name == search::technique_of(search::greedy{}).name);
    CHECK(parse_technique("greedy;population,3 permutation;random_swap").name ==
          "greedy;best_rate,0.5;crossover_rate,0.1;population,3 permutation;random_swap;[[]]");
    CHECK(parse_technique("ga permutation;permutation_swarm;[[[crossover,cx]]]").name ==
          "ga;crossover,ox1;mutation_rate,0.1;population,30;strength,0.3 "
          "permutation;permutation_swarm;[[[c,0.5],[c1,0.5],[crossover,cx],[strength,0.3]]]");
    CHECK(parse_technique("greedy any;stochastic_mix;[1,2,3,4]")
              .name.ends_with("[1.0,2.0,3.0,4.0,[]]"));
    CHECK(parse_technique("torczon;start,right").name.ends_with(";start,right"));
}

TEST_CASE("a wrong name is refused with the reason")
{
    auto const says = [](std::string_view name, std::string const& reason) {
        CAPTURE(name);
        CHECK(why_refused(name).find(reason) != std::string::npos);
    };
    says("", "'' is no known technique");
    says("gready", "'gready' is no known technique");
    says("greedy;population", "'population' is no setting,value");
    says("greedy;population,x", "population is 'x'");
    says("greedy;population,-3", "population is '-3'");
    says("greedy;population,0", "has no population");
    says("greedy;best_rate,nan", "best_rate is 'nan'");
    says("greedy;size,3", "'size' is none of its settings");
    says("ga;crossover,pxx", "crossover is 'pxx'");
    says("greedy number", "'number' is no kind;operator;[...]");
    says("greedy numbr;scale;[2]", "'numbr' is no known kind");
    says("greedy number;scal;[2]", "'scal' is no known operator");
    says("greedy number;cross_pmx;[[]]",
         "parameters of kind 'number' have no operator 'cross_pmx'");
    says("greedy number;scale;2", "'2' is no [argument,...");
    says("greedy number;scale;[x]", "factor is 'x'");
    says("greedy number;scale;[1,2]", "'2' is one argument too many");
    says("greedy permutation;cross_ox1;[[[size,1]]]", "'size' is none of its settings");
    says("greedy permutation;cross_ox1;[[[strength]]]", "is no [argument,...");
    says("greedy number;scale real;scale number;sum", "two operators for parameters of one kind");
    says("uniform_greedy_mutation permutation;cross_pmx;[[]]",
         "needs 3 configurations, the base promises 2");
    says("greedy any;stochastic_mix;[1,1,1,1,1,[]]", "needs 5 configurations");
    says("pattern_search number;scale;[2]", "is a closed technique and has no operators");
    says("annealing;heat,3", "'heat' is none of its settings");
    says("auc_bandit;window,9", "it chooses among no techniques");
    says("auc_bandit;window,0 {greedy}", "'window,0' is no setting");
    says("auc_bandit greedy", "'greedy' is no {technique}");
    says("auc_bandit {greedy} {gredy}", "'gredy' is no known technique");
    says("greedy  number;sum", "'' is no kind;operator");
    says("greedy {", "is no kind;operator");
    says("greedy;population,65537", "has a population of 65537");
    says("de;population,200000000", "population is '200000000'");
    says("mutation_bandit;window,1000001", "window is '1000001'");
    says("mutation_bandit;window,18446744073709551615", "window is '18446744073709551615'");
    says("auc_bandit;window,1000001 {greedy}", "'window,1000001' is no setting");
    says("auc_bandit;window,18446744073709551615 {greedy}", "is no setting of auc_bandit");
    says("greedy]", "'greedy]' is no known technique");
}

TEST_CASE("bandits inside bandits are read up to a depth")
{
    auto const nested = [](std::size_t depth) {
        std::string name;
        for (std::size_t i = 0; i < depth; ++i)
            name += "round_robin {";
        return name + "greedy" + std::string(depth, '}');
    };
    CHECK(parse_technique(nested(16)).name.starts_with(nested(16).substr(0, 16 * 13)));
    CHECK(why_refused(nested(17)).find("inside more than 16 braces") != std::string::npos);
    CHECK(why_refused(nested(10'000)).find("inside more than 16 braces") != std::string::npos);
}

TEST_CASE("the largest sizes are read, and a space of two points is no trouble to them")
{
    CHECK(parse_technique("mutation_bandit;window,1000000").name.ends_with("window,1000000"));
    CHECK(parse_technique("auc_bandit;window,1000000 {greedy}").name.find("window,1000000 ") !=
          std::string::npos);
    search::de typed;
    typed.population = 65'537;
    CHECK_THROWS_AS((void)search::technique_of(typed), attune::error);
    attune::description two;
    two.parameters = {search_spaces::counting("a", 2)};
    attune::any_searcher s =
        parse_technique("de;population,65536").make(attune::chain_of_trees(two), 1);
    for (double i = 0; i < 10; ++i)
        for (point const& p : s.ask(1))
            s.tell(p, attune::measurement::exact(i));
    CHECK(s.ask(1).size() <= 1);
}

TEST_CASE("hostile names are refused or understood, never more")
{
    attune::random_engine engine(11);
    std::string const good =
        "greedy;population,10 number;scale;[2,[]] permutation;cross_pmx;[[[strength,0.3]]]";
    std::string_view const letters = ";,[]{} .-0123eg";
    int understood = 0;
    for (int i = 0; i < 4000; ++i) {
        std::string name = good;
        for (std::uint64_t edits = 1 + attune::uniform_below(engine, 4); edits > 0; --edits) {
            std::size_t const at = attune::uniform_below(engine, name.size());
            if (attune::uniform_below(engine, 3) == 0)
                name.erase(at, 1);
            else
                name[at] = letters[attune::uniform_below(engine, letters.size())];
        }
        try {
            technique const t = parse_technique(name);
            CHECK(parse_technique(t.name).name == t.name);
            ++understood;
        } catch (attune::error const&) {
        }
    }
    CHECK(understood > 50);
}

TEST_CASE("words of one's own are read from names once they are in the vocabulary")
{
    search::vocabulary known;
    known.add<to_middle>();
    technique const typed = search::technique_of(
        search::greedy{},
        operators<search::of_own_kind<to_middle>, search::boolean<search::flip>>{});
    CHECK(typed.name.ends_with(" boolean;flip;[[]] u;to_middle;[[[share,0.5]]]"));
    technique const read = parse_technique(typed.name, known);
    CHECK(read.name == typed.name);
    CHECK(walk(read, 2) == walk(typed, 2));
    CHECK_THROWS_AS((void)parse_technique(typed.name), attune::error);
    known.add_search({"mine", attune::search_with<attune::random_searcher>()});
    CHECK(parse_technique("mine", known).name == "mine");
}

TEST_CASE("random techniques are different, valid, and made again by their names")
{
    attune::chain_of_trees const space = searcher_trials::every_kind();
    attune::random_engine engine(9);
    attune::random_engine same(9);
    std::set<std::string> names;
    std::set<std::string> bases;
    std::set<std::string> orders;
    for (int i = 0; i < 200; ++i) {
        technique const t = search::random_technique(engine, space.describe());
        CHECK(search::random_technique(same, space.describe()).name == t.name);
        names.insert(t.name);
        bases.insert(t.name.substr(0, t.name.find_first_of("; ")));
        // The space has a real number, a permutation, a tile and a boolean.
        for (std::string_view const kind : {" boolean;", " permutation;", " real;", " tile;"})
            CHECK(t.name.find(kind) != std::string::npos);
        std::size_t const at = t.name.find(" permutation;") + 13;
        orders.insert(t.name.substr(at, t.name.find(';', at) - at));
        technique const again = parse_technique(t.name);
        CHECK(again.name == t.name);
        if (i < 20) CHECK(walk(again, 3, 30) == walk(t, 3, 30));
    }
    CHECK(names.size() > 190);
    CHECK(bases.size() == 11);
    CHECK(orders.size() == 19); // 6 of any kind, 13 of permutations
}

TEST_CASE("a random bandit chooses among five techniques")
{
    attune::chain_of_trees const space = searcher_trials::every_kind();
    attune::random_engine engine(10);
    std::vector<technique> const library = search::technique_library();
    std::set<std::string> heads;
    for (int i = 0; i < 60; ++i) {
        technique const t = search::random_bandit(engine, space.describe(), library);
        CHECK(std::count(t.name.begin(), t.name.end(), '{') == 5);
        heads.insert(t.name.substr(0, t.name.find(' ')));
        CHECK(parse_technique(t.name).name == t.name);
        if (i < 3) CHECK(walk(t, 1, 50) == walk(parse_technique(t.name), 1, 50));
    }
    CHECK(heads.size() == 9);
}

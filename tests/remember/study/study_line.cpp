// tests/remember/study/study_line.cpp - lines of a study give back what was written, or say that they are damaged.
// SPDX-License-Identifier: MIT
#include <attune/remember/study/study_line.hpp>

#include <doctest/doctest.h>
#include <string>
#include <utility>
#include <variant>

#include "../../support/texts.hpp"

using namespace attune::detail;
using attune::value_texts;
using attune_test::has;

namespace {

study_line line_of(decltype(study_line::says) says)
{
    return {.worker = "w1", .when_s = 1764219600.125, .says = std::move(says)};
}
study_line again(study_line const& line)
{
    study_content const read = read_study_line(text_of_line(line));
    REQUIRE(std::holds_alternative<study_line>(read));
    CHECK(std::get<study_line>(read).worker == line.worker);
    CHECK(std::get<study_line>(read).when_s == line.when_s);
    return std::get<study_line>(read);
}
study_header header()
{
    return {.objective = "halo",
            .space = "5f3a",
            .parameters = {"X", "Y"},
            .sizes = {"11", "real"},
            .inputs = {{"N", "1024"}},
            .bounds = "error <= 0.001"};
}

} // namespace

TEST_CASE("each kind of line comes back as it was, to the last bit")
{
    auto const joined = std::get<study_join>(again(line_of(study_join{"node\xff", 4711, 30})).says);
    CHECK(joined.host == "node\xff"); // no UTF-8
    CHECK(joined.process == 4711);
    CHECK(joined.lease_s == 30);

    auto const claimed = std::get<study_claim>(
        again(line_of(study_claim{3, {"64", "{0, 1}"}, claim_name{"w0", 9}})).says);
    CHECK(claimed.number == 3);
    CHECK(claimed.values == value_texts{"64", "{0, 1}"});
    CHECK(claimed.over == claim_name{"w0", 9});
    CHECK(!std::get<study_claim>(again(line_of(study_claim{3, {"1"}, {}})).says).over);

    attune::measurement const m{0.1, 0.30000000000000004 - 0.3, 1e300, 14};
    attune::evaluation const seen(m, {{"error", 1.0 / 3}, {"joules", -0.0}});
    auto const told = std::get<study_told>(again(line_of(study_told{4, {"1"}, seen, false})).says);
    CHECK(std::get<attune::measurement>(told.seen.result).value == m.value);
    CHECK(std::get<attune::measurement>(told.seen.result).low == m.low);
    CHECK(std::get<attune::measurement>(told.seen.result).high == m.high);
    CHECK(std::get<attune::measurement>(told.seen.result).samples == 14);
    CHECK(told.seen.quantities == seen.quantities);
    CHECK(!told.is_fault);

    attune::failure const why{attune::failure_stage::timeout, "line\nbreak", "log"};
    auto const failed = std::get<study_told>(again(line_of(study_told{5, {}, why, true})).says);
    CHECK(std::get<attune::failure>(failed.seen.result).stage == why.stage);
    CHECK(std::get<attune::failure>(failed.seen.result).reason == why.reason);
    CHECK(failed.is_fault);

    CHECK(std::holds_alternative<study_beat>(again(line_of(study_beat{})).says));
    CHECK(std::holds_alternative<study_leave>(again(line_of(study_leave{})).says));
    CHECK(std::holds_alternative<study_other>(again(line_of(study_other{})).says));
}

TEST_CASE("no line has a newline in it, and a change of any byte is seen")
{
    std::string const text = text_of_line(line_of(
        study_told{5, {"a\nb"}, attune::failure{attune::failure_stage::crash, "\n"}, true}));
    CHECK(!has(text, "\n"));
    for (std::size_t i = 0; i < text.size(); ++i) {
        std::string changed = text;
        changed[i] = static_cast<char>(changed[i] ^ 1);
        CAPTURE(i);
        CHECK(std::holds_alternative<damaged_line>(read_study_line(changed)));
        CHECK(std::holds_alternative<damaged_line>(read_study_line(text.substr(0, i))));
    }
    CHECK(std::holds_alternative<damaged_line>(read_study_line("{\"by\":\"w1\",\"beat\":true}")));
}

TEST_CASE("a header comes back, and of a newer one no more than its number is read")
{
    study_content const read = read_study_line(text_of_line(header()));
    CHECK(difference_of_studies(std::get<study_header>(read), header()).empty());
    study_header later = header();
    later.format = 7;
    CHECK(std::get<study_header>(read_study_line(text_of_line(later))).format == 7);
}

TEST_CASE("what differs between two studies is said, with both")
{
    auto const said = [](auto const& change) {
        study_header own = header();
        change(own);
        return difference_of_studies(header(), own);
    };
    auto const names = [](std::string const& text, char const* a, char const* b) {
        return has(text, a) && has(text, b);
    };
    CHECK(names(said([](study_header& h) { h.objective = "fft"; }), "'halo'", "'fft'"));
    CHECK(names(said([](study_header& h) { h.inputs = {{"N", "8"}}; }), "N=1024", "N=8"));
    CHECK(names(said([](study_header& h) { h.sizes[0] = "12"; }), "X (11)", "X (12)"));
    CHECK(names(said([](study_header& h) { h.space = "77c1"; }), "5f3a", "77c1"));
    CHECK(names(said([](study_header& h) { h.bounds = ""; }), "error <= 0.001", "none"));
}

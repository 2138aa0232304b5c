// tests/ship/report/large_page.cpp - pages of many outcomes, kernels and values can be opened.
// SPDX-License-Identifier: MIT
#include <attune/remember/memory_store.hpp>
#include <attune/ship/report/write_html.hpp>

#include <doctest/doctest.h>
#include <string>

#include "page_tree.hpp"
#include "told_outcomes.hpp"

using support::cells_of;
using support::page_element;
using support::told_tuning;

TEST_CASE("real parameters and times of any size leave a page that can be opened")
{
    attune::memory_store store;
    attune::detail::stored_problem problem;
    problem.key.kernel = "k";
    problem.parameters = {"X", "Y"};
    for (int i = 0; i < 3'000; ++i)
        store.note(problem, {{std::to_string(i), std::to_string((7 * i) % 3'000)},
                             attune::measurement::exact(i == 9 ? 1e308 : 1e-3 * (i + 1)),
                             ""});
    std::string const html = attune::read_report(store).html();
    CHECK(html.size() < 3'000'000);
    page_element const page = support::parse_page(html);
    page_element const& map = page.first("table", "heat");
    CHECK(cells_of(map).size() == 32);
    CHECK(map.text().find("32 fastest of 3000") != std::string::npos);
}

TEST_CASE("ten thousand outcomes take less than 3 MB, and a part of the log is static")
{
    std::string html;
    {
        attune::memory_store store;
        support::random_tuning(10'000, 13).put_into(store);
        html = attune::read_report(store).html();
    }
    CHECK(html.size() < 3'000'000);
    page_element const page = support::parse_page(html);
    CHECK(cells_of(page.first("div", "log").first("table")).size() == 100);
    CHECK(page.first("noscript").text().find("100 of 10000") != std::string::npos);
}

TEST_CASE("of many kernels the page has a line each, and charts of the largest")
{
    attune::memory_store store;
    for (unsigned i = 0; i < 40; ++i) {
        told_tuning told = support::random_tuning(4 + i, i);
        told.kernel = "kernel" + std::to_string(i);
        told.put_into(store);
    }
    page_element const page = support::parse_page(attune::read_report(store).html());
    CHECK(page.all("h2").size() == 40);
    CHECK(page.all("script", "data").size() == 24);
    CHECK(page.all("table", "sides").size() == 16);
    CHECK(page.text().find("Charts are drawn of the 24 problems with most outcomes") !=
          std::string::npos);
}

TEST_CASE("a chart has no more marks than a screen has columns")
{
    attune::memory_store store;
    support::random_tuning(30'000, 15).put_into(store);
    page_element const page = support::parse_page(attune::read_report(store).html());
    for (page_element const* const one : page.all("path"))
        CHECK(one->attributes.at("d").size() < 60'000);
}

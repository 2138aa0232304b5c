// tests/ship/report/browser.cpp - a real browser opens a report: no errors, the store's numbers, sorting, filtering.
// SPDX-License-Identifier: MIT
//
// Skipped where neither chromium nor google-chrome is in PATH (Debian: chromium). A script that is
// added to a copy of the page clicks, types and writes down what it sees.
#include <attune/remember/memory_store.hpp>
#include <attune/ship/report/write_html.hpp>

#include <algorithm>
#include <cstdlib>
#include <doctest/doctest.h>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "../../support/scratch_directory.hpp"
#include "page_tree.hpp"
#include "told_outcomes.hpp"

using support::told_time;

namespace {

std::string browser()
{
    for (char const* name : {"chromium", "chromium-browser", "google-chrome"})
        if (std::system(("command -v " + std::string(name) + " >/dev/null 2>&1").c_str()) == 0)
            return name;
    return {};
}

#define ATTUNE_TEST_NEEDS_BROWSER()                                                                \
    if (browser().empty()) {                                                                       \
        MESSAGE("skipped: no browser (Debian: chromium)");                                         \
        return;                                                                                    \
    }

struct visit {
    std::string page{};                        ///< as the browser has it in the end
    std::string console{};                     ///< lines that the page wrote there
    std::map<std::string, std::string> seen{}; ///< what `script` gave to see(name, text)
};

/// Opens the page with `script` at its end.
visit visited(std::string html, std::string const& script)
{
    support::scratch_directory const folder;
    html.insert(html.rfind("</body>"), R"js(<script>(() => {
const seen = [], see = (name, text) => seen.push(name + '\t' + text);
const $ = s => document.querySelector(s), $$ = s => [...document.querySelectorAll(s)];
addEventListener('load', () => {
  const pre = document.createElement('pre');
  pre.textContent = seen.join('\n');
  document.body.append(pre);
});
)js" + script + "})();</script>\n");
    support::write_file(folder.file("page.html"), html);
    std::string const command =
        "timeout 100 " + browser() +
        " --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --enable-logging=stderr"
        " --hide-scrollbars --window-size=1000,900 --user-data-dir=" +
        folder.file("profile") + " --dump-dom file://" + folder.file("page.html") + " >" +
        folder.file("dom") + " 2>" + folder.file("err");
    REQUIRE(std::system(command.c_str()) == 0);
    visit out{.page = support::read_file(folder.file("dom"))};
    std::istringstream err(support::read_file(folder.file("err")));
    for (std::string line; std::getline(err, line);)
        if (line.find("CONSOLE") != line.npos) out.console += line + '\n';
    support::page_element const page = support::parse_page(out.page);
    for (auto const* pre : page.all("pre")) {
        std::istringstream lines(pre->text());
        for (std::string line; std::getline(lines, line);)
            out.seen[line.substr(0, line.find('\t'))] = line.substr(line.find('\t') + 1);
    }
    return out;
}

std::string html_of(support::told_tuning const& told)
{
    attune::memory_store store;
    told.put_into(store);
    return attune::read_report(store).html();
}

std::string joined(std::vector<std::string> const& words)
{
    std::string out;
    for (std::string const& word : words)
        out += (out.empty() ? "" : "|") + word;
    return out;
}

/// A row of the log as the page has to show it.
std::string told_row(support::told_tuning const& told, std::size_t i)
{
    support::told_outcome const& of = told.outcomes[i];
    std::vector<std::string> words{std::to_string(i + 1)};
    if (of.s > 0)
        words.insert(words.end(),
                     {told_time(of.s), told_time(of.low) + " \xe2\x80\x93 " + told_time(of.high),
                      std::to_string(of.samples)});
    else
        words.emplace_back(attune::describe(of.stage));
    words.insert(words.end(), of.values.begin(), of.values.end());
    words.push_back(of.s > 0 ? "" : of.why);
    return joined(words);
}

/// Rows of the log with a time, the fastest first.
std::vector<std::size_t> ranked(support::told_tuning const& told)
{
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < told.outcomes.size(); ++i)
        if (told.outcomes[i].s > 0) out.push_back(i);
    std::sort(out.begin(), out.end(), [&](std::size_t a, std::size_t b) {
        double const x = told.outcomes[a].s, y = told.outcomes[b].s;
        return x != y ? x < y : a < b;
    });
    return out;
}

char const* const reading = R"js(
const row = n => [...$$('.log tbody tr')[n].children].map(c => c.textContent).join('|');
const head = n => $$('.log thead th')[n].querySelector('button').click();
const says = () => $('.log output').textContent;
const filter = text => { const i = $('.log input'); i.value = text; i.dispatchEvent(new Event('input')); };
const kind = text => { const s = $('.log select'); s.value = text; s.dispatchEvent(new Event('change')); };
)js";

} // namespace

TEST_CASE("the browser tells of an error that a page has")
{
    ATTUNE_TEST_NEEDS_BROWSER();
    visit const got =
        visited(html_of(support::random_tuning(9, 1)), "see('x', 1); console.error('wrong here');");
    CHECK(got.seen.at("x") == "1");
    CHECK(got.console.find("wrong here") != std::string::npos);
}

TEST_CASE("the log sorts, filters and turns its pages, with the store's numbers")
{
    ATTUNE_TEST_NEEDS_BROWSER();
    support::told_tuning const told = support::random_tuning(350, 2);
    visit const got = visited(html_of(told), std::string(reading) + R"js(
see('count', $$('.log tbody tr').length);
for (let i = 0; i < 100; ++i) see('fast' + i, row(i));
see('says', says());
$$('.log .tools button')[1].click(); see('second', row(0)); see('says second', says());
head(1); see('slow', row(0));
head(0); for (let i = 0; i < 100; ++i) see('told' + i, row(i));
filter('TILE=64 unroll=2'); see('filtered', says());
for (let i = 0; i < $$('.log tbody tr').length; ++i) see('match' + i, row(i));
filter('ORDER={2, 1, 0}'); see('spaced', says());
filter('sigsegv'); see('reason', says());
filter(''); kind('crashed'); see('crashed', says());
kind('measured'); see('measured', says());
filter('nothing has this'); see('none', says());
)js");
    CHECK(got.console == "");
    auto const rank = ranked(told);
    CHECK(got.seen.at("count") == "100");
    for (std::size_t i = 0; i < 100; ++i) {
        CHECK(got.seen.at("fast" + std::to_string(i)) == told_row(told, rank[i]));
        CHECK(got.seen.at("told" + std::to_string(i)) == told_row(told, i));
    }
    CHECK(got.seen.at("says") == "1\xe2\x80\x93"
                                 "100 of 350");
    CHECK(got.seen.at("second") == told_row(told, rank[100]));
    CHECK(got.seen.at("says second") == "101\xe2\x80\x93"
                                        "200 of 350");
    CHECK(got.seen.at("slow") == told_row(told, rank.back()));
    auto const count = [&](auto const& condition) {
        return std::count_if(told.outcomes.begin(), told.outcomes.end(), condition);
    };
    auto const of_all = [](auto n) {
        return "1\xe2\x80\x93" +
               std::to_string(std::min<std::size_t>(100, static_cast<std::size_t>(n))) + " of " +
               std::to_string(n) + " (350 in all)";
    };
    auto const is_match = [](support::told_outcome const& o) {
        return o.values[0] == "64" && o.values[1] == "2";
    };
    CHECK(got.seen.at("filtered") == of_all(count(is_match)));
    std::size_t n = 0;
    for (std::size_t i = 0; i < told.outcomes.size(); ++i)
        if (is_match(told.outcomes[i]))
            CHECK(got.seen.at("match" + std::to_string(n++)) == told_row(told, i));
    CHECK(got.seen.at("spaced") ==
          of_all(count([](auto const& o) { return o.values[2] == "{2, 1, 0}"; })));
    auto const crashed = count([](auto const& o) { return o.why == "SIGSEGV"; });
    CHECK(got.seen.at("reason") == of_all(crashed));
    CHECK(got.seen.at("crashed") == of_all(crashed));
    CHECK(got.seen.at("measured") == of_all(rank.size()));
    CHECK(got.seen.at("none") == "none of 350");
}

TEST_CASE("two other parameters can be chosen, and the map is the one that the page would draw")
{
    ATTUNE_TEST_NEEDS_BROWSER();
    support::told_tuning const told = support::random_tuning(200, 3);
    visit const got = visited(html_of(told), R"js(
const cells = () => $$('table.heat tr').map(r => [...r.children].map(c =>
  c.textContent + c.className + c.title + c.style.getPropertyValue('--q')).join('|')).join('/');
const [a, b] = $$('.heat-box select');
see('static', cells());
a.dispatchEvent(new Event('change')); see('same', cells());
a.value = '2'; b.value = '1'; a.dispatchEvent(new Event('change')); see('other', cells());
for (const row of $$('table.heat tbody tr')) {
  const [v, ...c] = [...row.children];
  c.forEach((cell, x) => see(v.textContent + ' ' + $$('table.heat thead th')[x + 1].textContent, cell.textContent));
}
)js");
    CHECK(got.console == "");
    CHECK(got.seen.at("static") == got.seen.at("same"));
    CHECK(got.seen.at("other") != got.seen.at("same"));
    for (char const* unroll : {"1", "2", "4", "8"})
        for (char const* order : {"{0, 1, 2}", "{2, 1, 0}", "{1, 0, 2}"}) {
            double best_s = HUGE_VAL;
            for (auto const& o : told.outcomes)
                if (o.s > 0 && o.values[1] == unroll && o.values[2] == order)
                    best_s = std::fmin(best_s, o.s);
            CHECK(got.seen.at(std::string(unroll) + " " + order) == told_time(best_s));
        }
}

TEST_CASE(
    "a page of several problems opens, on narrow and wide screens nothing hangs over its edge")
{
    ATTUNE_TEST_NEEDS_BROWSER();
    attune::memory_store store;
    for (char const* n : {"64", "512"}) {
        support::told_tuning told = support::random_tuning(40, 4);
        told.kernel = "<script>alert(1)</script>";
        told.inputs = {{"N", n}};
        for (auto& one : told.outcomes)
            one.predicted_s = 2e-3;
        told.names[1] = "A_RATHER_LONG_NAME_OF_A_PARAMETER_THAT_SOMEBODY_CHOSE";
        told.put_into(store);
    }
    visit const got = visited(attune::read_report(store).html(), R"js(
see('title', $('h1').textContent);
see('fetched', performance.getEntriesByType('resource').length);
$$('details.problem').forEach(d => d.open = true);
const text = document.documentElement.outerHTML;
const page = text.slice(0, text.lastIndexOf('<script>')) + '</body></html>';
for (const width of [360, 768, 1280]) {
  const frame = document.createElement('iframe');
  frame.style.cssText = 'border:0;height:900px;width:' + width + 'px';
  frame.srcdoc = page;
  frame.addEventListener('load', () => {
    const inner = frame.contentDocument;
    const shown = s => [...inner.querySelectorAll(s)].filter(c => c.clientWidth > 0).length;
    see('over' + width, inner.documentElement.scrollWidth - inner.documentElement.clientWidth);
    see('charts' + width, shown('svg.wide') + ' ' + shown('svg.narrow'));
    frame.remove();
  });
  document.body.append(frame);
}
)js");
    CHECK(got.console == "");
    CHECK(got.seen.at("title") == "<script>alert(1)</script>");
    CHECK(got.seen.at("fetched") == "0");
    for (char const* width : {"360", "768", "1280"})
        CHECK(got.seen.at(std::string("over") + width) == "0");
    // Each of two problems has six charts of two forms.
    CHECK(got.seen.at("charts360") == "0 12");
    CHECK(got.seen.at("charts768") == "12 0");
    CHECK(got.seen.at("charts1280") == "12 0");
}

TEST_CASE("long numbers with their unit are whole, and nothing hangs over, at 320 to 1,280 pixels")
{
    ATTUNE_TEST_NEEDS_BROWSER();
    attune::memory_store store;
    support::told_tuning told = support::random_tuning(40, 4);
    told.setting = {{"measured", attune::detail::measured_by_objective},
                    {"better", "higher"},
                    {"unit", "GFLOP/s"}};
    for (auto& one : told.outcomes)
        for (double* const number : {&one.s, &one.low, &one.high})
            *number *= 1.2345678e17;
    told.put_into(store);
    visit const got = visited(attune::read_report(store).html(), R"js(
$$('details.problem').forEach(d => d.open = true);
const text = document.documentElement.outerHTML;
const page = text.slice(0, text.lastIndexOf('<script>')) + '</body></html>';
for (const width of [320, 480, 640, 900, 1280]) {
  const frame = document.createElement('iframe');
  frame.style.cssText = 'border:0;height:900px;width:' + width + 'px';
  frame.srcdoc = page;
  frame.addEventListener('load', () => {
    const inner = frame.contentDocument;
    const cut = [...inner.querySelectorAll('svg text')].filter(t => {
      const own = t.getBoundingClientRect(), all = t.ownerSVGElement.getBoundingClientRect();
      return own.width > 0 && (own.right > all.right + 1 || own.left < all.left - 1);
    });
    see('cut' + width, cut.map(t => t.textContent).join(','));
    see('over' + width, inner.documentElement.scrollWidth - inner.documentElement.clientWidth);
    frame.remove();
  });
  document.body.append(frame);
}
)js");
    CHECK(got.console == "");
    for (char const* width : {"320", "480", "640", "900", "1280"}) {
        CHECK(got.seen.at(std::string("cut") + width) == "");
        CHECK(got.seen.at(std::string("over") + width) == "0");
    }
}

TEST_CASE("on paper all problems are open")
{
    ATTUNE_TEST_NEEDS_BROWSER();
    attune::memory_store store;
    for (char const* n : {"64", "512"}) {
        support::told_tuning told = support::random_tuning(10, 4);
        told.inputs = {{"N", n}};
        told.put_into(store);
    }
    visit const got = visited(attune::read_report(store).html(), R"js(
const open = () => $$('details.problem').filter(d => d.open).length;
see('before', open());
dispatchEvent(new Event('beforeprint'));
see('paper', open());
dispatchEvent(new Event('afterprint'));
see('after', open());
)js");
    CHECK(got.console == "");
    CHECK(got.seen.at("before") == "1");
    CHECK(got.seen.at("paper") == "2");
    CHECK(got.seen.at("after") == "1");
}

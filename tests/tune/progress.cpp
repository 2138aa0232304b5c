// tests/tune/progress.cpp - what people read while a tuning runs.
// SPDX-License-Identifier: MIT
#include <attune/tune/progress.hpp>

#include <attune/tune/options.hpp>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <functional>
#include <limits>
#include <string>
#include <unistd.h>
#include <vector>

#include "../support/texts.hpp"

using attune::failure_stage;
using attune::progress_event;
using attune::text_of_quantity;
using attune_test::has;

namespace {

attune::progress evaluated(std::uint32_t k, double best, bool improved, double elapsed_s)
{
    attune::progress p;
    p.event = progress_event::evaluated;
    p.name = "sgemm";
    p.evaluation = k;
    p.evaluations = 60;
    p.has_best = true;
    p.best_value = best;
    p.default_value = 4e-3;
    p.improved = improved;
    p.elapsed_s = elapsed_s;
    p.left_s = 60 - elapsed_s;
    p.text = "TILE=" + std::to_string(k);
    return p;
}

attune::progress said(progress_event event, std::string text)
{
    attune::progress p;
    p.event = event;
    p.name = "sgemm";
    p.text = std::move(text);
    return p;
}

/// What `talk` writes to stderr while that is `descriptor`.
void with_stderr(int descriptor, std::function<void()> const& talk)
{
    std::fflush(stderr);
    int const kept = ::dup(STDERR_FILENO);
    ::dup2(descriptor, STDERR_FILENO);
    talk();
    std::fflush(stderr);
    ::dup2(kept, STDERR_FILENO);
    ::close(kept);
}

std::string read_some(int descriptor)
{
    std::array<char, 4096> buffer{};
    ssize_t const n = ::read(descriptor, buffer.data(), buffer.size());
    return n > 0 ? std::string(buffer.data(), static_cast<std::size_t>(n)) : std::string{};
}

} // namespace

TEST_CASE("seconds are written in the unit that suits them")
{
    CHECK(text_of_quantity(2.5, true) == "2.5 s");
    CHECK(text_of_quantity(1.25e-3, true) == "1.25 ms");
    CHECK(text_of_quantity(3.2e-5, true) == "32 us");
    CHECK(text_of_quantity(4.2e-8, true) == "42 ns");
    CHECK(text_of_quantity(1.0, true) == "1 s");
    CHECK(text_of_quantity(123.0, true) == "123 s");
}

TEST_CASE("a time is never written with an exponent")
{
    CHECK(text_of_quantity(0.9999, true) == "1 s");
    CHECK(text_of_quantity(9.996e-4, true) == "1 ms");
    CHECK(text_of_quantity(9.999e-7, true) == "1 us");
    CHECK(text_of_quantity(1500.0, true) == "1500 s");
}

TEST_CASE("a value that is no time has no unit")
{
    CHECK(text_of_quantity(0.125, false) == "0.125");
    CHECK(text_of_quantity(-3.0, false) == "-3");
}

TEST_CASE("failures are listed by stage, those without any are left out")
{
    attune::failure_counts counts{};
    CHECK(attune::describe(counts).empty());
    CHECK(attune::total(counts) == 0);
    counts[static_cast<std::size_t>(failure_stage::compile)] = 3;
    counts[static_cast<std::size_t>(failure_stage::verify)] = 1;
    CHECK(attune::describe(counts) == "3 did not compile, 1 computed a wrong result");
    CHECK(attune::total(counts) == 4);
}

TEST_CASE("plain progress gives one line for each improvement and none for the rest")
{
    std::vector<std::string> lines;
    auto const sink = attune::line_progress([&](std::string const& l) { lines.push_back(l); });
    sink(said(progress_event::started, "36 configurations"));
    sink(evaluated(1, 4e-3, true, 0.1));
    sink(evaluated(2, 4e-3, false, 0.2));
    sink(evaluated(3, 2e-3, true, 0.3));
    sink(evaluated(4, 2e-3, false, 0.4));
    sink(said(progress_event::finals, ""));
    sink(said(progress_event::finished, "2.00x faster"));
    REQUIRE(lines.size() == 4);
    CHECK(lines[0] == "attune: sgemm: tuning, 36 configurations");
    CHECK(has(lines[1], "1/60"));
    CHECK(has(lines[2], "attune: sgemm: 3/60, best 2 ms (2.00x faster than the default)"));
    CHECK(has(lines[2], "60 s left"));
    CHECK(has(lines[2], "TILE=3"));
    CHECK(lines[3] == "attune: sgemm: 2.00x faster");
    for (std::string const& l : lines)
        CHECK(!has(l, "\n"));
}

TEST_CASE("plain progress gives a sign of life every two seconds")
{
    std::vector<std::string> lines;
    auto const sink = attune::line_progress([&](std::string const& l) { lines.push_back(l); });
    sink(evaluated(1, 4e-3, true, 0.1));
    sink(evaluated(2, 4e-3, false, 1.9));
    sink(evaluated(3, 4e-3, false, 2.2));
    sink(evaluated(4, 4e-3, false, 2.3));
    sink(evaluated(5, 4e-3, false, 4.3));
    REQUIRE(lines.size() == 3);
    CHECK(has(lines[1], "3/60"));
    CHECK(!has(lines[1], "TILE"));
    CHECK(has(lines[2], "5/60"));
}

TEST_CASE("plain progress lists failures and says when nothing works yet")
{
    std::vector<std::string> lines;
    auto const sink = attune::line_progress([&](std::string const& l) { lines.push_back(l); });
    attune::progress p = evaluated(7, 0, false, 5);
    p.has_best = false;
    p.failures[static_cast<std::size_t>(failure_stage::crash)] = 2;
    p.left_s = std::numeric_limits<double>::infinity();
    sink(p);
    REQUIRE(lines.size() == 1);
    CHECK(has(lines[0], "nothing works yet"));
    CHECK(has(lines[0], "2 crashed"));
    CHECK(!has(lines[0], "left"));
}

TEST_CASE("a notice is a line of its own")
{
    std::vector<std::string> lines;
    auto const sink = attune::line_progress([&](std::string const& l) { lines.push_back(l); });
    sink(said(progress_event::notice, "the store cannot be written"));
    REQUIRE(lines.size() == 1);
    CHECK(lines[0] == "attune: sgemm: the store cannot be written");
}

TEST_CASE("copies of a plain sink share when the last line was")
{
    std::vector<std::string> lines;
    auto const sink = attune::line_progress([&](std::string const& l) { lines.push_back(l); });
    attune::progress_sink const copy = sink;
    sink(evaluated(1, 1, true, 10.0));
    copy(evaluated(2, 1, false, 10.1));
    CHECK(lines.size() == 1);
}

TEST_CASE("on a pipe terminal progress writes plain lines to stderr")
{
    std::array<int, 2> ends{};
    REQUIRE(::pipe(ends.data()) == 0);
    with_stderr(ends[1], [] {
        auto const sink = attune::terminal_progress();
        sink(evaluated(1, 4e-3, true, 0.1));
        sink(evaluated(2, 4e-3, false, 0.2));
        sink(said(progress_event::finished, "done"));
    });
    std::string const text = read_some(ends[0]);
    CHECK(!has(text, "\r"));
    CHECK(has(text, "1/60"));
    CHECK(!has(text, "2/60"));
    CHECK(has(text, "attune: sgemm: done\n"));
    ::close(ends[0]);
    ::close(ends[1]);
}

TEST_CASE("on a terminal one line is rewritten, and what must stay keeps its line")
{
    int const master = ::posix_openpt(O_RDWR | O_NOCTTY);
    if (master < 0) {
        MESSAGE("skipped: this system gives no pseudo-terminal");
        return;
    }
    REQUIRE(::grantpt(master) == 0);
    REQUIRE(::unlockpt(master) == 0);
    int const terminal = ::open(::ptsname(master), O_RDWR | O_NOCTTY);
    REQUIRE(terminal >= 0);
    with_stderr(terminal, [] {
        auto const sink = attune::terminal_progress();
        sink(said(progress_event::started, "36 configurations"));
        sink(evaluated(1, 4e-3, true, 0.1));
        sink(evaluated(2, 4e-3, false, 0.2));
        sink(said(progress_event::finals, ""));
        sink(said(progress_event::finished, "done"));
    });
    std::string text; // a terminal may hand it over in parts
    while (!has(text, "\n")) {
        std::string const part = read_some(master);
        if (part.empty()) break;
        text += part;
    }
    CHECK(has(text, "\rattune: sgemm: 1/60"));
    CHECK(has(text, "\rattune: sgemm: 2/60"));
    CHECK(has(text, "comparing with the default"));
    CHECK(text.find('\n') == text.size() - 1); // the one line end comes last
    CHECK(has(text, "\rattune: sgemm: done "));
    ::close(terminal);
    ::close(master);
}

TEST_CASE("silent progress writes nothing")
{
    std::array<int, 2> ends{};
    REQUIRE(::pipe(ends.data()) == 0);
    with_stderr(ends[1], [] { attune::silent_progress()(evaluated(1, 4e-3, true, 0.1)); });
    ::close(ends[1]);
    CHECK(read_some(ends[0]).empty());
    ::close(ends[0]);
}

TEST_CASE("by default a pipe gets notices alone, and a program may choose another sink for all")
{
    std::array<int, 2> ends{};
    REQUIRE(::pipe(ends.data()) == 0);
    auto const sink = attune::default_progress(); // of options that were made before the choice
    int heard = 0;
    with_stderr(ends[1], [&] {
        sink(said(progress_event::started, "36 configurations"));
        sink(evaluated(1, 4e-3, true, 0.1));
        sink(said(progress_event::notice, "something to know"));
        sink(said(progress_event::finished, "done"));
        attune::set_default_sink([&](attune::progress const&) { ++heard; });
        sink(said(progress_event::notice, "for the program's sink"));
        attune::tuning_options{}.progress(evaluated(2, 4e-3, false, 0.1));
        attune::set_default_sink(attune::silent_progress());
        sink(said(progress_event::notice, "for nobody"));
        attune::set_default_sink({});
        sink(said(progress_event::notice, "as before"));
    });
    ::close(ends[1]);
    CHECK(read_some(ends[0]) == "attune: sgemm: something to know\nattune: sgemm: as before\n");
    CHECK(heard == 2);
    ::close(ends[0]);
}

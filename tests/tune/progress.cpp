// tests/tune/progress.cpp - what people read while a tuning runs.
// SPDX-License-Identifier: MIT
#include <attune/tune/progress.hpp>

#include <attune/core/number_text.hpp>
#include <attune/tune/options.hpp>

#include <array>
#include <cstdio>
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

/// Plain progress, and its lines.
struct line_sink {
    std::vector<std::string> lines{};
    attune::progress_sink sink =
        attune::line_progress([this](std::string const& l) { lines.push_back(l); });
};

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

/// What `talk` writes to stderr while that is a pipe.
std::string on_pipe(std::function<void()> const& talk)
{
    std::array<int, 2> ends{};
    REQUIRE(::pipe(ends.data()) == 0);
    with_stderr(ends[1], talk);
    ::close(ends[1]);
    std::string out = read_some(ends[0]);
    ::close(ends[0]);
    return out;
}

} // namespace

TEST_CASE("times are written in the unit that suits them, without exponent, other values in none")
{
    struct row {
        double value;
        char const* text;
    };
    for (auto const& [value, text] : {row{2.5, "2.5 s"},
                                      {1.25e-3, "1.25 ms"},
                                      {3.2e-5, "32 us"},
                                      {4.2e-8, "42 ns"},
                                      {1.0, "1 s"},
                                      {123.0, "123 s"},
                                      {0.9999, "1 s"},
                                      {9.996e-4, "1 ms"},
                                      {9.999e-7, "1 us"},
                                      {1500.0, "1500 s"}})
        CHECK(text_of_quantity(value, true) == text);
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
    line_sink plain;
    plain.sink(said(progress_event::started, "36 configurations"));
    plain.sink(evaluated(1, 4e-3, true, 0.1));
    plain.sink(evaluated(2, 4e-3, false, 0.2));
    plain.sink(evaluated(3, 2e-3, true, 0.3));
    plain.sink(evaluated(4, 2e-3, false, 0.4));
    plain.sink(said(progress_event::finals, ""));
    plain.sink(said(progress_event::finished, "2.00x faster"));
    REQUIRE(plain.lines.size() == 4);
    CHECK(plain.lines[0] == "attune: sgemm: tuning, 36 configurations");
    CHECK(has(plain.lines[1], "1/60"));
    CHECK(has(plain.lines[2], "attune: sgemm: 3/60, best 2 ms (2.00x faster than the default)"));
    CHECK(has(plain.lines[2], "60 s left"));
    CHECK(has(plain.lines[2], "TILE=3"));
    CHECK(plain.lines[3] == "attune: sgemm: 2.00x faster");
    for (std::string const& l : plain.lines)
        CHECK(!has(l, "\n"));
}

TEST_CASE("plain progress gives a sign of life every two seconds")
{
    line_sink plain;
    plain.sink(evaluated(1, 4e-3, true, 0.1));
    plain.sink(evaluated(2, 4e-3, false, 1.9));
    plain.sink(evaluated(3, 4e-3, false, 2.2));
    plain.sink(evaluated(4, 4e-3, false, 2.3));
    plain.sink(evaluated(5, 4e-3, false, 4.3));
    REQUIRE(plain.lines.size() == 3);
    CHECK(has(plain.lines[1], "3/60"));
    CHECK(!has(plain.lines[1], "TILE"));
    CHECK(has(plain.lines[2], "5/60"));
}

TEST_CASE("plain progress lists failures and says when nothing works yet")
{
    line_sink plain;
    attune::progress p = evaluated(7, 0, false, 5);
    p.has_best = false;
    p.failures[static_cast<std::size_t>(failure_stage::crash)] = 2;
    p.left_s = std::numeric_limits<double>::infinity();
    plain.sink(p);
    REQUIRE(plain.lines.size() == 1);
    CHECK(has(plain.lines[0], "nothing works yet"));
    CHECK(has(plain.lines[0], "2 crashed"));
    CHECK(!has(plain.lines[0], "left"));
}

TEST_CASE("a notice is a line of its own")
{
    line_sink plain;
    plain.sink(said(progress_event::notice, "the store cannot be written"));
    REQUIRE(plain.lines.size() == 1);
    CHECK(plain.lines[0] == "attune: sgemm: the store cannot be written");
}

TEST_CASE("copies of a plain sink share when the last line was")
{
    line_sink plain;
    attune::progress_sink const copy = plain.sink;
    plain.sink(evaluated(1, 1, true, 10.0));
    copy(evaluated(2, 1, false, 10.1));
    CHECK(plain.lines.size() == 1);
}

TEST_CASE("on a pipe terminal progress writes plain lines to stderr")
{
    std::string const text = on_pipe([] {
        auto const sink = attune::terminal_progress();
        sink(evaluated(1, 4e-3, true, 0.1));
        sink(evaluated(2, 4e-3, false, 0.2));
        sink(said(progress_event::finished, "done"));
    });
    CHECK(!has(text, "\r"));
    CHECK(has(text, "1/60"));
    CHECK(!has(text, "2/60"));
    CHECK(has(text, "attune: sgemm: done\n"));
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

TEST_CASE("by default a pipe gets notices alone, and a program may choose another sink for all")
{
    auto const sink = attune::default_progress(); // of options that were made before the choice
    int heard = 0;
    std::string const text = on_pipe([&] {
        sink(said(progress_event::started, "36 configurations"));
        sink(evaluated(1, 4e-3, true, 0.1));
        sink(said(progress_event::notice, "something to know"));
        sink(said(progress_event::finished, "done"));
        attune::set_default_sink([&](attune::progress const&) { ++heard; });
        sink(said(progress_event::notice, "for the program's sink"));
        attune::tuning_options{}.progress(evaluated(2, 4e-3, false, 0.1));
        attune::set_default_sink(attune::silent_progress());
        sink(said(progress_event::notice, "for nobody"));
        attune::silent_progress()(evaluated(3, 4e-3, true, 0.1));
        attune::set_default_sink({});
        sink(said(progress_event::notice, "as before"));
    });
    CHECK(text == "attune: sgemm: something to know\nattune: sgemm: as before\n");
    CHECK(heard == 2);
}

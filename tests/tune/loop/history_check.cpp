// tests/tune/loop/history_check.cpp - variants that keep something between calls.
// SPDX-License-Identifier: MIT
#include <attune/tune/loop/history_check.hpp>

#include <attune/attune.hpp>
#include <attune/tune/kernel/launch_arguments.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <sys/wait.h>
#include <tuple>
#include <utility>
#include <vector>

#include "../../support/sanitized.hpp"
#include "../../support/texts.hpp"

using attune_test::has;

namespace {

using signature = void(std::span<double const>, std::span<int const>, std::span<double>, double);
using function = signature*;
using in = std::span<double const>;
using ints = std::span<int const>;
using out = std::span<double>;

/// y = a * x[i], through an index array.
void gather(in x, ints at, out y, double a)
{
    for (std::size_t i = 0; i < y.size(); ++i)
        y[i] = a * x[static_cast<std::size_t>(at[i])];
}
/// Packs x again only at another address or length.
void packs_once(in x, ints at, out y, double a)
{
    static double const* of = nullptr;
    static std::vector<double> packed;
    if (of != x.data() || packed.size() != x.size()) {
        packed.assign(x.begin(), x.end());
        of = x.data();
    }
    gather(packed, at, y, a);
}
void packs_indices_once(in x, ints at, out y, double a)
{
    static int const* of = nullptr;
    static std::vector<int> packed;
    if (of != at.data()) {
        packed.assign(at.begin(), at.end());
        of = at.data();
    }
    gather(x, packed, y, a);
}
void keeps_address(in x, ints at, out y, double a)
{
    static in last;
    if (last.size() != x.size()) last = x;
    gather(last, at, y, a);
}
void adds_up(in x, ints at, out y, double a)
{
    static double sum = 0;
    gather(x, at, y, a);
    y[0] += sum;
    sum += 1000;
}
void crashes_later(in x, ints at, out y, double a)
{
    static int volatile calls = 0;
    calls = calls + 1;
    static int volatile* volatile nowhere = nullptr;
    if (calls == 3) *nowhere = 1;
    gather(x, at, y, a);
}
/// As if the table of a times each index were made for the first length alone.
void keeps_first_table(in x, ints at, out y, double a)
{
    static std::size_t const first = y.size();
    gather(x, at, y.first(std::min(first, y.size())), a);
}
/// As if a table that depends on the length were made again for longer ones alone.
void keeps_longest_table(in x, ints at, out y, double a)
{
    static std::size_t longest = 0;
    longest = std::max(longest, y.size());
    gather(x, at, y, y.size() < longest ? -a : a);
}
/// Knows a packed array by its length and its first element.
void knows_first_element(in x, ints at, out y, double a)
{
    static std::vector<double> packed;
    if (packed.size() != x.size() || (!x.empty() && packed.front() != x.front()))
        packed.assign(x.begin(), x.end());
    gather(packed, at, y, a);
}
void keeps_first_scalar(in x, ints at, out y, double a)
{
    static double const first = a;
    gather(x, at, y, first);
}
/// Right: a table for each length and each scalar.
void keeps_tables(in x, ints at, out y, double a)
{
    static std::map<std::pair<std::size_t, double>, double> tables;
    gather(x, at, y, tables.try_emplace({y.size(), a}, a).first->second);
}
/// Right for this length alone, and it keeps nothing.
void trusts_length(in x, ints at, out y, double a) { gather(x, at, y, y.size() == 64 ? a : 0); }
/// Right: memory that is kept, and filled in each call.
void keeps_scratch(in x, ints at, out y, double a)
{
    static std::vector<double> scratch;
    scratch.assign(x.begin(), x.end());
    gather(scratch, at, y, a);
}
/// Right for sorted numbers alone, and it keeps nothing.
void trusts_order(in x, ints at, out y, double a)
{
    bool is_sorted = true;
    for (std::size_t i = 1; i < at.size(); ++i)
        is_sorted = is_sorted && at[i - 1] <= at[i];
    gather(x, at, y, is_sorted ? a : 0);
}
ATTUNE_TEST_UNCHECKED void refuses_order(in x, ints at, out y, double a)
{
    static int volatile* volatile nowhere = nullptr;
    for (std::size_t i = 1; i < at.size(); ++i)
        if (at[i - 1] > at[i]) *nowhere = 1;
    gather(x, at, y, a);
}
void hangs_later(in x, ints at, out y, double a)
{
    static int volatile calls = 0;
    calls = calls + 1;
    while (calls > 1) {
    }
    gather(x, at, y, a);
}

/// Reads x[-1], and uses it nowhere.
ATTUNE_TEST_UNCHECKED void reads_before(in x, ints at, out y, double a)
{
    double const volatile* const before = x.data() - 1;
    double const unused = *before;
    static_cast<void>(unused);
    gather(x, at, y, a);
}
ATTUNE_TEST_UNCHECKED void reads_indices_before(in x, ints at, out y, double a)
{
    int const volatile* const before = at.data() - 1;
    y[0] = *before;
    gather(x, at, y, a);
}

[[nodiscard]] attune::callable code(function f) { return {.address = reinterpret_cast<void*>(f)}; }

struct call {
    attune::kernel<signature> kernel{"f", attune::source_text("", "f.kernel.cpp"),
                                     attune::space(attune::integer<"A">(1, 2))};
    std::vector<double> x = std::vector<double>(101);
    std::vector<int> at = std::vector<int>(64);
    std::vector<double> y = std::vector<double>(64, 7.0);
    double limit_s = 20;

    call()
    {
        std::iota(x.begin(), x.end(), 1.0);
        std::iota(at.begin(), at.end(), 3);
    }
    std::string fails(function trusted, function tried)
    {
        auto const frame_of = [&](in xs, ints ats, out ys, double a) {
            return attune::detail::make_call_frame(kernel.describe().tolerances, xs, ats, ys, a);
        };
        attune::call_frame frame = frame_of(x, at, y, 2.0);
        frame.resized = [&](std::span<std::int64_t const> sizes) {
            return std::apply(frame_of, attune::detail::resized_arguments(
                                            std::tuple<in, ints, out, double>(x, at, y, 2.0), sizes,
                                            std::make_index_sequence<4>{}));
        };
        auto const before_x = x;
        auto const before_y = y;
        std::optional<attune::failure> const why = attune::detail::failure_after_other_calls(
            kernel.describe(), frame, code(trusted), code(tried), limit_s);
        CHECK(x == before_x);
        CHECK(y == before_y);
        CHECK(waitpid(-1, nullptr, WNOHANG) == -1); // no child is left
        if (!why) return {};
        bool const is_crash = tried == crashes_later;
        CHECK(why->stage ==
              (is_crash ? attune::failure_stage::crash : attune::failure_stage::verify));
        return why->reason;
    }
};

} // namespace

TEST_CASE("code that keeps what an earlier call had is found out")
{
    call c;
    CHECK(has(c.fails(gather, packs_once), "other contents at the same addresses"));
    CHECK(has(c.fails(gather, packs_indices_once), "other contents at the same addresses"));
    CHECK(has(c.fails(gather, keeps_address), "at other addresses"));
    CHECK(has(c.fails(gather, adds_up), "argument 2, element 0"));
    CHECK(has(c.fails(gather, crashes_later), "SIGSEGV"));
}

TEST_CASE("code that keeps a table of another length or scalar is found out")
{
    call c;
    CHECK(has(c.fails(gather, keeps_first_table), "wrong after a call with other arguments"));
    CHECK(has(c.fails(gather, keeps_longest_table), "wrong after a call with other arguments"));
    CHECK(has(c.fails(gather, keeps_first_scalar), "wrong after a call with other arguments"));
    CHECK(has(c.fails(gather, knows_first_element), "the same first elements"));
    CHECK(c.fails(gather, keeps_tables).empty());
    CHECK(c.fails(gather, trusts_length).empty()); // it is wrong there by itself
    c.kernel.precondition([](in, ints at, out y, double) { return at.size() == y.size(); });
    CHECK(has(c.fails(gather, keeps_first_scalar), "wrong after a call with other arguments"));
    CHECK(has(c.fails(gather, keeps_first_table), "wrong after a call with other arguments"));
    c.kernel.precondition([](in, ints, out y, double a) { return y.size() == 64 && a == 2; });
    CHECK(c.fails(gather, keeps_first_scalar).empty()); // no other call is valid
    CHECK(c.fails(gather, keeps_first_table).empty());
}

TEST_CASE("code that keeps nothing of a call's data is right")
{
    call c;
    CHECK(c.fails(gather, gather).empty());
    CHECK(c.fails(gather, keeps_scratch).empty());
    c.x.clear();
    c.at.clear();
    c.y.clear();
    CHECK(c.fails(gather, keeps_scratch).empty());
}

TEST_CASE("contents that the kernel is not made for show nothing")
{
    call c;
    CHECK(c.fails(gather, trusts_order).empty());
    CHECK(c.fails(refuses_order, gather).empty());                    // the default fails on them
    CHECK(has(c.fails(refuses_order, packs_once), "other contents")); // floats alone change then
}

TEST_CASE("code that ends in no time, and arrays that overlap, are not judged")
{
    call c;
    c.limit_s = 0.5;
    CHECK(c.fails(gather, hangs_later).empty());
    attune::call_frame const frame = attune::detail::make_call_frame(
        c.kernel.describe().tolerances, in(c.y), ints(c.at), out(c.y), 2.0);
    CHECK_FALSE(attune::detail::failure_after_other_calls(c.kernel.describe(), frame, code(gather),
                                                          code(packs_once), 1));
}

TEST_CASE("declared contents of arrays show a variant that is wrong for them, others are not tried")
{
    using attune::array_contents;
    call c;
    auto const wrong_for = [](in x, ints at, out y, double a) {
        gather(x, at, y, x.front() == 0 ? -1 : a); // as code that skips zeros
        if (x.front() == 0 && !y.empty()) y[0] = 1;
    };
    attune::call_frame const frame = attune::detail::make_call_frame(
        c.kernel.describe().tolerances, in(c.x), ints(c.at), out(c.y), 2.0);
    auto const why = [&](function tried) {
        auto const found = attune::detail::failure_with_contents(
            c.kernel.describe(), frame, code(gather), code(tried), 2, attune::isolation::automatic);
        return found ? found->reason : std::string();
    };
    CHECK(why(wrong_for).empty()); // not declared
    c.kernel.contents(array_contents::infinite);
    CHECK(why(wrong_for).empty());
    c.kernel.contents(array_contents::infinite, array_contents::zero);
    CHECK(why(wrong_for).starts_with("where all elements are zero: argument 2, element 0"));
    CHECK(why(gather).empty());
    CHECK(c.x.front() == 1);
}

TEST_CASE("a wrong index shows although all elements of the caller's array are one number")
{
    call c;
    std::fill(c.x.begin(), c.x.end(), 1.5);
    std::fill(c.y.begin(), c.y.end(), 0.0);
    auto const next_index = [](in x, ints at, out y, double a) { gather(x.subspan(1), at, y, a); };
    auto const why = [&](function tried) {
        attune::call_frame const frame = attune::detail::make_call_frame(
            c.kernel.describe().tolerances, in(c.x), ints(c.at), out(c.y), 2.0);
        auto const found = attune::detail::failure_with_other_numbers(
            c.kernel.describe(), frame, code(gather), code(tried), 2, attune::isolation::automatic);
        CHECK(c.x == std::vector<double>(101, 1.5));
        return found ? found->reason : std::string();
    };
    CHECK(why(next_index)
              .starts_with("where the numbers of an array differ: argument 2, element 0: got "));
    CHECK(why(gather).empty());
    CHECK(why(hangs_later).empty());
    c.kernel.precondition([](in x, ints, out, double) { return x.front() == x.back(); });
    CHECK(why(next_index).empty());
}

TEST_CASE("declared contents that no variant is tried with are said, with the reason")
{
    using attune::array_contents;
    call c;
    auto const said = [&](out to) {
        attune::call_frame const frame = attune::detail::make_call_frame(
            c.kernel.describe().tolerances, in(c.x), ints(c.at), to, 2.0);
        std::string all;
        for (std::string const& one : attune::detail::contents_not_tried(
                 c.kernel.describe(), frame, code(gather), 2, attune::isolation::automatic))
            all += one + '\n';
        return all;
    };
    c.kernel.contents(array_contents::zero);
    CHECK(said(c.y).empty());
    CHECK(said(out(c.x).first(c.y.size())) ==
          "no variant is tried where all elements are zero: the arrays overlap\n");
    c.kernel.contents(array_contents::zero, array_contents::least); // as indices
    CHECK(said(c.y).starts_with(
        "no variant is tried where all elements are the least ones: the default fails there ("));
    CHECK_THROWS_AS(c.kernel.contents(array_contents::own), attune::error);
}

TEST_CASE("the user's check judges in place of the default")
{
    call c;
    c.kernel.check([](in x, ints at, out y, double a) {
        return y.empty() || y[0] == a * x[static_cast<std::size_t>(at[0])];
    });
    CHECK_FALSE(c.fails(refuses_order, packs_once).empty());
    CHECK(c.fails(refuses_order, keeps_scratch).empty());
}

TEST_CASE("code that reads before an array is found out where the array begins a page")
{
    call c;
    auto const said = [&](function trusted, function tried) {
        attune::call_frame const frame = attune::detail::make_call_frame(
            c.kernel.describe().tolerances, in(c.x), ints(c.at), out(c.y), 2.0);
        attune::detail::page_starts starts{frame};
        auto const why = starts.failure_of(code(trusted), code(tried), c.limit_s);
        CHECK_FALSE(starts.failure_of(code(trusted), code(trusted), c.limit_s));
        CHECK(waitpid(-1, nullptr, WNOHANG) == -1); // no child is left
        if (why) CHECK(why->stage == attune::failure_stage::crash);
        return why ? why->reason : std::string{};
    };
    CHECK(has(said(gather, reads_before),
              "8 bytes before the start of argument 0 (it has 808 bytes)"));
    CHECK(has(said(gather, reads_indices_before), "4 bytes before the start of argument 1"));
    CHECK(said(gather, gather).empty());
    CHECK(said(reads_before, reads_before).empty()); // so does the default
    CHECK(said(gather, adds_up).empty());
    c.limit_s = 0.5;
    CHECK(said(gather, hangs_later).empty());
    c.x.clear();
    c.at.clear();
    c.y.clear();
    CHECK(said(gather, gather).empty());
}

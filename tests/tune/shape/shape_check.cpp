// tests/tune/shape/shape_check.cpp - a variant tuned elsewhere, put to the test at one call.
// SPDX-License-Identifier: MIT
#include <attune/tune/shape/shape_check.hpp>

#include <attune/attune.hpp>

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>
#include <doctest/doctest.h>
#include <fstream>
#include <sched.h>
#include <span>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "../../support/sanitized.hpp"
#include "../../support/texts.hpp"

using attune::failure_stage;
using attune::isolation;
using attune::shape_verdict;
using attune::detail::shape_check_limits;
using attune_test::has;
using ending = shape_verdict::ending;

namespace {

using signature = void(std::span<double const>, std::span<double>, std::span<int>);
using function = signature*;
using in = std::span<double const>;
using out = std::span<double>;
using ints = std::span<int>;

void assign(in x, out y, ints)
{
    for (std::size_t i = 0; i < y.size(); ++i)
        y[i] = 2 * x[i];
}
/// Right, and a thousand times as slow.
void assign_slowly(in x, out y, ints)
{
    for (std::size_t i = 0; i < y.size(); ++i) {
        for (int volatile k = 0; k < 2000; k = k + 1) {
        }
        y[i] = 2 * x[i];
    }
}
void add(in x, out y, ints)
{
    for (std::size_t i = 0; i < y.size(); ++i)
        y[i] += 2 * x[i];
}
void clamp(in, out y, ints)
{
    for (double& value : y)
        value = value > 100 ? 100 : value;
}
void nothing(in, out, ints) {}
/// Blocks of 16, and what is left is forgotten.
void no_remainder(in x, out y, ints)
{
    for (std::size_t i = 0; i + 16 <= y.size(); i += 16)
        for (std::size_t k = i; k < i + 16; ++k)
            y[k] = 2 * x[k];
}
void wrong_tail(in x, out y, ints k)
{
    assign(x, y, k);
    y.back() = 0;
}
ATTUNE_TEST_UNCHECKED void one_past(in x, out y, ints k)
{
    assign(x, y, k);
    double volatile* const past = y.data() + y.size();
    *past = 1;
}
/// Also when it is right: reads on in x, and forgets it.
ATTUNE_TEST_UNCHECKED void reads_on(in x, out y, ints k)
{
    double const volatile* const far = x.data() + x.size() + 512;
    static_cast<void>(*far);
    assign(x, y, k);
}
ATTUNE_TEST_UNCHECKED void crash(in, out, ints)
{
    int volatile* volatile nowhere = nullptr;
    *nowhere = 1;
}
void hang(in, out, ints)
{
    for (;;)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
}
void throws(in, out, ints) { throw std::runtime_error("not at this size"); }
void throws_number(in, out, ints) { throw 7; }
void leaves(in x, out y, ints k)
{
    assign(x, y, k);
    std::exit(0);
}
void leaves_at_once(in x, out y, ints k)
{
    assign(x, y, k);
    _exit(0);
}
void leaks(in x, out y, ints k)
{
    assign(x, y, k);
    char* volatile lost = new char[3 << 20];
    lost[0] = 1;
}
/// Scratch memory that is taken once is no leak.
void keeps_scratch(in x, out y, ints k)
{
    static char* const scratch = new char[3 << 20];
    scratch[0] = 1;
    assign(x, y, k);
}
void rounds_up(in x, out y, ints k)
{
    assign(x, y, k);
    std::fesetround(FE_UPWARD);
}
void forks(in x, out y, ints k)
{
    assign(x, y, k);
    static_cast<void>(fork());
}
void leaves_process(in x, out y, ints k)
{
    assign(x, y, k);
    if (fork() == 0) {
        sleep(1);
        _exit(0);
    }
}
void closes(in x, out y, ints k)
{
    assign(x, y, k);
    close(0);
}
void kills(in, out, ints) { std::raise(SIGKILL); }
/// Reads what it writes, as an index: other contents are out of range.
ATTUNE_TEST_UNCHECKED void follow(in x, out y, ints k)
{
    for (std::size_t i = 0; i < k.size(); ++i)
        y[i] = *(&x[0] + (k[i] % 2 == 0 ? k[i] : 1 << 24));
}
void slow(in x, out y, ints k)
{
    assign(x, y, k);
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
}

/// Eight at once; the stores are limited, the loads are not.
ATTUNE_TEST_UNCHECKED void loads_eight(in x, out y, ints)
{
    for (std::size_t i = 0; i < y.size(); i += 8) {
        double eight[8];
        for (std::size_t k = 0; k < 8; ++k)
            eight[k] = *static_cast<double const volatile*>(x.data() + i + k);
        for (std::size_t k = 0; k < 8 && i + k < y.size(); ++k)
            y[i + k] = 2 * eight[k];
    }
}
/// A sum in another order, and one of half of the numbers.
void sum(in x, out y, ints)
{
    y[0] = 0;
    for (double const value : x)
        y[0] += value;
}
void sum_backwards(in x, out y, ints)
{
    y[0] = 0;
    for (std::size_t i = x.size(); i-- > 0;)
        y[0] += x[i];
}
void sum_of_half(in x, out y, ints k) { sum(x.first(x.size() / 2), y, k); }
/// As if it loaded 64 bytes at once, which must be aligned.
ATTUNE_TEST_UNCHECKED void sum_of_aligned(in x, out y, ints k)
{
    int volatile* volatile nowhere = nullptr;
    if (reinterpret_cast<std::uintptr_t>(x.data()) % 64 != 0) *nowhere = 1;
    sum(x, y, k);
}
/// Fails for other numbers than those of the caller.
ATTUNE_TEST_UNCHECKED void sum_from_one(in x, out y, ints k)
{
    int volatile* volatile nowhere = nullptr;
    if (x.front() != 1) *nowhere = 1;
    sum(x, y, k);
}
/// Numbers between -1 and 1 whose sum cancels.
[[nodiscard]] std::vector<double> cancelling(std::size_t count)
{
    std::vector<double> all(count);
    double total = 0;
    for (std::size_t i = 0; i < count; ++i)
        total += all[i] = std::cos(static_cast<double>(i));
    all[count / 2] -= total;
    return all;
}

/// The sums of the rows of eight, which cancel.
void row_sums(in x, out y, ints)
{
    for (std::size_t i = 0; i < y.size(); ++i)
        sum(x.subspan(8 * i, 8), y.subspan(i, 1), {});
}
void row_sums_backwards(in x, out y, ints)
{
    for (std::size_t i = 0; i < y.size(); ++i)
        sum_backwards(x.subspan(8 * i, 8), y.subspan(i, 1), {});
}
void row_sums_of_seven(in x, out y, ints)
{
    for (std::size_t i = 0; i < y.size(); ++i)
        sum(x.subspan(8 * i, 7), y.subspan(i, 1), {});
}
/// Leaves the first and the last number.
void inside(in x, out y, ints k) { assign(x.subspan(1), y.subspan(1, y.size() - 2), k); }
void inside_and_first(in x, out y, ints k)
{
    inside(x, y, k);
    y.front() = 2 * x.front();
}
/// Differs by five times the tolerance.
void assign_roughly(in x, out y, ints)
{
    for (std::size_t i = 0; i < y.size(); ++i)
        y[i] = 2 * x[i] * (1 + 5e-9);
}

std::vector<std::uintptr_t> places; ///< addresses of x modulo 64, run by run
void notes_place(in x, out y, ints k)
{
    places.push_back(reinterpret_cast<std::uintptr_t>(x.data()) % 64);
    assign(x, y, k);
}
void spin_for(double cpu_s);
int runs_to_come = 0; ///< that take 10 us longer
void slow_at_first(in x, out y, ints k)
{
    assign(x, y, k);
    if (runs_to_come-- > 0) spin_for(1e-5);
}

[[nodiscard]] attune::callable code(function f,
                                    std::uint32_t modulus = attune::code_facts{}.address_modulus)
{
    attune::callable out{.address = reinterpret_cast<void*>(f)};
    out.facts.address_modulus = modulus;
    return out;
}

[[nodiscard]] std::size_t address_space()
{
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

struct call {
    attune::kernel<signature> kernel{"f", attune::source_text("", "f.kernel.cpp"),
                                     attune::space(attune::integer<"A">(1, 2))};
    std::vector<double> x = std::vector<double>(101, 1.0);
    std::vector<double> y = std::vector<double>(101, 10.0);
    std::vector<int> k = std::vector<int>(101, 0);
    shape_check_limits limits{};
    std::uint32_t modulus = attune::code_facts{}.address_modulus;
    // The default, from its contents, from those moved away from zero, and, as nothing writes `k`,
    // from those across it and once more away; the variant from both.
    // Each child that compares times adds six, or 32 if the variant seems slower.
    unsigned most_executions = 6; // of all children
    unsigned most_comparisons = 3;

    shape_verdict verify(function trusted, function tried, isolation how = isolation::fork)
    {
        return verify_on(x, y, k, trusted, tried, how);
    }
    shape_verdict verify_on(in a, out b, ints c, function trusted, function tried,
                            isolation how = isolation::fork)
    {
        attune::call_frame const frame =
            attune::detail::make_call_frame(kernel.describe().tolerances, a, b, c);
        std::vector<double> const a_before(a.begin(), a.end());
        std::vector<double> const b_before(b.begin(), b.end());
        std::vector<int> const c_before(c.begin(), c.end());
        shape_verdict const said = attune::detail::verify_shape(
            kernel.describe(), frame, code(trusted, modulus), code(tried, modulus), limits, how);
        CHECK(std::equal(a.begin(), a.end(), a_before.begin()));
        CHECK(std::equal(b.begin(), b.end(), b_before.begin()));
        CHECK(std::equal(c.begin(), c.end(), c_before.begin()));
        CHECK(said.executions <=
              most_executions + (limits.compares_times ? 32 * most_comparisons : 0));
        CHECK(said.runs_s <= said.elapsed_s);
        CHECK((said.how == ending::right) == said.why.reason.empty());
        CHECK(waitpid(-1, nullptr, WNOHANG) == -1); // no child is left
        return said;
    }
};

constexpr isolation everywhere[] = {isolation::fork, isolation::guard, isolation::none};

} // namespace

TEST_CASE("a variant that is right is served")
{
    for (isolation const how : everywhere) {
        call c;
        shape_verdict const said = c.verify(assign, keeps_scratch, how);
        CHECK(said.how == ending::right);
        CHECK(said.executions >= 3); // the default twice
        CHECK(c.verify(add, add, how).how == ending::right);
    }
}

TEST_CASE("a forgotten remainder is wrong at each size that has one, and right elsewhere")
{
    for (isolation const how : everywhere)
        for (std::size_t const n : {0u, 1u, 15u, 16u, 17u, 31u, 32u, 33u, 100u, 4096u, 4097u}) {
            call c;
            c.x.assign(n, 1.5);
            c.y.assign(n, 3.0); // the right answer stands there already
            c.k.clear();
            CAPTURE(n);
            shape_verdict const said = c.verify(assign, no_remainder, how);
            CHECK(said.how == (n % 16 == 0 ? ending::right : ending::wrong));
            if (n % 16 != 0) CHECK(said.why.stage == failure_stage::verify);
        }
}

TEST_CASE("who writes nothing is found out although the answer stands there already")
{
    for (isolation const how : everywhere) {
        call c;
        assign(c.x, c.y, c.k);
        shape_verdict const said = c.verify(assign, nothing, how);
        CHECK(said.how == ending::wrong);
        CHECK(has(said.why.reason, "argument 1, element 0"));
        c.y.assign(c.y.size(), 100.0); // clamped already: one more call changes nothing
        CHECK(c.verify(clamp, nothing, how).how == ending::wrong);
        CHECK(c.verify(clamp, clamp, how).how == ending::right);
        CHECK(c.verify(add, assign, how).how == ending::wrong);
        CHECK(c.verify(assign, add, how).how == ending::wrong);
    }
}

TEST_CASE("a load past the end is found at each length if addresses do not matter")
{
    for (std::size_t const n : {1u, 2u, 7u, 8u, 9u, 16u}) {
        call c;
        c.modulus = 8;
        c.x.assign(n, 1.5);
        c.y.assign(n, 3.0);
        c.k.clear();
        CAPTURE(n);
        CHECK(c.verify(assign, loads_eight).how == (n % 8 == 0 ? ending::right : ending::wrong));
    }
}

TEST_CASE("where a sum cancels, another order of it is no mistake; elsewhere a part of it is")
{
    for (isolation const how : everywhere) {
        call c;
        c.y.assign(1, 3.0);
        c.k.clear();
        CHECK(c.verify(sum, sum_backwards, how).how == ending::right);
        CHECK(c.verify(sum, sum_of_half, how).how == ending::wrong);
        c.x = cancelling(101);
        CHECK(c.verify(sum, sum_of_half, how).how == ending::wrong);
        shape_verdict const said = c.verify(sum, sum_backwards, how);
        CHECK(said.how == ending::unknown);
        CHECK(has(said.why.reason, "kernel.tolerate"));
        c.kernel.tolerate<1>(attune::tolerance{}); // equal bits are asked for
        CHECK(c.verify(sum, sum_backwards, how).how == ending::wrong);
    }
}

TEST_CASE("of rows that cancel, those of another order are no mistake, and shortened ones are")
{
    for (isolation const how : everywhere) {
        call c;
        c.x = cancelling(8);
        for (std::size_t i = 0; i < 8; ++i) // equal bits in each order
            c.x[i] = i % 2 == 0 ? 3 : -3;
        for (std::size_t row = 1; row < 10; ++row)
            for (double const x : cancelling(8))
                c.x.push_back(x * static_cast<double>(row));
        c.y.assign(10, 3.0);
        c.k.clear();
        CHECK(c.verify(row_sums, row_sums_backwards, how).how == ending::unknown);
        CHECK(c.verify(row_sums, row_sums_of_seven, how).how == ending::wrong);
    }
}

TEST_CASE("a double sum of floats may cancel, and without its tail it is wrong all the same")
{
    using float_sum = void(std::span<float const>, out);
    attune::kernel<float_sum> const kernel{"f", attune::source_text("", "f.kernel.cpp"),
                                           attune::space(attune::integer<"A">(1, 2))};
    float_sum* const total = [](std::span<float const> x, out y) {
        y[0] = 0;
        for (float const one : x)
            y[0] += static_cast<double>(one);
    };
    float_sum* const backwards = [](std::span<float const> x, out y) {
        y[0] = 0;
        for (std::size_t i = x.size(); i-- > 0;)
            y[0] += static_cast<double>(x[i]);
    };
    float_sum* const without_tail = [](std::span<float const> x, out y) {
        y[0] = 0;
        for (float const one : x.first(x.size() / 16 * 16))
            y[0] += static_cast<double>(one);
    };
    std::vector<float> x(1'003);
    for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = 1 + static_cast<float>(i % 7);
    std::vector<double> y(1, 3.0);
    auto const verify = [&](float_sum* tried, isolation how) {
        attune::callable const trusted{.address = reinterpret_cast<void*>(total)};
        attune::callable const code{.address = reinterpret_cast<void*>(tried)};
        return attune::detail::verify_shape(
                   kernel.describe(),
                   attune::detail::make_call_frame({}, std::span<float const>(x), out(y)), trusted,
                   code, {}, how)
            .how;
    };
    for (isolation const how : everywhere) {
        CHECK(verify(backwards, how) == ending::right);
        CHECK(verify(without_tail, how) == ending::wrong);
    }
    // Of many magnitudes: doubles round. Three floats take away the sum but for a rounding.
    for (std::size_t i = 0; i + 3 < x.size(); ++i)
        x[i] = static_cast<float>(std::ldexp(std::sin(static_cast<double>(i)), int(i % 40) - 20));
    double left = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (i + 3 >= x.size()) x[i] = static_cast<float>(-left);
        left += static_cast<double>(x[i]);
    }
    for (isolation const how : everywhere) {
        CHECK(verify(backwards, how) == ending::unknown);
        CHECK(verify(without_tail, how) == ending::wrong);
    }
}

TEST_CASE("whether a difference is rounding is asked at the alignments of the call")
{
    std::vector<double> const numbers = cancelling(20'000); // malloc() aligns them to 16 alone
    std::vector<double> memory(numbers.size() + 8);
    auto const from = reinterpret_cast<std::uintptr_t>(memory.data()) % 64 / sizeof(double);
    out const x = out(memory).subspan((8 - from) % 8, numbers.size());
    std::copy(numbers.begin(), numbers.end(), x.begin());
    for (isolation const how : everywhere) {
        call c;
        c.y.assign(1, 3.0);
        shape_verdict const said = c.verify_on(x, c.y, {}, sum_of_aligned, sum_backwards, how);
        CHECK(said.how == ending::unknown);
        CHECK(has(said.why.reason, "kernel.tolerate"));
    }
}

TEST_CASE("a default that fails for other numbers makes no wrong result a rounding")
{
    for (isolation const how : {isolation::fork, isolation::guard}) {
        if (is_skipped(attune_test::thread_sanitized, attune_test::jumps_out_of_handlers)) return;
        call c;
        c.x = cancelling(101);
        c.y.assign(1, 3.0);
        c.k.clear();
        CHECK(c.verify(sum_from_one, sum_of_half, how).how == ending::wrong);
    }
}

TEST_CASE("a number that no run of the default writes is not a rounding")
{
    for (isolation const how : everywhere) {
        call c;
        CHECK(c.verify(inside, inside, how).how == ending::right);
        CHECK(c.verify(inside, inside_and_first, how).how == ending::wrong);
    }
}

TEST_CASE("a difference of a few tolerances has advice, a large one has none")
{
    for (isolation const how : everywhere) {
        call c;
        shape_verdict said = c.verify(assign, assign_roughly, how);
        CHECK(said.how == ending::wrong);
        CHECK(has(said.why.reason, "; if that is rounding, kernel.tolerate<1>(...) allows it"));
        said = c.verify(assign, wrong_tail, how);
        CHECK(said.how == ending::wrong);
        CHECK_FALSE(has(said.why.reason, "tolerate"));
        c.kernel.tolerate<1>(attune::tolerance{}); // equal bits are asked for
        CHECK_FALSE(has(c.verify(assign, assign_roughly, how).why.reason, "tolerate"));
    }
}

TEST_CASE("times are taken at the caller's alignments, also where addresses do not matter")
{
    call c;
    c.modulus = 8;
    places.clear();
    CHECK(c.verify(assign, notes_place, isolation::none).how == ending::right);
    REQUIRE(places.size() >= 2);
    // The array's 808 bytes end a page in the first run.
    CHECK(places.front() == (4096 - 808) % 64);
    CHECK(places.back() == reinterpret_cast<std::uintptr_t>(c.x.data()) % 64);
}

TEST_CASE("a short variant whose first runs alone take long is not slower")
{
    call c;
    runs_to_come = 8;
    shape_verdict const said = c.verify(assign, slow_at_first, isolation::none);
    CHECK(said.how == ending::right);
    CHECK(runs_to_come < 0);
    CHECK_FALSE(said.is_slower);
}

TEST_CASE("what a bad variant does is its failure, and the caller never sees it")
{
    call c;
    struct row {
        function tried;
        char const* says;
        char const* says_under_guard = nullptr; ///< none: only in a child
    };
    bool const is_guarded =
        !is_skipped(attune_test::thread_sanitized, attune_test::jumps_out_of_handlers);
    for (row const& one :
         {row{wrong_tail, "argument 1, element 100: got 0, reference 2", "argument 1, element 100"},
          row{one_past, "argument 1: written outside of its 808 bytes",
              "argument 1: written outside"},
          row{reads_on, "past the end of argument 0 (it has 808 bytes)", "SIGSEGV"},
          row{crash, "SIGSEGV", "SIGSEGV"}, row{hang, "still running after", "still running after"},
          row{throws, "not at this size", "not at this size"},
          row{throws_number, "an exception that is not a std::exception"},
          row{leaves, "exit(0) was called"}, row{leaves_at_once, "exit(0) was called"},
          row{leaks, "leaks 1 MiB"},
          row{rounds_up, "changed the floating-point mode", "changed the floating-point mode"},
          row{forks, "left a child process behind"},
          row{leaves_process, "left a child process behind"},
          row{closes, "closed or exchanged file descriptor 0"}, row{kills, "SIGKILL"}})
        for (isolation const how : {isolation::fork, isolation::guard}) {
            char const* const says = how == isolation::fork ? one.says : one.says_under_guard;
            if (says == nullptr || (how == isolation::guard && !is_guarded)) continue;
            CAPTURE(says);
            shape_verdict const said = c.verify(assign, one.tried, how);
            // Whether code that does not end soon would be right is not waited for.
            CHECK(said.how == (one.tried == hang ? ending::unknown : ending::wrong));
            CHECK(said.is_slower == (one.tried == hang));
            CHECK(has(said.why.reason, says));
            if (one.tried == throws) CHECK(said.why.reason == says);
            CHECK(std::fegetround() == FE_TONEAREST);
        }
    if (is_guarded)
        CHECK(c.verify(assign, throws, isolation::none).why.reason == "not at this size");
}

TEST_CASE("where the trusted code fails on the copies nothing is known of the variant")
{
    call c;
    for (function trusted : {reads_on, one_past, crash, throws, leaves_at_once, kills}) {
        shape_verdict const said = c.verify(trusted, assign);
        CHECK(said.how == ending::unknown);
        CHECK(has(said.why.reason, "the trusted code failed on copies of the arrays: "));
    }
    CHECK(has(c.verify(reads_on, assign).why.reason, "past the end of argument 0"));
    c.limits.check_s = 0.1;
    for (function trusted : {hang, slow})
        for (isolation const how : {isolation::fork, isolation::guard}) {
            if (how == isolation::guard && attune_test::thread_sanitized) continue;
            shape_verdict const said = c.verify(trusted, assign, how);
            CHECK(said.how == ending::unknown);
            CHECK(said.elapsed_s < 5);
        }
    CHECK(has(c.verify(slow, assign).why.reason, "a check would take longer than 0.1 s"));
}

TEST_CASE("a default that other contents lead astray is compared from the caller's alone")
{
    for (isolation const how : {isolation::fork, isolation::guard}) {
        if (how == isolation::guard && attune_test::thread_sanitized) continue;
        call c; // k = 0 is an index, 1 is none
        CHECK(c.verify(follow, follow, how).how == ending::right);
        shape_verdict const said = c.verify(follow, nothing, how);
        CHECK(said.how == ending::wrong);
        CHECK(has(said.why.reason, "got 10, reference 1"));
    }
}

TEST_CASE("what the trusted code changes in the process, the variant may")
{
    call c;
    CHECK(c.verify(rounds_up, rounds_up).how == ending::right);
    CHECK(c.verify(rounds_up, rounds_up, isolation::guard).how == ending::right);
    CHECK(std::fegetround() == FE_TONEAREST);
}

TEST_CASE("overlapping arrays keep their places in the copy")
{
    for (isolation const how : everywhere) {
        call c;
        for (std::size_t i = 0; i < c.y.size(); ++i)
            c.y[i] = static_cast<double>(i);
        in const all(c.y);
        // y[i + 1] = 2 y[i], one after the other: what blocks make of it differs.
        CHECK(c.verify_on(all.first(100), out(c.y).subspan(1), c.k, assign, assign, how).how ==
              ending::right);
        auto const backwards = [](in x, out y, ints) {
            for (std::size_t i = y.size(); i-- > 0;)
                y[i] = 2 * x[i];
        };
        CHECK(c.verify_on(all.first(100), out(c.y).subspan(1), c.k, assign, backwards, how).how ==
              ending::wrong);
        CHECK(c.verify_on(all, c.y, c.k, assign, backwards, how).how == ending::right);
        CHECK(c.verify_on(all, c.y, c.k, assign, one_past, how).how == ending::wrong);
        if (how == isolation::fork)
            CHECK(c.verify_on(all, c.y, c.k, reads_on, assign, how).how == ending::unknown);
    }
}

TEST_CASE("a variant that packs a constant array in its first run has time for that")
{
    using packing = void(attune::constant_view<double>, std::span<double>);
    attune::kernel<packing> kernel{"f", attune::source_text("", "f.kernel.cpp"),
                                   attune::space(attune::integer<"A">(1, 2))};
    std::vector<double> const w(101, 1.5);
    std::vector<double> y(101, 0.0);
    attune::call_frame const frame = attune::detail::make_call_frame(
        {}, attune::constant_view<double>(w.data(), w.size()), out(y));
    auto const verify = [&](packing* tried, isolation how = isolation::fork, double check_s = 1) {
        attune::callable plain;
        plain.address = reinterpret_cast<void*>(+[](attune::constant_view<double> a, out b) {
            for (std::size_t i = 0; i < b.size(); ++i)
                b[i] = 2 * a.data()[i];
        });
        attune::callable const made{.address = reinterpret_cast<void*>(tried)};
        return attune::detail::verify_shape(kernel.describe(), frame, plain, made,
                                            {.check_s = check_s}, how);
    };
    constexpr auto packs = [](attune::constant_view<double> a, out b) {
        long const none = 0;
        auto const* form = static_cast<double const*>(a.forms()->find(a.forms(), "2 a", &none, 0));
        if (form == nullptr) {
            std::this_thread::sleep_for(std::chrono::milliseconds(400));
            void* begun = nullptr;
            auto* const to = static_cast<double*>(
                a.forms()->begin(a.forms(), "2 a", &none, 0, a.size() * sizeof(double), &begun));
            for (std::size_t i = 0; i < a.size(); ++i)
                to[i] = 2 * a.data()[i];
            form = static_cast<double const*>(a.forms()->keep(a.forms(), begun));
        }
        std::copy_n(form, b.size(), b.begin());
    };
    for (isolation const how : everywhere) {
        if (how == isolation::guard && attune_test::thread_sanitized) continue;
        CHECK(verify(packs, how).how == ending::right);
        CHECK(verify([](attune::constant_view<double>, out) {}, how).how == ending::wrong);
    }
    CHECK(verify([](attune::constant_view<double>, out) { std::raise(SIGKILL); }).how ==
          ending::wrong);
    // What takes longer still may be packing: that it is wrong is not known.
    for (isolation const how : {isolation::fork, isolation::guard}) {
        if (how == isolation::guard && attune_test::thread_sanitized) continue;
        shape_verdict const said =
            verify([](attune::constant_view<double>, out) { hang({}, {}, {}); }, how, 0.3);
        CHECK(said.how == ending::unknown);
        CHECK(said.why.stage == failure_stage::timeout);
        CHECK(said.elapsed_s < 5);
    }
}

TEST_CASE("a call without arrays, and one without elements, has a verdict")
{
    attune::kernel<void(int)> kernel{"f", attune::source_text("", "f.kernel.cpp"),
                                     attune::space(attune::integer<"A">(1, 2))};
    attune::call_frame const frame = attune::detail::make_call_frame({}, 3);
    attune::callable const fine{.address = reinterpret_cast<void*>(+[](int) {})};
    attune::callable const bad{.address = reinterpret_cast<void*>(+[](int i) { throw i; })};
    CHECK(attune::detail::verify_shape(kernel.describe(), frame, fine, bad).how == ending::wrong);
    CHECK(attune::detail::verify_shape(kernel.describe(), frame, bad, fine).how == ending::unknown);
    for (isolation const how : everywhere) {
        call c;
        CHECK(c.verify_on({}, {}, {}, assign, nothing, how).how == ending::right);
        if (how == isolation::none) continue;
        CHECK(c.verify_on({}, {}, {}, assign, one_past, how).how == ending::wrong);
    }
}

TEST_CASE("arrays that are too large to copy are not copied")
{
    call c;
    c.limits.most_bytes = 1000;
    shape_verdict const said = c.verify(assign, wrong_tail);
    CHECK(said.how == ending::unknown);
    CHECK(said.executions == 0);
    CHECK(has(said.why.reason, "its arrays take 2020 bytes"));
}

TEST_CASE("the user's reference is what is right, and its failures are no variant's")
{
    for (isolation const how : everywhere) {
        call c;
        c.kernel.reference([](in x, out y, ints k) { add(x, y, k); });
        CHECK(c.verify(assign, assign, how).how == ending::wrong);
        CHECK(c.verify(assign, add, how).how == ending::right);
        c.kernel.reference([](in, out, ints) { throw std::runtime_error("no data"); });
        shape_verdict const said = c.verify(assign, assign, how);
        CHECK(said.how == ending::unknown);
        CHECK(has(said.why.reason, "no data"));
    }
}

TEST_CASE("the user's check decides, and one that throws refuses")
{
    auto const sum_of = [](out y) {
        double sum = 0;
        for (double const value : y)
            sum += value;
        return sum;
    };
    for (isolation const how : everywhere) {
        call c;
        c.kernel.check([sum_of](in, out y, ints) { return sum_of(y) == 202.0; });
        CHECK(c.verify(assign, assign, how).how == ending::right);
        CHECK(c.verify(assign, wrong_tail, how).how == ending::wrong);
        CHECK(c.verify(wrong_tail, assign, how).how == ending::unknown);
        c.kernel.check([sum_of](in, out y, ints) -> std::string {
            return sum_of(y) == 202.0 ? std::string() : throw std::runtime_error("a bad sum");
        });
        shape_verdict const said = c.verify(assign, wrong_tail, how);
        CHECK(said.how == ending::wrong);
        CHECK(said.why.stage == failure_stage::verify);
        CHECK(has(said.why.reason, "a bad sum"));
        CHECK(c.verify(assign, assign, how).how == ending::right);
    }
}

TEST_CASE("without memory or a child process there is no verdict, and no exception")
{
    if (attune_test::address_sanitized) return;
    call c;
    rlimit old{};
    getrlimit(RLIMIT_AS, &old);
    c.x.assign(std::size_t{1} << 20, 1.0);
    c.y.assign(std::size_t{1} << 20, 1.0);
    for (isolation const how : {isolation::fork, isolation::guard}) {
        attune::call_frame const frame =
            attune::detail::make_call_frame({}, in(c.x), out(c.y), ints(c.k));
        rlimit tight = old;
        tight.rlim_cur = address_space() + (std::size_t{4} << 20);
        setrlimit(RLIMIT_AS, &tight);
        shape_verdict const said = attune::detail::verify_shape(
            c.kernel.describe(), frame, code(assign), code(wrong_tail), {}, how);
        setrlimit(RLIMIT_AS, &old);
        // A child has a limit of its own.
        CHECK(said.how == (how == isolation::fork ? ending::wrong : ending::unknown));
        CHECK(!said.why.reason.empty());
    }
    rlimit processes{};
    getrlimit(RLIMIT_NPROC, &processes);
    if (geteuid() == 0) return; // root may have as many as it likes
    rlimit none = processes;
    none.rlim_cur = 1;
    setrlimit(RLIMIT_NPROC, &none);
    shape_verdict const said = c.verify(assign, assign);
    setrlimit(RLIMIT_NPROC, &processes);
    CHECK(said.how == ending::unknown);
}

TEST_CASE("a host that ignores its children, and one with much memory, gets its verdict")
{
    std::vector<char> much(std::size_t{64} << 20, 'x'); // left out of the fork
    call c;
    CHECK(c.verify(assign, assign).how == ending::right);
    CHECK(c.verify(assign, wrong_tail).how == ending::wrong);
    // Code that needs what was left out is given it.
    static char const* other = nullptr;
    other = much.data() + much.size() / 2;
    c.most_executions = 12; // those of a child that missed it count too
    c.most_comparisons = 4;
    CHECK(c.verify(assign, [](in x, out y, ints k) {
               if (*other == 'x') assign(x, y, k);
           }).how == ending::right);

    // Without the status of a child nobody knows that it was for the memory that it ended.
    if (is_skipped(address_sanitized || thread_sanitized,
                   "its runtime reads what was left out of the fork"))
        return;
    struct sigaction ignore{};
    struct sigaction before{};
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGCHLD, &ignore, &before);
    CHECK(c.verify(assign, assign).how == ending::right);
    CHECK(c.verify(assign, wrong_tail).how == ending::wrong);
    CHECK(c.verify(assign, crash).how != ending::right);
    sigaction(SIGCHLD, &before, nullptr);
}

TEST_CASE("a program with a team of GCC's OpenMP gets its verdict")
{
    if (attune_test::thread_sanitized) return; // libgomp is not instrumented
    void* const library = dlopen("libgomp.so.1", RTLD_NOW);
    if (library == nullptr) return;
    static void (*parallel)(void (*)(void*), void*, unsigned, unsigned) = nullptr;
    parallel = reinterpret_cast<decltype(parallel)>(dlsym(library, "GOMP_parallel"));
    if (parallel == nullptr) return;
    auto const in_parallel = [](in x, out y, ints k) {
        parallel([](void*) {}, nullptr, 2, 0);
        assign(x, y, k);
    };
    pid_t const other = fork(); // the team's threads stay until its end
    if (other == 0) {
        parallel([](void*) {}, nullptr, 2, 0);
        call c;
        int failed = 0;
        auto const expect = [&](bool holds) { failed = 2 * failed + (holds ? 0 : 1); };
        expect(c.verify(in_parallel, in_parallel, isolation::automatic).how == ending::right);
        expect(c.verify(in_parallel, wrong_tail, isolation::automatic).how == ending::wrong);
        c.limits.check_s = 0.3;
        shape_verdict const said = c.verify(in_parallel, in_parallel); // hangs in a forked child
        expect(said.how == ending::unknown);
        expect(said.elapsed_s < 10);
        shape_verdict const hanging = c.verify(assign, in_parallel);
        expect(hanging.how == ending::unknown && hanging.is_slower);
        _exit(failed);
    }
    int status = -1;
    waitpid(other, &status, 0);
    CHECK(status == 0);
}

TEST_CASE("many checks leave no memory behind")
{
    if (attune_test::address_sanitized || attune_test::thread_sanitized) return;
    for (isolation const how : {isolation::fork, isolation::guard}) {
        call c;
        for (int i = 0; i < 20; ++i)
            CHECK(c.verify(assign, wrong_tail, how).how == ending::wrong);
        std::size_t const before = address_space();
        for (int i = 0; i < 50; ++i)
            CHECK(c.verify(assign, wrong_tail, how).how == ending::wrong);
        CHECK(address_space() <= before + (std::size_t{1} << 20));
    }
}

TEST_CASE("a variant that is right and takes a hundred times as long is slower")
{
    for (isolation const how : everywhere) {
        call c;
        shape_verdict const slow = c.verify(assign, assign_slowly, how);
        CHECK(slow.how == ending::right);
        CHECK(slow.is_slower);
        CHECK(slow.tried_s > slow.trusted_s);
        CHECK(!c.verify(assign_slowly, assign, how).is_slower);
    }
}

TEST_CASE("a variant that does not end in time is slower, not wrong, also if no times are compared")
{
    for (isolation const how : {isolation::fork, isolation::guard}) {
        if (how == isolation::guard && attune_test::thread_sanitized) continue;
        call c;
        c.limits.compares_times = false;
        c.limits.check_s = 0.3;
        shape_verdict const said = c.verify(assign, hang, how);
        CHECK(said.how == ending::unknown);
        CHECK(said.is_slower);
        CHECK(said.why.stage == failure_stage::timeout);
    }
}

/// While it exists, this thread and those that it makes have a single processor.
class single_processor {
public:
    single_processor()
    {
        REQUIRE(::sched_getaffinity(0, sizeof before_, &before_) == 0);
        cpu_set_t one;
        CPU_ZERO(&one);
        for (std::size_t cpu = 0; CPU_COUNT(&one) == 0; ++cpu)
            if (CPU_ISSET(cpu, &before_)) CPU_SET(cpu, &one);
        REQUIRE(::sched_setaffinity(0, sizeof one, &one) == 0);
    }
    ~single_processor() { static_cast<void>(::sched_setaffinity(0, sizeof before_, &before_)); }
    single_processor(single_processor const&) = delete;
    single_processor& operator=(single_processor const&) = delete;

private:
    cpu_set_t before_{};
};

namespace {

void spin_for(double cpu_s)
{
    attune::system_clocks const clocks;
    double const until_s = clocks.thread_cpu_s() + cpu_s;
    while (clocks.thread_cpu_s() < until_s)
        asm volatile("");
}

} // namespace

TEST_CASE("a run that loses its processor to another program does not count the time without it")
{
    single_processor const one;
    pid_t const other = ::fork();
    REQUIRE(other >= 0);
    if (other == 0) {
        ::alarm(60);
        while (true)
            asm volatile("");
    }
    attune::system_clocks const clocks;
    double wall_s = 0;
    double counted_s = 0;
    for (int i = 0; i < 50 && wall_s < 0.15; ++i) { // the other program may not have begun
        double const from_s = clocks.wall_s();
        attune::detail::run_clock const clock;
        spin_for(0.1);
        counted_s = clock.seconds();
        wall_s = clocks.wall_s() - from_s;
    }
    CHECK(::kill(other, SIGKILL) == 0);
    CHECK(::waitpid(other, nullptr, 0) == other);
    REQUIRE(wall_s >= 0.15);
    CHECK(counted_s < 0.14); // a tenth, and not the other program's share
    CHECK(counted_s > 0.09);
}

TEST_CASE("a run whose threads share a processor counts the time of all of them")
{
    single_processor const one;
    std::atomic<bool> is_over{false};
    attune::system_clocks const clocks;
    attune::detail::run_clock const clock;
    double const from_s = clocks.wall_s();
    double const cpu_from_s = clocks.process_cpu_s();
    std::thread helper([&] {
        spin_for(0.1);
        is_over = true;
    });
    while (!is_over) // as at a barrier
        asm volatile("");
    double const ran_s = std::min(clocks.wall_s() - from_s, clocks.process_cpu_s() - cpu_from_s);
    CHECK(clock.seconds() >= ran_s);
    CHECK(ran_s >= 0.1);
    helper.join();
}

TEST_CASE("the default is what is compared with, not the user's reference, if times are at all")
{
    call c;
    c.kernel.reference([](in x, out y, ints k) { assign(x, y, k); });
    CHECK(c.verify(assign, assign_slowly).is_slower);
    CHECK(!c.verify(assign_slowly, assign).is_slower);
    call plain;
    plain.limits.compares_times = false;
    shape_verdict const said = plain.verify(assign, assign_slowly);
    CHECK(said.how == ending::right);
    CHECK(!said.is_slower);
}

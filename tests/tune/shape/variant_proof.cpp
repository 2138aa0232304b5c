// tests/tune/shape/variant_proof.cpp - which mistakes a variant's proof finds, what it makes servable, and for which calls.
// SPDX-License-Identifier: MIT
#include <attune/tune/shape/variant_proof.hpp>

#include <attune/attune.hpp>
#include <attune/measure/sandbox/child_process.hpp>
#include <attune/tune/kernel/launch_arguments.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <doctest/doctest.h>
#include <functional>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "../../support/accumulate.hpp"
#include "../../support/sanitized.hpp"
#include "../../support/texts.hpp"

using namespace attune::detail;
using words = std::vector<std::int64_t>;

namespace {

using in = std::span<float const>;
using out = std::span<float>;
using product = void(in, in, out, int, int, int);

template <class Signature>
attune::kernel<Signature> stepped(std::string const& name)
{
    return {name, attune::source_text("int s = ATTUNE_TUNABLE(STEP, 1);", name + ".kernel.cpp"),
            attune::space(attune::ordinal<"STEP">(attune::values(1, 2)))};
}

/// The product, made three times: no variant below is slower, which a proof would find.
void plain(in a, in b, out c, int m, int n, int k)
{
    for (int again = 0; again < 3; ++again)
        for (int i = 0; i < m; ++i)
            for (int j = 0; j < n; ++j) {
                float sum = 0;
                for (int l = 0; l < k; ++l)
                    sum += a[static_cast<std::size_t>(i * k + l)] *
                           b[static_cast<std::size_t>(l * n + j)];
                c[static_cast<std::size_t>(i * n + j)] = sum;
            }
}

/// The product in blocks of 4 x 8; each part of it can be forgotten.
template <int Forgotten>
void blocked(in a, in b, out c, int m, int n, int k)
{
    int const rows = m / 4 * 4;
    int const columns = n / 8 * 8;
    // The last columns in their order, or the other way round.
    auto const of_column = [&](int j) {
        return Forgotten == 10 && j >= columns ? columns + n - 1 - j : j;
    };
    auto const part = [&](int from_i, int to_i, int from_j, int to_j) {
        for (int i = from_i; i < to_i; ++i)
            for (int j = from_j; j < to_j; ++j) {
                float sum = 0;
                int const depth = Forgotten == 4 ? k / 2 * 2 : k;
                for (int l = 0; l < depth; ++l)
                    sum += a[static_cast<std::size_t>(i * k + l)] *
                           b[static_cast<std::size_t>(l * n + of_column(j))];
                c[static_cast<std::size_t>(i * n + j)] = sum;
            }
    };
    if (Forgotten == 5 && m > 1'000) return;
    if (Forgotten == 6 && m > n) return;
    if (Forgotten == 7 && k == 0) return;
    if (Forgotten == 8 && n < m && m < 2 * n + 1) return;
    if (Forgotten == 9 && m == 1 && n % 8 == 7) return;
    part(0, rows, 0, columns);
    if (Forgotten != 1) part(rows, m, 0, columns);
    if (Forgotten != 2) part(0, rows, columns, n);
    if (Forgotten != 3) part(rows, m, columns, n);
}

/// Adds to c; of the last rows nothing where `Whole` is false.
template <bool Whole>
void added(in a, in b, out c, int m, int n, int k)
{
    for (int i = 0; i < (Whole ? m : m / 4 * 4); ++i)
        for (int l = 0; l < k; ++l)
            for (int j = 0; j < n; ++j)
                c[static_cast<std::size_t>(i * n + j)] +=
                    a[static_cast<std::size_t>(i * k + l)] * b[static_cast<std::size_t>(l * n + j)];
}

/// One call of m = n = k = 64, and what a proof of `tried` says of it.
struct proven_product {
    explicit proven_product(product* tried, bool declares = false, product* trusted = &plain,
                            bool (*takes)(in, in, out, int, int, int) = nullptr,
                            proof_limits const& limits = {.proof_s = 20},
                            std::function<void(attune::kernel<product>&)> const& declare = {})
    {
        if (declare) declare(kernel);
        if (takes != nullptr) kernel.precondition(takes);
        code.address = reinterpret_cast<void*>(tried);
        right.address = reinterpret_cast<void*>(trusted);
        if (declares)
            kernel.lengths(attune::argument<3> * attune::argument<5>,
                           attune::argument<5> * attune::argument<4>,
                           attune::argument<3> * attune::argument<4>);
        auto const frame_of = [](in x, in y, out z, int m, int n, int k) {
            return make_call_frame({}, x, y, z, m, n, k);
        };
        attune::call_frame frame = frame_of(a, b, c, 64, 64, 64);
        frame.resized = [&, frame_of](std::span<std::int64_t const> s) {
            auto const cut = [](auto all, std::int64_t n) {
                return n < 0 || static_cast<std::size_t>(n) > all.size()
                           ? all
                           : all.first(static_cast<std::size_t>(n));
            };
            auto const number = [](std::int64_t n) { return n < 0 ? 64 : static_cast<int>(n); };
            return frame_of(cut(in(a), s[0]), cut(in(b), s[1]), cut(out(c), s[2]), number(s[3]),
                            number(s[4]), number(s[5]));
        };
        words const first = key_of(64, 64, 64);
        trust.add(first);
        proof = prove_variant({kernel.describe(), layout, {}, {}, right, code, divisors}, first,
                              frame, trust, limits);
        for (words const& one : proof.right)
            trust.add(one);
    }
    [[nodiscard]] static words key_of(int m, int n, int k)
    {
        std::vector<float> x(static_cast<std::size_t>(m * k)), y(static_cast<std::size_t>(k * n)),
            z(static_cast<std::size_t>(m * n));
        auto const key = shape{attune::detail::shape_choice{}}(x, y, z, m, n, k);
        return {key.begin(), key.end()};
    }
    [[nodiscard]] bool covers(int m, int n, int k) const { return trust.covers(key_of(m, n, k)); }

    using shape = shape_of_call<in, in, out, int, int, int>;
    std::vector<shape_word> const layout = shape::layout();
    words const divisors{4, 8};
    attune::kernel<product> kernel = stepped<product>("product");
    std::vector<float> a = std::vector<float>(4096, 1.0f);
    std::vector<float> b = std::vector<float>(4096, 2.0f);
    std::vector<float> c = std::vector<float>(4096, 3.0f);
    attune::callable code, right;
    shape_trust trust{layout, divisors, 4};
    variant_proof proof;
};

using copy = void(in, out, int);
void copied(in x, out y, int n)
{
    for (int i = 0; i < n; ++i)
        y[static_cast<std::size_t>(i)] = x[static_cast<std::size_t>(i)];
}
/// As if it loaded eight aligned numbers at once.
void copied_aligned(in x, out y, int n)
{
    copied(x, y, n);
    if (n >= 8 && reinterpret_cast<std::uintptr_t>(x.data()) % 32 != 0) y[0] += 1;
}

using ints = std::span<int>;

void fill(ints y, int value)
{
    for (int& v : y)
        v = value;
}
/// Wrong for lengths that 3 divides, deadly for 40 and 41, endless for 50.
void moody(ints y, int value)
{
    if (y.size() == 40 || y.size() == 41) std::abort();
    while (y.size() == 50)
        asm volatile("");
    fill(y, value);
    if (y.size() % 3 == 0 && !y.empty()) y.back() = 0;
}
/// The default may be as bad: then there is nothing to compare with.
void moody_default(ints y, int value)
{
    if (y.size() < 2) std::abort();
    fill(y, value);
}

bool is_right(shape_proof const& of, std::size_t call)
{
    return of.results[call] == call_result::right;
}

attune::detail::shape_proof prove(void (*trusted)(ints, int), void (*tried)(ints, int),
                                  double limit_s = 5)
{
    static attune::kernel<void(ints, int)> const kernel = stepped<void(ints, int)>("fill");
    static std::vector<int> data(64, 7);
    attune::callable const one{.address = reinterpret_cast<void*>(trusted)};
    attune::callable const other{.address = reinterpret_cast<void*>(tried)};
    auto const frame_at = [](std::size_t i) {
        return attune::detail::make_call_frame<ints, int>({}, ints(data.data(), i), 3);
    };
    attune::detail::shape_proof const proof =
        attune::detail::prove_shapes(kernel.describe(), 60, frame_at, one, other, limit_s);
    for (int const v : data)
        CHECK(v == 7); // whatever ran, it ran on copies
    return proof;
}

} // namespace

TEST_CASE("a right variant serves nearly all sizes after a tuning at three equal ones")
{
    if (is_skipped(address_sanitized || thread_sanitized, jumps_out_of_handlers)) return;
    for (bool const declares : {false, true}) {
        proven_product const of(&blocked<0>, declares);
        CHECK(of.proof.right.size() > 100);
        std::mt19937 random(3);
        auto const size = [&] {
            return static_cast<int>(std::exp2(10.0 * static_cast<double>(random()) * 0x1p-32));
        };
        int covered = 0;
        for (int i = 0; i < 500; ++i)
            covered += of.covers(size(), size(), size()) ? 1 : 0;
        CHECK_MESSAGE(covered > 450, covered);
    }
}

TEST_CASE("no shape that needs a part of the code that was forgotten is served")
{
    if (is_skipped(address_sanitized || thread_sanitized, jumps_out_of_handlers)) return;
    struct mutant {
        product* code;
        bool (*is_wrong)(int m, int n, int k);
    };
    for (mutant const &one : {
             mutant{&blocked<1>, [](int m, int n, int) { return m % 4 != 0 && n >= 8; }},
             mutant{&blocked<2>, [](int m, int n, int) { return n % 8 != 0 && m >= 4; }},
             mutant{&blocked<3>, [](int m, int n, int) { return m % 4 != 0 && n % 8 != 0; }},
             mutant{&blocked<4>, [](int m, int n, int k) { return k % 2 != 0 && m > 0 && n > 0; }},
             mutant{&blocked<5>, [](int m, int n, int) { return m > 1'000 && n > 0; }},
             mutant{&blocked<6>, [](int m, int n, int) { return m > n && n > 0; }},
             mutant{&blocked<7>, [](int m, int n, int k) { return k == 0 && m > 0 && n > 0; }},
         }) {
        proven_product const of(one.code);
        std::mt19937 random(5);
        int wrong = 0;
        for (int i = 0; i < 400; ++i) {
            int const m = static_cast<int>(random() % 70);
            int const n = static_cast<int>(random() % 70);
            int const k = static_cast<int>(random() % 70);
            if (one.is_wrong(m, n, k) && of.covers(m, n, k)) ++wrong;
        }
        CHECK(wrong == 0);
        CAPTURE(of.proof.right.size());
        CAPTURE(of.proof.refuting.size());
        CHECK_FALSE(of.covers(1'020, 1, 1) == one.is_wrong(1'020, 1, 1));
    }
}

TEST_CASE("a wrong index is found though each array of the call has one number")
{
    if (is_skipped(address_sanitized || thread_sanitized, jumps_out_of_handlers)) return;
    proven_product const of(&blocked<10>);
    CHECK_FALSE(of.proof.wrong.empty());
    for (words const& one : of.proof.wrong)
        CHECK(one[4] % 8 >= 2);
    CHECK((!of.proof.refuting.empty() || !of.covers(64, 61, 64)));
}

TEST_CASE("a variant that is wrong where proven properties meet is refuted")
{
    if (is_skipped(address_sanitized || thread_sanitized, jumps_out_of_handlers)) return;
    CHECK(proven_product(&blocked<0>).proof.refuting.empty());
    CHECK(proven_product(&blocked<1>).proof.refuting.empty()); // one property: it is not proven
    std::vector<words> const at = proven_product(&blocked<8>).proof.refuting;
    REQUIRE_FALSE(at.empty());
    for (words const& one : at)
        CHECK((one[4] < one[3] && one[3] < 2 * one[4] + 1));
    CHECK_FALSE(proven_product(&blocked<9>).proof.refuting.empty());
}

namespace {

/// Wrong where a condition on an address meets one on a size.
void misplaced(in a, in b, out c, int m, int n, int k)
{
    blocked<0>(a, b, c, m, n, k);
    if (reinterpret_cast<std::uintptr_t>(b.data()) % 32 != 0 && n % 8 != 0 && !c.empty())
        c.front() = -1;
}

} // namespace

TEST_CASE("where an address and a size meet, short calls of few bytes show that a variant is wrong")
{
    if (is_skipped(address_sanitized || thread_sanitized, jumps_out_of_handlers)) return;
    proof_limits limits{.proof_s = 20};
    limits.calls.most_bytes = 16 << 10; // less than the call's: none of its size is drawn elsewhere
    proven_product const of(&misplaced, false, &plain, nullptr, limits);
    words const aligned = proven_product::key_of(64, 64, 64);
    auto const has_both = [&](words const& one) {
        return one[4] % 8 != 0 && (one.back() ^ aligned.back()) != 0;
    };
    CHECK(std::any_of(of.proof.wrong.begin(), of.proof.wrong.end(), has_both));
}

TEST_CASE("where the default and the user's own code differ, a proof says where, and none is wrong")
{
    if (is_skipped(address_sanitized || thread_sanitized, jumps_out_of_handlers)) return;
    for (product* const own : {&blocked<0>, &blocked<2>})
        for (bool const has_reference : {false, true}) {
            proven_product const of(&blocked<0>, false, &plain, nullptr, {.proof_s = 20},
                                    [&](attune::kernel<product>& kernel) {
                                        kernel.baseline(own);
                                        if (has_reference) kernel.reference(&plain);
                                    });
            bool const is_said = own == &blocked<2> && !has_reference;
            CHECK(of.proof.baseline.where.empty() == !is_said);
            CHECK(of.proof.right.size() > 100);
            CHECK(of.proof.wrong.empty());
            CHECK(of.proof.refuting.empty());
            if (is_said) CHECK(attune_test::has(of.proof.baseline.why.reason, ", reference "));
        }
}

namespace {

/// A proof beside the program: what it gives away, and what it says at once.
struct given_away {
    explicit given_away(product* tried, std::vector<words> const& wrong = {})
    {
        proof_limits limits{.proof_s = 20, .round = 1, .wrong = wrong};
        limits.take = [this](std::vector<words> const& right) {
            CHECK(refuted.empty());
            shapes.insert(shapes.end(), right.begin(), right.end());
        };
        limits.refute = [this](std::span<std::int64_t const> key) {
            refuted.emplace_back(key.begin(), key.end());
        };
        proven_product const of(tried, false, &plain, nullptr, limits);
        proof = of.proof;
        trust = shape_trust(of.layout, of.divisors, 4);
        trust.add(proven_product::key_of(64, 64, 64));
        for (words const& one : shapes)
            trust.add(one);
    }
    std::vector<words> shapes, refuted;
    variant_proof proof;
    shape_trust trust{proven_product::shape::layout(), {}, 4};
};

} // namespace

TEST_CASE("nothing is given away that proves a call for which the variant is known to be wrong")
{
    if (is_skipped(address_sanitized || thread_sanitized, jumps_out_of_handlers)) return;
    given_away const right(&blocked<0>);
    CHECK(right.refuted.empty());
    CHECK(right.shapes.size() > 100);
    given_away const of(&blocked<8>);
    REQUIRE_FALSE(of.proof.refuting.empty());
    CHECK(of.refuted == std::vector<words>{of.proof.refuting.front()});
    for (words const& one : of.proof.refuting)
        CHECK_FALSE(of.trust.has_proven(one));
}

TEST_CASE("calls for which an earlier proof found the variant wrong refute it later")
{
    if (is_skipped(address_sanitized || thread_sanitized, jumps_out_of_handlers)) return;
    words const known = proven_product::key_of(64, 64, 64); // proven before the proof
    words const later = proven_product::key_of(63, 40, 20); // proven by calls of the proof
    for (words const& one : {known, later}) {
        given_away const of(&blocked<0>, {one});
        CHECK(of.proof.refuting == std::vector<words>{one});
        CHECK(of.refuted == of.proof.refuting);
        if (one == later) CHECK_FALSE(of.trust.has_proven(one));
        if (one == known) CHECK(of.shapes.empty());
    }
    std::vector<words> const found = proven_product(&blocked<1>).proof.wrong;
    REQUIRE_FALSE(found.empty());
    for (words const& one : found)
        CHECK((one[3] % 4 != 0 && one[4] >= 8));
}

TEST_CASE("a proof that a thread ended once does not go on when that thread leaves")
{
    if (is_skipped(address_sanitized || thread_sanitized, jumps_out_of_handlers)) return;
    int asked = 0;
    proof_limits limits{.proof_s = 20, .is_over = [&] { return ++asked == 5; }};
    proven_product const of(&blocked<0>, false, &plain, nullptr, limits);
    CHECK(of.proof.was_over);
    CHECK(asked == 5);
    CHECK_FALSE(proven_product(&blocked<0>).proof.was_over);
}

namespace {

using scale = void(in, out, int, float);
void scaled(in x, out y, int n, float by)
{
    for (int i = 0; i < n; ++i)
        y[static_cast<std::size_t>(i)] = by * x[static_cast<std::size_t>(i)];
}
template <int Forgotten>
void scaled_wrongly(in x, out y, int n, float by)
{
    bool const is_wrong = Forgotten == 1 ? by > 10 : Forgotten == 2 && by < 0 && n % 8 != 0;
    scaled(x, y, n, is_wrong ? 2 * by : by);
}

} // namespace

TEST_CASE("a variant serves other scalars at once, unless it is wrong for some")
{
    if (is_skipped(address_sanitized || thread_sanitized, jumps_out_of_handlers)) return;
    using shape = shape_of_call<in, out, int, float>;
    std::vector<shape_word> const layout = shape::layout();
    attune::kernel<scale> const kernel = stepped<scale>("scale");
    words const divisors{8};
    std::vector<float> x(1024, 1.0f), y(1024);
    auto const frame_of = [](in from, out to, int n, float by) {
        return make_call_frame({}, from, to, n, by);
    };
    attune::call_frame frame = frame_of(x, y, 1024, 1.5f);
    frame.resized = [&](std::span<std::int64_t const> sizes) {
        return std::apply(frame_of,
                          resized_arguments(std::tuple<in, out, int, float>(x, y, 1024, 1.5f),
                                            sizes, std::make_index_sequence<4>{}));
    };
    shape const shape_of{attune::detail::shape_choice{.modulus = 4}};
    auto const key_of = [&](int n, float by) {
        auto const size = static_cast<std::size_t>(n);
        auto const key = shape_of(in(x).first(size), out(y).first(size), n, by);
        return words(key.begin(), key.end());
    };
    words const key = key_of(1024, 1.5f);
    attune::callable trusted, tried;
    trusted.address = reinterpret_cast<void*>(&scaled);
    for (scale* const code : {&scaled_wrongly<0>, &scaled_wrongly<1>, &scaled_wrongly<2>}) {
        tried.address = reinterpret_cast<void*>(code);
        shape_trust trust(layout, divisors, 4);
        trust.add(key);
        variant_proof const proof =
            prove_variant({kernel.describe(), layout, {}, {}, trusted, tried, divisors}, key, frame,
                          trust, {.proof_s = 20});
        for (words const& one : proof.right)
            trust.add(one);
        int wrong = 0;
        for (int n = 1; n < 1'000 && proof.refuting.empty(); n += 7)
            for (float const by : {-20.0f, -1.5f, 0.3f, 9.0f, 10.5f, 15.0f}) {
                bool const is_wrong = code == &scaled_wrongly<1>   ? by > 10
                                      : code == &scaled_wrongly<2> ? by < 0 && n % 8 != 0
                                                                   : false;
                wrong += is_wrong && trust.covers(key_of(n, by)) ? 1 : 0;
            }
        CHECK(wrong == 0);
        if (code != &scaled_wrongly<0>) continue;
        CHECK(proof.refuting.empty());
        CHECK(trust.covers(key_of(700, -5.5f)));
        CHECK(trust.covers(key_of(701, 0.3f)));
        CHECK_FALSE(trust.covers(key_of(701, 1e9f)));
    }
}

namespace {

/// Wrong where an element of `a` is 0, as code that skips zeros may be.
void skips_zeros(in a, in b, out c, int m, int n, int k)
{
    blocked<0>(a, b, c, m, n, k);
    if (!a.empty() && a.front() == 0 && !c.empty()) c.front() = 1;
}

} // namespace

TEST_CASE("a proof says for which contents a variant is wrong, and trusts its sizes")
{
    if (is_skipped(address_sanitized || thread_sanitized, jumps_out_of_handlers)) return;
    CHECK(proven_product(&blocked<0>).proof.contents.where.empty());
    std::optional<proven_product> of;
    for (int i = 0; i < 3 && (!of || of->proof.contents.where.empty()); ++i)
        of.emplace(&skips_zeros); // again if a pause of the machine left calls without a result
    CHECK(
        attune_test::has(of->proof.contents.where, "all elements are zero, negative zero, first"));
    CHECK(of->proof.contents.why.stage == attune::failure_stage::verify);
    CHECK(of->proof.refuting.empty());
    CHECK(of->covers(63, 40, 20));
}

TEST_CASE("a variant that is wrong for declared contents is refuted, and no others are tried")
{
    if (is_skipped(address_sanitized || thread_sanitized, jumps_out_of_handlers)) return;
    using attune::array_contents;
    for (bool const has_zero : {true, false}) {
        proven_product const of(&skips_zeros, false, &plain, nullptr, {.proof_s = 20},
                                [&](attune::kernel<product>& kernel) {
                                    if (has_zero)
                                        kernel.contents(array_contents::infinite,
                                                        array_contents::zero);
                                    else
                                        kernel.contents(array_contents::infinite);
                                });
        CHECK(of.proof.contents.where.empty());
        CHECK(of.proof.refuting.empty() == !has_zero);
        CHECK(attune_test::has(of.proof.differs.where, "all elements are zero, first") == has_zero);
    }
}

TEST_CASE("of a kind of calls that is proven beside the program, all declarations are tried, too")
{
    if (is_skipped(address_sanitized || thread_sanitized, jumps_out_of_handlers)) return;
    std::size_t given = 0;
    proof_limits limits{.proof_s = 20, .round = 1};
    limits.take = [&](std::vector<words> const& right) { given += right.size(); };
    proven_product const of(
        &skips_zeros, false, &plain, nullptr, limits,
        [](attune::kernel<product>& kernel) { kernel.contents(attune::array_contents::zero); });
    CHECK_FALSE(of.proof.refuting.empty());
    CHECK(given == 0);
    proven_product const beside_own(&blocked<0>, false, &plain, nullptr, limits,
                                    [](attune::kernel<product>& kernel) {
                                        kernel.contents(attune::array_contents::zero);
                                        kernel.baseline(&blocked<2>);
                                    });
    CHECK(beside_own.proof.refuting.empty());
    CHECK_FALSE(beside_own.proof.baseline.where.empty());
    CHECK(given > 100);
}

namespace {

/// Counts calls with zeros in all processes.
attune::detail::shared_with_child<std::atomic<int>> const zeros_seen;

/// Wrong in its first call with zeros alone.
void skips_zeros_once(in a, in b, out c, int m, int n, int k)
{
    blocked<0>(a, b, c, m, n, k);
    if (!a.empty() && a.front() == 0 && !c.empty() && zeros_seen.get()++ == 0) c.front() = 1;
}

} // namespace

TEST_CASE("a variant that is wrong for declared contents once is refuted")
{
    if (is_skipped(address_sanitized || thread_sanitized, jumps_out_of_handlers)) return;
    zeros_seen.get() = 0;
    proven_product const of(
        &skips_zeros_once, false, &plain, nullptr, {.proof_s = 20},
        [](attune::kernel<product>& kernel) { kernel.contents(attune::array_contents::zero); });
    CHECK(zeros_seen.get() > 0);
    CHECK_FALSE(of.proof.refuting.empty());
}

TEST_CASE("a proof says the smallest call for which a variant is wrong")
{
    if (is_skipped(address_sanitized || thread_sanitized, jumps_out_of_handlers)) return;
    proven_product const right(&blocked<0>);
    CHECK(right.proof.differs.where.empty());
    // Wrong where a row is beyond the last four and a column beyond the last eight.
    proven_product const corner(&blocked<3>);
    CHECK(attune_test::has(corner.proof.differs.where,
                           "argument 3 is 1, argument 4 is 1, argument 5 is 0"));
    CHECK(corner.proof.differs.why.stage == attune::failure_stage::verify);
    proven_product const empty(&blocked<7>);
    CHECK(attune_test::has(empty.proof.differs.where,
                           "argument 3 is 1, argument 4 is 1, argument 5 is 0"));
    proven_product const long_one(&blocked<5>);
    CHECK(attune_test::has(long_one.proof.differs.where, "argument 3 is 1001, argument 4 is 1,"));
}

TEST_CASE("calls that a precondition refuses are no part of a proof")
{
    if (is_skipped(address_sanitized || thread_sanitized, jumps_out_of_handlers)) return;
    int covered = 0;
    for (int proof = 0; proof < 3 && covered <= 300; ++proof) { // a pause of the machine cuts one
        proven_product const of(&blocked<1>, false, &plain,
                                [](in, in, out, int m, int, int) { return m % 4 == 0; });
        CHECK(of.proof.differs.where.empty());
        covered = 0;
        for (int m = 4; m < 64; m += 4)
            for (int n = 1; n < 60; n += 7)
                for (int k : {3, 20, 33})
                    covered += of.covers(m, n, k) ? 1 : 0;
    }
    CHECK_MESSAGE(covered > 300, covered, " of 405");
}

TEST_CASE("a call that changes nothing shows nothing")
{
    if (is_skipped(address_sanitized || thread_sanitized, jumps_out_of_handlers)) return;
    proven_product const right(&added<true>, false, &added<true>);
    CHECK(right.covers(63, 40, 20));
    proven_product const of(&added<false>, false, &added<true>);
    for (int m = 1; m < 70; ++m)
        for (int k : {1, 7, 64})
            if (m % 4 != 0) CHECK_FALSE(of.covers(m, 33, k));
}

namespace {

/// Wrong for long arrays at other addresses, or with a remainder.
template <bool ByAddress>
void copied_if_short(in x, out y, int n)
{
    copied(x, y, n);
    bool const meets =
        ByAddress ? reinterpret_cast<std::uintptr_t>(y.data()) % 16 != 0 : n % 4 == 3;
    if (n > 100'000 && meets) y[0] = -1;
}

} // namespace

TEST_CASE("where long arrays meet another address or a remainder, a proof refutes the variant")
{
    if (is_skipped(address_sanitized || thread_sanitized, jumps_out_of_handlers)) return;
    using shape = shape_of_call<in, out, int>;
    std::vector<shape_word> const layout = shape::layout();
    attune::kernel<copy> const kernel = stepped<copy>("copy");
    words const divisors{8};
    constexpr int count = 16 * 1024;
    alignas(64) static float x[count];
    alignas(64) static float y[count];
    auto const frame_of = [](in from, out to, int n) { return make_call_frame({}, from, to, n); };
    attune::call_frame frame = frame_of(x, y, count);
    frame.resized = [&](std::span<std::int64_t const> s) {
        auto const shorter = [](auto all, std::int64_t n) {
            return n < 0 || n > count ? all : all.first(static_cast<std::size_t>(n));
        };
        return frame_of(shorter(in(x), s[0]), shorter(out(y), s[1]),
                        s[2] < 0 ? count : static_cast<int>(s[2]));
    };
    auto const first = shape{attune::detail::shape_choice{}}(in(x), out(y), count);
    words const key(first.begin(), first.end());
    for (copy* const by : {&copied, &copied_if_short<true>, &copied_if_short<false>}) {
        attune::callable trusted, tried;
        trusted.address = reinterpret_cast<void*>(&copied);
        tried.address = reinterpret_cast<void*>(by);
        shape_trust trust(layout, divisors);
        trust.add(key);
        proof_limits limits{.proof_s = 20};
        limits.larger = {.most_bytes = std::size_t{1} << 26U, .most_work = HUGE_VAL};
        variant_proof const proof =
            prove_variant({kernel.describe(), layout, {}, {}, trusted, tried, divisors}, key, frame,
                          trust, limits);
        CHECK(proof.refuting.empty() == (by == &copied));
        for (words const& one : proof.right)
            trust.add(one);
        if (by == &copied) CHECK(trust.covers(words{16 * count, 16 * count, 16 * count, 0, 0}));
    }
}

TEST_CASE("short calls at other addresses do not prove these for long ones")
{
    if (is_skipped(address_sanitized || thread_sanitized, jumps_out_of_handlers)) return;
    using shape = shape_of_call<in, out, int>;
    std::vector<shape_word> const layout = shape::layout();
    attune::kernel<copy> const drawn = stepped<copy>("copy");
    attune::kernel<copy> made = drawn;
    made.calls([](attune::call_draw& draw) {
        auto const n = static_cast<std::size_t>(draw.size(1, 16 * 1024));
        return std::tuple{draw.reals(n), std::vector<float>(n), static_cast<int>(n)};
    });
    words const divisors{8};
    alignas(64) static float x[1024];
    alignas(64) static float y[1024];
    auto const frame_of = [](in from, out to, int n) { return make_call_frame({}, from, to, n); };
    attune::call_frame frame = frame_of(x, y, 1024);
    frame.resized = [&](std::span<std::int64_t const> s) {
        auto const count = [](std::int64_t n) {
            return n < 0 ? std::size_t{1024}
                         : std::min(static_cast<std::size_t>(n), std::size_t{1024});
        };
        return frame_of(in(x).first(count(s[0])), out(y).first(count(s[1])),
                        s[2] < 0 ? 1024 : static_cast<int>(s[2]));
    };
    auto const first = shape{attune::detail::shape_choice{}}(in(x), out(y), 1024);
    words const key(first.begin(), first.end());
    for (attune::kernel<copy> const* const kernel : {&drawn, &std::as_const(made)})
        for (bool const is_right : {true, false}) {
            attune::callable trusted, tried;
            trusted.address = reinterpret_cast<void*>(&copied);
            tried.address = reinterpret_cast<void*>(is_right ? &copied : &copied_aligned);
            shape_trust trust(layout, divisors);
            trust.add(key);
            variant_proof const proof =
                prove_variant({kernel->describe(), layout, {}, {}, trusted, tried, divisors}, key,
                              frame, trust, {.proof_s = 20});
            for (words const& one : proof.right)
                trust.add(one);
            int covered = 0;
            for (std::int64_t place = 4; place < 64; place += 4)
                for (std::int64_t n : {40, 100, 1'000, 3'000})
                    if (place % 32 != 0) {
                        words elsewhere{n, n, n, 0, place};
                        covered += trust.covers(elsewhere) ? 1 : 0;
                    }
            CHECK((covered > 0) == is_right);
        }
}

namespace {

/// Copies the values whose mask is not zero. The others become zero.
void chosen(in mask, in x, out y)
{
    for (std::size_t i = 0; i < y.size(); ++i)
        y[i] = mask[i] != 0 ? x[i] : 0;
}
/// The same for masks of zeros and ones.
void times_mask(in mask, in x, out y)
{
    for (std::size_t i = 0; i < y.size(); ++i)
        y[i] = mask[i] * x[i];
}

} // namespace

TEST_CASE("arrays of one number that the user's function makes keep it")
{
    if (is_skipped(address_sanitized || thread_sanitized, jumps_out_of_handlers)) return;
    using shape = shape_of_call<in, in, out>;
    std::vector<shape_word> const layout = shape::layout();
    attune::kernel<void(in, in, out)> kernel = stepped<void(in, in, out)>("chosen");
    kernel.calls([](attune::call_draw& draw) {
        auto const n = static_cast<std::size_t>(draw.size(1, 300));
        std::vector<float> mask(n, static_cast<float>(draw.index(2)));
        return std::tuple{mask, draw.reals(n), std::vector<float>(n, 7.0f)};
    });
    std::vector<float> mask(64, 1.0f), x(64, 0.5f), y(64);
    attune::call_frame const frame = make_call_frame({}, in(mask), in(x), out(y));
    auto const first = shape{attune::detail::shape_choice{}}(in(mask), in(x), out(y));
    words const key(first.begin(), first.end());
    shape_trust trust(layout, {});
    trust.add(key);
    attune::callable trusted, tried;
    trusted.address = reinterpret_cast<void*>(&chosen);
    tried.address = reinterpret_cast<void*>(&times_mask);
    variant_proof const proof = prove_variant(
        {kernel.describe(), layout, {}, {}, trusted, tried, {}}, key, frame, trust, {.proof_s = 5});
    CHECK(proof.differs.where == "");
    CHECK(proof.right.size() > 10);
}

namespace {

using rows = void(in, out, int, int);
void right_rows(in x, out y, int m, int n) { copied(x, y, m * n); }
/// Copies m rows of n; as if it loaded eight aligned numbers of a row at once.
void aligned_rows(in x, out y, int m, int n)
{
    copied(x, y, m * n);
    if (n >= 8 && reinterpret_cast<std::uintptr_t>(x.data()) % 32 != 0) y[0] += 1;
}

} // namespace

TEST_CASE("long arrays whose loops are short do not prove other addresses")
{
    if (is_skipped(address_sanitized || thread_sanitized, jumps_out_of_handlers)) return;
    using shape = shape_of_call<in, out, int, int>;
    std::vector<shape_word> const layout = shape::layout();
    attune::kernel<rows> kernel{
        "rows", attune::source_text("int s = ATTUNE_TUNABLE(STEP, 1);", "rows.kernel.cpp"),
        attune::space(attune::ordinal<"STEP">(attune::values(1, 2)))};
    kernel.calls([](attune::call_draw& draw) {
        auto const m = draw.size(1, 300);
        auto const n = draw.size(1, 300);
        auto const all = static_cast<std::size_t>(m * n);
        return std::tuple{draw.reals(all), std::vector<float>(all), static_cast<int>(m),
                          static_cast<int>(n)};
    });
    words const divisors{8};
    alignas(64) static float x[4096];
    alignas(64) static float y[4096];
    attune::call_frame const frame = make_call_frame({}, in(x), out(y), 64, 64);
    auto const first = shape{attune::detail::shape_choice{}}(in(x), out(y), 64, 64);
    words const key(first.begin(), first.end());
    attune::callable trusted, tried;
    trusted.address = reinterpret_cast<void*>(&right_rows);
    for (rows* const code : {&right_rows, &aligned_rows}) {
        tried.address = reinterpret_cast<void*>(code);
        shape_trust trust(layout, divisors);
        trust.add(key);
        variant_proof const proof =
            prove_variant({kernel.describe(), layout, {}, {}, trusted, tried, divisors}, key, frame,
                          trust, {.proof_s = 20});
        for (words const& one : proof.right)
            trust.add(one);
        int covered = 0;
        for (std::int64_t place = 4; place < 64; place += 4)
            for (std::int64_t m : {70, 192, 250})
                for (std::int64_t n : {100, 250})
                    if (place % 32 != 0)
                        covered += trust.covers(words{m * n, m * n, m, n, 0, place}) ? 1 : 0;
        CHECK((covered > 0) == (code == &right_rows));
    }
}

namespace {

using multiplication = void(in, out, float);
void multiplied(in x, out y, float by)
{
    for (std::size_t i = 0; i < y.size(); ++i)
        y[i] = by * x[i];
}
/// Wrong for the numbers for which `is_wrong` is true.
template <bool (*IsWrong)(float)>
void multiplied_but(in x, out y, float by)
{
    multiplied(x, y, by);
    if (IsWrong(by) && !y.empty()) y.back() += 1;
}
bool never(float) { return false; }
bool is_negative(float v) { return v < 0; }
bool is_tiny(float v) { return std::abs(v) < 0x1p-10f; }
bool is_whole(float v) { return v == std::floor(v); }
bool is_large(float v) { return std::abs(v) >= 256; }

} // namespace

TEST_CASE("scalars of other magnitudes are drawn, and those for which a variant is wrong stay out")
{
    if (is_skipped(address_sanitized || thread_sanitized, jumps_out_of_handlers)) return;
    struct mutant {
        multiplication* code;
        bool (*is_wrong)(float);
    };
    using shape = shape_of_call<in, out, float>;
    std::vector<shape_word> const layout = shape::layout();
    attune::kernel<multiplication> const kernel = stepped<multiplication>("scaled");
    std::vector<float> x(1'000, 1.0f), y(1'000);
    auto const key_of = [&](float by) {
        auto const made = shape{attune::detail::shape_choice{}}(in(x), out(y), by);
        return words(made.begin(), made.end());
    };
    auto const frame_of = [](in from, out to, float by) {
        return make_call_frame({}, from, to, by);
    };
    float const own = 2.5f;
    attune::call_frame frame = frame_of(x, y, own);
    frame.resized = [&](std::span<std::int64_t const> s) {
        return std::apply(frame_of,
                          attune::detail::resized_arguments(std::tuple<in, out, float>(x, y, own),
                                                            s, std::make_index_sequence<3>{}));
    };
    for (mutant const& one :
         {mutant{&multiplied_but<never>, &never},
          mutant{&multiplied_but<is_negative>, &is_negative},
          mutant{&multiplied_but<is_tiny>, &is_tiny}, mutant{&multiplied_but<is_whole>, &is_whole},
          mutant{&multiplied_but<is_large>, &is_large}}) {
        attune::callable trusted, tried;
        trusted.address = reinterpret_cast<void*>(&multiplied);
        tried.address = reinterpret_cast<void*>(one.code);
        shape_trust trust(layout, {}, 4);
        words const key = key_of(own);
        trust.add(key);
        variant_proof const proof =
            prove_variant({kernel.describe(), layout, {}, {}, trusted, tried, {}}, key, frame,
                          trust, {.proof_s = 20});
        for (words const& right : proof.right)
            trust.add(right);
        std::mt19937 random(4);
        int wrong = 0;
        int right = 0;
        int served = 0;
        for (int i = 0; i < 2'000; ++i) {
            float by = std::exp2(static_cast<float>(random() % 30'000) / 1'000 - 18.0f);
            if (random() % 3 == 0) by = std::round(by);
            if (random() % 2 == 0) by = -by;
            bool const is_special = by == 0 || std::abs(by) == 1;
            bool const covers = trust.covers(key_of(by));
            if (is_special) CHECK_FALSE(covers);
            if (is_special) continue;
            wrong += one.is_wrong(by) && covers ? 1 : 0;
            right += one.is_wrong(by) ? 0 : 1;
            served += !one.is_wrong(by) && covers ? 1 : 0;
        }
        CHECK(wrong == 0);
        if (one.is_wrong == &never) CHECK_MESSAGE(served * 10 > right * 8, served, " of ", right);
    }
}

namespace {

/// As with fast arithmetic: wrong for numbers that no program gives it, where sizes meet them.
void scaled_in_its_domain(in x, out y, int n, float by)
{
    scaled(x, y, n, by < 0 && n % 3 == 1 && n > 50 ? 2 * by : by);
}

} // namespace

TEST_CASE("a variant that is wrong for other numbers than the call's serves calls with its own")
{
    if (is_skipped(address_sanitized || thread_sanitized, jumps_out_of_handlers)) return;
    using shape = shape_of_call<in, out, int, float>;
    std::vector<shape_word> const layout = shape::layout();
    attune::kernel<scale> const kernel = stepped<scale>("scale");
    std::vector<float> x(1024, 1.0f), y(1024);
    auto const frame_of = [](in from, out to, int n, float by) {
        return make_call_frame({}, from, to, n, by);
    };
    attune::call_frame frame = frame_of(x, y, 1024, 1.5f);
    frame.resized = [&](std::span<std::int64_t const> sizes) {
        return std::apply(frame_of,
                          resized_arguments(std::tuple<in, out, int, float>(x, y, 1024, 1.5f),
                                            sizes, std::make_index_sequence<4>{}));
    };
    shape const shape_of{attune::detail::shape_choice{.modulus = 4}};
    auto const key_of = [&](int n, float by) {
        auto const size = static_cast<std::size_t>(n);
        auto const key = shape_of(in(x).first(size), out(y).first(size), n, by);
        return words(key.begin(), key.end());
    };
    words const key = key_of(1024, 1.5f);
    attune::callable trusted, tried;
    trusted.address = reinterpret_cast<void*>(static_cast<scale*>(&scaled));
    tried.address = reinterpret_cast<void*>(&scaled_in_its_domain);
    shape_trust trust(layout, {}, 4);
    trust.add(key);
    variant_proof const proof =
        prove_variant({kernel.describe(), layout, {}, {}, trusted, tried, {}}, key, frame, trust,
                      {.proof_s = 20});
    CHECK(proof.refuting.empty());
    CHECK(proof.only_own_numbers);
    CHECK(attune_test::has(proof.differs.where, "argument 3 is -"));
    for (words const& one : proof.right)
        trust.add(one);
    // Later proofs leave other numbers out, also where all results would be right.
    variant_proof const next =
        prove_variant({kernel.describe(), layout, {}, {}, trusted, trusted, {}}, key, frame, trust,
                      {.proof_s = 20, .round = 1, .only_own_numbers = proof.only_own_numbers});
    CHECK(next.refuting.empty());
    for (words const& one : next.right)
        for (std::size_t i = 0; i < layout.size(); ++i)
            if (layout[i].part == shape_part::real) CHECK(one[i] == key[i]);
    for (words const& one : next.right)
        trust.add(one);
    int served = 0;
    for (int n = 1; n < 1'000; n += 9) {
        served += trust.covers(key_of(n, 1.5f)) ? 1 : 0;
        CHECK_FALSE((n % 3 == 1 && n > 50 && trust.covers(key_of(n, -1.5f))));
    }
    CHECK_MESSAGE(served > 90, served, " of 111");
}

TEST_CASE("the user's own code is compared with the default on the calls that the user makes")
{
    if (is_skipped(address_sanitized || thread_sanitized, jumps_out_of_handlers)) return;
    using shape = shape_of_call<in, out, int>;
    std::vector<shape_word> const layout = shape::layout();
    std::vector<float> x(100), y(100);
    attune::call_frame const frame = make_call_frame({}, in(x), out(y), 100);
    auto const first = shape{attune::detail::shape_choice{}}(in(x), out(y), 100);
    words const key(first.begin(), first.end());
    attune::callable const code{.address = reinterpret_cast<void*>(&copied)};
    for (bool const differs : {false, true}) {
        attune::kernel<copy> kernel = stepped<copy>("copy");
        kernel.calls([](attune::call_draw& draw) {
            auto const n = static_cast<std::size_t>(draw.size(1, 1024));
            return std::tuple{draw.reals(n), std::vector<float>(n), static_cast<int>(n)};
        });
        kernel.baseline([differs](in from, out to, int n) {
            copied(from, to, n);
            if (differs && n > 1) to[1] += 1;
        });
        shape_trust trust(layout, {});
        trust.add(key);
        variant_proof const proof = prove_variant(
            {kernel.describe(), layout, {}, {}, code, code, {}}, key, frame, trust, {.proof_s = 5});
        CHECK(proof.baseline.where.empty() != differs);
        CHECK(proof.refuting.empty());
    }
}

TEST_CASE("calls that the time of a proof did not reach are unknown, not wrong")
{
    if (is_skipped(address_sanitized || thread_sanitized, jumps_out_of_handlers)) return;
    using shape = shape_of_call<in, out, int>;
    std::vector<shape_word> const layout = shape::layout();
    attune::kernel<copy> kernel = stepped<copy>("copy");
    kernel.calls([](attune::call_draw& draw) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        auto const n = static_cast<std::size_t>(draw.size(1, 16 * 1024));
        return std::tuple{draw.reals(n), std::vector<float>(n), static_cast<int>(n)};
    });
    std::vector<float> x(100), y(100);
    attune::call_frame const frame = make_call_frame({}, in(x), out(y), 100);
    auto const first = shape{attune::detail::shape_choice{}}(in(x), out(y), 100);
    words const key(first.begin(), first.end());
    attune::callable const code{.address = reinterpret_cast<void*>(&copied)};
    shape_trust trust(layout, {});
    trust.add(key);
    variant_proof const proof = prove_variant({kernel.describe(), layout, {}, {}, code, code, {}},
                                              key, frame, trust, {.proof_s = 0.5});
    CHECK(proof.open.empty());
    CHECK(proof.right.size() > 3);
    CHECK(proof.right.size() < 100);
}

TEST_CASE("calls that crash or hang prove nothing, those before and behind them do")
{
    attune::detail::shape_proof const proof = prove(&fill, &moody);
    REQUIRE(proof.results.size() == 60);
    for (std::size_t i = 0; i < 60; ++i) {
        bool const is_deadly = i == 40 || i == 41 || i == 50;
        CHECK(is_right(proof, i) == (!is_deadly && (i % 3 != 0 || i == 0)));
    }
}

TEST_CASE("where the trusted code does not work there is no proof")
{
    attune::detail::shape_proof const proof = prove(&moody_default, &fill);
    CHECK_FALSE(is_right(proof, 0));
    CHECK_FALSE(is_right(proof, 1));
    for (std::size_t i = 2; i < 60; ++i)
        CHECK(is_right(proof, i));
}

TEST_CASE("what is not reached within the limit is not right")
{
    attune::detail::shape_proof const proof = prove(&fill, &fill, 0);
    for (std::size_t i = 0; i < proof.results.size(); ++i)
        CHECK_FALSE(is_right(proof, i));
}

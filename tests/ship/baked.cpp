// tests/ship/baked.cpp - which code serves a call of a baked kernel, with a table written by hand.
// SPDX-License-Identifier: MIT
#include <attune/ship/baked.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <random>
#include <span>
#include <thread>
#include <type_traits>
#include <vector>

namespace {

using signature = int(std::span<float>, int);
using shape = attune::detail::shape_of_call<std::span<float>, int>;

int by_default(std::span<float>, int) { return 0; }
int by_small(std::span<float>, int) { return 1; }
int by_sleeper(std::span<float>, int)
{
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return 0;
}
std::atomic<std::uint64_t> scripted_ns{0};
int by_scripted(std::span<float>, int ns)
{
    scripted_ns += static_cast<std::uint64_t>(ns);
    return 0;
}
int by_large_v4(std::span<float>, int) { return 24; }
int by_large_base(std::span<float>, int) { return 20; }

template <signature* Function>
attune::detail::baked_code address() noexcept
{
    return reinterpret_cast<attune::detail::baked_code>(Function);
}

using attune::detail::baked_build;
using attune::detail::baked_device;
using attune::detail::baked_node;
using attune::detail::baked_table;
using attune::detail::baked_variant;
using attune::detail::instruction_level;

/// What was verified: calls with these numbers of elements, in memory at a multiple of 64 bytes.
struct verified_sizes {
    std::vector<std::uint64_t> properties{};
    std::array<std::int64_t, 3> largest{};

    explicit verified_sizes(std::initializer_list<std::int64_t> sizes, std::uint32_t modulus = 64)
    {
        attune::detail::shape_properties const counted(shape::layout(), {8}, modulus);
        for (std::int64_t const n : sizes) {
            std::array<std::int64_t, 3> const key{n, n, 0};
            for (std::uint64_t const one : counted.of(key))
                properties.push_back(one);
            for (std::size_t i = 0; i < 3; ++i)
                largest[i] = std::max(largest[i], key[i]);
        }
        std::sort(properties.begin(), properties.end());
    }
};

/// Sizes below 100 have a variant, larger ones another; both were verified for multiples of 8.
struct example {
    verified_sizes small;
    verified_sizes large;
    verified_sizes large_base;
    std::vector<attune::detail::shape_word> layout = shape::layout();

    baked_build small_builds[1] = {{instruction_level::base, &address<by_small>}};
    baked_build large_builds[2] = {
        {instruction_level::x86_64_v4, &address<by_large_v4>, attune::detail::baked_proof::build},
        {instruction_level::base, &address<by_large_base>}};
    static constexpr std::int64_t divisors[] = {8};
    static constexpr baked_node tree[] = {{0, 100.0, 1, 2}, {-1, 0, 0, -1}, {-1, 0, 1, -1}};
    static constexpr baked_node other_tree[] = {{-1, 0, baked_node::none, -1}};
    static constexpr std::size_t inputs[] = {1};
    baked_variant variants[2];
    baked_device devices[2]{{"this one", "", 0, 0, tree},
                            {"another one", "Nobody", 1, 2, other_tree}};
    baked_table table;

    /// @param modulus  of both variants
    explicit example(std::uint32_t modulus = 64)
        : small({16, 24, 32, 64}, modulus)
        , large({128, 256, 192, 160, 200}, modulus)
        , large_base({128, 256, 192, 160, 200, 300}, modulus)
    {
        auto const verify = [](baked_build& b, verified_sizes const& of) {
            b.proven.first = of.properties.data();
            b.proven.count = of.properties.size();
            b.largest.first = of.largest.data();
            b.largest.count = of.largest.size();
        };
        verify(small_builds[0], small);
        verify(large_builds[0], large);
        verify(large_builds[1], large_base);
        variants[0] = {"TILE=8", small_builds, divisors, {}, modulus};
        variants[1] = {"TILE=16", large_builds, divisors, {}, modulus};
        table.kernel = "example";
        table.configuration = "TILE=1";
        table.fallback = &address<by_default>;
        table.layout.first = layout.data();
        table.layout.count = layout.size();
        table.inputs = inputs;
        table.variants = variants;
        table.devices = devices;
    }
};

example& the_example()
{
    static example one;
    return one;
}

struct alignas(64) aligned {
    std::array<float, 1'024> values{};
    std::span<float> first(int n) { return {values.data(), static_cast<std::size_t>(n)}; }
};

} // namespace

namespace attune::inline ATTUNE_ABI::detail {

template <>
ATTUNE_BAKED_LOCAL baked_table const& baked_table_of<"example", signature>() noexcept
{
    return the_example().table;
}
template <>
ATTUNE_BAKED_LOCAL baked_table const& baked_table_of<"anywhere", signature>() noexcept
{
    static example const one{sizeof(float)};
    return one.table;
}
template <>
ATTUNE_BAKED_LOCAL baked_table const& baked_table_of<"fewer words", signature>() noexcept
{
    static baked_table const one = [] {
        baked_table out = the_example().table;
        out.layout.count = 2;
        return out;
    }();
    return one;
}
template <>
ATTUNE_BAKED_LOCAL baked_table const& baked_table_of<"by length", signature>() noexcept
{
    static constexpr baked_node tree[] = {{1, 100.0, 1, 2}, {-1, 0, 0, -1}, {-1, 0, 1, -1}};
    static baked_device const devices[]{{"this one", "", 0, 0, tree}};
    static baked_table const one = [] {
        baked_table out = the_example().table;
        out.devices = devices;
        return out;
    }();
    return one;
}

template <>
ATTUNE_BAKED_LOCAL baked_table const& baked_table_of<"nothing faster", signature>() noexcept
{
    static baked_table const one = [] {
        static baked_device const devices[]{{"this one", "", 0, 0, example::other_tree}};
        baked_table out = the_example().table;
        out.devices = devices;
        return out;
    }();
    return one;
}
template <>
ATTUNE_BAKED_LOCAL baked_table const& baked_table_of<"newer alone", signature>() noexcept
{
    static baked_table const one = [] {
        static baked_variant variants[2];
        variants[1] = the_example().variants[1];
        variants[1].builds.count = 1; // the one for x86-64-v4
        baked_table out = the_example().table;
        out.variants = variants;
        return out;
    }();
    return one;
}

} // namespace attune::inline ATTUNE_ABI::detail

static_assert(!std::is_move_constructible_v<attune::baked<signature>>);

namespace {

/// Other objects may call it from their constructors: it is initialised before any of them.
constinit attune::baked<signature> const ready{attune::baked_kernel<"example">, "base"};

} // namespace

TEST_CASE("two objects of one kernel, each with its limit, serve side by side")
{
    attune::baked<signature> const any{attune::baked_kernel<"example">};
    aligned data;
    CHECK(ready(data.first(128), 128) == 20);
    CHECK(any(data.first(300), 300) == 20);
    CHECK(ready(data.first(16), 16) == 1);
    CHECK(any(data.first(16), 16) == 1);
}

TEST_CASE("more shapes than are kept are served as the first ones are")
{
    aligned data;
    int wrong = 0;
    for (int round = 0; round < 3; ++round)
        for (int n = 0; n < 7'000; ++n) {
            int const length = n % 1'024;
            // The length is another than the number, but for the first thousand.
            int const expected = n != length                                    ? 0
                                 : n == 16 || n == 24 || n == 32 || n == 64     ? 1
                                 : n == 128 || n == 160 || n == 192 || n == 200 ? 20
                                 : n == 256 || n == 300                         ? 20
                                                                                : -1;
            int const got = ready(data.first(length), n);
            if (expected >= 0 && got != expected) ++wrong;
        }
    CHECK(wrong == 0);
}

TEST_CASE("inputs choose the variant, and only verified shapes get it")
{
    attune::baked<signature> const subject{attune::baked_kernel<"example">, "base"};
    aligned data;
    CHECK(subject(data.first(16), 16) == 1);
    CHECK(subject(data.first(64), 64) == 1);
    CHECK(subject(data.first(128), 128) == 20);
    CHECK(subject(data.first(17), 17) == 0);               // a remainder that was not verified
    CHECK(subject(data.first(512), 512) == 0);             // larger than all that were verified
    CHECK(subject({data.values.data() + 1, 16}, 16) == 0); // another place in memory
    CHECK(subject(data.first(32), 16) == 0);               // another relation of length and number
    CHECK(subject(data.first(16), 16) == 1); // and once more, from the table of known shapes
    CHECK(subject(data.first(17), 17) == 0);
    auto const known = subject.explain(data.first(64), 64);
    CHECK(known.configuration == "TILE=8");
    CHECK(known.instructions == "base");
    CHECK_FALSE(known.is_default);
    auto const unknown = subject.explain(data.first(17), 17);
    CHECK(unknown.is_default);
    CHECK(unknown.configuration == "TILE=1");
    CHECK(unknown.why == "no shape like this one was verified");
}

TEST_CASE("a tree may compare words of the shape, beyond the inputs")
{
    attune::baked<signature> const subject{attune::baked_kernel<"by length">, "base"};
    aligned data;
    CHECK(subject(data.first(16), 16) == 1);
    CHECK(subject(data.first(128), 128) == 20);
    CHECK(subject(data.first(17), 17) == 0);
}

TEST_CASE("what was verified at one address serves at all that are equal modulo what counts")
{
    attune::baked<signature> const subject{attune::baked_kernel<"anywhere">, "base"};
    aligned data;
    for (std::size_t from = 0; from < 16; ++from) {
        CHECK(subject({data.values.data() + from, 16}, 16) == 1);
        CHECK(subject({data.values.data() + from, 128}, 128) == 20);
        CHECK(subject({data.values.data() + from, 17}, 17) == 0); // a remainder, as anywhere
    }
}

TEST_CASE("the highest instruction set that the processor has, and that is allowed, serves")
{
    aligned data;
    auto const mine = level_of(attune::detail::words_of_this_processor());
    attune::baked<signature> const any{attune::baked_kernel<"example">};
    CHECK(any(data.first(128), 128) == (mine == instruction_level::x86_64_v4 ? 24 : 20));
    attune::baked<signature> const lower{attune::baked_kernel<"example">, "x86-64-v3"};
    CHECK(lower(data.first(128), 128) == 20);
    CHECK(lower.explain(data.first(128), 128).instructions == "base");
    CHECK(lower.explain(data.first(128), 128).proof == "record");
    if (mine == instruction_level::x86_64_v4)
        CHECK(any.explain(data.first(128), 128).proof == "build");
    CHECK(any(data.first(300), 300) == 20); // the code for newer processors was not verified there
    attune::baked<signature> const misspelt{attune::baked_kernel<"example">, "x86_64-v4"};
    CHECK(misspelt.explain(data.first(128), 128).instructions == "base");
}

TEST_CASE("a layout that is not that of this program serves the default")
{
    attune::baked<signature> const subject{attune::baked_kernel<"fewer words">};
    aligned data;
    CHECK(subject(data.first(16), 16) == 0);
}

TEST_CASE("random calls are counted by what serves them, as the test counts them")
{
    attune::baked<signature> const subject{attune::baked_kernel<"example">, "base"};
    attune::baked_coverage const before = subject.coverage();
    attune::baked_coverage expected = before;
    aligned data;
    std::mt19937 random(5);
    for (int i = 0; i < 20'000; ++i) { // more shapes than are kept
        int const length = static_cast<int>(random() % 1'000);
        int const n = random() % 2 == 0 ? length : static_cast<int>(random() % 40'000);
        bool const is_variant = subject(data.first(length), n) != 0;
        ++(is_variant ? expected.by_variant : expected.unverified);
    }
    attune::baked_coverage const after = subject.coverage();
    CHECK(after.by_variant == expected.by_variant);
    CHECK(after.unverified == expected.unverified);
    CHECK(after.not_faster == before.not_faster);
    CHECK(after.unsupported == before.unsupported);
    CHECK(after.calls() == before.calls() + 20'000);
    CHECK(after.by_variant > before.by_variant);
}

TEST_CASE("a default counts for the reason why it serves")
{
    aligned data;
    attune::baked<signature> const nothing{attune::baked_kernel<"nothing faster">};
    CHECK(nothing(data.first(16), 16) == 0);
    CHECK(nothing(data.first(16), 16) == 0);
    CHECK(nothing.coverage().not_faster == 2);
    CHECK(nothing.coverage().calls() == 2);
    attune::baked<signature> const newer{attune::baked_kernel<"newer alone">, "base"};
    CHECK(newer(data.first(128), 128) == 0);
    CHECK(newer.coverage().unsupported == 1);
    CHECK(newer.coverage().calls() == 1);
}

TEST_CASE("two sizes whose product is beyond each verified one are served by the default")
{
    attune::detail::shape_properties const counted(shape::layout(), {8}, 1);
    std::vector<std::uint64_t> properties;
    std::array<std::int64_t, 3> largest{};
    std::array<double, 9> products{};
    for (std::int64_t m = 8; m <= 64; m += 8)
        for (std::int64_t n = 8; m * n <= 1'024 && n <= 64; n += 8) {
            std::array<std::int64_t, 3> const key{m, n, 0};
            for (std::uint64_t const one : counted.of(key))
                properties.push_back(one);
            for (std::size_t i = 0; i < 3; ++i)
                largest[i] = std::max(largest[i], key[i]);
            counted.for_each_product(key, [&](std::size_t place, double product) {
                products[place] = std::max(products[place], product);
            });
        }
    std::sort(properties.begin(), properties.end());
    for (bool const has_products : {true, false}) {
        baked_build builds[1] = {{instruction_level::base, &address<by_small>}};
        builds[0].proven.first = properties.data();
        builds[0].proven.count = properties.size();
        builds[0].largest.first = largest.data();
        builds[0].largest.count = largest.size();
        builds[0].products.first = products.data();
        builds[0].products.count = has_products ? products.size() : 0;
        static constexpr std::int64_t divisors[] = {8};
        static constexpr baked_node tree[] = {{-1, 0, 0, -1}};
        baked_variant const variants[1] = {{"TILE=8", builds, divisors, {}, 1}};
        baked_device const devices[1] = {{"this one", "", 0, 0, tree}};
        std::vector<attune::detail::shape_word> const layout = shape::layout();
        baked_table table;
        table.fallback = &address<by_default>;
        table.layout.first = layout.data();
        table.layout.count = layout.size();
        table.variants = variants;
        table.devices = devices;
        attune::detail::baked_machine<signature> machine(table, instruction_level::base);
        std::vector<float> x(64);
        auto const serves = [&](std::size_t m, int n) {
            std::span<float> const part = std::span(x).first(m);
            return machine.run(part, n);
        };
        CHECK(serves(56, 16) == 1);
        CHECK(serves(16, 40) == 1);
        CHECK(serves(56, 40) == (has_products ? 0 : 1));
    }
}

TEST_CASE("the time of calls counts for what serves them")
{
    baked_table table;
    table.fallback = &address<by_sleeper>;
    static constexpr baked_node tree[] = {{-1, 0, baked_node::none, -1}};
    baked_device const devices[1] = {{"this one", "", 0, 0, tree}};
    table.devices = devices;
    attune::detail::baked_machine<signature> machine(table, instruction_level::base);
    CHECK(machine.coverage().seconds() == 0);
    std::vector<float> x(16);
    for (int i = 0; i < 10; ++i) // of which three or four are timed
        CHECK(machine.run(x, 16) == 0);
    attune::baked_coverage const seen = machine.coverage();
    CHECK(seen.not_faster == 10);
    CHECK(seen.not_faster_s >= 10 * 0.002);
    CHECK(seen.seconds() == seen.not_faster_s);
}

TEST_CASE("long calls of a thread are timed after many short calls of another one")
{
    struct scripted_machine : attune::detail::baked_machine<signature> {
        explicit scripted_machine(baked_table const& table)
            : baked_machine(table, instruction_level::base)
        {
            now_ns_ = []() noexcept { return scripted_ns.load(); };
        }
    };
    baked_table table;
    table.fallback = &address<by_scripted>;
    static constexpr baked_node tree[] = {{-1, 0, baked_node::none, -1}};
    baked_device const devices[1] = {{"this one", "", 0, 0, tree}};
    table.devices = devices;
    scripted_machine machine(table);
    std::vector<float> x(16);
    auto const make = [&](int calls, int ns) {
        for (int i = 0; i < calls; ++i)
            static_cast<void>(machine.run(x, ns));
    };
    make(5'000, 0);
    std::thread([&] { make(4'096, 1'000); }).join();
    attune::baked_coverage const seen = machine.coverage();
    CHECK(seen.not_faster == 5'000 + 4'096);
    CHECK(1e3 * seen.not_faster_s == doctest::Approx(4.096).epsilon(0.05));
}

// tests/tune/device/cuda/launch_limits.cpp - what a device can launch, as constraints of a space.
// SPDX-License-Identifier: MIT
#include <attune/core/error.hpp>
#include <attune/cuda/code.hpp>
#include <attune/declare/text.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/tune/device/cuda/cuda_device.hpp>
#include <attune/tune/kernel.hpp>

#include <algorithm>
#include <cstdint>
#include <doctest/doctest.h>
#include <set>
#include <string>
#include <vector>

#include "../../../declare/every_point.hpp"
#include "../../../support/texts.hpp"

using attune::launch_geometry;
using attune_test::error_of;
using attune_test::has;

namespace {

constexpr auto n = attune::input<"N", int>();
constexpr auto x = attune::ordinal<"X">(attune::values(1, 16, 32, 96, 256, 1024, 2048));
constexpr auto y = attune::ordinal<"Y">(attune::values(-1, 0, 1, 4, 32, 128));
constexpr auto deep = attune::ordinal<"DEEP">(attune::values(0, 1, 2, 3, 48, 8192, 60000));
constexpr auto space = attune::space(x, y, deep);

using kernel = attune::kernel<void(attune::device_span<float>, int)>;

kernel declared() { return {"k", attune::source_text("", "k.cu"), space}; }

/// A device with every limit within reach of the space above.
attune::device_limits narrow_device()
{
    attune::device_limits d;
    d.name = "narrow";
    d.architecture = 90;
    d.multiprocessors = 6;
    d.grid = {5000, 300, 40};
    d.blocks_per_cluster = 8;
    d.shared_bytes_opt_in = 100 * 1024;
    d.threads_per_multiprocessor = 1536;
    d.blocks_per_multiprocessor = 8;
    return d;
}

/// The rules of the programming guide in plain arithmetic: a second implementation. A third one,
/// launch_objection(), has to agree wherever nothing but the limits above decides.
bool can_launch(attune::device_limits const& d, launch_geometry const& g)
{
    std::int64_t threads = 1;
    std::int64_t blocks = 1;
    std::int64_t cluster = 1;
    for (std::size_t i = 0; i < 3; ++i) {
        if (g.grid[i] < 1 || g.block[i] < 1 || g.cluster[i] < 1) return false;
        if (g.grid[i] > d.grid[i] || g.block[i] > d.block[i]) return false;
        if (g.grid[i] % g.cluster[i] != 0) return false;
        threads *= g.block[i];
        blocks *= g.grid[i];
        cluster *= g.cluster[i];
    }
    if (threads > d.threads_per_block || cluster > d.blocks_per_cluster) return false;
    if (g.shared_bytes < 0 || g.shared_bytes > d.shared_bytes_opt_in) return false;
    if (!g.is_cooperative) return true;
    std::int64_t const warps = (threads + d.warp_threads - 1) / d.warp_threads;
    std::int64_t const by_threads = d.threads_per_multiprocessor / d.warp_threads / warps;
    return blocks <= d.multiprocessors * std::min(by_threads, d.blocks_per_multiprocessor);
}

/// Every point of the space that can be launched, as text, by arithmetic and by constraints.
struct three_ways {
    std::set<std::string> by_arithmetic;
    std::set<std::string> by_objection;
    std::set<std::string> by_constraints;
    std::size_t all = 0;
};

three_ways launched(kernel const& k, attune::device_limits const& device, int size)
{
    attune::description const plain = attune::bind_inputs(k.describe().space, {n(size)});
    attune::description limited = plain;
    attune::detail::add_launch_limits(limited, *k.describe().launch, device);
    attune::chain_of_trees const tree{limited};
    three_ways out;
    for (attune::point const& p : attune_tests::every_point(plain)) {
        ++out.all;
        std::string const text = attune::text_of(plain, p);
        launch_geometry const g = attune::geometry_at(*k.describe().launch, plain, p);
        if (can_launch(device, g)) out.by_arithmetic.insert(text);
        if (attune::detail::launch_objection(device, {}, g).empty()) out.by_objection.insert(text);
        if (tree.contains(p)) out.by_constraints.insert(text);
    }
    return out;
}

void check_all_ways(kernel const& k, int size)
{
    three_ways const found = launched(k, narrow_device(), size);
    CHECK(found.by_constraints == found.by_arithmetic);
    CHECK(found.by_constraints == found.by_objection);
    CHECK(found.by_arithmetic.size() > 0);
    CHECK(found.by_arithmetic.size() < found.all); // else nothing was tested
}

attune::description limited(kernel const& k, int size = 1000)
{
    attune::description out = attune::bind_inputs(k.describe().space, {n(size)});
    attune::detail::add_launch_limits(out, *k.describe().launch, narrow_device());
    return out;
}

bool has_constraint(attune::description const& d, std::string const& text)
{
    return std::any_of(d.constraints.begin(), d.constraints.end(),
                       [&](auto const& c) { return c.text == text; });
}

} // namespace

TEST_CASE("blocks in one, two and three directions: constraints say what arithmetic says")
{
    for (int const size : {1, 100, 5000, 1000000}) {
        check_all_ways(declared().bind<1>(n).grid(attune::ceil_div(n, x * y)).block(x), size);
        check_all_ways(declared().bind<1>(n).grid(n, y, deep).block(x, y), std::min(size, 5000));
        check_all_ways(declared().bind<1>(n).grid(1, n / x + 1).block(x, y, deep),
                       std::min(size, 5000));
    }
}

TEST_CASE("dynamic shared memory: constraints say what arithmetic says")
{
    check_all_ways(declared().bind<1>(n).grid(1).block(x).shared_bytes(4 * x * y * deep), 1);
    check_all_ways(declared().bind<1>(n).grid(n).block(x).shared_bytes(deep * 2 - y), 1);
    check_all_ways(declared().bind<1>(n).grid(n).block(x).shared_bytes(x / deep), 1);
}

TEST_CASE("clusters: constraints say what arithmetic says")
{
    check_all_ways(declared().bind<1>(n).grid(x, 12).block(32).cluster(y, deep), 1);
    check_all_ways(declared().bind<1>(n).grid(n).block(x).cluster(y), 96);
    check_all_ways(declared().bind<1>(n).grid(n).block(x).cluster(1, y), 96);
}

TEST_CASE("cooperative launches: constraints say what arithmetic says")
{
    for (int const size : {1, 6, 40, 400, 4000})
        check_all_ways(declared().bind<1>(n).grid(attune::ceil_div(n, x)).block(x, y).cooperative(),
                       size);
}

TEST_CASE("formulas that overflow are no launch")
{
    constexpr std::int64_t huge = std::int64_t{1} << 62;
    check_all_ways(declared().bind<1>(n).grid(x).block(y * huge / huge), 1);
    check_all_ways(declared().bind<1>(n).grid(n).block(x, y).shared_bytes(deep * huge), 1);
}

TEST_CASE("a demand is told as the user's formula with what it stands for")
{
    attune::description const d =
        limited(declared().bind<1>(n).grid(n).block(x, y).shared_bytes(4 * x));
    CHECK(has_constraint(d, "X * Y <= 1024 (threads per block of narrow)"));
    CHECK(has_constraint(d, "Y >= 1 (threads in y)"));
    CHECK_FALSE(has_constraint(d, "X >= 1 (threads in x)")); // every value is
    attune::description const wide =
        limited(declared().bind<1>(n).grid(n).block(x, 1, deep).shared_bytes(64 * x));
    CHECK(has_constraint(wide, "DEEP <= 64 (threads per block in z of narrow)"));
    CHECK(has_constraint(wide, "64 * X <= 102400 (shared bytes per block of narrow)"));
}

TEST_CASE("what always holds is no constraint, so that parameters stay independent")
{
    static constexpr auto fine = attune::ordinal<"X">(attune::powers_of_two(32, 512));
    static constexpr auto more = attune::ordinal<"Y">(attune::values(1, 2, 4));
    static constexpr auto both = attune::space(fine, more);
    kernel k{"k", attune::source_text("", "k.cu"), both};
    k.bind<1>(n).grid(attune::ceil_div(n, fine * more)).block(fine).shared_bytes(4 * fine * more);
    attune::description d = attune::bind_inputs(k.describe().space, {n(100000)});
    attune::detail::add_launch_limits(d, *k.describe().launch, narrow_device());
    CHECK(d.constraints.empty());
    CHECK(attune::chain_of_trees{d}.tree_count() == 2);
}

TEST_CASE("a demand that no parameter can change is an error with the numbers")
{
    std::string const empty =
        error_of([] { (void)limited(declared().bind<1>(n).grid(n).block(x), 0); });
    CHECK(has(empty, "N >= 1 (blocks in x)"));
    CHECK(has(empty, "N = 0"));
    CHECK(has(error_of([] { (void)limited(declared().bind<1>(n).grid(n).block(64, 32)); }),
              "64 * 32 <= 1024 (threads per block of narrow)"));
    CHECK(has(error_of([] { (void)limited(declared().grid(1).block(x).shared_bytes(200000)); }),
              "200000 <= 102400 (shared bytes per block of narrow)"));
    CHECK(has(error_of([] { (void)limited(declared().grid(16).block(x).cluster(16)); }),
              "blocks per cluster of narrow"));
}

TEST_CASE("a launch without grid or block, or cooperative where that cannot be, is an error")
{
    CHECK(has(error_of([] { (void)limited(declared().block(x)); }), "kernel.grid(...)"));
    CHECK(has(error_of([] { (void)limited(declared().grid(x)); }), "kernel.block(...)"));
    attune::device_limits alone = narrow_device();
    alone.can_cooperate = false;
    kernel k = declared();
    k.grid(1).block(x).cooperative();
    attune::description d = attune::bind_inputs(k.describe().space, {});
    CHECK(has(error_of([&] { attune::detail::add_launch_limits(d, *k.describe().launch, alone); }),
              "cooperative"));
}

TEST_CASE("threads per block, shared bytes and blocks become features where they are formulas")
{
    auto const texts = [](kernel const& k) {
        std::vector<std::string> out;
        for (attune::feature_description const& f : limited(k).features)
            out.push_back(f.text);
        return out;
    };
    CHECK(texts(declared().bind<1>(n).grid(n / x, y).block(x, y).shared_bytes(4 * x)) ==
          std::vector<std::string>{"X * Y", "4 * X", "N / X * Y"});
    CHECK(texts(declared().bind<1>(n).grid(n).block(x)).empty());
    static constexpr auto stated = attune::space(x, y, deep).features(x * y);
    kernel k{"k", attune::source_text("", "k.cu"), stated};
    k.bind<1>(n).grid(n).block(x, y);
    CHECK(texts(k) == std::vector<std::string>{"X * Y"});
}

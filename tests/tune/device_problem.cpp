// tests/tune/device_problem.cpp - problem.hpp where the compiler makes code for a CUDA device.
// SPDX-License-Identifier: MIT
#include <attune/compile/cuda_compiler.hpp>
#include <attune/core/error.hpp>
#include <attune/tune/device/cuda/cuda_device.hpp>
#include <attune/tune/kernel.hpp>
#include <attune/tune/kernel/problem.hpp>

#include <doctest/doctest.h>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "../declare/every_point.hpp"
#include "../support/texts.hpp"

using attune_test::error_of;
using attune_test::has;

namespace {

constexpr auto n = attune::input<"N", int>();
constexpr auto m = attune::input<"M", int>();
constexpr auto block_x = attune::ordinal<"BLOCK_X">(attune::powers_of_two(16, 256));
constexpr auto block_y = attune::ordinal<"BLOCK_Y">(attune::powers_of_two(1, 16));
constexpr auto unroll = attune::ordinal<"UNROLL">(attune::values(1, 2, 4));
constexpr auto space = attune::space(block_x, block_y, unroll);

/// One file for both compilers: each uses only some of the parameters.
constexpr char const* file = R"(
#ifdef __CUDACC__
extern "C" __global__ void k(float* y, int n)
{
    constexpr int across = ATTUNE_TUNABLE(BLOCK_X, 32) * ATTUNE_TUNABLE(BLOCK_Y, 4);
}
#else
void k(std::span<float> y, int n)
{
    for (int i = 0; i < n; i += ATTUNE_TUNABLE(UNROLL, 2)) y[i] = 1;
}
#endif
)";

using arrays = attune::kernel<void(std::span<float>, int)>;

arrays declared(std::string const& text = file)
{
    return {"k", attune::source_text(text, "k.kernel.cu"), space};
}

arrays launched()
{
    arrays k = declared();
    k.bind<1>(n)
        .grid(attune::ceil_div(n, block_x))
        .block(block_x, block_y)
        .shared_bytes(4 * block_x);
    return k;
}

attune::device_limits const h200 = [] {
    attune::device_limits out;
    out.name = "NVIDIA H200";
    out.architecture = 90;
    return out;
}();

attune::chain_of_trees space_for(arrays const& k, int size,
                                 attune::device_limits const* limits = nullptr)
{
    attune::kernel_description const& d = k.describe();
    attune::cuda_target target;
    if (limits != nullptr) target.limits = *limits;
    attune::detail::cuda_device const on{target};
    return attune::detail::space_of_call(d, attune::detail::with_annotated_defaults(d), {n(size)},
                                         limits != nullptr ? &on : nullptr);
}

} // namespace

TEST_CASE("a file for two compilers names the parameters of both, whatever its #if say")
{
    attune::description const d = attune::detail::with_annotated_defaults(launched().describe());
    CHECK(d.parameters[0].default_text == "32");
    CHECK(d.parameters[1].default_text == "4");
    CHECK(d.parameters[2].default_text == "2");
}

TEST_CASE("a parameter of the launch need not stand in the kernel file, but needs a default")
{
    static constexpr auto with = attune::space(block_x.with_default(64), block_y);
    static constexpr auto without = attune::space(block_x, block_y);
    auto const said = [](auto const& typed, auto const& declare) {
        arrays k{"k", attune::source_text("ATTUNE_TUNABLE(BLOCK_Y, 2)", "k.cu"), typed};
        declare(k);
        return error_of([&] { (void)attune::detail::with_annotated_defaults(k.describe()); });
    };
    CHECK(said(with, [](arrays& k) { k.grid(1).block(block_x); }) == "");
    CHECK(said(with, [](arrays& k) { k.grid(1, 2, n / block_x).block(32); }) == "");
    CHECK(said(with, [](arrays& k) { k.shared_bytes(3 * block_x); }) == "");
    CHECK(said(with, [](arrays& k) { k.cluster(block_x); }) == "");
    CHECK(has(said(without, [](arrays& k) { k.grid(1).block(block_x); }),
              "parameter BLOCK_X, kernel k"));
    CHECK(has(said(with, [](arrays& k) { k.grid(1).block(block_y); }),
              "the kernel file does not use"));
    CHECK(has(said(with, [](arrays&) {}), "the kernel file does not use"));
}

TEST_CASE("a compiler for this processor is given every configuration, a device what it can launch")
{
    arrays const k = launched();
    attune::chain_of_trees const here = space_for(k, 1000);
    attune::chain_of_trees const there = space_for(k, 1000, &h200);
    std::size_t fits = 0;
    for (attune::point const& p : attune_tests::every_point(here.describe())) {
        attune::launch_geometry const g =
            attune::detail::make_variant(k.describe(), here.describe(), p).launch;
        CHECK(here.contains(p));
        CHECK(there.contains(p) == (g.block[0] * g.block[1] <= 1024));
        fits += there.contains(p) ? 1U : 0U;
    }
    CHECK(here.size() == attune::leaf_count{75});
    CHECK(there.size() == attune::leaf_count{fits});
    CHECK(fits < 75);
}

TEST_CASE("a variant has the geometry of its launch, the same from the space of either compiler")
{
    arrays const k = launched();
    attune::point const at{attune::coordinate{2, 0}, attune::coordinate{3, 0},
                           attune::coordinate{0, 0}};
    attune::launch_geometry want;
    want.grid = {16, 1, 1};
    want.block = {64, 8, 1};
    want.shared_bytes = 256;
    CHECK(attune::detail::make_variant(k.describe(), space_for(k, 1000).describe(), at).launch ==
          want);
    CHECK(attune::detail::make_variant(k.describe(), space_for(k, 1000, &h200).describe(), at)
              .launch == want);
    arrays const plain = declared();
    CHECK(attune::detail::make_variant(plain.describe(), space_for(plain, 1000).describe(), at)
              .launch == attune::launch_geometry{});
}

TEST_CASE("defaults that a device cannot launch are an error with the demand and the defaults")
{
    attune::device_limits limits = h200;
    limits.threads_per_block = 64;
    std::string const said = error_of([&] { (void)space_for(launched(), 1000, &limits); });
    CHECK(has(said, "BLOCK_X * BLOCK_Y <= 64 (threads per block of NVIDIA H200)"));
    CHECK(has(said, "BLOCK_X=32 at k.kernel.cu:5"));
    CHECK(has(said, "BLOCK_Y=4 at k.kernel.cu:5"));
    CHECK(error_of([&] { (void)space_for(launched(), 1000); }) == "");
}

TEST_CASE("the numbers of the launch are features on a device only")
{
    CHECK(space_for(launched(), 1000).describe().features.empty());
    CHECK(space_for(launched(), 1000, &h200).describe().features.size() == 3);
}

TEST_CASE("on a device, whatever decides a launch changes the key")
{
    attune::cuda_target target;
    target.limits = h200;
    attune::detail::cuda_device const there{target};
    auto const key = [&](auto const& change, attune::device_target const* on) {
        arrays k = launched();
        change(k);
        auto const bound = attune::bind_inputs(k.describe().space, {n(1000)});
        return attune::detail::make_key(k.describe(), bound, "c", on);
    };
    auto const same = [](arrays&) {};
    auto const base = key(same, &there);
    CHECK(base == key(same, &there));
    CHECK(base.device == "NVIDIA H200 (sm_90)");
    auto const changes = std::vector<std::function<void(arrays&)>>{
        [](arrays& k) { k.grid(n); },
        [](arrays& k) { k.block(block_x); },
        [](arrays& k) { k.shared_bytes(8 * block_x); },
        [](arrays& k) { k.cluster(2); },
        [](arrays& k) { k.cooperative(); },
    };
    auto const rules = std::vector<std::function<void(arrays&)>>{
        [](arrays& k) { k.require(attune::stack_bytes <= 64); },
        [](arrays& k) { k.require(attune::stack_bytes <= 65); },
    };
    std::set<std::string> schemas{base.schema};
    for (auto const& change : changes)
        schemas.insert(key(change, &there).schema);
    for (auto const& rule : rules)
        schemas.insert(key(rule, &there).schema);
    CHECK(schemas.size() == changes.size() + rules.size() + 1);

    // Code for this processor is launched by nobody: its records stay valid. Rules hold for it,
    // too.
    for (auto const& change : changes)
        CHECK(key(change, nullptr) == key(same, nullptr));
    std::set<std::string> here{key(same, nullptr).schema};
    for (auto const& rule : rules)
        here.insert(key(rule, nullptr).schema);
    CHECK(here.size() == rules.size() + 1);
    CHECK(key(same, nullptr).device == attune::detail::device_name());
    CHECK(key(same, nullptr).schema != base.schema);
}

TEST_CASE("a device is named with its architecture, once")
{
    CHECK(attune::detail::device_name(h200) == "NVIDIA H200 (sm_90)");
    attune::device_limits only;
    only.name = "sm_75";
    only.architecture = 75;
    CHECK(attune::detail::device_name(only) == "sm_75");
}

TEST_CASE("the extents of raw pointers are known by argument once the inputs are")
{
    attune::kernel<void(float const*, int, double*, std::span<float>)> k{
        "k", attune::source_text("", "k.cu"), space};
    k.bind<1>(n).extent<0>(n * m).extent<2>(7);
    CHECK(attune::detail::extents_of(k.describe(), {n(30), m(4)}) ==
          std::vector<std::size_t>{120, 0, 7, 0});
    CHECK(attune::detail::extents_of(k.describe(), {n(0), m(4)})[0] == 0);
    std::string const negative =
        error_of([&] { (void)attune::detail::extents_of(k.describe(), {n(-3), m(4)}); });
    CHECK(has(negative, "argument 0, float const*, of kernel k: N * M is -12"));
    std::string const open =
        error_of([&] { (void)attune::detail::extents_of(k.describe(), {n(3)}); });
    CHECK(has(open, "N * M has no value"));
}

TEST_CASE("a raw pointer without an extent is an error that names the argument")
{
    attune::kernel<void(float*, double const*)> k{"k", attune::source_text("", "k.cu"), space};
    k.extent<0>(16);
    std::string const said = error_of([&] { (void)attune::detail::extents_of(k.describe(), {}); });
    CHECK(has(said, "argument 1, double const*, of kernel k"));
    CHECK(has(said, "kernel.extent<1>(...)"));
}

TEST_CASE("features of the code are code metrics of a device's space, and of no other")
{
    arrays k = launched();
    k.features(attune::registers, attune::spill_bytes > 0);
    CHECK(space_for(k, 1000, &h200).describe().code_metrics ==
          std::vector<std::string>{"registers", "spill_bytes > 0"});
    CHECK(space_for(k, 1000).describe().code_metrics.empty());
    CHECK(space_for(launched(), 1000, &h200).describe().code_metrics.empty());
}

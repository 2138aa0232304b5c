// tests/tune/kernel/stated_work.cpp - flops and bytes as formulas, or of the arguments.
// SPDX-License-Identifier: MIT
#include <attune/tune/kernel/stated_work.hpp>

#include <attune/attune.hpp>
#include <attune/declare/schema.hpp>

#include <doctest/doctest.h>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "../../support/texts.hpp"

using attune_test::has;

namespace {

constexpr auto n = attune::input<"N", int>();
constexpr auto tile = attune::ordinal<"TILE">(attune::values(4, 8, 16));
constexpr auto pad = attune::boolean<"PAD">();
constexpr auto order = attune::permutation<"ORDER", 2>();
constexpr auto foreign = attune::ordinal<"FOREIGN">(attune::values(1, 2));
constexpr auto space = attune::space(tile, pad, order);

using singles = void(std::span<float const>, std::span<float>, int);
using doubles = void(std::span<float const>, std::span<double>, int);

template <class Signature = singles>
attune::kernel<Signature> any_kernel()
{
    return {"k", attune::source_text("", "k.kernel.cpp"), space};
}

/// At TILE = 8, PAD = true, ORDER = {1, 0}.
template <class Signature>
attune::work work_of(attune::kernel<Signature> const& k, std::int64_t size)
{
    attune::description const bound = attune::bind_inputs(
        k.describe().space, {attune::input_value{"N", attune::number::of(size)}});
    return k.describe().work(bound, attune::point{{1}, {1}, {1}}, nullptr, nullptr);
}

std::string said(auto&& act)
{
    try {
        act();
    } catch (attune::error const& e) {
        return e.what();
    }
    return "nothing";
}

} // namespace

TEST_CASE("formulas over inputs and parameters have their value at a configuration")
{
    auto k = any_kernel();
    CHECK(k.describe().work == nullptr);
    k.bind<2>(n).work(2 * n * n * n, 12.0 * n * n);
    attune::work const plain = work_of(k, 100);
    CHECK(plain.flops == 2e6);
    CHECK(plain.bytes == 1.2e5);
    CHECK(!plain.double_precision);

    k.work(attune::ceil_div(n, tile) * tile, select(pad, 4 * n + 1, 4 * n) + order.position(0));
    attune::work const padded = work_of(k, 100);
    CHECK(padded.flops == 104); // 13 tiles of 8
    CHECK(padded.bytes == 402); // item 0 stands at place 1

    k.work(1000, tile);
    CHECK(work_of(k, 1).flops == 1000);
    CHECK(work_of(k, 1).bytes == 8);
}

TEST_CASE("one argument of doubles makes the flops count as double precision")
{
    auto k = any_kernel<doubles>();
    k.work(n, n);
    CHECK(work_of(k, 3).double_precision);
}

TEST_CASE("the work leaves space, schema and keys of the kernel as they were")
{
    auto with = any_kernel();
    with.bind<2>(n).work(2 * n * tile, 4 * n);
    auto without = any_kernel();
    CHECK(attune::detail::schema_text(with.describe().space) ==
          attune::detail::schema_text(without.describe().space));
    CHECK(with.describe().space.features.empty());
    CHECK(with.describe().space.constraints.empty());
}

TEST_CASE("a formula over a parameter of another space is an error that names it")
{
    auto k = any_kernel();
    std::string const text = said([&] { k.work(2 * n, n * foreign); });
    CHECK(has(text, "kernel.work(...) reads a parameter that is not in the space"));
    CHECK(has(text, "parameter FOREIGN"));
    constexpr auto clash = attune::input<"TILE", int>();
    CHECK(has(said([&] { k.work(2 * clash, 1); }), "input that has the name of a parameter"));
}

TEST_CASE("a formula without a value, or a negative one, is an error that shows it")
{
    auto k = any_kernel();
    k.work(2 * n * n * n, n);
    CHECK(work_of(k, 1'000'000).flops == 2e18);
    std::string const text = said([&] { (void)work_of(k, 2'000'000); }); // 1.6e19 > 2^63
    CHECK(has(text, "the flops of kernel.work(...) have no value"));
    CHECK(has(text, "2 * N * N * N"));
    k.work(2.0 * n * n * n, n);
    CHECK(work_of(k, 2'000'000).flops == 1.6e19);
    k.work(n, n / (n - 5));
    CHECK(has(said([&] { (void)work_of(k, 5); }), "the bytes of kernel.work(...) have no value"));
    k.work(n - 5, n);
    CHECK(has(said([&] { (void)work_of(k, 4); }), "are negative"));
}

TEST_CASE("a function of the arguments sees the call's own data")
{
    auto k = any_kernel();
    k.work([](std::span<float const> x, auto const&, int times) {
        return attune::work{.flops = static_cast<double>(x[0]) * times,
                            .bytes = 4.0 * static_cast<double>(x.size())};
    });
    std::vector<float> x{2, 3};
    std::vector<float> y{0};
    std::tuple<std::span<float const>, std::span<float>, int> const arguments{x, y, 5};
    attune::work const w =
        k.describe().work(attune::bind_inputs(k.describe().space), {}, &arguments, nullptr);
    CHECK(w.flops == 10);
    CHECK(w.bytes == 8);
}

TEST_CASE("a function of a configuration and the arguments reads parameters, and is known as such")
{
    auto k = any_kernel();
    std::vector<float> const in(5);
    std::vector<float> out(3);
    std::tuple<std::span<float const>, std::span<float>, int> const arguments{in, out, 7};
    k.work([](attune::configuration_view const& at, auto const& x, auto const&, int size) {
        return attune::work{.flops = static_cast<double>(x.size()) * at[tile],
                            .bytes = at[order][0] + 10.0 * size,
                            .threads = at[pad] ? 2U : 1U};
    });
    CHECK(k.describe().work_varies);
    attune::description const bound = attune::bind_inputs(k.describe().space, {});
    std::vector<bool> read(3, false);
    attune::work const done =
        k.describe().work(bound, attune::point{{1}, {1}, {1}}, &arguments, &read);
    CHECK(read == std::vector<bool>(3, true));
    CHECK(done.flops == 5 * 8);
    CHECK(done.bytes == 1 + 70);
    CHECK(done.threads == 2);

    k.work([](auto&&...) { return attune::work{1, 1}; }); // of the arguments, if it takes these
    CHECK(!k.describe().work_varies);
    k.bind<2>(n).work(2 * n, n);
    CHECK(!k.describe().work_varies);
    k.work(2 * n * tile, 4 * tile); // for the report alone
    CHECK(!k.describe().work_varies);
}

// tests/tune/kernel/user_functions.cpp - checks, errors, references, lengths, drawn calls and work, called without types.
// SPDX-License-Identifier: MIT
#include <attune/tune/kernel/user_functions.hpp>

#include <attune/attune.hpp>
#include <attune/compile/clang.hpp>
#include <attune/declare/text.hpp>

#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "../../support/set_variable.hpp"
#include "../../support/texts.hpp"

using attune_test::error_of;
using attune_test::has;
using attune_test::text_thrown_by;

namespace {

using numbers = std::span<double const>;

struct takes_all {
    bool operator()(numbers, int, double) const { return true; }
};
struct takes_arguments {
    std::string operator()(numbers, int) const { return {}; }
};
struct gives_error {
    double operator()(numbers, int) const { return 0; }
};
struct gives_count {
    int operator()(numbers, int) const { return 0; }
};

/// A call of double(span, int) and one of void(span, int) with the same arguments.
struct calls {
    std::vector<double> data{1, 2, 4};
    double returned = 7;
    attune::detail::host_call<double, numbers, int> with_result{{numbers(data), 3}, &returned};
    attune::detail::host_call<void, numbers, int> without_result{{numbers(data), 3}};
};

using in = std::span<float const>;
using out = std::span<float>;

constexpr auto rows = attune::argument<2>;
constexpr auto columns = attune::argument<3>;
constexpr auto unroll = attune::ordinal<"UNROLL">(attune::values(1, 8));

attune::kernel<void(in, out, int, int)> sums()
{
    return {"sums",
            attune::source_text(R"(
#include <attune/tunable.hpp>
#include <span>
constexpr int unroll = ATTUNE_TUNABLE(UNROLL, 1);
void sums(std::span<float const> x, std::span<float> y, int rows, int columns)
{
    for (int i = 0; i < rows; ++i) {
        float sum = 0;
        for (int j = 0; j < columns; ++j) sum += x[i * columns + j];
        for (int volatile w = unroll == 1 ? 2000 : 0; w > 0; w = w - 1) {}
        y[i] = sum;
    }
}
)",
                                "sums.kernel.cpp"),
            attune::space(unroll)};
}

attune::tuning_options quick()
{
    return {.limits = {.evaluations = 2, .seconds = 5}, .progress = attune::silent_progress()};
}

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

} // namespace

TEST_CASE("user functions are told apart by what they take and return")
{
    using namespace attune::detail;
    static_assert(result_check<takes_all, double, numbers, int>);
    static_assert(!result_check<takes_all, void, numbers, int>);
    static_assert(result_check<takes_arguments, void, numbers, int>);
    static_assert(!result_check<takes_arguments, double, numbers, int>);
    static_assert(error_measure<gives_error, void, numbers, int>);
    static_assert(!error_measure<gives_count, void, numbers, int>);
    static_assert(!error_measure<takes_arguments, void, numbers, int>);
    static_assert(!result_check<gives_error, void, numbers, int>);
}

TEST_CASE("a check sees the arguments, and the result where there is one")
{
    calls c;
    using with = attune::detail::host_call<double, numbers, int>;
    using without = attune::detail::host_call<void, numbers, int>;
    auto const sum = attune::detail::make_check<with>([](numbers x, int count, double r) {
        double s = 0;
        for (int i = 0; i < count; ++i)
            s += x[static_cast<std::size_t>(i)];
        return s == r;
    });
    CHECK(sum(&c.with_result) == "");
    c.returned = 8;
    CHECK(sum(&c.with_result) != "");
    auto const said = attune::detail::make_check<without>([](numbers x, int count) {
        return x.size() == std::size_t(count) ? "" : std::string("short");
    });
    CHECK(said(&c.without_result) == "");
    std::get<1>(c.without_result.arguments) = 2;
    CHECK(said(&c.without_result) == "short");
}

TEST_CASE("a check that throws refuses the result and says what it threw")
{
    calls c;
    using without = attune::detail::host_call<void, numbers, int>;
    auto const check = attune::detail::make_check<without>(
        [](numbers, int) -> bool { throw std::runtime_error("no such row"); });
    CHECK(check(&c.without_result).find("no such row") != std::string::npos);
    auto const error = attune::detail::make_error_check(
        [](void const*) -> double { throw std::runtime_error("no such column"); }, 1);
    CHECK(error(nullptr).find("no such column") != std::string::npos);
}

TEST_CASE("an error is right up to its bound, NaN is wrong")
{
    double const inf = std::numeric_limits<double>::infinity();
    for (double const bound : {-1.0, 0.0, 1e-3})
        for (double const error : {-inf, -2.0, -1.0, 0.0, 1e-3, 2e-3, inf, std::nan("")}) {
            auto const check =
                attune::detail::make_error_check([error](void const*) { return error; }, bound);
            CHECK(check(nullptr).empty() == (error <= bound));
        }
}

TEST_CASE("what a reference returns becomes the result of the call")
{
    calls c;
    using with = attune::detail::host_call<double, numbers, int>;
    attune::detail::make_result<with>([](numbers x, int count) { return x[0] * count; })(
        &c.with_result);
    CHECK(c.returned == 3);
    using without = attune::detail::host_call<void, numbers, int>;
    int seen = 0;
    attune::detail::make_result<without>([&](numbers, int count) { seen = count; })(
        &c.without_result);
    CHECK(seen == 3);
}

TEST_CASE("a call with an array that is shorter than declared is an error that names it")
{
    attune::tuned f{sums().lengths(rows * columns, rows), attune::clang_compiler{}, quick()};
    std::vector<float> x(60, 1.0f), y(6);
    f(x, y, 6, 10);
    CHECK(y[5] == 10);
    y.assign(7, 0); // longer is no error
    f(x, y, 6, 10);
    std::string const said = text_thrown_by<attune::error>([&] { f(x, y, 6, 11); });
    CHECK(
        said.find("argument 0 of kernel 'sums' has 60 elements, and kernel.lengths(...) says 66") !=
        std::string::npos);
    attune::tuned open{sums().lengths(attune::any_length, rows), attune::clang_compiler{}, quick()};
    y.resize(5);
    CHECK(text_thrown_by<attune::error>([&] { open(x, y, 6, 10); }).find("argument 1") !=
          std::string::npos);
}

TEST_CASE("the user's function makes the calls of a kernel on sparse rows")
{
    attune::kernel<void(std::span<int const>, in, out)> kernel{
        "rows",
        attune::source_text(R"(
#include <attune/tunable.hpp>
#include <span>
constexpr int unroll = ATTUNE_TUNABLE(UNROLL, 1);
void rows(std::span<int const> start, std::span<float const> x, std::span<float> y)
{
    for (std::size_t i = 0; i < y.size(); ++i) {
        float sum = 0;
        for (int j = start[i]; j < start[i + 1]; ++j) sum += x[j];
        for (int volatile w = unroll == 1 ? 1000 : 0; w > 0; w = w - 1) {}
        y[i] = sum;
    }
}
)",
                            "rows.kernel.cpp"),
        attune::space(unroll)};
    auto const made = [](attune::call_draw& draw) {
        std::vector<int> start{0};
        auto const count = static_cast<int>(draw.size(0, 3'000));
        for (int i = 0; i < count; ++i)
            start.push_back(start.back() + static_cast<int>(draw.index(5)));
        std::vector<float> x = draw.reals(static_cast<std::size_t>(start.back()));
        std::vector<float> y(static_cast<std::size_t>(count));
        return std::tuple{start, x, y};
    };
    kernel.calls(made);
    attune::tuned f{kernel, attune::clang_compiler{}, quick()};
    attune::call_draw draw(77);
    auto const call = [&] {
        auto [start, x, y] = made(draw);
        f(start, x, y);
    };
    std::vector<int> const start(201, 0);
    std::vector<float> x(1), y(200);
    f(start, x, y);
    REQUIRE(f.report().speedup > 1);
    CHECK(f.report().shapes.proofs > 50);
    for (int i = 0; i < 100; ++i)
        call();
    CHECK(f.report().shapes.by_default <= 10);

    attune::kernel<void(std::span<int const>, in, out)> broken = kernel;
    broken.calls([](attune::call_draw&)
                     -> std::tuple<std::vector<int>, std::vector<float>, std::vector<float>> {
        throw std::runtime_error("no matrix today");
    });
    attune::tuned g{broken, attune::clang_compiler{}, quick()};
    g(start, x, y);
    bool is_said = false;
    for (std::string const& one : g.report().notices)
        is_said = is_said || one.find("no matrix today") != std::string::npos;
    CHECK(is_said);
}

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
    std::string const text = error_of([&] { k.work(2 * n, n * foreign); });
    CHECK(has(text, "kernel.work(...) reads a parameter that is not in the space"));
    CHECK(has(text, "parameter FOREIGN"));
    constexpr auto clash = attune::input<"TILE", int>();
    CHECK(has(error_of([&] { k.work(2 * clash, 1); }), "input that has the name of a parameter"));
}

TEST_CASE("a formula without a value, or a negative one, is an error that shows it")
{
    auto k = any_kernel();
    k.work(2 * n * n * n, n);
    CHECK(work_of(k, 1'000'000).flops == 2e18);
    std::string const text = error_of([&] { (void)work_of(k, 2'000'000); }); // 1.6e19 > 2^63
    CHECK(has(text, "the flops of kernel.work(...) have no value"));
    CHECK(has(text, "2 * N * N * N"));
    k.work(2.0 * n * n * n, n);
    CHECK(work_of(k, 2'000'000).flops == 1.6e19);
    k.work(n, n / (n - 5));
    CHECK(
        has(error_of([&] { (void)work_of(k, 5); }), "the bytes of kernel.work(...) have no value"));
    k.work(n - 5, n);
    CHECK(has(error_of([&] { (void)work_of(k, 4); }), "are negative"));
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

// tests/tune/kernel/user_functions.cpp - checks, errors and references, called without types.
// SPDX-License-Identifier: MIT
#include <attune/tune/kernel/user_functions.hpp>

#include <cmath>
#include <doctest/doctest.h>
#include <functional>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

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
    auto const sum = attune::detail::make_check<with>([](numbers x, int n, double r) {
        double s = 0;
        for (int i = 0; i < n; ++i)
            s += x[static_cast<std::size_t>(i)];
        return s == r;
    });
    CHECK(sum(&c.with_result) == "");
    c.returned = 8;
    CHECK(sum(&c.with_result) != "");
    auto const said = attune::detail::make_check<without>(
        [](numbers x, int n) { return x.size() == std::size_t(n) ? "" : std::string("short"); });
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
    attune::detail::make_result<with>([](numbers x, int n) { return x[0] * n; })(&c.with_result);
    CHECK(c.returned == 3);
    using without = attune::detail::host_call<void, numbers, int>;
    int seen = 0;
    attune::detail::make_result<without>([&](numbers, int n) { seen = n; })(&c.without_result);
    CHECK(seen == 3);
}

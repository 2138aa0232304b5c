// tests/measure/cuda/device_compare_text.cpp : mirrors include/attune/measure/cuda/device_compare_text.hpp
// SPDX-License-Identifier: MIT
#include <attune/measure/cuda/device_compare_text.hpp>
// and what the test needs besides
#include <attune/compile/source/compile_request.hpp>
#include <attune/compile/source/source.hpp>
#include <attune/core/random.hpp>
#include <attune/cuda/primary_context.hpp>
#include <attune/measure/arrays/compare.hpp>
#include <attune/measure/cuda/device_compare.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <doctest/doctest.h>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "../../support/emulated_compiler.hpp"

using attune::buffer;
using attune::detail::device_compare;
using attune::detail::device_memory;
using attune::detail::device_reference;
using attune::detail::memory_place;

namespace {

attune::compile_result compile_text(attune_test::emulated_compiler const& compiler)
{
    attune::compile_request wanted;
    wanted.function = std::string(attune::detail::device_compare_entry);
    wanted.result = "void";
    wanted.arguments = attune::detail::device_compare_arguments();
    return compiler.compile({std::string(attune::detail::device_compare_text), "device_compare.cu"},
                            wanted);
}

/// Compiles once for all cases.
attune_test::emulated_compiler shared_compiler()
{
    static attune_test::emulated_compiler const one({.driver = ATTUNE_EMULATED_CUDA});
    return one;
}

/// The kernel on an emulated device.
struct emulated_comparison {
    attune_test::emulated_compiler compiler = shared_compiler();
    std::shared_ptr<attune::detail::device_session> where =
        std::make_shared<attune::detail::device_session>(compiler.target().driver, 0);
    attune::detail::cuda::context_scope here{where->context()};
    attune::detail::device_clock clock{where};
    device_compare there;

    emulated_comparison()
        : there(where, code_of(compile_text(compiler)))
    {
        REQUIRE(there.why_on_host() == "");
    }

    static attune::device_code code_of(attune::compile_result const& made)
    {
        if (auto const* failed = std::get_if<attune::failure>(&made)) FAIL(failed->log);
        return static_cast<attune::device_variant const*>(std::get<attune::callable>(made).address)
            ->code;
    }

    /// What the device and the host say of two arrays, as text; empty: equal.
    template <class T>
    void check(std::vector<T> got, std::vector<T> const& want, attune::tolerance within)
    {
        buffer like = attune::detail::as_buffer(std::span(got), 3);
        like.within = within;
        device_memory const mine(where, like.bytes, "got");
        device_memory const theirs(where, like.bytes, "want");
        attune::detail::cuda::driver const& d = where->driver();
        where->require(d.copy_to_device(mine.address(), got.data(), like.bytes), "copying");
        where->require(d.copy_to_device(theirs.address(), want.data(), like.bytes), "copying");
        device_reference right{memory_place::device, theirs.address(), 0};
        right.rms = there.root_mean_square(like, theirs.address());
        auto const said = there.compare(like, mine.address(), right, clock);
        CHECK(there.why_on_host() == "");
        auto const host = attune::detail::compare(like, std::as_bytes(std::span(want)));
        CHECK((said ? said->text() : "equal") == (host ? host->text() : "equal"));
    }
};

template <class T>
T random_number(attune::random_engine& engine)
{
    if constexpr (std::is_floating_point_v<T>) {
        return static_cast<T>(200 * attune::uniform_unit(engine) - 100);
    } else {
        std::uint64_t const bits = engine();
        T out;
        std::memcpy(&out, &bits, sizeof(T));
        return out;
    }
}

template <class T>
void check_type(emulated_comparison& c)
{
    attune::random_engine engine(3);
    for (std::size_t const n : {1U, 127U, 128U, 129U, 40'000U}) {
        std::vector<T> want(n);
        for (T& t : want)
            t = random_number<T>(engine);
        std::vector<T> got = want;
        c.check(got, want, {});
        for (int changes = 0; changes < 4; ++changes) {
            got[attune::uniform_below(engine, n)] = random_number<T>(engine);
            c.check(got, want, {});
            c.check(got, want, {10, 0.1});
        }
    }
}

} // namespace

TEST_CASE_TEMPLATE("the kernel agrees with compare() on numbers of every type", T, float, double,
                   std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                   std::uint32_t, std::int64_t, std::uint64_t)
{
    emulated_comparison c;
    check_type<T>(c);
}

TEST_CASE_TEMPLATE("the kernel agrees with compare() on what is no number", T, float, double)
{
    emulated_comparison c;
    T const nan = std::numeric_limits<T>::quiet_NaN();
    T const inf = std::numeric_limits<T>::infinity();
    T const most = std::numeric_limits<T>::max();
    std::vector<T> const odd{
        0, -T{0}, 1, -1, nan, -nan, inf, -inf, most, -most, static_cast<T>(1e-30)};
    for (T const a : odd)
        for (T const b : odd)
            for (attune::tolerance const within :
                 {attune::tolerance{0, 0}, attune::tolerance{0, 1e-3}, attune::tolerance{1e300, 0}})
                c.check(std::vector<T>{a, 5}, std::vector<T>{b, 5}, within);
}

TEST_CASE("the kernel agrees with compare() on the extremes of integers")
{
    emulated_comparison c;
    std::vector<std::int64_t> const odd{std::numeric_limits<std::int64_t>::min(),
                                        std::numeric_limits<std::int64_t>::max(), -1, 0, 1};
    for (std::int64_t const a : odd)
        for (std::int64_t const b : odd)
            for (double const absolute : {0.0, 1.0, 2.0, 9.2e18, 1.9e19})
                c.check(std::vector<std::int64_t>{a}, std::vector<std::int64_t>{b}, {absolute, 0});
}

TEST_CASE("the kernel agrees with compare() on bytes of anything")
{
    emulated_comparison c;
    struct odd_one {
        char name[12];
    };
    std::vector<odd_one> const want(100);
    std::vector<odd_one> got = want;
    c.check(got, want, {});
    got[7].name[3] = 'x';
    got[9].name[0] = 'y';
    c.check(got, want, {1, 1}); // no tolerance counts
}

// tests/measure/device/device_compare.cpp : mirrors include/attune/measure/device/device_compare.hpp
// SPDX-License-Identifier: MIT
#include <attune/measure/device/device_compare.hpp>

#include <attune/compile/source/source.hpp>
#include <attune/core/random.hpp>
#include <attune/cuda/primary_context.hpp>
#include <attune/measure/arrays/compare.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <doctest/doctest.h>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "../../support/emulated_compiler.hpp"
#include "scripted_call.hpp"

using attune::buffer;
using attune::detail::device_clock;
using attune::detail::device_compare;
using attune::detail::device_memory;
using attune::detail::device_reference;
using attune::detail::memory_place;
using attune_test::scripted_launch;

namespace {

/// What the comparing kernel does, by compare(): the text of the kernel itself has its own test.
double compare_by_host(scripted_launch const& l)
{
    auto const count = static_cast<std::size_t>(l.at<unsigned long long>(2));
    buffer b{.data = l.array<std::byte>(0),
             .type = static_cast<attune::element_type>(l.at<int>(3))};
    b.bytes = count * attune::detail::element_bytes(b.type);
    b.within = {l.at<double>(4), l.at<double>(5)};
    auto const found = attune::detail::compare(b, {l.array<std::byte>(1), b.bytes});
    auto* const first = l.array<unsigned long long>(7);
    auto* const differing = l.array<unsigned long long>(8);
    for (unsigned t = 0; t < l.grid[0] * l.block[0]; ++t) {
        first[t] = count;
        differing[t] = 0;
    }
    if (!found) return 0;
    unsigned const last = l.grid[0] * l.block[0] - 1;
    first[last] = found->element;
    differing[last] = found->count - 1;
    differing[0] += 1;
    return 0;
}

attune::device_code compiled(std::string const& name)
{
    return attune_test::variant_named(name).code;
}

template <class T>
attune::detail::cuda::device_pointer address_of(std::vector<T>& v)
{
    return reinterpret_cast<attune::detail::cuda::device_pointer>(v.data());
}

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

TEST_CASE("the device and the host say the same of the same arrays")
{
    attune_test::scripted_session s;
    s.device.kernels["compare"] = compare_by_host;
    device_clock clock(s.where);
    device_compare there(s.where, compiled("compare"));
    device_compare here(s.where, {});
    CHECK(there.why_on_host().empty());
    CHECK(!here.why_on_host().empty());
    attune::random_engine engine(7);
    std::vector<float> want(3'000'001); // more than one piece of 8 MiB
    for (float& f : want)
        f = static_cast<float>(attune::uniform_unit(engine) - 0.5);
    std::vector<float> got = want;
    buffer const like = attune::detail::as_buffer(std::span(got), 4);
    device_reference right{memory_place::device, address_of(want), 0};
    right.rms = here.root_mean_square(like, address_of(want));
    CHECK(!there.compare(like, address_of(got), right, clock));
    CHECK(!here.compare(like, address_of(got), right, clock));
    for (std::size_t const i : {std::size_t{3'000'000}, std::size_t{2'500'000}, std::size_t{17}}) {
        got[i] = 3;
        auto const mine = there.compare(like, address_of(got), right, clock);
        auto const other = here.compare(like, address_of(got), right, clock);
        auto const host = attune::detail::compare(like, std::as_bytes(std::span(want)));
        REQUIRE(mine);
        REQUIRE(other);
        CHECK(mine->text() == host->text());
        CHECK(other->text() == host->text());
        CHECK(mine->element == i);
    }
    CHECK(s.device.launches == 4);
}

TEST_CASE("the root mean square is, bit by bit, that of compare()")
{
    attune_test::scripted_session s;
    device_clock clock(s.where);
    device_compare here(s.where, {});
    attune::random_engine engine(11);
    std::vector<double> want(1'200'000);
    for (double& d : want)
        d = std::exp(40 * attune::uniform_unit(engine) - 20);
    want[5] = std::numeric_limits<double>::infinity();
    want[6] = std::nan("");
    buffer const like = attune::detail::as_buffer(std::span(want), 0);
    double const rms = here.root_mean_square(like, address_of(want));
    // Two passes by hand.
    double largest = 0;
    for (double const d : want)
        if (std::isfinite(d)) largest = std::max(largest, d);
    double sum = 0;
    for (double const d : want)
        if (std::isfinite(d)) sum += (d / largest) * (d / largest);
    CHECK(rms == largest * std::sqrt(sum / static_cast<double>(want.size() - 2)));
}

TEST_CASE("bytes are compared as bytes, also with the host's memory")
{
    attune_test::scripted_session s;
    device_clock clock(s.where);
    device_compare here(s.where, {});
    std::vector<float> got{0.0f, 1.0f};
    std::vector<float> const want{-0.0f, 1.0f};
    buffer like = attune::detail::as_buffer(std::span(got), 0);
    device_reference const right{memory_place::host, reinterpret_cast<std::uintptr_t>(want.data())};
    CHECK(!here.compare(like, address_of(got), right, clock)); // 0 agrees with -0
    like.type = attune::element_type::opaque;
    auto const found = here.compare(like, address_of(got), right, clock);
    REQUIRE(found);
    CHECK(found->element == 3); // the byte with the sign
    CHECK(found->elements == 8);
}

TEST_CASE("what the kernel cannot compare, the host does")
{
    std::vector<float> got{1, 2, 3};
    std::vector<float> want{1, 2, 4};
    buffer const like = attune::detail::as_buffer(std::span(got), 0);
    device_reference const right{memory_place::device, address_of(want)};
    SUBCASE("it does not load")
    {
        attune_test::scripted_session s;
        device_clock clock(s.where);
        device_compare there(s.where, compiled("other"));
        CHECK(!there.why_on_host().empty());
        CHECK(there.compare(like, address_of(got), right, clock));
    }
    SUBCASE("it does not launch")
    {
        attune_test::scripted_session s;
        s.device.kernels["compare"] = compare_by_host;
        device_clock clock(s.where);
        device_compare there(s.where, compiled("compare"));
        s.device.fails = "launch_kernel";
        s.device.fails_with = attune::detail::cuda::invalid_value;
        auto const found = there.compare(like, address_of(got), right, clock);
        REQUIRE(found);
        CHECK(found->text() == "argument 0, element 2: got 3, reference 4");
        CHECK(!there.why_on_host().empty());
        CHECK(s.device.live["module"] == 0);
    }
    SUBCASE("an array is not aligned to its elements")
    {
        attune_test::scripted_session s;
        s.device.kernels["compare"] = compare_by_host;
        device_clock clock(s.where);
        device_compare there(s.where, compiled("compare"));
        std::vector<std::byte> shifted(13);
        std::memcpy(shifted.data() + 1, got.data(), 12);
        buffer part = like;
        auto const found = there.compare(part, address_of(shifted) + 1, right, clock);
        REQUIRE(found);
        CHECK(found->element == 2);
        CHECK(s.device.launches == 0);
    }
}

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

// tests/measure/cuda/device_compare.cpp : mirrors include/attune/measure/cuda/device_compare.hpp
// SPDX-License-Identifier: MIT
#include <attune/measure/cuda/device_compare.hpp>
// and what the test needs besides
#include <attune/core/random.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <doctest/doctest.h>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "scripted_call.hpp"

using attune::buffer;
using attune::detail::device_clock;
using attune::detail::device_compare;
using attune::detail::device_reference;
using attune::detail::memory_place;
using attune_test::scripted_launch;

namespace {

/// What the comparing kernel does, by compare(): the text of the kernel itself has its own test.
double compare_by_host(scripted_launch const& l)
{
    auto const count = static_cast<std::size_t>(l.at<unsigned long long>(2));
    buffer b;
    b.type = static_cast<attune::element_type>(l.at<int>(3));
    b.data = l.array<std::byte>(0);
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

// tests/tune/kernel/owned_call.cpp - copies of a call behave as the call, and refer to nothing of the caller's.
// SPDX-License-Identifier: MIT
#include <attune/tune/kernel/owned_call.hpp>

#include <attune/tune/kernel/launch_arguments.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <memory>
#include <optional>
#include <span>
#include <sys/mman.h>
#include <vector>

#include "../../support/sanitized.hpp"

using attune::detail::bytes_to_own;
using attune::detail::call_copies;
using attune::detail::call_copy;
using attune::detail::owned_call;

namespace {

std::uintptr_t address_of(attune::buffer const& b)
{
    return reinterpret_cast<std::uintptr_t>(b.data);
}

void twice(std::span<float const> x, std::span<float> y)
{
    for (std::size_t i = 0; i < y.size(); ++i)
        y[i] = 2 * x[i];
}

attune::call_frame frame_over(std::span<float const> x, std::span<float> y)
{
    return attune::detail::make_call_frame<std::span<float const>, std::span<float>>({}, x, y);
}

void run(attune::call_frame const& frame)
{
    std::vector<std::byte*> data;
    for (attune::buffer const& b : frame.buffers)
        data.push_back(b.data);
    frame.call(reinterpret_cast<void*>(&twice), data);
}

attune::call_frame frame_over(std::span<double> x)
{
    return attune::detail::make_call_frame<std::span<double>>({}, x);
}

} // namespace

TEST_CASE("a copied call works on copies, after the caller's arrays are gone as well")
{
    std::optional<owned_call> own;
    {
        std::vector<float> const x{1, 2, 3};
        std::vector<float> y{-1, -1, -1};
        attune::call_frame const frame = frame_over(x, y);
        CHECK(bytes_to_own(frame) % 4096 == 0);
        CHECK(bytes_to_own(frame) >= 4096);
        own.emplace(frame);
        run(own->frame());
        CHECK(y == std::vector<float>{-1, -1, -1});
        std::fill(y.begin(), y.end(), 100.0F);
    }
    run(own->frame());
    auto const* const y = reinterpret_cast<float const*>(own->frame().buffers[1].data);
    CHECK(std::vector<float>(y, y + 3) == std::vector<float>{2, 4, 6});
}

TEST_CASE("copies lie as the originals do: overlaps, and addresses modulo a page")
{
    std::vector<float> memory(5000);
    for (std::size_t const shift : {std::size_t{0}, std::size_t{1}, std::size_t{777}}) {
        CAPTURE(shift);
        std::span<float> const all(memory);
        attune::call_frame const frame =
            frame_over(all.subspan(shift, 1500), all.subspan(700, 1000));
        owned_call const own(frame);
        // One block of whole pages: the two overlap.
        std::size_t const first = std::min(shift, std::size_t{700});
        std::size_t const last = std::max(shift + 1500, std::size_t{1700});
        std::size_t const offset = address_of(frame.buffers[shift < 700 ? 0 : 1]) % 4096;
        std::size_t const pages = (offset + (last - first) * sizeof(float) + 4095) / 4096;
        CHECK(bytes_to_own(frame) == 4096 * pages);
        for (std::size_t i = 0; i < 2; ++i)
            CHECK(address_of(own.frame().buffers[i]) % 4096 == address_of(frame.buffers[i]) % 4096);
        CHECK(address_of(own.frame().buffers[1]) - address_of(own.frame().buffers[0]) ==
              address_of(frame.buffers[1]) - address_of(frame.buffers[0]));
    }
}

TEST_CASE("empty arrays and arrays that are side by side are no error")
{
    std::vector<float> memory(100);
    std::span<float> const all(memory);
    attune::call_frame const nothing = frame_over({}, {});
    CHECK(bytes_to_own(nothing) == 0);
    CHECK(owned_call(nothing).frame().buffers.size() == 2);
    attune::call_frame const beside = frame_over(all.first(50), all.last(50));
    owned_call const own(beside);
    run(own.frame());
    CHECK(own.frame().buffers[0].bytes == 50 * sizeof(float));
}

TEST_CASE("gaps between the rows of a view are not read")
{
    constexpr std::size_t page = 4096;
    void* const got =
        ::mmap(nullptr, 5 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(got != MAP_FAILED);
    auto* const first = static_cast<float*>(got);
    for (std::size_t row = 0; row < 3; ++row)
        first[2 * row * page / sizeof(float) + 1] = static_cast<float>(row + 1);
    for (std::size_t gap = 0; gap < 2; ++gap)
        REQUIRE(::mprotect(static_cast<std::byte*>(got) + (2 * gap + 1) * page, page, PROT_NONE) ==
                0);
    attune::matrix_view<float> const view{first, 3, page / sizeof(float), 2 * page / sizeof(float)};
    attune::call_frame const frame =
        attune::detail::make_call_frame<attune::matrix_view<float>>({}, view);
    owned_call const own(frame);
    CHECK(bytes_to_own(frame) == 5 * page);
    auto const* const copied = reinterpret_cast<float const*>(own.frame().buffers[0].data);
    for (std::size_t row = 0; row < 3; ++row)
        CHECK(copied[2 * row * page / sizeof(float) + 1] == static_cast<float>(row + 1));
    ::munmap(got, 5 * page);
}

TEST_CASE("a smaller call made from a copy lies in the copy")
{
    auto x = std::make_unique<std::vector<float>>(64, 3.0F);
    auto y = std::make_unique<std::vector<float>>(64, 0.0F);
    attune::call_frame frame = frame_over(*x, *y);
    frame.resized = [x = std::span<float const>(*x),
                     y = std::span<float>(*y)](std::span<std::int64_t const> sizes) {
        auto const n = static_cast<std::size_t>(sizes[0]);
        return frame_over(x.first(n), y.first(n));
    };
    owned_call const own(frame);
    x.reset();
    y.reset();
    std::vector<std::int64_t> const sizes{8, 8};
    attune::call_frame const smaller = own.frame().resized(sizes);
    REQUIRE(smaller.buffers.size() == 2);
    CHECK(smaller.buffers[0].data == own.frame().buffers[0].data);
    CHECK(smaller.buffers[1].bytes == 8 * sizeof(float));
    run(smaller);
    CHECK(reinterpret_cast<float const*>(own.frame().buffers[1].data)[7] == 6.0F);
}

TEST_CASE("arrays of pointers point to the copies")
{
    std::vector<double> a{1, 2};
    std::vector<double> b{3, 4};
    std::vector<double*> const rows{a.data(), nullptr, b.data()};
    attune::call_frame frame =
        attune::detail::make_call_frame<std::span<double* const>>({}, std::span(rows));
    frame.set_extent(0, 2);
    owned_call const own(frame);
    auto const* const pointers = reinterpret_cast<double* const*>(own.frame().buffers[0].data);
    CHECK(pointers != rows.data());
    REQUIRE(own.frame().buffers.size() == 4);
    CHECK(pointers[0] != a.data());
    CHECK(pointers[0] == reinterpret_cast<double*>(own.frame().buffers[1].data));
    CHECK(pointers[1] == nullptr);
    CHECK(pointers[2][1] == 4);
    CHECK(rows[0] == a.data());
}

TEST_CASE("copies have room for so many bytes, and give them back with the last owner")
{
    std::vector<double> x(2'000);
    call_copies const copies(24'000);
    {
        call_copy const first = copies.make(frame_over(x));
        CHECK(first.call != nullptr);
        call_copy const second = copies.make(frame_over(x));
        CHECK(second.call == nullptr);
        CHECK(second.refusal.empty()); // there may be room later
    }
    CHECK(copies.make(frame_over(x)).call != nullptr);
    std::vector<double> more(10'000);
    CHECK(!copies.make(frame_over(more)).refusal.empty());
}

TEST_CASE("a copy that cannot be made takes no room")
{
    if (is_skipped(address_sanitized || thread_sanitized, "such an allocation ends the program"))
        return;
    constexpr std::size_t more_than_any_machine_has = std::size_t{1} << 50;
    std::vector<double> x(1000);
    call_copies const copies(more_than_any_machine_has + 4096);
    for (int i = 0; i < 2; ++i) {
        call_copy const none =
            copies.make(frame_over({x.data(), more_than_any_machine_has / sizeof(double)}));
        CHECK(none.call == nullptr);
        CHECK(!none.refusal.empty());
        CHECK(copies.make(frame_over(x)).call != nullptr);
    }
}

// tests/measure/sandbox/guarded.cpp - copies of the arguments between forbidden pages.
// SPDX-License-Identifier: MIT
#include <attune/measure/sandbox/guarded.hpp>

#include <attune/measure/sandbox/child_process.hpp>

#include <cstdint>
#include <cstring>
#include <doctest/doctest.h>
#include <span>
#include <string>
#include <sys/mman.h>
#include <vector>

#include "../../support/texts.hpp"

using attune::buffer;
using attune::detail::as_buffer;
using attune::detail::guarded_copies;
using attune_test::has;

namespace {

std::uintptr_t address(std::byte const* p) { return reinterpret_cast<std::uintptr_t>(p); }

constexpr std::size_t no_limit = ~std::size_t{0};

/// Runs on the copies in a child.
attune::first_run_result tried(guarded_copies const& copies, std::function<void()> const& run)
{
    attune::detail::sandboxed_run_options how;
    how.limit_s = 5;
    how.also_check = [&] { return copies.damage(); };
    how.explain_address = [&](std::uintptr_t a) { return copies.explain(a); };
    return attune::detail::sandboxed_run(run, copies.buffers(), nullptr, how);
}

std::string reason_of(attune::first_run_result const& result)
{
    auto const* why = std::get_if<attune::failure>(&result);
    return why ? why->reason : "";
}

} // namespace

TEST_CASE("copies hold what the originals hold, at other addresses, with the same description")
{
    std::vector<float> a{1, 2, 3};
    std::vector<double> b(1000, 4.0);
    std::vector<buffer> const originals{as_buffer(std::span<float const>(a), 0),
                                        as_buffer(std::span<double>(b), 2)};
    guarded_copies const copies(originals);
    REQUIRE(copies.buffers().size() == 2);
    for (std::size_t i = 0; i < 2; ++i) {
        buffer const& copy = copies.buffers()[i];
        CHECK(copy.data != originals[i].data);
        CHECK(copy.data == copies.addresses()[i]);
        CHECK(copy.bytes == originals[i].bytes);
        CHECK(copy.writable == originals[i].writable);
        CHECK(copy.type == originals[i].type);
        CHECK(copy.argument == originals[i].argument);
        CHECK(std::memcmp(copy.data, originals[i].data, copy.bytes) == 0);
    }
    CHECK(copies.damage().empty());
}

TEST_CASE("a copy is aligned to a cache line as its original is")
{
    std::vector<std::byte> memory(1024);
    for (std::size_t offset : {0U, 1U, 4U, 8U, 17U, 63U})
        for (std::size_t size : {0U, 1U, 63U, 64U, 65U, 500U}) {
            std::span<std::byte> const part(memory.data() + offset, size);
            std::vector<buffer> const original{as_buffer(part, 0)};
            guarded_copies const copies(original);
            CHECK(address(copies.buffers()[0].data) % 64 == address(original[0].data) % 64);
            CHECK(copies.damage().empty());
        }
}

TEST_CASE("a copy whose address matters less ends at the forbidden page, at any length")
{
    std::vector<std::byte> memory(1024);
    for (std::size_t offset : {0U, 4U, 8U, 60U})
        for (std::size_t size : {4U, 8U, 60U, 64U, 500U}) {
            std::vector<buffer> const original{
                as_buffer(std::span(memory.data() + offset, size), 0)};
            guarded_copies const copies(original, attune::detail::guarded_end::last, 4);
            buffer const& copy = copies.buffers()[0];
            CHECK(address(copy.data) % 4 == address(original[0].data) % 4);
            CHECK(address(copy.data + copy.bytes) % 4096 == 0);
            CHECK(copies.damage().empty());
        }
}

TEST_CASE("a copy whose first end is guarded begins a page, and the byte before it is forbidden")
{
    std::vector<std::byte> memory(4 << 20, std::byte{7});
    for (std::size_t size : {0U, 1U, 64U, 4096U, 4100U, 3U << 20}) {
        std::span<std::byte> const part(memory.data() + 17, size);
        std::vector<buffer> const original{as_buffer(part, 2)};
        guarded_copies const copies(original, attune::detail::guarded_end::first);
        std::byte* const first = copies.buffers()[0].data;
        CHECK(address(first) % 4096 == 0);
        CHECK(copies.explain(address(first) - 1) ==
              "1 bytes before the start of argument 2 (it has " + std::to_string(size) + " bytes)");
        CHECK(std::memcmp(first, part.data(), size) == 0);
        std::byte const volatile* const before = first - 1;
        CHECK(has(reason_of(tried(copies, [&] { static_cast<void>(*before); })), "SIGSEGV"));
        CHECK(copies.damage().empty());
        first[size] = std::byte{0};
        CHECK(has(copies.damage(), "written outside"));
        copies.mend();
        CHECK(copies.damage().empty());
    }
}

TEST_CASE("a write next to the array that no page forbids is damage")
{
    std::vector<char> a(10);
    std::vector<buffer> const original{as_buffer(std::span<char>(a), 3)};
    {
        guarded_copies const copies(original);
        copies.buffers()[0].data[-1] = std::byte{0};
        CHECK(has(copies.damage(), "argument 3"));
        CHECK(has(copies.damage(), "10 bytes"));
    }
    for (std::size_t size = 1; size < 64; ++size) {
        std::vector<char> any(size);
        std::vector<buffer> const one{as_buffer(std::span<char>(any), 1)};
        guarded_copies const copies(one);
        buffer const& copy = copies.buffers()[0];
        if (!copies.explain(address(copy.data) + size).empty()) continue; // the page is next
        copy.data[size] = std::byte{0};
        CHECK(has(copies.damage(), "argument 1"));
    }
}

TEST_CASE("an address on a forbidden page is explained, any other is not")
{
    std::vector<double> a(100);
    std::vector<buffer> const original{as_buffer(std::span<double>(a), 1)};
    guarded_copies const copies(original);
    std::uintptr_t const first = address(copies.buffers()[0].data);
    std::string const past = copies.explain(first + 800 + 100);
    CHECK(has(past, "100 bytes past the end of argument 1"));
    CHECK(has(past, "800 bytes"));
    CHECK(has(copies.explain(first - 4096), "4096 bytes before the start of argument 1"));
    CHECK(copies.explain(8).empty());
    CHECK(copies.explain(first).empty());
    REQUIRE(copies.ranges().size() == 1);
    CHECK(copies.ranges()[0].contains(first));
}

TEST_CASE("a child that reads far past the end is stopped, and the reason names the argument")
{
    std::vector<float> a(1000);
    std::vector<buffer> const original{as_buffer(std::span<float const>(a), 4)};
    guarded_copies const copies(original);
    auto const result = tried(copies, [&] {
        float const volatile* const at =
            reinterpret_cast<float const*>(copies.buffers()[0].data) + 1100;
        float const volatile seen = *at;
        (void)seen;
    });
    CHECK(has(reason_of(result), "past the end of argument 4"));
}

TEST_CASE("a child that unmaps a part of its array is found out after its run")
{
    std::vector<char> a(16384);
    std::vector<buffer> const original{as_buffer(std::span<char const>(a), 2)};
    guarded_copies const copies(original);
    for (std::size_t page = 0; page < 4; ++page) {
        auto const result = tried(copies, [&] {
            std::byte* const in = copies.buffers()[0].data + page * 4096;
            ::munmap(in - address(in) % 4096, 4096);
        });
        CHECK(has(reason_of(result), "SIGSEGV"));
    }
}

TEST_CASE("arrays that are only read may overlap: copies of them cannot come apart")
{
    std::vector<double> a(100);
    std::vector<double> b(100);
    std::span<double const> const in(a);
    std::vector<buffer> const twice{as_buffer(in, 0), as_buffer(in.first(50), 1),
                                    as_buffer(std::span<double>(b), 2)};
    CHECK(attune::detail::can_guard(twice, no_limit));
    std::vector<buffer> const apart{as_buffer(in, 0), as_buffer(in.last(50), 1)};
    guarded_copies const one(twice), two(apart);
    CHECK(one.buffers()[0].data == one.buffers()[1].data); // code may compare the addresses
    CHECK(one.buffers()[2].data != one.buffers()[0].data);
    CHECK(two.buffers()[1].data != two.buffers()[0].data + 50 * sizeof(double));
}

TEST_CASE("an array that is only read cannot be written, and a write into it is explained")
{
    std::vector<double> a(100);
    std::vector<buffer> const original{as_buffer(std::span<double const>(a), 3)};
    guarded_copies const copies(original);
    std::byte* const data = copies.buffers()[0].data;
    CHECK(copies.explain(address(data) + 8) == "in argument 3, which is only to be read");
    attune::detail::child_end const end = attune::detail::run_in_child(
        [&] { *static_cast<std::byte volatile*>(data) = std::byte{1}; }, {});
    CHECK(end.ending == attune::detail::child_ending::signalled);
}

TEST_CASE("gaps between rows are not copied, and a write there is damage")
{
    std::vector<int> all(12, 7);
    buffer b = as_buffer(std::span(all).first(11), 2);
    b.gaps = {3 * sizeof(int), 3, 4 * sizeof(int)};
    guarded_copies const copies{std::span(&b, 1)};
    auto* const copy = reinterpret_cast<int*>(copies.addresses()[0]);
    CHECK(copy[2] == 7);
    CHECK(copy[3] != 7);
    CHECK(copies.damage().empty());
    copy[7] = 7;
    CHECK(copies.damage() == "argument 2: written between its rows");
    copies.mend();
    CHECK(copies.damage().empty());
}

TEST_CASE("pointers point to the copies of their arrays")
{
    std::vector<float> targets[2] = {{1, 2}, {3, 4}};
    float* const pointers[3] = {targets[0].data(), nullptr, targets[1].data()};
    std::vector<buffer> all{as_buffer(std::span(pointers), 0)};
    all[0].first_target = 1;
    all.push_back(as_buffer(std::span(targets[0]), 0));
    all.push_back(as_buffer(std::span(targets[1]).first(0), 0));
    all.back().data = nullptr;
    all.push_back(as_buffer(std::span(targets[1]), 0));
    guarded_copies const copies{all};
    auto* const* const moved = reinterpret_cast<float**>(copies.addresses()[0]);
    CHECK(address(copies.addresses()[1]) == reinterpret_cast<std::uintptr_t>(moved[0]));
    CHECK(moved[1] == nullptr);
    CHECK(moved[2][1] == 4);
    CHECK(moved[2] != targets[1].data());
}

TEST_CASE(
    "arrays that overlap, unless both are only read, or are too large together, are not copied")
{
    std::vector<float> all(100);
    auto const part = [&](std::size_t first, std::size_t count, bool writable) {
        buffer b = as_buffer(std::span(all).subspan(first, count), 0);
        b.writable = writable;
        return b;
    };
    auto const apart = [](std::vector<buffer> const& given) {
        return attune::detail::can_guard(given, no_limit);
    };
    CHECK(apart({part(50, 10, true), part(0, 50, true), part(60, 40, false)}));
    CHECK(apart({part(0, 50, false), part(10, 80, false), part(90, 10, true)}));
    CHECK(!apart({part(0, 90, false), part(10, 5, false), part(89, 10, true)}));
    CHECK(!apart({part(30, 5, false), part(0, 40, true)}));
    CHECK(apart({part(30, 0, true), part(0, 40, true)}));
    CHECK(apart({}));
    CHECK(attune::detail::can_guard(std::vector{part(0, 100, true)}, 400));
    CHECK(!attune::detail::can_guard(std::vector{part(0, 100, true)}, 399));
}

TEST_CASE("copies in large pages are as small ones: aligned, intact, between forbidden pages")
{
    constexpr std::size_t mib = std::size_t{1} << 20;
    std::vector<std::byte> memory(6 * mib);
    for (std::size_t i = 0; i < memory.size(); ++i)
        memory[i] = static_cast<std::byte>(i * 2654435761U >> 13);
    for (std::size_t const offset : {0U, 17U})
        for (std::size_t const size : {mib / 2 - 128, mib / 2, mib + 1, 2 * mib - 128, 2 * mib,
                                       2 * mib + mib / 4, 3 * mib + 5, 5 * mib}) {
            std::span<std::byte> const part(memory.data() + offset, size);
            for (bool const is_writable : {true, false}) {
                std::vector<buffer> const original{
                    is_writable ? as_buffer(part, 0)
                                : as_buffer(std::span<std::byte const>(part), 0)};
                guarded_copies const copies(original);
                buffer const& copy = copies.buffers()[0];
                CHECK(std::memcmp(copy.data, part.data(), size) == 0);
                CHECK(address(copy.data) % 64 == address(part.data()) % 64);
                CHECK(copies.damage().empty());
                attune::detail::guarded_place const place = copies.places().front();
                CHECK(place.usable.first + 64 <= address(copy.data));
                CHECK(address(copy.data) < place.usable.first + 64 + 4096 + 64);
                CHECK(place.usable.last < address(copy.data) + size + 64);
                CHECK(place.mapping.first + 16 * 4096 <= place.usable.first);
                CHECK(place.usable.last + 16 * 4096 <= place.mapping.last);
            }
            guarded_copies const copies(std::vector<buffer>{as_buffer(part, 0)});
            attune::detail::address_range const usable = copies.places().front().usable;
            std::byte* const data = copies.buffers()[0].data;
            for (std::uintptr_t const outside : {usable.first - 1, usable.last, usable.last + 4096})
                CHECK(has(reason_of(tried(copies,
                                          [&] {
                                              auto* const at =
                                                  reinterpret_cast<std::byte volatile*>(outside);
                                              *at = std::byte{1};
                                          })),
                          "argument 0"));
            std::memset(data, 0, size);
            copies.refill();
            CHECK(std::memcmp(data, part.data(), size) == 0);
            CHECK(copies.damage().empty());
        }
}

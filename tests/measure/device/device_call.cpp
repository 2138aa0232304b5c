// tests/measure/device/device_call.cpp : mirrors include/attune/measure/device/device_call.hpp
// SPDX-License-Identifier: MIT
#include <attune/measure/device/device_call.hpp>

#include <attune/core/error.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "../../support/texts.hpp"
#include "scripted_call.hpp"

using attune::detail::device_buffer;
using attune::detail::device_clock;
using attune::detail::device_copies;
using attune::detail::memory_place;
using attune::detail::region_kind;
using attune_test::scripted_call;
using attune_test::scripted_session;

namespace {

std::vector<float> floats_of(device_copies& copies, std::size_t i)
{
    std::vector<std::byte> const bytes = copies.contents(i);
    std::vector<float> out(bytes.size() / sizeof(float));
    std::memcpy(out.data(), bytes.data(), bytes.size());
    return out;
}

float* array_of(device_copies const& copies, std::size_t i)
{
    return reinterpret_cast<float*>(copies.address(i));
}

std::string refusal(scripted_session& s, attune::detail::device_call const& call)
{
    return attune_test::error_of([&] { device_copies const copies(s.where, call); });
}

device_buffer bytes_at(std::uintptr_t at, std::size_t bytes, bool writable,
                       memory_place place = memory_place::device)
{
    device_buffer b;
    b.where.data = reinterpret_cast<std::byte*>(at);
    b.where.bytes = bytes;
    b.where.writable = writable;
    b.place = place;
    return b;
}

} // namespace

TEST_CASE("copies hold what the caller's arrays hold, wherever those are")
{
    for (memory_place const place : {memory_place::host, memory_place::device}) {
        scripted_session s;
        scripted_call const given(10, place);
        device_copies copies(s.where, given.call);
        copies.load();
        CHECK(floats_of(copies, 0) == given.x);
        CHECK(floats_of(copies, 1) == given.y);
        CHECK(array_of(copies, 1) != given.y.data());
        CHECK(copies.writable_bytes() == 40);
        CHECK(s.device.calls["context_synchronize"] >= 2); // the caller's pending work comes first
    }
}

TEST_CASE("contents are saved and put back")
{
    scripted_session s;
    device_clock clock(s.where);
    scripted_call const given(10);
    device_copies copies(s.where, given.call);
    copies.load();
    attune::detail::saved_contents const before = copies.save(region_kind::written, clock);
    CHECK(copies.is_whole(before));
    CHECK(copies.address_in(before, 0) == 0);
    CHECK(copies.address_in(before, 1) != 0);
    array_of(copies, 1)[3] = 7;
    CHECK(floats_of(copies, 1) != given.y);
    copies.restore(before, clock);
    CHECK(floats_of(copies, 1) == given.y);
    attune::detail::saved_contents const inputs = copies.save(region_kind::read, clock);
    array_of(copies, 0)[3] = 7;
    copies.restore(inputs, clock);
    CHECK(floats_of(copies, 0) == given.x);
    std::vector<std::byte> const zeros(40);
    copies.set_contents(1, zeros);
    CHECK(floats_of(copies, 1) == std::vector<float>(10));
}

TEST_CASE("writing around an array shows, however little")
{
    scripted_session s;
    device_clock clock(s.where);
    scripted_call const given(10);
    device_copies copies(s.where, given.call);
    copies.load();
    copies.mend_zones(clock);
    CHECK(copies.damage().empty());
    array_of(copies, 1)[9] = 5;
    CHECK(copies.damage().empty());
    array_of(copies, 1)[10] = 5;
    CHECK(copies.damage() == "written up to 4 bytes past the end of argument 1 (it has 40 bytes)");
    copies.mend_zones(clock);
    CHECK(copies.damage().empty());
    reinterpret_cast<char*>(copies.address(0))[-1] = 1;
    CHECK(copies.damage() ==
          "written up to 1 byte before the start of argument 0 (it has 40 bytes)");
    copies.mend_zones(clock);
    array_of(copies, 1)[9 + attune::detail::zone_bytes / sizeof(float)] = 5;
    CHECK(copies.damage() ==
          "written up to 256 bytes past the end of argument 1 (it has 40 bytes)");
}

TEST_CASE("a copy of the device's memory keeps its alignment")
{
    scripted_session s;
    scripted_call given(100);
    attune::buffer& part = given.call.buffers[1].where;
    for (int const step : {0, 4, 12}) {
        part.data = reinterpret_cast<std::byte*>(given.y.data()) + step;
        part.bytes = 40;
        device_copies const copies(s.where, given.call);
        CHECK((copies.address(1) - reinterpret_cast<std::uintptr_t>(part.data)) % 256 == 0);
    }
}

TEST_CASE("an array that cannot be used is refused with its name")
{
    scripted_session s;
    scripted_call const given(10);
    CHECK(refusal(s, given.call).empty());
    s.device.ordinal_of_pointers = 1;
    std::string said = refusal(s, given.call);
    CHECK(said.find("argument 0 is on device 1, the kernel runs on another one") !=
          std::string::npos);
    CHECK(said.find("device 0 (scripted)") != std::string::npos);
    s.device.pointer_kind =
        attune::detail::cuda::of_pointer::host_memory; // pinned: serves all devices
    CHECK(refusal(s, given.call).empty());
    s.device.fails = "pointer_get_attribute";
    s.device.fails_with = attune::detail::cuda::invalid_value;
    CHECK(refusal(s, given.call).find("argument 0 is no memory of a device") != std::string::npos);
    CHECK(refusal(s, scripted_call(10, memory_place::host).call).empty());
    s.device.fails.clear();
    s.device.memory_bytes = 1000;
    said = refusal(s, scripted_call(10, memory_place::host).call); // 256 bytes and two zones each
    CHECK(said.find(": 768 bytes were asked for, ") != std::string::npos);
    CHECK(said.find(" of 1000 are free on device 0") != std::string::npos);
    CHECK(s.device.live["memory"] == 0);
}

TEST_CASE("an array longer than its allocation is refused with both lengths")
{
    scripted_session s;
    attune::detail::device_memory const memory(s.where, 100, "the caller's array");
    scripted_call given(10);
    attune::buffer& b = given.call.buffers[1].where;
    b.data = reinterpret_cast<std::byte*>(memory.address() + 80);
    CHECK(refusal(s, given.call)
              .find("argument 1 is 40 bytes long, but the allocation it lies in ends after 20") !=
          std::string::npos);
    b.bytes = 20;
    CHECK(refusal(s, given.call).empty());
}

TEST_CASE("an array over several pieces of memory without a gap is one")
{
    scripted_session s;
    attune::detail::device_memory const memory(s.where, 512, "the caller's array");
    attune::detail::cuda::device_pointer const at = memory.address();
    // What the driver knows of it: two pieces.
    s.device.allocations[at] = 256;
    s.device.allocations[at + 256] = 256;
    scripted_call given(100);
    attune::buffer& b = given.call.buffers[1].where;
    b.data = reinterpret_cast<std::byte*>(at + 200);
    b.bytes = 312;
    CHECK(refusal(s, given.call).find("ends after 56") != std::string::npos); // another array's
    s.device.is_in_pieces = true;
    CHECK(refusal(s, given.call).empty());
    b.bytes = 313;
    CHECK(refusal(s, given.call).find("ends after 312") != std::string::npos);
    s.device.allocations.erase(at + 256);
    s.device.allocations[at] = 512;
}

TEST_CASE("what there is no room to save is not saved, and that shows")
{
    scripted_session s;
    device_clock clock(s.where);
    scripted_call const given(100);
    device_copies copies(s.where, given.call);
    copies.load();
    s.device.memory_bytes = s.device.used_bytes + 399;
    CHECK(!copies.is_whole(copies.save(region_kind::written, clock)));
    s.device.memory_bytes = s.device.used_bytes + 400;
    CHECK(copies.is_whole(copies.save(region_kind::written, clock)));
}

TEST_CASE("arrays apart are regions apart, as far past an alignment boundary as they were")
{
    std::vector<device_buffer> const arrays{bytes_at(0x20010, 16, true),
                                            bytes_at(0x10000, 64, false)};
    attune::detail::device_layout const plan = attune::detail::plan_copies(arrays);
    REQUIRE(plan.regions.size() == 2);
    CHECK(plan.of[0].region == 1);
    CHECK(plan.of[1].region == 0);
    CHECK(plan.regions[1].skew() == 0x10);
    CHECK(plan.regions[1].writable);
    CHECK(plan.regions[0].skew() == 0);
    CHECK(!plan.regions[0].writable);
    CHECK(plan.regions[0].bytes() == 64);
}

TEST_CASE("arrays that overlap stay together, those that merely touch do not")
{
    std::vector<device_buffer> const arrays{bytes_at(0x10040, 0x40, true),
                                            bytes_at(0x10000, 0x80, false),
                                            bytes_at(0x10080, 0x10, false)};
    attune::detail::device_layout const plan = attune::detail::plan_copies(arrays);
    REQUIRE(plan.regions.size() == 2);
    CHECK(plan.regions[0].members == std::vector<std::size_t>{1, 0});
    CHECK(plan.regions[0].writable);
    CHECK(plan.of[0].offset == 0x40);
    CHECK(plan.of[1].offset == 0);
    CHECK(plan.of[2].region == 1);
}

TEST_CASE("the host's memory and a device's never overlap, and only the latter keeps its skew")
{
    std::vector<device_buffer> const arrays{bytes_at(0x10010, 16, true),
                                            bytes_at(0x10010, 16, true, memory_place::host)};
    attune::detail::device_layout const plan = attune::detail::plan_copies(arrays);
    REQUIRE(plan.regions.size() == 2);
    CHECK(plan.regions[plan.of[0].region].skew() == 0x10);
    CHECK(plan.regions[plan.of[1].region].skew() == 0);
}

TEST_CASE("an empty array has a region of its own")
{
    std::vector<device_buffer> const arrays{bytes_at(0, 0, true), bytes_at(0x10000, 16, false),
                                            bytes_at(0x10008, 0, false)};
    attune::detail::device_layout const plan = attune::detail::plan_copies(arrays);
    CHECK(plan.regions.size() == 3);
    CHECK(plan.regions[plan.of[2].region].bytes() == 0);
}

TEST_CASE("an empty array inside another one does not part it from those that overlap it")
{
    std::vector<device_buffer> const arrays{
        bytes_at(0x10000, 100, false), bytes_at(0x10032, 0, false), bytes_at(0x1003c, 20, true)};
    attune::detail::device_layout const plan = attune::detail::plan_copies(arrays);
    CHECK(plan.regions.size() == 2);
    CHECK(plan.of[0].region == plan.of[2].region);
    CHECK(plan.of[2].offset == 60);
    CHECK(plan.regions[plan.of[0].region].bytes() == 100);
    CHECK(plan.regions[plan.of[0].region].writable);
    CHECK(plan.regions[plan.of[1].region].members == std::vector<std::size_t>{1});
}

// tests/cuda/extent.cpp : bytes_from() of include/attune/cuda/driver.hpp
// SPDX-License-Identifier: MIT
#include <attune/cuda/driver.hpp>

#include <cstddef>
#include <doctest/doctest.h>
#include <map>

namespace cu = attune::detail::cuda;

namespace {

/// What the driver says of memory: allocations by their address, and of which kind they all are.
struct said_memory {
    std::map<cu::device_pointer, std::size_t> pieces{};
    bool is_from_alloc = false;
    cu::result answer = cu::success; ///< to what kind memory is of
};
said_memory said;

cu::driver memory_driver()
{
    cu::driver d;
    d.memory_get_address_range = [](cu::device_pointer* base, std::size_t* bytes,
                                    cu::device_pointer of) {
        for (auto const& [begin, length] : said.pieces) {
            if (of < begin || of - begin >= length) continue;
            *base = begin;
            *bytes = length;
            return cu::result{0};
        }
        return cu::result{cu::invalid_value};
    };
    d.pointer_get_attribute = [](void* value, int attribute, cu::device_pointer) {
        CHECK(attribute == cu::of_pointer::is_legacy_ipc_capable);
        if (said.answer == cu::success) *static_cast<bool*>(value) = said.is_from_alloc;
        return said.answer;
    };
    return d;
}

} // namespace

TEST_CASE("memory in pieces reaches to the end of the last one, or as far as is asked")
{
    cu::driver const d = memory_driver();
    said = {{{0x1000, 0x100}, {0x1100, 0x100}, {0x1200, 0x80}, {0x1300, 0x100}}};
    CHECK(cu::bytes_from(d, 0x1000, 0x100) == 0x100);
    CHECK(cu::bytes_from(d, 0x1000, 0x101) == 0x200);
    CHECK(cu::bytes_from(d, 0x1040, 0x200) == 0x240);
    CHECK(cu::bytes_from(d, 0x1040, 0x241) == 0x240); // then there is a gap
    CHECK(cu::bytes_from(d, 0x1300, 0x1000) == 0x100);
    CHECK(!cu::bytes_from(d, 0x1280, 1));
    CHECK(!cu::bytes_from(d, 0x10, 1));
}

TEST_CASE("what follows an allocation of cuMemAlloc is another array")
{
    cu::driver const d = memory_driver();
    said = {{{0x1000, 0x100}, {0x1100, 0x100}}, true};
    CHECK(cu::bytes_from(d, 0x1080, 0x100) == 0x80);
    said.is_from_alloc = false;
    said.answer = cu::invalid_value; // a driver that does not tell them apart
    CHECK(cu::bytes_from(d, 0x1080, 0x100) == 0x80);
}

TEST_CASE("a driver whose answers do not fit together is not asked for ever")
{
    cu::driver d = memory_driver();
    said = {{{0x1000, 0x100}}};
    d.memory_get_address_range = [](cu::device_pointer* base, std::size_t* bytes,
                                    cu::device_pointer) {
        *base = 0x1000;
        *bytes = 0x100;
        return cu::result{0};
    };
    CHECK(cu::bytes_from(d, 0x1000, 0x1000) == 0x100);
    CHECK(!cu::bytes_from(d, 0x2000, 1));
}

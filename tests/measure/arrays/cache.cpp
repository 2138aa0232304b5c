// tests/measure/arrays/cache.cpp - of measure/arrays/buffer.hpp: the caches.
// SPDX-License-Identifier: MIT
#include <attune/measure/arrays/buffer.hpp>
#include <attune/measure/sandbox/child_process.hpp>

#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <numeric>
#include <set>
#include <span>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace {

#if defined(__x86_64__) || defined(__i386__) || defined(__aarch64__)
constexpr bool flushes_lines = true;
#else
constexpr bool flushes_lines = false;
#endif

} // namespace

TEST_CASE("evicting leaves every byte as it is, of whatever size and alignment")
{
    std::vector<unsigned char> bytes(5000);
    std::iota(bytes.begin(), bytes.end(), static_cast<unsigned char>(0));
    std::vector<unsigned char> const before = bytes;
    std::vector<double> const constants(1000, 2.5);
    std::array const buffers{
        attune::detail::as_buffer(std::span(bytes).subspan(1, 4097), 0),
        attune::detail::as_buffer(std::span(bytes).subspan(4500, 0), 1),
        attune::detail::as_buffer(std::span(bytes).subspan(4999, 1), 2),
        attune::detail::as_buffer(std::span<double const>(constants), 3),
    };
    attune::detail::cache_eviction caches(buffers);
    caches.evict();
    caches.evict();
    CHECK(bytes == before);
    CHECK(constants == std::vector<double>(1000, 2.5));
}

TEST_CASE("every line of every buffer is gone through, each once")
{
    std::vector<std::byte> bytes(1000);
    if (!flushes_lines) { // but those of an array of 32 MiB or more
        std::array const buffers{attune::detail::as_buffer(std::span(bytes), 0)};
        CHECK(attune::detail::cache_eviction(buffers).evict() >= (std::size_t{32} << 20) / 64);
        return;
    }
    int wrong = 0;
    for (std::size_t first = 0; first < 130; ++first)
        for (std::size_t const count : {0U, 1U, 63U, 64U, 65U, 128U, 500U}) {
            std::span<std::byte> const part = std::span(bytes).subspan(first, count);
            std::set<std::uintptr_t> lines;
            for (std::byte const& one : part)
                lines.insert(reinterpret_cast<std::uintptr_t>(&one) / 64);
            std::array const buffers{attune::detail::as_buffer(part, 0),
                                     attune::detail::as_buffer(part, 1)};
            if (attune::detail::cache_eviction(buffers).evict() != 2 * lines.size()) ++wrong;
        }
    CHECK(wrong == 0);
}

TEST_CASE("evicting really touches the memory: a page that forbids it is where it ends")
{
    if (!flushes_lines) return; // there, other memory is read
    auto const page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    constexpr std::size_t pages = 4;
    void* const memory =
        mmap(nullptr, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(memory != MAP_FAILED);
    std::span<std::byte> const all(static_cast<std::byte*>(memory), pages * page);
    std::array const buffers{attune::detail::as_buffer(all, 0)};
    for (std::size_t i = 0; i < pages; ++i) {
        std::byte* const forbidden = all.data() + i * page;
        attune::detail::child_end const end = attune::detail::run_in_child(
            [&] {
                if (mprotect(forbidden, page, PROT_NONE) != 0) _exit(9);
                attune::detail::cache_eviction(buffers).evict();
            },
            {});
        CAPTURE(i);
        CHECK(end.ending == attune::detail::child_ending::signalled);
        CHECK(end.code == SIGSEGV);
        CHECK(end.address == reinterpret_cast<std::uintptr_t>(forbidden));
    }
    munmap(memory, pages * page);
}

TEST_CASE("without buffers there is nothing to evict")
{
    std::size_t const lines = attune::detail::cache_eviction({}).evict();
    if (flushes_lines) CHECK(lines == 0);
    CHECK(attune::cache_state{} == attune::cache_state::warm);
}

// attune/measure/guarded.ipp - mapping, protecting and checking the copies.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/guarded.hpp>

#include <algorithm>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

namespace attune::inline ATTUNE_ABI {

namespace detail {

inline constexpr std::size_t guarded_alignment = 64;
inline constexpr std::byte guard_pattern{0xA5};
/// On either side: address space only.
inline constexpr std::size_t forbidden_pages = 16;

/// Arrays that overlap, and one that holds them all.
struct overlapping {
    buffer all{};
    std::vector<std::size_t> members{};
};

[[nodiscard]] inline bool overlap(buffer const& a, buffer const& b) noexcept
{
    return a.data < b.data + b.bytes && b.data < a.data + a.bytes;
}

/// Writing to one of them changes the other.
[[nodiscard]] inline bool must_stay_together(buffer const& a, buffer const& b) noexcept
{
    return (a.writable || b.writable) && overlap(a, b);
}

/// The smallest array that holds both; it is called after the first.
[[nodiscard]] inline buffer hull(buffer const& a, buffer const& b) noexcept
{
    buffer out = a;
    out.data = std::min(a.data, b.data);
    out.bytes = static_cast<std::size_t>(std::max(a.data + a.bytes, b.data + b.bytes) - out.data);
    out.writable = a.writable || b.writable;
    return out;
}

/// Each array alone, unless it must stay together with others.
[[nodiscard]] inline std::vector<overlapping> groups_of(std::span<buffer const> arrays)
{
    std::vector<overlapping> out;
    for (std::size_t i = 0; i < arrays.size(); ++i) {
        overlapping mine{arrays[i], {i}};
        // A group that has grown may touch others: until none is left.
        for (auto other = out.begin(); other != out.end();) {
            if (!must_stay_together(mine.all, other->all)) {
                ++other;
                continue;
            }
            mine.all = hull(other->all, mine.all);
            mine.members.insert(mine.members.begin(), other->members.begin(), other->members.end());
            out.erase(other);
            other = out.begin();
        }
        out.push_back(std::move(mine));
    }
    return out;
}

} // namespace detail

/// One mapping: forbidden pages, pages of content, forbidden pages.
struct guarded_copies::region {
    std::byte* mapping = nullptr;
    std::size_t mapped = 0;
    std::byte* usable = nullptr; ///< first byte between the forbidden pages
    std::byte* usable_end = nullptr;
    std::byte* first = nullptr; ///< of the array
    std::byte* last = nullptr;  ///< one past the array
    std::byte const* original = nullptr;
    std::size_t argument = 0;
    bool writable = false;

    explicit region(buffer const& of)
        : original(of.data)
        , argument(of.argument)
        , writable(of.writable)
    {
        std::size_t const page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
        std::size_t const needed = of.bytes + 2 * detail::guarded_alignment;
        std::size_t const content = (needed + page - 1) / page * page;
        std::size_t const zone = detail::forbidden_pages * page;
        mapped = content + 2 * zone;
        void* const got = ::mmap(nullptr, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (got == MAP_FAILED ||
            ::mprotect(static_cast<std::byte*>(got) + zone, content, PROT_READ | PROT_WRITE) != 0)
            throw error("no memory for a copy of the kernel's arguments",
                        "argument " + std::to_string(of.argument) + ", " +
                            std::to_string(of.bytes) + " bytes",
                        "free memory, or tune on a smaller problem");
        mapping = static_cast<std::byte*>(got);
        usable = mapping + zone;
        usable_end = usable + content;
        // The copy ends as close to the forbidden page as its alignment to a cache line allows.
        std::size_t const wanted =
            reinterpret_cast<std::uintptr_t>(of.data) % detail::guarded_alignment;
        first = usable_end - of.bytes;
        std::size_t const has = reinterpret_cast<std::uintptr_t>(first) % detail::guarded_alignment;
        first -= (has + detail::guarded_alignment - wanted) % detail::guarded_alignment;
        last = first + of.bytes;
        mend();
        fill();
        if (!writable) ::mprotect(usable, content, PROT_READ);
    }
    ~region() { ::munmap(mapping, mapped); }
    region(region const&) = delete;
    region& operator=(region const&) = delete;

    void fill() const
    {
        if (first != last) std::memcpy(first, original, static_cast<std::size_t>(last - first));
    }
    [[nodiscard]] guarded_place place() const
    {
        auto const range = [](std::byte const* from, std::byte const* to) {
            return address_range{reinterpret_cast<std::uintptr_t>(from),
                                 reinterpret_cast<std::uintptr_t>(to)};
        };
        return {range(mapping, mapping + mapped),
                range(usable, usable_end),
                range(first, last),
                argument,
                writable};
    }
    [[nodiscard]] std::byte* before() const { return first - detail::guarded_alignment; }
    void mend() const
    {
        std::fill(before(), first, detail::guard_pattern);
        std::fill(last, usable_end, detail::guard_pattern);
    }
    [[nodiscard]] bool intact() const
    {
        auto const is_pattern = [](std::byte b) { return b == detail::guard_pattern; };
        return std::all_of(before(), first, is_pattern) &&
               std::all_of(last, usable_end, is_pattern);
    }
};

guarded_copies::guarded_copies(std::span<buffer const> originals)
{
    std::vector<detail::overlapping> const groups = detail::groups_of(originals);
    std::vector<std::byte*> moved(originals.size());
    for (detail::overlapping const& group : groups) {
        regions_.push_back(std::make_shared<region const>(group.all));
        for (std::size_t const i : group.members)
            moved[i] = regions_.back()->first + (originals[i].data - group.all.data);
    }
    for (std::size_t i = 0; i < originals.size(); ++i) {
        copies_.push_back(originals[i]);
        copies_.back().data = moved[i];
        addresses_.push_back(moved[i]);
    }
}

void guarded_copies::refill() const
{
    for (auto const& r : regions_)
        if (r->writable) r->fill(), r->mend();
}

std::vector<guarded_place> guarded_copies::places() const
{
    std::vector<guarded_place> out;
    for (auto const& r : regions_)
        out.push_back(r->place());
    return out;
}

std::string guarded_copies::explain(std::uintptr_t address) const
{
    return explain_address(places(), address);
}

std::string explain_address(std::span<guarded_place const> places, std::uintptr_t address)
{
    for (guarded_place const& p : places) {
        std::string const who = "argument " + std::to_string(p.argument);
        std::string const size =
            " (it has " + std::to_string(p.array.last - p.array.first) + " bytes)";
        if (address >= p.usable.last && address < p.mapping.last) {
            std::uintptr_t const past = address - p.array.last;
            return (past == 0 ? "just" : std::to_string(past) + " bytes") + " past the end of " +
                   who + size;
        }
        if (address >= p.mapping.first && address < p.usable.first)
            return std::to_string(p.array.first - address) + " bytes before the start of " + who +
                   size;
        if (!p.writable && p.usable.contains(address))
            return "in " + who + ", which is only to be read";
    }
    return {};
}

std::string guarded_copies::damage() const
{
    for (auto const& r : regions_)
        if (!r->intact())
            return "argument " + std::to_string(r->argument) + ": written outside of its " +
                   std::to_string(r->last - r->first) + " bytes";
    return {};
}

std::vector<address_range> guarded_copies::ranges() const
{
    std::vector<address_range> out;
    for (auto const& r : regions_)
        out.push_back({reinterpret_cast<std::uintptr_t>(r->mapping),
                       reinterpret_cast<std::uintptr_t>(r->mapping) + r->mapped});
    return out;
}

void guarded_copies::mend() const
{
    for (auto const& r : regions_)
        if (r->writable) r->mend();
}

bool are_apart(std::span<buffer const> originals)
{
    for (std::size_t i = 0; i < originals.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (detail::must_stay_together(originals[i], originals[j])) return false;
    return true;
}

bool can_guard(std::span<buffer const> originals, std::size_t most_bytes)
{
    std::size_t total = 0;
    for (buffer const& b : originals)
        total += b.bytes;
    return total <= most_bytes && are_apart(originals);
}

} // namespace attune::inline ATTUNE_ABI

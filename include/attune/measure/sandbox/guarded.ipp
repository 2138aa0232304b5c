// attune/measure/sandbox/guarded.ipp - maps, protects and checks the copies.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/arrays/content.hpp>
#include <attune/measure/sandbox/guarded.hpp>

#include <algorithm>
#include <cstring>
#include <functional>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

inline constexpr std::size_t guarded_alignment = 64;
inline constexpr std::byte guard_pattern{0xA5};
/// Number of pages on either side; they take address space only.
inline constexpr std::size_t forbidden_pages = 16;
/// Each copy takes three mappings; a process may have 65,530.
inline constexpr std::size_t most_guarded_arrays = 4096;
/// Additional weight of a byte in a gap between rows, because gaps are filled and checked at each
/// run.
inline constexpr std::size_t cost_of_gaps = 16;

/// Overlapping arrays, and the range that contains them.
struct overlapping {
    buffer all{};
    std::vector<std::size_t> members{};
};

[[nodiscard]] inline bool overlap(buffer const& a, buffer const& b) noexcept
{
    return a.data < b.data + b.bytes && b.data < a.data + a.bytes;
}

/// Returns true if writing to one array may change the other, or if code can detect that both are
/// one array.
[[nodiscard]] inline bool must_stay_together(buffer const& a, buffer const& b) noexcept
{
    return (a.writable || b.writable || a.data == b.data) && overlap(a, b);
}

/// The smallest range that contains both; other members are those of `a`.
[[nodiscard]] inline buffer hull(buffer const& a, buffer const& b) noexcept
{
    buffer out = a;
    out.data = std::min(a.data, b.data);
    out.bytes = static_cast<std::size_t>(std::max(a.data + a.bytes, b.data + b.bytes) - out.data);
    out.writable = a.writable || b.writable;
    out.gaps = {};
    return out;
}

/// Bytes [begin, end) of a region.
struct piece {
    std::size_t begin = 0;
    std::size_t end = 0;
};

/// The pieces of a group that belong to arrays, in order, without the bytes between them.
[[nodiscard]] inline std::vector<piece> pieces_of(std::span<buffer const> arrays,
                                                  overlapping const& group)
{
    std::vector<piece> all;
    for (std::size_t const i : group.members)
        for_each_row(arrays[i], [&](std::byte const* first, std::size_t bytes) {
            auto const begin = static_cast<std::size_t>(first - group.all.data);
            all.push_back({begin, begin + bytes});
        });
    std::sort(all.begin(), all.end(), [](piece a, piece b) { return a.begin < b.begin; });
    std::vector<piece> out;
    for (piece const& next : all)
        if (!out.empty() && next.begin <= out.back().end)
            out.back().end = std::max(out.back().end, next.end);
        else
            out.push_back(next);
    return out;
}

/// Groups of arrays that must stay together; most groups have one array.
[[nodiscard]] inline std::vector<overlapping> groups_of(std::span<buffer const> arrays)
{
    std::vector<overlapping> out;
    for (std::size_t i = 0; i < arrays.size(); ++i) {
        overlapping mine{arrays[i], {i}};
        // A grown group may overlap others: repeat until it overlaps none.
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

/// A mapping: inaccessible pages, content, inaccessible pages.
struct guarded_copies::region {
    std::byte* mapping = nullptr;
    std::size_t mapped = 0;
    std::byte* usable = nullptr; ///< first byte between the forbidden pages
    std::byte* usable_end = nullptr;
    std::byte* first = nullptr; ///< of the array
    std::byte* last = nullptr;  ///< one past the array
    std::byte const* original = nullptr;
    std::vector<detail::piece> pieces; ///< parts that belong to an array; gaps are between them
    std::size_t argument = 0;
    std::size_t target = buffer::none;
    bool writable = false;

    region(buffer const& of, std::vector<detail::piece> belonging, guarded_end faults,
           std::size_t alignment)
        : original(of.data)
        , pieces(std::move(belonging))
        , argument(of.argument)
        , target(of.target)
        , writable(of.writable)
    {
        std::size_t const page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
        std::size_t const needed = of.bytes + 2 * guarded_alignment;
        std::size_t const content = (needed + page - 1) / page * page;
        std::size_t const zone = forbidden_pages * page;
        // Large pages end at the end of the content. If the first one would contain enough content
        // to be useful, it begins before the content; the part before is forbidden afterwards.
        std::size_t const in_first = content % detail::large_page;
        std::size_t const spare = in_first < worth_a_large_page ? 0 : detail::large_page - in_first;
        bool const has_large = content + spare >= detail::large_page;
        mapped = (has_large ? spare + detail::large_page : 0) + content + 2 * zone;
        void* const got = ::mmap(nullptr, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (got != MAP_FAILED) mapping = static_cast<std::byte*>(got);
        auto const begin = reinterpret_cast<std::uintptr_t>(got);
        usable = mapping + zone;
        if (has_large) usable = mapping + (detail::below(begin + mapped - zone) - begin) - content;
        usable_end = usable + content;
        std::byte* const writable_from = has_large ? usable - spare : usable;
        auto const writable_bytes = static_cast<std::size_t>(usable_end - writable_from);
        if (got == MAP_FAILED ||
            ::mprotect(writable_from, writable_bytes, PROT_READ | PROT_WRITE) != 0) {
            if (got != MAP_FAILED) ::munmap(got, mapped);
            throw error("no memory for a copy of the kernel's arguments",
                        owner_text(argument, target) + ", " + std::to_string(of.bytes) + " bytes",
                        "free memory, or tune on a smaller problem");
        }
        if (has_large) prefer_large_pages(writable_from, writable_bytes);
        // The copy ends as close to the inaccessible page as its alignment allows.
        std::size_t const wanted = reinterpret_cast<std::uintptr_t>(of.data) % alignment;
        first = usable_end - of.bytes;
        std::size_t const has = reinterpret_cast<std::uintptr_t>(first) % alignment;
        first -= (has + alignment - wanted) % alignment;
        if (faults == guarded_end::first) first = usable;
        last = first + of.bytes;
        mend();
        fill();
        if (writable_from < usable) ::mprotect(writable_from, spare, PROT_NONE);
    }
    /// @pre  read-only content is complete
    void protect() const
    {
        if (!writable) ::mprotect(usable, static_cast<std::size_t>(usable_end - usable), PROT_READ);
    }
    ~region() { ::munmap(mapping, mapped); }
    region(region const&) = delete;
    region& operator=(region const&) = delete;

    void fill() const
    {
        for (detail::piece const& p : pieces)
            std::memcpy(first + p.begin, original + p.begin, p.end - p.begin);
    }
    /// Calls f(first, last) for each gap.
    template <class F>
    void for_gaps(F const& f) const
    {
        for (std::size_t i = 1; i < pieces.size(); ++i)
            f(first + pieces[i - 1].end, first + pieces[i].begin);
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
                target,
                writable};
    }
    [[nodiscard]] std::byte* before() const { return std::max(usable, first - guarded_alignment); }
    void mend() const
    {
        std::fill(before(), first, guard_pattern);
        std::fill(last, usable_end, guard_pattern);
        for_gaps([](std::byte* from, std::byte* to) { std::fill(from, to, guard_pattern); });
    }
    /// Faults where a part of the array is no longer mapped.
    void touch() const
    {
        constexpr std::size_t smallest_page = 4096;
        for (std::byte const* at = first; at < last; at += smallest_page)
            static_cast<void>(*static_cast<std::byte const volatile*>(at));
    }
    [[nodiscard]] bool intact() const
    {
        auto const is_pattern = [](std::byte b) { return b == guard_pattern; };
        return std::all_of(before(), first, is_pattern) &&
               std::all_of(last, usable_end, is_pattern);
    }
    [[nodiscard]] bool gaps_intact() const
    {
        bool intact = true;
        for_gaps([&](std::byte const* from, std::byte const* to) {
            auto const is_pattern = [](std::byte b) { return b == guard_pattern; };
            intact = intact && std::all_of(from, to, is_pattern);
        });
        return intact;
    }
};

ATTUNE_INLINE guarded_copies::guarded_copies(std::span<buffer const> originals, guarded_end faults,
                                             std::size_t alignment)
{
    std::vector<overlapping> const groups = groups_of(originals);
    std::vector<std::byte*> moved(originals.size());
    for (overlapping const& group : groups) {
        regions_.push_back(std::make_shared<region const>(group.all, pieces_of(originals, group),
                                                          faults, alignment));
        for (std::size_t const i : group.members)
            moved[i] = regions_.back()->first + (originals[i].data - group.all.data);
    }
    for (std::size_t i = 0; i < originals.size(); ++i) {
        copies_.push_back(originals[i]);
        copies_.back().data = moved[i];
        addresses_.push_back(moved[i]);
    }
    for (buffer const& copy : copies_) {
        if (copy.first_target == buffer::none) continue;
        for (std::size_t i = 0; i < copy.bytes / sizeof(void*); ++i)
            if (originals[copy.first_target + i].data != nullptr)
                std::memcpy(copy.data + i * sizeof(void*), &addresses_[copy.first_target + i],
                            sizeof(void*));
    }
    for (auto const& r : regions_)
        r->protect();
}

ATTUNE_INLINE void guarded_copies::refill() const
{
    for (auto const& r : regions_)
        if (r->writable) r->fill(), r->mend();
}

ATTUNE_INLINE std::vector<guarded_place> guarded_copies::places() const
{
    std::vector<guarded_place> out;
    for (auto const& r : regions_)
        out.push_back(r->place());
    return out;
}

ATTUNE_INLINE std::string guarded_copies::explain(std::uintptr_t address) const
{
    return explain_address(places(), address);
}

ATTUNE_INLINE std::string explain_address(std::span<guarded_place const> places,
                                          std::uintptr_t address)
{
    for (guarded_place const& p : places) {
        std::string const who = owner_text(p.argument, p.target);
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

ATTUNE_INLINE std::string guarded_copies::damage() const
{
    for (auto const& r : regions_) {
        std::string const who = owner_text(r->argument, r->target);
        r->touch();
        if (!r->gaps_intact()) return who + ": written between its rows";
        if (!r->intact())
            return who + ": written outside of its " + std::to_string(r->last - r->first) +
                   " bytes";
    }
    return {};
}

ATTUNE_INLINE std::vector<address_range> guarded_copies::ranges() const
{
    std::vector<address_range> out;
    for (auto const& r : regions_)
        out.push_back({reinterpret_cast<std::uintptr_t>(r->mapping),
                       reinterpret_cast<std::uintptr_t>(r->mapping) + r->mapped});
    return out;
}

ATTUNE_INLINE void guarded_copies::mend() const
{
    for (auto const& r : regions_)
        if (r->writable) r->mend();
}

ATTUNE_INLINE bool are_apart(std::span<buffer const> originals)
{
    std::vector<buffer const*> in_order;
    for (buffer const& b : originals)
        if (b.bytes > 0) in_order.push_back(&b);
    std::sort(in_order.begin(), in_order.end(),
              [](buffer const* a, buffer const* b) { return std::less<>{}(a->data, b->data); });
    std::byte const* end = nullptr; // the end of all so far
    std::byte const* written_end = nullptr;
    for (buffer const* const b : in_order) {
        std::byte const* const last = b->data + b->bytes;
        if (std::less<>{}(b->data, b->writable ? end : written_end)) return false;
        end = std::max(end, last, std::less<>{});
        if (b->writable) written_end = std::max(written_end, last, std::less<>{});
    }
    return true;
}

ATTUNE_INLINE bool can_guard(std::span<buffer const> originals, std::size_t most_bytes)
{
    std::size_t total = 0;
    for (buffer const& b : originals)
        total += b.bytes + cost_of_gaps * (b.bytes - content_bytes(b));
    return originals.size() <= most_guarded_arrays && total <= most_bytes && are_apart(originals);
}

} // namespace attune::inline ATTUNE_ABI::detail

// attune/tune/shape/drawn_calls.ipp - draws sizes, and makes calls of them.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/tune/shape/drawn_calls.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

inline constexpr std::int64_t most_times_larger = 16;
inline constexpr std::int64_t most_beside = 4; ///< a size beside two others
inline constexpr double least_work = 1 << 20;
inline constexpr std::int64_t most_of_trials = 96; ///< the largest size in trials of formulas

/// The step of the addresses that are drawn for an array, in bytes, by the size of its elements.
[[nodiscard]] inline std::int64_t alignment_of_elements(std::size_t bytes)
{
    return bytes == 0 ? 64 : static_cast<std::int64_t>(std::min<std::size_t>(bytes & -bytes, 16));
}

ATTUNE_INLINE call_draws::call_draws(drawn_from from, std::uint64_t seed, std::size_t most_bytes)
    : from_(from)
    , most_bytes_(most_bytes)
    , first_place_(from.layout.size())
    , draw_(seed, from.divisors)
{
    std::vector<std::int64_t> sizes;
    for (size_relations::size const& s : from_.relations.sizes)
        sizes.push_back(s.value);
    most_work_ = std::max(work_of(sizes, from_.key), least_work);
    while (first_place_ > 0 && from_.layout[first_place_ - 1].part == shape_part::places)
        --first_place_;
    if (from_.lengths != nullptr) numbers_ = numbers_of(*from_.lengths, from_.frame);
}

ATTUNE_INLINE drawn_call call_draws::call_of(std::span<std::int64_t const> sizes) const
{
    drawn_call out;
    out.sizes.assign(from_.frame.arguments.size(), drawn_call::unchanged);
    out.key.assign(from_.key.begin(), from_.key.end());
    std::vector<std::int64_t> numbers = numbers_;
    for (size_relations::dependent const& one : from_.relations.words) {
        std::int64_t value = 0;
        std::size_t const argument = from_.layout[one.word].argument;
        if (one.is_declared)
            value = from_.lengths->of[argument](numbers);
        else if (!one.may_be.empty())
            value = one.may_be.front().of(sizes);
        else
            continue;
        // Integers come first.
        if (from_.layout[one.word].part == shape_part::number && !numbers.empty())
            numbers[argument] = value;
        out.key[one.word] = value;
        out.sizes[from_.layout[one.word].argument] = value;
        std::size_t const bytes = from_.frame.arguments[argument].value.size();
        bool const fits = bytes == 0 || bytes >= sizeof value || value >> (8 * bytes - 1) == 0;
        if (value < 0 || !fits) out.work = HUGE_VAL; // no such call
    }
    out.work = std::max(out.work, work_of(sizes, out.key));
    return out;
}

ATTUNE_INLINE double call_draws::work_of(std::span<std::int64_t const> sizes,
                                         std::span<std::int64_t const> key) const
{
    double product = 1;
    for (std::int64_t const s : sizes)
        product *= static_cast<double>(std::max<std::int64_t>(s, 1));
    double elements = 0;
    for (std::size_t i = 0; i < key.size(); ++i)
        if (from_.layout[i].part == shape_part::elements) elements += static_cast<double>(key[i]);
    return std::max(product, elements);
}

ATTUNE_INLINE bool call_draws::can_afford(drawn_call const& call) const
{
    double bytes = 0;
    for (std::size_t i = 0; i < from_.frame.arguments.size(); ++i) {
        call_argument const& one = from_.frame.arguments[i];
        if (one.buffer == call_argument::by_value) continue;
        double const elements = call.sizes[i] == drawn_call::unchanged
                                    ? static_cast<double>((*from_.frame.elements)[one.buffer])
                                    : static_cast<double>(call.sizes[i]);
        bytes += elements * static_cast<double>(one.element_bytes);
    }
    return call.work <= most_work_ && bytes <= static_cast<double>(most_bytes_);
}

ATTUNE_INLINE bool call_draws::writes_nothing(drawn_call const& call) const
{
    for (buffer const& b : from_.frame.buffers) {
        if (!b.writable || b.bytes == 0 || b.within.any) continue;
        bool const is_array = b.argument != buffer::result;
        if (!is_array || call.sizes[b.argument] != 0) return false;
    }
    return true;
}

ATTUNE_INLINE void call_draws::draw_sizes(std::span<std::int64_t> sizes)
{
    auto const count = static_cast<std::int64_t>(sizes.size());
    // If all sizes but two are small, these two can be large within the limit on work.
    bool const is_of_two = count > 2 && draw_.index(2) == 0;
    std::int64_t const one = draw_.index(count);
    std::int64_t const other = draw_.index(count);
    for (std::int64_t i = 0; i < count; ++i) {
        size_relations::size const& from = from_.relations.sizes[static_cast<std::size_t>(i)];
        bool const is_small = is_of_two && i != one && i != other;
        sizes[static_cast<std::size_t>(i)] =
            from.is_fixed ? from.value
                          : draw_.size(0, is_small ? most_beside : most_times_larger * from.value);
    }
    if (count > 1 && draw_.index(8) == 0) tie(sizes);
}

ATTUNE_INLINE void call_draws::tie(std::span<std::int64_t> sizes)
{
    auto const count = static_cast<std::int64_t>(sizes.size());
    auto const from = static_cast<std::size_t>(draw_.index(count));
    auto const to = static_cast<std::size_t>(draw_.index(count));
    if (!from_.relations.sizes[to].is_fixed)
        sizes[to] = std::min(sizes[from], most_times_larger * from_.relations.sizes[to].value);
}

ATTUNE_INLINE void call_draws::draw_places(drawn_call& call)
{
    if (from_.choice.any_alignment || from_.choice.any_shape) return;
    bool const all_begin_a_line = draw_.index(4) == 0;
    std::size_t array = 0;
    for (std::size_t argument = 0; argument < from_.frame.arguments.size(); ++argument) {
        call_argument const& one = from_.frame.arguments[argument];
        if (one.buffer == call_argument::by_value) continue;
        std::int64_t const step = alignment_of_elements(one.element_bytes);
        std::int64_t const place = all_begin_a_line ? 0 : step * draw_.index(64 / step);
        bool const stays = one.is_pointer || one.target || !from_.choice.counts(argument);
        call.places.push_back(stays ? drawn_call::unchanged : place);
        if (call.places.back() != drawn_call::unchanged) {
            std::size_t const at = place_bits::per_array * (array % place_bits::arrays);
            std::int64_t& word = call.key[first_place_ + array / place_bits::arrays];
            word = (word & ~(std::int64_t{63} << at)) | (place << at);
        }
        ++array;
    }
}

ATTUNE_INLINE void call_draws::add_largest(std::vector<drawn_call>& to) const
{
    std::size_t const n = from_.relations.sizes.size();
    for (std::size_t a = 0; a < n; ++a)
        for (std::size_t b = a; b < n; ++b) {
            if (from_.relations.sizes[a].is_fixed && from_.relations.sizes[b].is_fixed) continue;
            for (std::int64_t times = most_times_larger; times >= 1; times /= 2) {
                std::vector<std::int64_t> sizes(n, 1);
                for (std::size_t i = 0; i < n; ++i) {
                    std::int64_t const value = from_.relations.sizes[i].value;
                    if (from_.relations.sizes[i].is_fixed)
                        sizes[i] = value;
                    else if (i == a || i == b)
                        sizes[i] = times * value;
                }
                drawn_call made = call_of(sizes);
                if (!can_afford(made) || writes_nothing(made)) continue;
                to.push_back(std::move(made));
                break;
            }
        }
}

ATTUNE_INLINE std::vector<drawn_call> call_draws::chosen(shape_trust& trust, std::size_t most,
                                                         std::function<bool()> const& is_over)
{
    std::vector<drawn_call> out;
    if (!from_.relations.can_change()) return out;
    std::vector<drawn_call> largest;
    add_largest(largest);
    for (drawn_call& one : largest)
        if (!trust.covers(one.key)) {
            trust.add(one.key);
            out.push_back(std::move(one));
        }
    // Small calls come first: they are cheap, and show most properties.
    for (double const work : {0x1p13, 0x1p16, most_work_})
        draw_up_to(std::min(work, most_work_), trust, most, is_over, out);
    draw_elsewhere(trust, most, out);
    return out;
}

ATTUNE_INLINE void call_draws::draw_elsewhere(shape_trust& trust, std::size_t most,
                                              std::vector<drawn_call>& to)
{
    constexpr int most_draws = 100;
    std::int64_t largest = 0;
    for (std::int64_t const d : from_.divisors)
        largest = std::max(largest, d);
    std::vector<std::int64_t> sizes;
    for (size_relations::size const& s : from_.relations.sizes) {
        std::int64_t const long_enough = std::min(most_times_larger * s.value, 2 * largest + 64);
        sizes.push_back(s.is_fixed ? s.value : std::max(s.value, long_enough));
    }
    drawn_call const here = call_of(sizes);
    if (!can_afford(here) || writes_nothing(here)) return;
    for (int i = 0; i < most_draws && to.size() < most; ++i) {
        drawn_call made = here;
        draw_places(made);
        if (trust.covers(made.key)) continue;
        trust.add(made.key);
        to.push_back(std::move(made));
    }
}

ATTUNE_INLINE void call_draws::draw_up_to(double work, shape_trust& trust, std::size_t most,
                                          std::function<bool()> const& is_over,
                                          std::vector<drawn_call>& to)
{
    constexpr int draws_in_a_row = 1'000;
    constexpr int most_draws = 20'000;
    std::vector<std::int64_t> sizes(from_.relations.sizes.size());
    int affordable = 0;
    int news = 0;
    for (int i = 0; i < most_draws && to.size() < most; ++i) {
        if (i % 64 == 0 && is_over && is_over()) return;
        draw_sizes(sizes);
        drawn_call made = call_of(sizes);
        if (made.work > work || !can_afford(made) || writes_nothing(made)) continue;
        if (!trust.covers(made.key)) {
            trust.add(made.key);
            to.push_back(std::move(made));
            ++news;
        }
        if (++affordable % draws_in_a_row != 0) continue;
        if (news <= 2) return;
        news = 0;
    }
}

ATTUNE_INLINE std::vector<drawn_call> call_draws::trials_of(std::size_t word,
                                                            size_formula const& formula) const
{
    std::size_t const n = from_.relations.sizes.size();
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::vector<drawn_call> out;
    std::vector<std::int64_t> sizes(n);
    std::size_t const orders = n == 1 ? 3 : n == 2 ? 4 : 8;
    for (std::size_t trial = 0; trial < orders; ++trial) {
        // The sizes differ by so much that nearly each formula that is wrong gives a length that is
        // wrong by more than a cache line.
        for (std::size_t rank = 0; rank < n; ++rank) {
            size_relations::size const& one = from_.relations.sizes[order[rank]];
            double const share =
                0.9 * static_cast<double>(rank + 1) / static_cast<double>(n + trial % 3);
            auto const changed = static_cast<std::int64_t>(
                share * static_cast<double>(std::min(one.value, most_of_trials)));
            sizes[order[rank]] = one.is_fixed ? one.value : std::max<std::int64_t>(changed, 1);
        }
        drawn_call made = call_of(sizes);
        auto const set = [&](std::size_t at, std::int64_t length) {
            made.key[at] = length;
            made.sizes[from_.layout[at].argument] = length;
        };
        for (size_relations::dependent const& one : from_.relations.words) {
            if (from_.layout[one.word].part != shape_part::elements || one.is_declared) continue;
            std::int64_t longest = one.may_be.empty() ? from_.key[one.word] : 0;
            for (size_formula const& f : one.may_be)
                longest = std::max(longest, f.of(sizes));
            set(one.word, std::min(longest, from_.key[one.word]));
        }
        set(word, formula.of(sizes));
        bool const fits = made.key[word] >= 0 && made.key[word] <= from_.key[word];
        if (fits && can_afford(made)) out.push_back(made);
        if (!std::next_permutation(order.begin(), order.end()))
            std::iota(order.begin(), order.end(), std::size_t{0});
    }
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail

// attune/tune/shape/drawn_calls.ipp - finds formulas, draws sizes, and makes calls of them.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/sort_stably.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/shape/drawn_calls.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <numeric>
#include <optional>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE std::int64_t size_formula::of(std::span<std::int64_t const> sizes) const
{
    constexpr std::int64_t most = std::int64_t{1} << 62;
    std::int64_t out = times;
    for (std::size_t const f : factors) {
        std::int64_t const factor = sizes[f] + beside;
        if (factor < 0 || (factor > 0 && out > most / factor)) return -1;
        out *= factor;
    }
    return out + plus < 0 ? -1 : out + plus;
}

ATTUNE_INLINE bool size_relations::can_change() const
{
    return std::any_of(sizes.begin(), sizes.end(), [](size const& s) { return !s.is_fixed; });
}

inline constexpr std::int64_t most_size = std::int64_t{1} << 40; ///< a larger one may be a hash

/// Finds the formulas that give a length.
class formula_search {
public:
    formula_search(std::vector<std::int64_t> sizes, std::int64_t length)
        : sizes_(std::move(sizes))
        , length_(length)
    {
    }
    [[nodiscard]] std::vector<size_formula> all() &&
    {
        for (std::size_t factors = 1; factors <= most_factors; ++factors)
            add(factors, {.factors = {}});
        for (std::size_t factors = 1; factors <= most_factors; ++factors)
            add(factors, {.factors = {}, .times = any_multiple});
        for (std::int64_t const plus : {1, -1, 2})
            add(1, {.factors = {}, .plus = plus});
        for (std::int64_t const times : {std::int64_t{1}, any_multiple})
            for (std::int64_t beside = 1; beside <= most_beside; ++beside)
                for (std::size_t factors = 2; factors <= most_factors; ++factors)
                    for (std::int64_t const sign : {1, -1})
                        add(factors, {.factors = {}, .times = times, .beside = sign * beside});
        return std::move(found_);
    }

private:
    static constexpr std::size_t most_factors = 3;
    static constexpr std::size_t most_found = 16;
    static constexpr std::int64_t any_multiple = 0; ///< in `times`: keep() finds the multiple
    static constexpr std::int64_t most_multiple = 64;
    static constexpr std::int64_t most_beside = 16;

    /// Adds the formulas that have `more` factors after those of `made`, in ascending order.
    void add(std::size_t more, size_formula made)
    {
        if (more == 0) return keep(std::move(made));
        std::size_t const from = made.factors.empty() ? 0 : made.factors.back();
        for (std::size_t i = from; i < sizes_.size() && found_.size() < most_found; ++i) {
            size_formula longer = made;
            longer.factors.push_back(i);
            add(more - 1, std::move(longer));
        }
    }
    void keep(size_formula made)
    {
        if (made.times == any_multiple) {
            made.times = 1;
            std::int64_t const one = made.of(sizes_);
            if (one < 1 || length_ % one != 0) return;
            made.times = length_ / one;
            if (made.times < 2 || made.times > most_multiple) return;
        }
        if (made.of(sizes_) == length_) found_.push_back(std::move(made));
    }

    std::vector<std::int64_t> sizes_;
    std::int64_t length_;
    std::vector<size_formula> found_{};
};

ATTUNE_INLINE size_relations relations_of(std::span<shape_word const> layout,
                                          std::span<std::int64_t const> key,
                                          shape_choice const& choice,
                                          declared_lengths const& lengths)
{
    size_relations out;
    auto const is_length = [&](std::size_t i) {
        return layout[i].part == shape_part::elements && choice.counts(layout[i].argument);
    };
    std::vector<std::int64_t> values;
    bool has_ignored = false;
    auto const add_size = [&](std::size_t word) {
        out.words.push_back({word, {{.factors = {out.sizes.size()}}}, false});
        out.sizes.push_back({key[word], choice.is_bound(layout[word].argument)});
        values.push_back(key[word]);
    };
    for (std::size_t i = 0; i < layout.size(); ++i) {
        if (layout[i].part == shape_part::overlaps && key[i] != 0) return {};
        if (layout[i].part != shape_part::number || key[i] < 2 || key[i] > most_size) continue;
        if (choice.counts(layout[i].argument))
            add_size(i);
        else
            has_ignored = true;
    }
    if (out.sizes.empty()) {
        for (std::size_t i = 0; i < layout.size(); ++i) {
            if (!is_length(i) || key[i] < 2) continue;
            if (out.sizes.empty())
                add_size(i);
            else if (key[i] == values.front())
                out.words.push_back({i, {{.factors = {0}}}, false});
            else if (has_ignored)
                return {}; // a length may be of an integer that does not count
            else if (auto found = formula_search(values, key[i]).all(); !found.empty())
                out.words.push_back({i, std::move(found), false});
        }
        return out;
    }
    for (std::size_t i = 0; i < layout.size(); ++i) {
        if (!is_length(i)) continue;
        bool const is_declared = lengths.says(layout[i].argument);
        std::vector<size_formula> found;
        if (!is_declared) found = formula_search(values, key[i]).all();
        if (is_declared || !found.empty()) out.words.push_back({i, std::move(found), is_declared});
    }
    return out;
}

ATTUNE_INLINE std::size_t sizes_among(std::span<shape_word const> layout,
                                      std::span<std::int64_t const> key, shape_choice const& choice)
{
    std::size_t numbers = 0;
    bool has_length = false;
    for (std::size_t i = 0; i < layout.size(); ++i) {
        if (layout[i].part == shape_part::overlaps && key[i] != 0) return 0;
        if (!choice.counts(layout[i].argument)) continue;
        bool const is_large = key[i] >= 2 && key[i] <= most_size;
        if (is_large && layout[i].part == shape_part::number) ++numbers;
        has_length = has_length || (is_large && layout[i].part == shape_part::elements);
    }
    return numbers > 0 ? numbers : std::size_t{has_length};
}

inline constexpr std::int64_t most_times_larger = 16;
inline constexpr std::int64_t most_beside = 4; ///< distance of a size from two others
inline constexpr double least_work = 1 << 20;
inline constexpr std::int64_t most_of_trials = 96; ///< the largest size in trials of formulas

/// Returns the step in bytes between drawn addresses of an array, by the bytes of its elements.
[[nodiscard]] inline std::int64_t alignment_of_elements(std::size_t bytes)
{
    return bytes == 0 ? 64 : static_cast<std::int64_t>(std::min<std::size_t>(bytes & -bytes, 16));
}

ATTUNE_INLINE call_draws::call_draws(drawn_from from, std::uint64_t seed, draw_limits const& limits)
    : from_(from)
    , limits_(limits)
    , first_place_(from.layout.size())
    , draw_(seed, from.divisors)
{
    std::vector<std::int64_t> sizes;
    for (size_relations::size const& s : from_.relations.sizes)
        sizes.push_back(s.value);
    most_work_ = std::max(limits.most_work * work_of(sizes, from_.key), least_work);
    while (first_place_ > 0 && from_.layout[first_place_ - 1].part == shape_part::places)
        --first_place_;
    if (from_.lengths != nullptr) numbers_ = numbers_of(*from_.lengths, from_.frame);
    for (std::size_t i = 0; from_.frame.resized && i < from_.layout.size(); ++i) {
        std::size_t const argument = from_.layout[i].argument;
        if (from_.layout[i].part != shape_part::real || from_.choice.is_bound(argument) ||
            !from_.choice.counts(argument) || special_real(from_.key[i]) != 1)
            continue;
        std::vector<std::byte> const& bytes = from_.frame.arguments[argument].value;
        float as_float = 0;
        double value = 0;
        if (bytes.size() == sizeof value)
            std::memcpy(&value, bytes.data(), sizeof value);
        else if (bytes.size() == sizeof as_float)
            std::memcpy(&as_float, bytes.data(), sizeof as_float),
                value = static_cast<double>(as_float);
        else
            continue; // long double
        scalars_.push_back({i, value, bytes.size() == sizeof as_float});
    }
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
        // The integers come first: lengths below use all of them.
        if (from_.layout[one.word].part == shape_part::number && !numbers.empty())
            numbers[argument] = value;
        out.key[one.word] = value;
        out.sizes[from_.layout[one.word].argument] = value;
        std::size_t const bytes = from_.frame.arguments[argument].value.size();
        bool const fits = bytes == 0 || bytes >= sizeof value || value >> (8 * bytes - 1) == 0;
        if (value < 0 || !fits) out.work = HUGE_VAL; // the call is impossible
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
    return std::isfinite(call.work) && call.work <= most_work_ &&
           bytes <= static_cast<double>(limits_.most_bytes);
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
    // If all sizes but two are small, the limit on work allows these two to be large.
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

ATTUNE_INLINE void call_draws::enlarge(std::span<std::int64_t> sizes)
{
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        size_relations::size const& from = from_.relations.sizes[i];
        if (from.is_fixed || draw_.index(2) == 0) continue;
        double const times = std::exp2(draw_.unit() * std::log2(most_times_larger));
        sizes[i] = static_cast<std::int64_t>(static_cast<double>(from.value) * times);
    }
}

ATTUNE_INLINE void call_draws::tie(std::span<std::int64_t> sizes)
{
    auto const count = static_cast<std::int64_t>(sizes.size());
    auto const from = static_cast<std::size_t>(draw_.index(count));
    auto const to = static_cast<std::size_t>(draw_.index(count));
    bool const are_all = count > 2 && draw_.index(2) == 0; // a cube may have code of its own
    std::int64_t const common = sizes[from];
    for (std::size_t i = 0; i < sizes.size(); ++i)
        if ((i == to || are_all) && !from_.relations.sizes[i].is_fixed)
            sizes[i] = std::min(common, most_times_larger * from_.relations.sizes[i].value);
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

ATTUNE_INLINE void call_draws::draw_scalars(drawn_call& call)
{
    if (!changes_scalars_ || draw_.index(4) == 0) return;
    constexpr std::int64_t octaves = 4; // up and down
    constexpr double least = -20;       // exponents of two: about 1e-6 to 4096
    constexpr double most = 12;
    for (scalar const& one : scalars_) {
        if (draw_.index(4) == 0) continue;
        double const sign = draw_.index(4) == 0 ? -1 : 1;
        double value = one.value;
        std::int64_t const way = draw_.index(8); // 3 to 7: any number
        if (way == 0) value *= std::exp2(draw_.index(2 * octaves + 1) - octaves);
        if (way >= 6)
            value = std::copysign(std::exp2(least + (most - least) * draw_.unit()), value);
        else if (way >= 3)
            value *= std::exp2(2 * octaves * draw_.unit() - octaves);
        if (way == 1)
            value = std::copysign(
                std::exp2(std::ilogb(value) + draw_.index(2 * octaves + 1) - octaves), value);
        if (way == 2)
            value = scalars_[static_cast<std::size_t>(draw_.index(std::ssize(scalars_)))].value;
        value *= sign;
        if (draw_.index(2) == 0 && std::fabs(value) >= 2) value = std::round(value);
        if (one.is_float) value = static_cast<double>(static_cast<float>(value));
        std::int64_t const its = real_class(bits_of_real(value));
        if (special_real(its) != 1) continue;
        call.key[one.word] = its;
        call.sizes[from_.layout[one.word].argument] = bits_of_real(value);
    }
}

ATTUNE_INLINE void call_draws::add_multiples(std::vector<drawn_call>& to)
{
    constexpr std::int64_t most_less = 17; // has each remainder of vector loops
    std::size_t const n = from_.relations.sizes.size();
    for (std::size_t a = 0; a < n; ++a)
        for (std::size_t b = a; b < n; ++b) {
            if (from_.relations.sizes[a].is_fixed && from_.relations.sizes[b].is_fixed) continue;
            for (std::int64_t times = 1; times <= most_times_larger; times *= 2) {
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
                for (std::size_t const i : {a, b})
                    if (!from_.relations.sizes[i].is_fixed && sizes[i] > 2 * most_less)
                        sizes[i] -= draw_.index(most_less);
                drawn_call less = call_of(sizes);
                if (!can_afford(less) || writes_nothing(less)) continue;
                draw_places(less);
                to.push_back(std::move(less));
            }
        }
}

ATTUNE_INLINE std::vector<drawn_call> call_draws::chosen(shape_trust& trust, std::size_t most,
                                                         std::function<bool()> const& is_over)
{
    std::vector<drawn_call> out;
    if (!from_.relations.can_change()) return out;
    std::vector<drawn_call> multiples;
    add_multiples(multiples);
    shape_trust const before = trust;
    for (drawn_call& one : multiples) {
        // A call with arrays at other addresses runs even if the call before it has its properties.
        if ((one.places.empty() ? trust : before).covers(one.key)) continue;
        if (out.size() >= most / 2) break; // leave room for draws
        trust.add(one.key);
        out.push_back(std::move(one));
    }
    // Small calls come first: they are cheap and have most properties.
    for (double const work : {0x1p13, 0x1p16, most_work_})
        draw_up_to(std::min(work, most_work_), trust, most, is_over, out);
    draw_elsewhere(trust, most, out);
    return out;
}

ATTUNE_INLINE std::vector<drawn_call> call_draws::that_meet(shape_trust const* trust,
                                                            std::size_t most, bool are_short)
{
    constexpr std::size_t draws_of_one = 20;
    constexpr double most_work_of_short = 0x1p14;
    std::vector<drawn_call> out;
    std::vector<std::int64_t> sizes(from_.relations.sizes.size());
    hash_set known;
    for (std::size_t i = 0; i < draws_of_one * most && out.size() < most; ++i) {
        bool const is_short = are_short || i % 4 != 3;
        double const most_work = is_short ? most_work_of_short : most_work_;
        draw_sizes(sizes);
        if (!is_short) enlarge(sizes);
        auto const one = static_cast<std::size_t>(draw_.index(std::ssize(sizes)));
        auto const other = static_cast<std::size_t>(draw_.index(std::ssize(sizes)));
        std::int64_t const way = draw_.index(4);
        if (!from_.relations.sizes[one].is_fixed && way == 0) sizes[one] = draw_.index(4);
        if (!from_.relations.sizes[one].is_fixed && way == 1 && one != other)
            sizes[one] = (1 + draw_.index(2)) * sizes[other] + draw_.index(3) - 1;
        drawn_call made = call_of(sizes);
        if (draw_.index(2) == 0) draw_places(made);
        draw_scalars(made);
        if (made.work > std::min(most_work, most_work_) || !can_afford(made) ||
            writes_nothing(made) || (trust != nullptr && !trust->covers(made.key)) ||
            known.contains(hash_of_shape(made.key)))
            continue;
        known.insert(hash_of_shape(made.key));
        out.push_back(std::move(made));
    }
    return out;
}

ATTUNE_INLINE std::vector<drawn_call> call_draws::smaller(drawn_call const& than) const
{
    std::vector<std::int64_t> sizes;
    for (std::size_t i = 0; i < from_.relations.sizes.size(); ++i)
        sizes.push_back(than.key[from_.relations.words[i].word]);
    std::vector<drawn_call> out;
    auto const add = [&](std::size_t which, std::int64_t size) {
        std::int64_t const own = std::exchange(sizes[which], size);
        drawn_call made = call_of(sizes);
        sizes[which] = own;
        for (std::size_t word = 0; word < from_.layout.size(); ++word) {
            if (is_size(from_.layout[word].part)) continue;
            made.key[word] = than.key[word];
            if (from_.layout[word].part == shape_part::real)
                made.sizes[from_.layout[word].argument] = than.sizes[from_.layout[word].argument];
        }
        made.places = than.places;
        made.contents = than.contents;
        if (can_afford(made) && !writes_nothing(made)) out.push_back(std::move(made));
    };
    for (std::size_t i = 0; i < sizes.size(); ++i)
        for (std::int64_t less = from_.relations.sizes[i].is_fixed ? 0 : (sizes[i] + 1) / 2;
             less > 0; less /= 2)
            add(i, sizes[i] - less);
    sort_stably(out, [](auto const& a, auto const& b) { return a.work < b.work; });
    return out;
}

ATTUNE_INLINE void call_draws::draw_elsewhere(shape_trust& trust, std::size_t most,
                                              std::vector<drawn_call>& to)
{
    constexpr int most_draws = 100;
    constexpr std::int64_t most_remainder = 16;
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
        std::vector<std::int64_t> longer = sizes; // with remainders of vector loops
        for (std::size_t s = 0; s < longer.size(); ++s)
            if (!from_.relations.sizes[s].is_fixed) longer[s] += draw_.index(most_remainder);
        drawn_call made = call_of(longer);
        if (!can_afford(made)) made = here;
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
    constexpr int compared_draws = 8;       // one of these is taken
    constexpr double work_of_any = 1 << 12; // of making and checking the shortest call
    std::vector<std::int64_t> sizes(from_.relations.sizes.size());
    int affordable = 0;
    int news = 0;
    std::optional<drawn_call> best;
    double best_worth = 0;
    auto const take_best = [&] {
        if (!best) return;
        trust.add(best->key);
        to.push_back(*std::exchange(best, {}));
        best_worth = 0;
    };
    for (int i = 0; i < most_draws && to.size() < most; ++i) {
        if (i % 64 == 0 && is_over && is_over()) return;
        draw_sizes(sizes);
        drawn_call made = call_of(sizes);
        draw_scalars(made);
        if (made.work > work || !can_afford(made) || writes_nothing(made)) continue;
        std::size_t const shows = trust.covers(made.key) ? 0 : trust.news_of(made.key);
        if (shows > 0) {
            ++news;
            double const worth = static_cast<double>(shows) / (work_of_any + made.work);
            if (worth > best_worth) {
                best_worth = worth;
                best = std::move(made);
            }
        }
        if (++affordable % compared_draws == 0) take_best();
        if (affordable % draws_in_a_row != 0) continue;
        if (news <= 2) break;
        news = 0;
    }
    take_best();
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
        // The sizes differ so much that the length of nearly each wrong formula is wrong by more
        // than a cache line.
        for (std::size_t rank = 0; rank < n; ++rank) {
            size_relations::size const& one = from_.relations.sizes[order[rank]];
            double const share =
                0.9 * static_cast<double>(rank + 1) / static_cast<double>(n + trial % 3);
            auto changed = static_cast<std::int64_t>(
                share * static_cast<double>(std::min(one.value, most_of_trials)));
            // preconditions may ask for whole vectors
            std::int64_t const step = one.value % 16 == 0 && changed >= 16 ? 16 : 8;
            if (changed > 8) changed -= changed % step;
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

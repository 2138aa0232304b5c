// attune/space/conditions/place_runs.hpp - the places in a parameter's domain at which an expression of that parameter holds.
// SPDX-License-Identifier: MIT
//
// A comparison with a constant costs a binary search, and a list of n such terms costs n log n. The
// number of the parameter's values has little effect.
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/expression/evaluate.hpp>
#include <attune/declare/expression/operation.hpp>
#include <attune/declare/table.hpp>
#include <attune/space/conditions/conditions.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Consecutive places in a domain.
struct place_run {
    std::uint32_t first = 0;
    std::uint32_t end = 0; ///< behind the last place

    [[nodiscard]] friend auto operator<=>(place_run const&, place_run const&) = default;
};

/// Places of a domain: ascending runs with gaps between them.
using place_runs = std::vector<place_run>;

/// The places of all runs, which may overlap.
[[nodiscard]] inline place_runs united(place_runs runs)
{
    std::sort(runs.begin(), runs.end());
    std::size_t kept = 0;
    for (place_run const& run : runs) {
        if (run.first == run.end) continue;
        if (kept > 0 && run.first <= runs[kept - 1].end)
            runs[kept - 1].end = std::max(runs[kept - 1].end, run.end);
        else
            runs[kept++] = run;
    }
    runs.resize(kept);
    return runs;
}

/// The other places of a domain with `size` values.
[[nodiscard]] inline place_runs complement(place_runs const& runs, std::uint32_t size)
{
    place_runs out;
    std::uint32_t next = 0;
    for (place_run const& run : runs) {
        if (next < run.first) out.push_back({next, run.first});
        next = run.end;
    }
    if (next < size) out.push_back({next, size});
    return out;
}

/// Places that repeat with a period.
struct place_period {
    std::uint32_t length = 1;
    place_runs runs; ///< of the first period
};

/// The union of places of many terms of one domain. Periodic places are stored as one bit each.
class place_union {
public:
    explicit place_union(std::uint32_t size)
        : size_(size)
    {
    }

    void add(place_runs const& runs) { runs_.insert(runs_.end(), runs.begin(), runs.end()); }

    /// Cost  one step per run of all periods, or per 64 places if that is less
    void add(place_period const& period)
    {
        if (period.runs.empty()) return;
        std::size_t const words = (std::size_t{size_} + 63) / 64;
        bits_.resize(words, 0);
        std::uint64_t const runs = period.runs.size() * (size_ / period.length + 1);
        if (runs <= words || period.length >= words) {
            mark(bits_, period, size_);
            return;
        }
        std::vector<std::uint64_t> pattern(period.length, 0); // 64 periods
        mark(pattern, period, std::uint64_t{64} * period.length);
        for (std::size_t begin = 0; begin < words; begin += pattern.size()) {
            std::size_t const count = std::min(pattern.size(), words - begin);
            for (std::size_t i = 0; i < count; ++i)
                bits_[begin + i] |= pattern[i];
        }
    }

    [[nodiscard]] place_runs take() &&
    {
        if (bits_.empty()) return united(std::move(runs_));
        for (place_run const& run : runs_)
            mark(bits_, run.first, run.end);
        place_runs out;
        std::uint32_t at = next(0, 0);
        while (at < size_) {
            std::uint32_t const end = next(at, ~std::uint64_t{0});
            out.push_back({at, end});
            at = next(end, 0);
        }
        return out;
    }

private:
    static void mark(std::vector<std::uint64_t>& bits, std::uint64_t first, std::uint64_t end)
    {
        for (std::uint64_t at = first; at < end;) {
            std::uint64_t const shift = at % 64;
            std::uint64_t const count = std::min(end - at, 64 - shift);
            bits[at / 64] |= (~std::uint64_t{0} >> (64 - count)) << shift;
            at += count;
        }
    }
    static void mark(std::vector<std::uint64_t>& bits, place_period const& period,
                     std::uint64_t size)
    {
        for (place_run const& run : period.runs) {
            if (run.end == run.first + 1)
                for (std::uint64_t at = run.first; at < size; at += period.length)
                    bits[at / 64] |= std::uint64_t{1} << at % 64;
            else
                for (std::uint64_t at = 0; at + run.first < size; at += period.length)
                    mark(bits, at + run.first, std::min(at + run.end, size));
        }
    }
    /// The first place from `at` on whose bit is not the one of `skipped`, all bits 0 or all 1.
    [[nodiscard]] std::uint32_t next(std::uint32_t at, std::uint64_t skipped) const
    {
        for (std::size_t w = at / 64; w < bits_.size(); ++w) {
            std::uint64_t left = bits_[w] ^ skipped;
            if (w == at / 64) left &= ~std::uint64_t{0} << at % 64;
            if (left == 0) continue;
            auto const found = 64 * w + static_cast<std::size_t>(std::countr_zero(left));
            return static_cast<std::uint32_t>(std::min<std::size_t>(found, size_));
        }
        return size_;
    }

    std::uint32_t size_;
    place_runs runs_;
    std::vector<std::uint64_t> bits_; // empty without periodic places
};

/// Reads expressions of one parameter as places.
class place_reader {
public:
    /// The references must outlive this object.
    place_reader(description const& space, std::vector<domain> const& domains)
        : space_(space)
        , domains_(domains)
        , read_(space)
        , at_(first_values(space, domains))
        , tables_(space.parameters.size())
    {
    }

    /// Makes where() refuse a term that needs the value at each place if the domain has more than
    /// `places`.
    void be_quick(std::uint32_t places = 0) { most_places_ = places; }
    /// Number of places visited one by one.
    [[nodiscard]] std::uint64_t visits() const noexcept { return visits_; }

    /// The places of `parameter` where `root` holds, or does not hold if `negated`. Nothing if
    /// `root` has no value at a place, or if the reader is quick and must visit too many places.
    /// @pre  `root` reads no other parameter with several values
    /// Cost  n log n in the comparisons with constants; for `x % 7 == 1`: the places where it
    ///       holds, or 1/64 of all places; for another term: each place
    [[nodiscard]] std::optional<place_runs> where(std::uint32_t parameter, std::uint32_t root,
                                                  bool negated)
    {
        expression_node const& n = space_.nodes[root];
        if (n.code == op::logical_not) return where(parameter, n.first, !negated);
        std::uint32_t const size = domains_[parameter].size();
        if (is_chain(n.code)) {
            // A conjunction holds at the places at which no operand is false.
            bool const is_any = (n.code == op::logical_or) != negated;
            auto all = where_any(parameter, operands_of(root), is_any ? negated : !negated);
            if (!all) return each(parameter, root, negated);
            return is_any ? std::move(all) : complement(*all, size);
        }
        if (auto const compared = by_comparison(parameter, n))
            return negated ? complement(*compared, size) : *compared;
        if (auto const repeated = by_period(parameter, n, negated)) {
            place_union all(size);
            all.add(*repeated);
            return std::move(all).take();
        }
        return each(parameter, root, negated);
    }

    /// The places where at least one of `roots` holds, or does not hold if `negated`; else as
    /// where().
    [[nodiscard]] std::optional<place_runs>
    where_any(std::uint32_t parameter, std::span<std::uint32_t const> roots, bool negated)
    {
        place_union all(domains_[parameter].size());
        for (std::uint32_t root : roots) {
            bool is_negated = negated;
            for (; space_.nodes[root].code == op::logical_not; root = space_.nodes[root].first)
                is_negated = !is_negated;
            if (auto const repeated = by_period(parameter, space_.nodes[root], is_negated)) {
                all.add(*repeated);
                continue;
            }
            auto const one = where(parameter, root, is_negated);
            if (!one) return std::nullopt;
            all.add(*one);
        }
        return std::move(all).take();
    }

private:
    /// The values of a parameter in order of size.
    struct value_table {
        bool is_known = false;
        bool is_ordered = false;             ///< no value is NaN, so a search finds each value
        bool is_in_place = false;            ///< the values ascend in the domain
        bool has_equal_steps = false;        ///< integers at equal distances
        std::vector<std::uint32_t> sorted{}; ///< unless is_in_place: places, by value
    };

    [[nodiscard]] std::vector<std::uint32_t> operands_of(std::uint32_t root) const
    {
        op const code = space_.nodes[root].code;
        std::vector<std::uint32_t> out, open{root};
        while (!open.empty()) {
            std::uint32_t const at = open.back();
            open.pop_back();
            expression_node const& n = space_.nodes[at];
            if (n.code == code)
                open.insert(open.end(), {n.second, n.first});
            else
                out.push_back(at);
        }
        return out;
    }

    /// where() by a visit of each place; nothing if the places are too many.
    [[nodiscard]] std::optional<place_runs> each(std::uint32_t parameter, std::uint32_t root,
                                                 bool negated)
    {
        place_runs out;
        domain const& values = domains_[parameter];
        if (values.size() > most_places_) return std::nullopt;
        visits_ += values.size();
        std::uint32_t const before = at_[parameter].index;
        bool has_all = true;
        for (std::uint32_t i = 0; has_all && i < values.size(); ++i) {
            at_[parameter].index = values.value(i);
            std::optional<number> const v = read_.value(root, at_);
            has_all = v.has_value();
            if (!v || (v->as_real() != 0) == negated) continue;
            if (!out.empty() && out.back().end == i)
                ++out.back().end;
            else
                out.push_back({i, i + 1});
        }
        at_[parameter].index = before;
        return has_all ? std::optional(std::move(out)) : std::nullopt;
    }

    /// The places where `(x + 3) % 7 == 1` holds, if `n` compares a remainder with a constant and
    /// the values have equal steps.
    [[nodiscard]] std::optional<place_period> by_period(std::uint32_t parameter,
                                                        expression_node const& n, bool negated)
    {
        bool const is_truth = is_remainder(n.code); // `x % 7` is `x % 7 != 0`
        if (!is_truth && !is_comparison(n.code)) return std::nullopt;
        bool const is_first = is_truth || is_remainder(space_.nodes[n.first].code);
        expression_node const& divided = is_truth ? n : space_.nodes[is_first ? n.first : n.second];
        if (!is_remainder(divided.code) || !is_linear(divided.first, parameter))
            return std::nullopt;
        auto const wanted =
            is_truth ? std::optional(std::int64_t{0}) : constant_at(is_first ? n.second : n.first);
        auto const divisor = constant_at(divided.second);
        std::uint32_t const size = domains_[parameter].size();
        if (!wanted || !divisor || *divisor <= 0 || *divisor >= no_index || size < 2)
            return std::nullopt;
        if (!table_of(parameter).has_equal_steps) return std::nullopt;
        auto const at_place = [&](std::uint32_t place) {
            std::uint32_t const before = at_[parameter].index;
            at_[parameter].index = domains_[parameter].value(place);
            std::optional<number> const v = read_.value(divided.first, at_);
            at_[parameter].index = before;
            return v && !v->is_real ? std::optional(v->integer) : std::nullopt;
        };
        auto const first = at_place(0), second = at_place(1), last = at_place(size - 1);
        if (!first || !second || !last) return std::nullopt;
        if (divided.code == op::modulo && (*first < 0 || *last < 0)) return std::nullopt;
        auto const remainder = [&](std::int64_t v) {
            return ((v % *divisor) + *divisor) % *divisor;
        };
        relation const holds = rules_of(is_truth ? op::not_equal : n.code).holds;
        auto const is_open = [&](std::int64_t v) {
            bool const is_less = is_first ? v < *wanted : *wanted < v;
            return (v == *wanted ? holds.if_same
                    : is_less    ? holds.if_less
                                 : holds.if_more) != negated;
        };
        std::int64_t const step = remainder(remainder(*second) - remainder(*first));
        std::int64_t const period = *divisor / std::gcd(step, *divisor);
        place_period out{static_cast<std::uint32_t>(period), {}};
        auto const add = [&](std::int64_t begin, std::int64_t end) {
            end = std::min<std::int64_t>(end, size);
            if (begin >= end) return;
            if (!out.runs.empty() && out.runs.back().end == begin)
                out.runs.back().end = static_cast<std::uint32_t>(end);
            else
                out.runs.push_back(
                    {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)});
        };
        std::int64_t now = remainder(*first);
        for (std::int64_t place = 0; place < std::min<std::int64_t>(period, size);) {
            // With a step of 1, the truth of the term changes at three remainders at most.
            std::int64_t count = 1;
            if (step == 1) {
                std::int64_t change = *divisor;
                for (std::int64_t const c : {*wanted, *wanted + (*wanted < *divisor ? 1 : 0)})
                    if (c > now) change = std::min(change, c);
                count = std::min(change - now, period - place);
            }
            if (is_open(now)) add(place, place + count);
            place += count;
            now = (now + count % *divisor * step) % *divisor;
        }
        return out;
    }

    /// An integer literal, or an input with an integer.
    [[nodiscard]] std::optional<std::int64_t> constant_at(std::uint32_t node) const
    {
        op const code = space_.nodes[node].code;
        if (!is_leaf(code) || names_parameter(code)) return std::nullopt;
        std::optional<number> const v = read_.value(node, at_);
        return v && !v->is_real ? std::optional(v->integer) : std::nullopt;
    }

    /// Returns true if `node` is the parameter, or it with constants added.
    [[nodiscard]] bool is_linear(std::uint32_t node, std::uint32_t parameter) const
    {
        for (;;) {
            expression_node const& n = space_.nodes[node];
            if (n.code == op::parameter) return n.subject == parameter;
            if (n.code != op::add && n.code != op::subtract) return false;
            if (constant_at(n.second))
                node = n.first;
            else if (constant_at(n.first))
                node = n.second;
            else
                return false;
        }
    }

    /// The places where `n` holds; nothing unless `n` compares the parameter with a constant.
    [[nodiscard]] std::optional<place_runs> by_comparison(std::uint32_t parameter,
                                                          expression_node const& n)
    {
        if (!is_comparison(n.code)) return std::nullopt;
        auto const is_parameter = [&](std::uint32_t node) {
            return space_.nodes[node].code == op::parameter &&
                   space_.nodes[node].subject == parameter;
        };
        auto const is_constant = [&](std::uint32_t node) {
            op const code = space_.nodes[node].code;
            return is_leaf(code) && !names_parameter(code);
        };
        bool const is_first = is_parameter(n.first) && is_constant(n.second);
        if (!is_first && !(is_parameter(n.second) && is_constant(n.first))) return std::nullopt;
        value_table const& table = table_of(parameter);
        if (!table.is_ordered) return std::nullopt;
        expression_node const& other = space_.nodes[is_first ? n.second : n.first];
        if (space_.parameters[parameter].type == value_kind::text) {
            if (!is_equality(n.code) || other.code != op::text) return std::nullopt;
            std::string_view const wanted = space_.texts[other.text];
            return equal_or_not(parameter, n.code, [&](std::uint32_t place) {
                return label_at(parameter, place).compare(wanted) <=> 0;
            });
        }
        std::optional<number> const wanted = read_.value(is_first ? n.second : n.first, at_);
        if (!wanted || std::isnan(wanted->as_real())) return std::nullopt;
        auto const is_true = [&](op code, std::uint32_t place) {
            number const v = value_at(parameter, place);
            return satisfies(rules_of(code).holds, is_first ? v : *wanted, is_first ? *wanted : v);
        };
        if (is_equality(n.code))
            return equal_or_not(parameter, n.code, [&](std::uint32_t place) {
                op const below = is_first ? op::less : op::greater;
                return is_true(below, place)       ? std::strong_ordering::less
                       : is_true(op::equal, place) ? std::strong_ordering::equal
                                                   : std::strong_ordering::greater;
            });
        // The comparison holds for all values up to one, or from one on.
        std::uint32_t const size = domains_[parameter].size();
        bool const holds_first = is_true(n.code, place_of(table, 0));
        std::uint32_t const change = first_without(size, [&](std::uint32_t i) {
            return is_true(n.code, place_of(table, i)) == holds_first;
        });
        return holds_first ? runs_between(table, 0, change) : runs_between(table, change, size);
    }

    /// @param side  the order of the value at a place beside the constant
    template <class Side>
    [[nodiscard]] place_runs equal_or_not(std::uint32_t parameter, op code, Side const& side)
    {
        value_table const& table = tables_[parameter];
        std::uint32_t const size = domains_[parameter].size();
        std::uint32_t const begin =
            first_without(size, [&](std::uint32_t i) { return side(place_of(table, i)) < 0; });
        std::uint32_t end = begin;
        while (end < size && side(place_of(table, end)) == 0)
            ++end;
        place_runs equal = runs_between(table, begin, end);
        return code == op::equal ? equal : complement(equal, size);
    }

    /// The first number below `size` at which `holds` is false; `size` if it is true at all of
    /// them.
    /// @pre  `holds` is false at all later numbers, too
    template <class Holds>
    [[nodiscard]] static std::uint32_t first_without(std::uint32_t size, Holds const& holds)
    {
        std::uint32_t low = 0, high = size;
        while (low < high) {
            std::uint32_t const middle = low + (high - low) / 2;
            if (holds(middle))
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }

    /// The place of the i-th smallest value.
    [[nodiscard]] static std::uint32_t place_of(value_table const& table, std::uint32_t i)
    {
        return table.is_in_place ? i : table.sorted[i];
    }
    [[nodiscard]] static place_runs runs_between(value_table const& table, std::uint32_t begin,
                                                 std::uint32_t end)
    {
        if (table.is_in_place) return united({{begin, end}});
        place_runs out;
        for (std::uint32_t i = begin; i < end; ++i)
            out.push_back({table.sorted[i], table.sorted[i] + 1});
        return united(std::move(out));
    }

    [[nodiscard]] number value_at(std::uint32_t parameter, std::uint32_t place) const
    {
        return number_at(space_.parameters[parameter], {domains_[parameter].value(place), 0});
    }
    [[nodiscard]] std::string_view label_at(std::uint32_t parameter, std::uint32_t place) const
    {
        return space_.parameters[parameter].labels[domains_[parameter].value(place)];
    }

    /// Returns true if the values are integers at equal distances.
    [[nodiscard]] static bool has_equal_steps(parameter_description const& of)
    {
        std::vector<std::int64_t> const& all = of.integers;
        if (of.type != value_kind::integer || all.size() != of.value_count()) return false;
        std::int64_t step = 0, next = 0;
        if (all.size() > 1 && __builtin_sub_overflow(all[1], all[0], &step)) return false;
        for (std::size_t i = 1; i < all.size(); ++i)
            if (__builtin_add_overflow(all[i - 1], step, &next) || all[i] != next) return false;
        return true;
    }

    /// Sorts the values of a parameter once.
    value_table const& table_of(std::uint32_t parameter)
    {
        value_table& made = tables_[parameter];
        if (made.is_known) return made;
        made.is_known = true;
        parameter_description const& of = space_.parameters[parameter];
        std::uint32_t const size = domains_[parameter].size();
        made.is_ordered = size > 0;
        made.is_in_place = of.range_count > 0 && of.rule.step > 0;
        made.has_equal_steps =
            domains_[parameter].is_whole() && (made.is_in_place || has_equal_steps(of));
        made.is_in_place = made.is_in_place || (made.has_equal_steps && size > 0 &&
                                                of.integers.front() <= of.integers.back());
        if (made.is_in_place) return made;
        std::vector<std::uint32_t> places(size);
        std::iota(places.begin(), places.end(), std::uint32_t{0});
        auto const sort_by = [&](auto const& value) {
            auto const goes_before = [&](std::uint32_t a, std::uint32_t b) {
                return value(a) != value(b) ? value(a) < value(b) : a < b;
            };
            made.is_in_place = std::is_sorted(places.begin(), places.end(), goes_before);
            if (made.is_in_place) return;
            std::sort(places.begin(), places.end(), goes_before);
            made.sorted = std::move(places);
        };
        if (of.type == value_kind::text) {
            sort_by([&](std::uint32_t place) { return label_at(parameter, place); });
            return made;
        }
        bool const is_real = size > 0 && value_at(parameter, 0).is_real;
        for (std::uint32_t i = 0; i < size; ++i) {
            number const v = value_at(parameter, i);
            made.is_ordered = made.is_ordered && v.is_real == is_real && !std::isnan(v.as_real());
        }
        if (!made.is_ordered) return made;
        if (is_real)
            sort_by([&](std::uint32_t place) { return value_at(parameter, place).real; });
        else
            sort_by([&](std::uint32_t place) { return value_at(parameter, place).integer; });
        return made;
    }

    description const& space_;
    std::vector<domain> const& domains_;
    evaluator read_;
    point at_;
    std::vector<value_table> tables_; // of each parameter
    std::uint32_t most_places_ = no_index;
    std::uint64_t visits_ = 0;
};

} // namespace attune::inline ATTUNE_ABI::detail

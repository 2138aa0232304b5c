// attune/declare/kind_rules.ipp - the functions of each kind, and the table of them.
// SPDX-License-Identifier: MIT
// Source   to and from the unit cube by random keys (Bean 1994)
#pragma once

#include <attune/core/enum_table.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/shown_text.hpp>
#include <attune/declare/group.hpp>
#include <attune/declare/kind_rules.hpp>
#include <attune/declare/table.hpp>
#include <attune/declare/text.hpp>

#include <limits>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// The usual spelling of a number or a truth value without spaces; empty for another text.
[[nodiscard]] inline std::string usual_number(std::string_view text)
{
    if (std::string const word = in_small_letters(std::string(text));
        word == "true" || word == "false")
        return word;
    if (text.starts_with('+')) text.remove_prefix(1);
    std::size_t const digit = text.starts_with('-') ? 1 : 0;
    if (text.size() <= digit || std::string_view("0123456789.").find(text[digit]) == text.npos)
        return {};
    if (auto const whole = parse_number<std::int64_t>(text)) return std::to_string(*whole);
    constexpr double exact = 9007199254740992.0; // each whole number up to it is a double
    auto const real = parse_number<double>(text);
    bool const is_long = text.find_first_not_of("0123456789", digit) == text.npos;
    if (!real || is_long) return {};
    if (std::fabs(*real) < exact && *real == std::floor(*real))
        return std::to_string(static_cast<std::int64_t>(*real));
    bool const has_exponent = text.find_first_of("eE") != text.npos;
    if (!has_exponent && text.ends_with('0')) return {}; // 12.10 may be a release
    return text_of_real(*real);
}

ATTUNE_INLINE std::string usual_spelling(std::string_view text)
{
    std::string const plain = without_spaces(text);
    auto const parts = parts_of_list(plain);
    std::string out = parts ? "{" : usual_number(plain);
    for (std::size_t i = 0; parts && i < parts->size(); ++i) {
        std::string const part = usual_number((*parts)[i]);
        if (part.empty()) return std::string(text);
        out += (i == 0 ? "" : ", ") + part;
    }
    return out.empty() ? std::string(text) : parts ? out + '}' : out;
}

/// The text of a permutation or a tile: "{2, 0, 1}".
inline std::string list_text(parameter_description const& p, coordinate at)
{
    return text_of_elements(elements_at(p, at.index));
}
[[nodiscard]] inline std::size_t one_per_part(parameter_description const& p) { return p.parts; }

namespace permutation_kind {

inline std::optional<coordinate> parse(parameter_description const& p, std::string_view text)
{
    auto const wanted = parse_integers(without_spaces(text));
    if (!wanted || wanted->size() != p.parts) return {};
    std::vector<std::int64_t> items = *wanted;
    std::sort(items.begin(), items.end());
    for (std::size_t i = 0; i < items.size(); ++i)
        if (items[i] != static_cast<std::int64_t>(i)) return {};
    return coordinate{permutation_rank(*wanted), 0};
}
inline double distance(parameter_description const& p, coordinate a, coordinate b)
{
    return permutation_distance(elements_at(p, a.index), elements_at(p, b.index), p.metric);
}
/// Offers each swap of two items.
inline void steps(parameter_description const& p, coordinate at, step_taker const& take)
{
    std::vector<std::int64_t> order = elements_at(p, at.index);
    for (std::size_t i = 0; i < order.size(); ++i)
        for (std::size_t j = i + 1; j < order.size(); ++j) {
            std::swap(order[i], order[j]);
            take({permutation_rank(order), 0});
            std::swap(order[i], order[j]);
        }
}
/// The place of each item, divided by the last place.
inline void to_unit(parameter_description const& p, std::span<double const>, coordinate at,
                    std::span<double> out)
{
    std::vector<std::int64_t> const items = elements_at(p, at.index);
    double const last = std::max(1.0, static_cast<double>(items.size()) - 1);
    for (std::size_t place = 0; place < items.size(); ++place)
        out[static_cast<std::size_t>(items[place])] = static_cast<double>(place) / last;
}
/// The items sorted by their numbers.
inline coordinate from_unit(parameter_description const&, std::span<double const>,
                            std::span<double const> at)
{
    std::vector<std::int64_t> items(at.size());
    for (std::size_t item = 0; item < items.size(); ++item)
        items[item] = static_cast<std::int64_t>(item);
    auto const key = [&](std::int64_t item) { return at[static_cast<std::size_t>(item)]; };
    std::sort(items.begin(), items.end(), [&](std::int64_t a, std::int64_t b) {
        return key(a) != key(b) ? key(a) < key(b) : a < b;
    });
    return {permutation_rank(items), 0};
}

} // namespace permutation_kind

namespace tile_kind {

/// The row of `wanted` in a tile's table, whose rows ascend lexicographically.
inline std::optional<std::uint32_t> tile_row(parameter_description const& parameter,
                                             std::span<std::int64_t const> wanted)
{
    std::size_t low = 0;
    std::size_t high = parameter.value_count();
    while (low < high) {
        std::size_t const middle = low + (high - low) / 2;
        auto const row =
            std::span(parameter.integers).subspan(middle * wanted.size(), wanted.size());
        if (std::equal(row.begin(), row.end(), wanted.begin()))
            return static_cast<std::uint32_t>(middle);
        if (std::lexicographical_compare(row.begin(), row.end(), wanted.begin(), wanted.end()))
            low = middle + 1;
        else
            high = middle;
    }
    return {};
}

inline std::optional<coordinate> parse(parameter_description const& p, std::string_view text)
{
    auto const wanted = parse_integers(without_spaces(text));
    if (!wanted || wanted->size() != p.parts) return {};
    std::optional<std::uint32_t> const row = tile_row(p, *wanted);
    return row ? std::optional(coordinate{*row, 0}) : std::nullopt;
}
inline double distance(parameter_description const& p, coordinate a, coordinate b)
{
    return tile_distance(elements_at(p, a.index), elements_at(p, b.index));
}
/// Offers each move of one prime factor from one part to another.
inline void steps(parameter_description const& p, coordinate at, step_taker const& take)
{
    std::vector<std::int64_t> factors = elements_at(p, at.index);
    for (std::size_t from = 0; from < factors.size(); ++from)
        for (prime_power const& of : prime_factors(factors[from]))
            for (std::size_t to = 0; to < factors.size(); ++to) {
                if (to == from) continue;
                factors[from] /= of.prime;
                factors[to] *= of.prime;
                if (auto const row = tile_row(p, factors)) take({*row, 0});
                factors[from] *= of.prime;
                factors[to] /= of.prime;
            }
}

/// The logarithm of each factor of each row.
inline std::vector<double> logarithms(parameter_description const& p)
{
    std::vector<double> out;
    for (std::int64_t const factor : p.integers)
        out.push_back(std::log(static_cast<double>(factor)));
    return out;
}
/// The logarithm of the extent; 1 for the extent 1.
[[nodiscard]] inline double log_extent(std::span<double const> logs, std::size_t parts)
{
    double sum = 0;
    for (std::size_t part = 0; part < parts; ++part)
        sum += logs[part];
    return sum > 0 ? sum : 1;
}
/// The logarithms of the factors, divided by the logarithm of the extent.
inline void to_unit(parameter_description const&, std::span<double const> logs, coordinate at,
                    std::span<double> out)
{
    for (std::size_t part = 0; part < out.size(); ++part)
        out[part] = logs[at.index * out.size() + part] / log_extent(logs, out.size());
}
inline coordinate from_unit(parameter_description const& p, std::span<double const> logs,
                            std::span<double const> at)
{
    double const extent = log_extent(logs, at.size());
    std::uint32_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::uint32_t row = 0; row < p.value_count(); ++row) {
        double sum = 0;
        for (std::size_t part = 0; part < at.size(); ++part) {
            double const gap = logs[row * at.size() + part] / extent - at[part];
            sum += gap * gap;
        }
        if (sum >= least) continue;
        least = sum;
        best = row;
    }
    return {best, 0};
}

} // namespace tile_kind

/// A value is encoded by one number in [0, 1].
[[nodiscard]] inline std::size_t one_number(parameter_description const&) { return 1; }
[[nodiscard]] inline std::vector<double> no_table(parameter_description const&) { return {}; }

/// (a - b) / (high - low), of the numbers or of their logarithms.
[[nodiscard]] inline double share_of_way(double a, double b, double low, double high,
                                         bool logarithmic)
{
    if (logarithmic && low > 0)
        return ratio_or_zero(std::abs(std::log(a) - std::log(b)), std::log(high) - std::log(low));
    return ratio_or_zero(std::abs(a - b), high - low);
}

namespace interval_kind {

inline std::string text(parameter_description const&, coordinate at)
{
    return text_of_real(at.real);
}
inline std::optional<coordinate> parse(parameter_description const& p, std::string_view text)
{
    std::optional<double> const v = parse_real(without_spaces(text));
    if (!v || !(*v >= p.low && *v <= p.high)) return {}; // also refuses NaN
    return coordinate{0, *v};
}
inline double distance(parameter_description const& p, coordinate a, coordinate b)
{
    return share_of_way(a.real, b.real, p.low, p.high, p.on == scale::log);
}
inline void steps(parameter_description const& p, coordinate at, step_taker const& take)
{
    for (double const step : {-real_step, real_step}) {
        double const position = scale_position(p, at.real) + step;
        double const moved = scale_value(p, std::clamp(position, 0.0, 1.0));
        if (moved != at.real) take({0, moved});
    }
}
inline void to_unit(parameter_description const& p, std::span<double const>, coordinate at,
                    std::span<double> out)
{
    out[0] = scale_position(p, at.real);
}
inline coordinate from_unit(parameter_description const& p, std::span<double const>,
                            std::span<double const> at)
{
    return {0, scale_value(p, std::clamp(at[0], 0.0, 1.0))};
}

} // namespace interval_kind

namespace truth_kind {

inline std::string text(parameter_description const& p, coordinate at)
{
    return number_at(p, at).integer != 0 ? "true" : "false";
}
inline std::optional<coordinate> parse(parameter_description const& p, std::string_view text)
{
    std::string const wanted = without_spaces(text);
    bool const is_true = wanted == "true" || wanted == "1";
    if (!is_true && wanted != "false" && wanted != "0") return {};
    if (p.integers.empty()) return coordinate{is_true ? 1U : 0U, 0};
    return is_true == (p.integers.front() != 0) ? std::optional(coordinate{}) : std::nullopt;
}

} // namespace truth_kind

/// Index of `wanted` in a range without a table.
[[nodiscard]] inline std::optional<std::uint32_t>
index_in_range(parameter_description const& parameter, std::int64_t wanted)
{
    std::int64_t const step = parameter.rule.step;
    std::int64_t const last = parameter.integer_at(parameter.range_count - 1);
    if (wanted < parameter.rule.first || wanted > last) return {};
    std::uint64_t const into =
        static_cast<std::uint64_t>(wanted) - static_cast<std::uint64_t>(parameter.rule.first);
    if (into % static_cast<std::uint64_t>(step) != 0) return {};
    return static_cast<std::uint32_t>(into / static_cast<std::uint64_t>(step));
}

namespace listed_kind {

inline std::string text(parameter_description const& p, coordinate at)
{
    if (!p.labels.empty()) return p.labels[at.index];
    if (!p.reals.empty()) return text_of_real(p.reals[at.index]);
    return std::to_string(p.integer_at(at.index));
}
inline std::optional<coordinate> parse(parameter_description const& p, std::string_view text)
{
    std::string const wanted = without_spaces(text);
    if (!p.reals.empty()) {
        std::optional<double> const v = parse_real(wanted);
        for (std::uint32_t i = 0; v && i < p.reals.size(); ++i)
            if (p.reals[i] == *v) return coordinate{i, 0};
        return {};
    }
    if (!p.labels.empty()) {
        for (std::uint32_t i = 0; i < p.labels.size(); ++i)
            if (p.labels[i] == text) return coordinate{i, 0};
        for (std::uint32_t i = 0; i < p.labels.size(); ++i)
            if (without_spaces(p.labels[i]) == wanted) return coordinate{i, 0};
        std::string const usual = usual_spelling(wanted);
        std::optional<coordinate> equal;
        for (std::uint32_t i = 0; i < p.labels.size(); ++i) {
            if (usual_spelling(p.labels[i]) != usual) continue;
            if (equal) return {}; // "1.0" and "1.00" may be releases
            equal = coordinate{i, 0};
        }
        return equal;
    }
    auto const numbers = parse_integers(wanted == "true" ? "1" : wanted == "false" ? "0" : wanted);
    if (!numbers || numbers->size() != 1) return {};
    if (p.range_count > 0) {
        auto const index = index_in_range(p, numbers->front());
        return index ? std::optional(coordinate{*index, 0}) : std::nullopt;
    }
    for (std::uint32_t i = 0; i < p.integers.size(); ++i)
        if (p.integers[i] == numbers->front()) return coordinate{i, 0};
    return {};
}

} // namespace listed_kind

/// The difference of two numbers; of their logarithms on a logarithmic scale or a doubling range.
inline double number_distance(parameter_description const& p, coordinate a, coordinate b)
{
    auto const number_of = [&](std::uint32_t index) { return number_at(p, {index, 0}).as_real(); };
    bool const logarithmic = p.on == scale::log || p.rule.steps == progression::doubling;
    return share_of_way(number_of(a.index), number_of(b.index), number_of(0),
                        number_of(p.value_count() - 1), logarithmic);
}
inline double whether_different(parameter_description const&, coordinate a, coordinate b)
{
    return a.index == b.index ? 0 : 1;
}

/// Offers values in each direction, nearest first, until `take` takes one.
inline void nearest_that_is_taken(parameter_description const& p, coordinate at,
                                  step_taker const& take)
{
    std::uint32_t const count = p.value_count();
    for (std::uint32_t i = at.index; i-- > 0;)
        if (take({i, 0})) break;
    for (std::uint32_t i = at.index + 1; i < count; ++i)
        if (take({i, 0})) break;
}
inline void every_other_value(parameter_description const& p, coordinate at, step_taker const& take)
{
    std::uint32_t const count = p.value_count();
    for (std::uint32_t i = 0; i < count; ++i)
        if (i != at.index) take({i, 0});
}

inline void share_of_table(parameter_description const& p, std::span<double const>, coordinate at,
                           std::span<double> out)
{
    out[0] = p.value_count() > 1 ? at.index / (p.value_count() - 1.0) : 0;
}
inline coordinate index_of_share(parameter_description const& p, std::span<double const>,
                                 std::span<double const> at)
{
    double const last = p.value_count() - 1.0;
    return {static_cast<std::uint32_t>(std::lround(std::clamp(at[0], 0.0, 1.0) * last)), 0};
}

/// One-hot encoding: one number per value.
[[nodiscard]] inline std::size_t one_per_value(parameter_description const& p)
{
    return p.value_count();
}
inline void one_hot(parameter_description const&, std::span<double const>, coordinate at,
                    std::span<double> out)
{
    out[at.index] = 1;
}
inline coordinate index_of_greatest(parameter_description const&, std::span<double const>,
                                    std::span<double const> at)
{
    return {static_cast<std::uint32_t>(std::max_element(at.begin(), at.end()) - at.begin()), 0};
}

// clang-format off
inline constexpr enum_table<kind_rules, parameter_kind::tile> rules_of_kinds{{
    {parameter_kind::real,
     interval_kind::text, interval_kind::parse, interval_kind::distance, interval_kind::steps,
     one_number, no_table, interval_kind::to_unit, interval_kind::from_unit},
    {parameter_kind::integer,
     listed_kind::text, listed_kind::parse, number_distance, nearest_that_is_taken,
     one_number, no_table, share_of_table, index_of_share},
    {parameter_kind::ordinal,
     listed_kind::text, listed_kind::parse, number_distance, nearest_that_is_taken,
     one_number, no_table, share_of_table, index_of_share},
    {parameter_kind::categorical,
     listed_kind::text, listed_kind::parse, whether_different, every_other_value,
     one_per_value, no_table, one_hot, index_of_greatest},
    {parameter_kind::boolean,
     truth_kind::text, truth_kind::parse, whether_different, every_other_value,
     one_number, no_table, share_of_table, index_of_share},
    {parameter_kind::permutation,
     list_text, permutation_kind::parse, permutation_kind::distance, permutation_kind::steps,
     one_per_part, no_table, permutation_kind::to_unit, permutation_kind::from_unit},
    {parameter_kind::tile,
     list_text, tile_kind::parse, tile_kind::distance, tile_kind::steps,
     one_per_part, tile_kind::logarithms, tile_kind::to_unit, tile_kind::from_unit},
}};
// clang-format on

ATTUNE_INLINE kind_rules const& rules_of(parameter_kind kind) noexcept
{
    return rules_of_kinds[kind];
}

} // namespace attune::inline ATTUNE_ABI::detail

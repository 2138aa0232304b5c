// attune/search/transfer/past_session.ipp - text of a session, and back; maps its configurations into the present space.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/core/random.hpp>
#include <attune/declare/activity.hpp>
#include <attune/declare/group.hpp>
#include <attune/declare/kind_rules.hpp>
#include <attune/declare/table.hpp>
#include <attune/search/transfer/past_session.hpp>
#include <attune/space/query/configurations.hpp>
#include <attune/space/query/distance.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <unordered_map>

namespace attune::inline ATTUNE_ABI::detail {

inline void add_part(std::string& to, std::string_view part)
{
    to += std::to_string(part.size()) + ':';
    to += part;
}

[[nodiscard]] inline std::string exact_text(double v)
{
    std::array<char, 32> buffer{};
    return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), v).ptr};
}

/// Reads one part after the other from a text.
class part_reader {
public:
    explicit part_reader(std::string_view text)
        : left_(text)
    {
    }
    [[nodiscard]] bool is_at_end() const noexcept { return left_.empty(); }
    /// The next part; nothing if the text ends too early, or has no length there.
    [[nodiscard]] std::optional<std::string_view> next()
    {
        std::size_t const colon = left_.find(':');
        if (colon == left_.npos) return {};
        std::optional<std::size_t> const size =
            attune::detail::parse_number<std::size_t>(left_.substr(0, colon));
        if (!size || *size > left_.size() - colon - 1) return {};
        std::string_view const out = left_.substr(colon + 1, *size);
        left_.remove_prefix(colon + 1 + *size);
        return out;
    }
    /// Reads a part with a number, and this number of parts.
    [[nodiscard]] bool texts(std::vector<std::string>& out)
    {
        std::optional<std::string_view> const said = next();
        std::optional<std::size_t> const count =
            said ? attune::detail::parse_number<std::size_t>(*said) : std::nullopt;
        if (!count) return false;
        for (std::size_t i = 0; i < *count; ++i) {
            std::optional<std::string_view> const part = next();
            if (!part) return false;
            out.emplace_back(*part);
        }
        return true;
    }

private:
    std::string_view left_;
};

/// Behind the weight of a session: see past_session::has_level.
inline constexpr char const* without_level = " without level";

ATTUNE_INLINE std::string text_of_past(past_session const& session)
{
    std::string out;
    auto const add_texts = [&](std::vector<std::string> const& texts) {
        add_part(out, std::to_string(texts.size()));
        for (std::string const& text : texts)
            add_part(out, text);
    };
    add_part(out, session.name);
    add_part(out, exact_text(session.weight) + (session.has_level ? "" : without_level));
    add_texts(session.parameters);
    for (past_outcome const& one : session.outcomes) {
        add_texts(one.values);
        add_part(out, one.value ? exact_text(*one.value) : "");
    }
    return out;
}

ATTUNE_INLINE std::optional<past_session> read_past(std::string_view text)
{
    part_reader parts(text);
    past_session out;
    std::optional<std::string_view> const name = parts.next();
    std::optional<std::string_view> weight = parts.next();
    if (!name || !weight) return {};
    out.name = *name;
    out.has_level = !weight->ends_with(without_level);
    if (!out.has_level) weight->remove_suffix(std::string_view(without_level).size());
    std::optional<double> const number = attune::detail::parse_number<double>(*weight);
    if (!number || !parts.texts(out.parameters)) return {};
    out.weight = *number;
    while (!parts.is_at_end()) {
        past_outcome one;
        if (!parts.texts(one.values)) return {};
        std::optional<std::string_view> const value = parts.next();
        if (!value) return {};
        if (!value->empty()) {
            one.value = attune::detail::parse_number<double>(*value);
            if (!one.value) return {};
        }
        out.outcomes.push_back(std::move(one));
    }
    return out;
}

ATTUNE_INLINE past_session session_of_values(chain_of_trees const& space,
                                             std::function<double(point const&)> const& value_of)
{
    constexpr std::size_t draws = 1000;
    constexpr int moves = 24;
    description const& d = space.describe();
    past_session out;
    std::vector<named_value> const values = named_values(d);
    for (named_value const& v : values)
        out.parameters.emplace_back(v.name);
    std::optional<double> least;
    point best;
    auto const take = [&](point const& p) {
        double const value = value_of(p);
        if (!std::isfinite(value)) return;
        past_outcome one;
        for (named_value const& v : values)
            one.values.push_back(text_at(d, v, p));
        one.value = value;
        out.outcomes.push_back(std::move(one));
        if (least && value >= *least) return;
        least = value;
        best = p;
    };
    random_engine engine(1);
    for (point const& p : sample_distinct(space, draws, engine))
        take(p);
    for (int move = 0; move < moves && least; ++move) {
        double const before = *least;
        point const from = best;
        for (point const& p : space.neighbours(from))
            take(p);
        if (*least >= before) break;
    }
    return out;
}

ATTUNE_INLINE past_session session_of_expectation(chain_of_trees const& space)
{
    constexpr double beside_records = 0.25; // measured sessions are more reliable
    past_session out =
        session_of_values(space, [&](point const& p) { return space.describe().expected(p); });
    out.name = "expectation";
    out.weight = beside_records;
    return out;
}

/// Gap of two numbers: the logarithm of their ratio to base 2 if both are positive, else their
/// difference.
[[nodiscard]] inline double gap(double a, double b)
{
    return a > 0 && b > 0 ? std::abs(std::log2(a / b)) : std::abs(a - b);
}

/// The value with the least gap by `gap_at`, and that gap.
template <class GapAt>
[[nodiscard]] std::pair<coordinate, double> least_gap(std::uint32_t values, GapAt const& gap_at)
{
    std::pair<coordinate, double> out{{}, std::numeric_limits<double>::infinity()};
    for (std::uint32_t i = 0; i < values; ++i)
        if (double const here = gap_at(i); here < out.second) out = {{i, 0}, here};
    return out;
}

ATTUNE_INLINE std::pair<coordinate, double> nearest_value(parameter_description const& parameter,
                                                          std::string const& text)
{
    if (std::optional<coordinate> const at = coordinate_of(parameter, text)) return {*at, 0};
    std::pair<coordinate, double> const none{default_of(parameter), 1};
    kind_traits const& traits = parameter.traits();
    if (traits.is_truth || traits.is_order || !parameter.labels.empty()) return none;
    std::string const plain = without_spaces(attune::detail::usual_spelling(text));
    std::optional<std::vector<std::int64_t>> const whole = parse_integers(plain);
    if (traits.is_list) {
        if (!whole || whole->size() != parameter.parts) return none;
        return least_gap(parameter.value_count(), [&](std::uint32_t i) {
            double sum = 0;
            std::size_t part = 0;
            for (std::int64_t const element : elements_at(parameter, i))
                sum += gap(static_cast<double>(element), static_cast<double>((*whole)[part++]));
            return sum;
        });
    }
    std::optional<double> wanted = parse_real(plain);
    if (!wanted && whole && whole->size() == 1) wanted = static_cast<double>(whole->front());
    if (!wanted || !std::isfinite(*wanted)) return none;
    if (traits.is_interval) {
        double const inside = std::clamp(*wanted, parameter.low, parameter.high);
        return {{0, inside}, gap(inside, *wanted)};
    }
    if (parameter.range_count > 0) {
        double const last = parameter.range_count - 1.0;
        double const steps = (*wanted - static_cast<double>(parameter.rule.first)) /
                             static_cast<double>(parameter.rule.step);
        std::uint32_t const i =
            static_cast<std::uint32_t>(std::clamp(std::round(steps), 0.0, last));
        return {{i, 0}, gap(number_at(parameter, {i, 0}).as_real(), *wanted)};
    }
    return least_gap(parameter.value_count(), [&](std::uint32_t i) {
        return gap(number_at(parameter, {i, 0}).as_real(), *wanted);
    });
}

/// Puts the value nearest to `text` into `at`, and the gaps of its parameters into `gaps`. For
/// another order or number of elements: the default, with a gap of 1 in each.
inline void set_nearest(description const& d, named_value const& of, std::string const& text,
                        point& at, std::vector<double>& gaps)
{
    auto const set_one = [&](std::uint32_t i, std::string const& part) {
        auto const [near, gap_there] = nearest_value(d.parameters[i], part);
        at[i] = near;
        gaps[i] = gap_there;
    };
    if (of.group == nullptr) return set_one(of.first, text);
    if (set_value(d, of, at, text)) return;
    std::optional<std::vector<std::string>> const parts = parts_of_list(text);
    bool const is_list = of.is_array() && parts && parts->size() == of.count;
    for (std::uint32_t k = 0; k < of.count; ++k)
        if (is_list)
            set_one(of.first + k, (*parts)[k]);
        else
            gaps[of.first + k] = 1;
}

ATTUNE_INLINE translated_session translate(chain_of_trees const& space, past_session const& session)
{
    description const& to = space.describe();
    std::vector<named_value> const values = named_values(to);
    std::vector<std::size_t> column; // by value of the space: its column in the session
    for (named_value const& v : values)
        column.push_back(static_cast<std::size_t>(
            std::find(session.parameters.begin(), session.parameters.end(), v.name) -
            session.parameters.begin()));
    point defaults;
    for (parameter_description const& p : to.parameters)
        defaults.push_back(default_of(p));
    translated_session out;
    out.weight = session.weight;
    out.has_level = session.has_level;
    std::vector<double> moved; // distance of each point to the configuration of the session
    std::unordered_map<point, std::size_t, point_hash> place;
    for (past_outcome const& o : session.outcomes) {
        point p = defaults;
        double far = 0;
        std::vector<double> gaps(p.size(), 0);
        for (std::size_t i = 0; i < values.size(); ++i)
            if (column[i] < o.values.size())
                set_nearest(to, values[i], o.values[column[i]], p, gaps);
        for (std::uint32_t i = 0; i < p.size(); ++i)
            if (space.is_active(i, p)) far += gaps[i];
        p = space.settled(std::move(p));
        if (!space.contains(p)) {
            if (!space.is_exact()) continue;
            std::vector<point> const near = nearest_valid(space, p, {.count = 1});
            if (near.empty()) continue;
            far += 1 + distance(to, p, near.front());
            p = near.front();
        }
        std::optional<double> const value =
            o.value && std::isfinite(*o.value) ? o.value : std::nullopt;
        auto const [found, is_new] = place.try_emplace(p, out.where.size());
        std::size_t const i = found->second;
        if (is_new) {
            out.where.push_back(std::move(p));
            out.value.push_back(value);
            moved.push_back(far);
        } else if (far < moved[i] ||
                   (far == moved[i] && value && (!out.value[i] || *value < *out.value[i]))) {
            out.value[i] = value;
            moved[i] = far;
        }
    }
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail

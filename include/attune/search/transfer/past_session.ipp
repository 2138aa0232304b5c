// attune/search/transfer/past_session.ipp - the outcomes of another session as text, and back; the session that a space expects.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/group.hpp>
#include <attune/search/transfer/past_session.hpp>
#include <attune/space/query/configurations.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

} // namespace attune::inline ATTUNE_ABI::detail

// attune/search/transfer/past_text.ipp - what another session found out, as one text and back.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/transfer/past_text.hpp>

#include <array>
#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>
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

/// All of `text` as a number.
template <class Number>
[[nodiscard]] std::optional<Number> whole_number_in(std::string_view text)
{
    Number out{};
    char const* const end = text.data() + text.size();
    auto const [stop, problem] = std::from_chars(text.data(), end, out);
    if (problem != std::errc{} || stop != end) return {};
    return out;
}

/// Takes one part after the other from a text.
class part_reader {
public:
    explicit part_reader(std::string_view text)
        : left_(text)
    {
    }
    [[nodiscard]] bool is_at_end() const noexcept { return left_.empty(); }
    /// Nothing: the text ends before the part does, or has no length there.
    [[nodiscard]] std::optional<std::string_view> next()
    {
        std::size_t const colon = left_.find(':');
        if (colon == left_.npos) return {};
        std::optional<std::size_t> const size =
            whole_number_in<std::size_t>(left_.substr(0, colon));
        if (!size || *size > left_.size() - colon - 1) return {};
        std::string_view const out = left_.substr(colon + 1, *size);
        left_.remove_prefix(colon + 1 + *size);
        return out;
    }
    /// A part that says how many follow, and these.
    [[nodiscard]] bool texts(std::vector<std::string>& out)
    {
        std::optional<std::string_view> const said = next();
        std::optional<std::size_t> const count =
            said ? whole_number_in<std::size_t>(*said) : std::nullopt;
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
    std::optional<double> const number = whole_number_in<double>(*weight);
    if (!number || !parts.texts(out.parameters)) return {};
    out.weight = *number;
    while (!parts.is_at_end()) {
        past_outcome one;
        if (!parts.texts(one.values)) return {};
        std::optional<std::string_view> const value = parts.next();
        if (!value) return {};
        if (!value->empty()) {
            one.value = whole_number_in<double>(*value);
            if (!one.value) return {};
        }
        out.outcomes.push_back(std::move(one));
    }
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail

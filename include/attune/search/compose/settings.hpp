// attune/search/compose/settings.hpp - the numbers of a technique or operator as text, and back.
// SPDX-License-Identifier: MIT
// Source   Wu, "DeepTuner", 2015, Sec. 5.2: names that hold all settings
// tested by search/compose/technique_text.cpp
//
// A type lists its settings by static functions that show each one to a visitor:
//   static void settings(auto& self, auto const& visit) { visit("strength", self.strength); }
// Operators list settings that have a place instead of a name in `arguments`, in the same form.
// A setting is a double, a std::size_t up to 1,000,000, an enumeration with choice_names(), or, as
// last argument, a std::vector<double>.
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/text.hpp>

#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::search::detail {

/// Settings as text: positional ones, in order, then named ones.
struct setting_texts {
    std::vector<std::string> arguments;
    std::vector<std::pair<std::string, std::string>> named;
};

template <class T>
concept has_named_settings = requires(T& t) { T::settings(t, [](std::string_view, auto&) {}); };
template <class T>
concept has_arguments = requires(T& t) { T::arguments(t, [](std::string_view, auto&) {}); };

template <class V>
[[nodiscard]] std::string setting_text(V const& value)
{
    if constexpr (std::is_enum_v<V>)
        return std::string(choice_names(value)[static_cast<std::size_t>(value)]);
    else if constexpr (std::is_floating_point_v<V>)
        return attune::detail::text_of_real(value);
    else
        return std::to_string(value);
}

/// Limit of sizes, so that a damaged text cannot request too much memory.
inline constexpr std::size_t largest_size_read = 1'000'000;

/// Returns true, and stores the value, if `text` is a setting of this type.
template <class V>
[[nodiscard]] bool read_setting(std::string_view text, V& out)
{
    if constexpr (std::is_enum_v<V>) {
        auto const names = choice_names(out);
        for (std::size_t i = 0; i < names.size(); ++i)
            if (names[i] == text) {
                out = static_cast<V>(i);
                return true;
            }
        return false;
    } else if constexpr (std::is_floating_point_v<V>) {
        std::optional<double> const v = attune::detail::real_in_text(text);
        if (!v || !std::isfinite(*v)) return false;
        out = *v;
        return true;
    } else {
        auto const v = attune::detail::parse_number<V>(text);
        bool const is_read = v && std::cmp_less_equal(*v, largest_size_read);
        if (is_read) out = *v;
        return is_read;
    }
}

template <class T>
[[nodiscard]] setting_texts settings_of(T const& of)
{
    setting_texts out;
    if constexpr (has_arguments<T const>)
        T::arguments(of, [&](std::string_view, auto const& value) {
            if constexpr (std::is_same_v<std::remove_cvref_t<decltype(value)>, std::vector<double>>)
                for (double const v : value)
                    out.arguments.push_back(setting_text(v));
            else
                out.arguments.push_back(setting_text(value));
        });
    if constexpr (has_named_settings<T const>)
        T::settings(of, [&](std::string_view name, auto const& value) {
            out.named.emplace_back(std::string(name), setting_text(value));
        });
    return out;
}

/// Sets the settings of `to` that `from` names.
/// @return  the fault as a clause, "strength is 'x'"; nothing if all are correct
template <class T>
[[nodiscard]] std::optional<std::string> take_settings(T& to, setting_texts const& from)
{
    std::optional<std::string> wrong;
    std::size_t next = 0;
    auto const read = [&](std::string_view name, std::string const& text, auto& value) {
        if (!read_setting(text, value) && !wrong) wrong = std::string(name) + " is '" + text + "'";
    };
    if constexpr (has_arguments<T>)
        T::arguments(to, [&](std::string_view name, auto& value) {
            if constexpr (std::is_same_v<std::remove_cvref_t<decltype(value)>,
                                         std::vector<double>>) {
                if (next < from.arguments.size()) value.assign(from.arguments.size() - next, 0);
                for (double& v : value)
                    if (next < from.arguments.size()) read(name, from.arguments[next++], v);
            } else if (next < from.arguments.size())
                read(name, from.arguments[next++], value);
        });
    if (next < from.arguments.size() && !wrong)
        wrong = "'" + from.arguments[next] + "' is one argument too many";
    std::vector<bool> is_taken(from.named.size());
    if constexpr (has_named_settings<T>)
        T::settings(to, [&](std::string_view name, auto& value) {
            for (std::size_t i = 0; i < from.named.size(); ++i)
                if (from.named[i].first == name) {
                    read(name, from.named[i].second, value);
                    is_taken[i] = true;
                }
        });
    for (std::size_t i = 0; i < is_taken.size(); ++i)
        if (!is_taken[i] && !wrong) wrong = "'" + from.named[i].first + "' is none of its settings";
    return wrong;
}

/// "root;h1,v1;h2,v2".
template <class T>
[[nodiscard]] std::string text_with_settings(T const& of)
{
    std::string out(T::name);
    for (auto const& [name, value] : settings_of(of).named)
        out += ";" + name + "," + value;
    return out;
}

/// "op;[argument,[[name,value]]]".
template <class T>
[[nodiscard]] std::string operator_text(T const& of)
{
    setting_texts const all = settings_of(of);
    std::string out = std::string(T::name) + ";[";
    for (std::string const& argument : all.arguments)
        out += argument + ",";
    out += "[";
    for (std::size_t i = 0; i < all.named.size(); ++i)
        out += (i > 0 ? ",[" : "[") + all.named[i].first + "," + all.named[i].second + "]";
    return out + "]]";
}

} // namespace attune::inline ATTUNE_ABI::search::detail

// attune/ship/report/detail/level_order.hpp - values of a parameter in the order in which people look for them.
// SPDX-License-Identifier: MIT
// tested by ship/report/problem_report.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/text.hpp>
#include <attune/remember/problem/matching.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The digits at the beginning of a text.
[[nodiscard]] inline std::string_view leading_digits(std::string_view text)
{
    std::size_t n = 0;
    while (n < text.size() && text[n] >= '0' && text[n] <= '9')
        ++n;
    return text.substr(0, n);
}

/// Compares digits as numbers and all else byte by byte: "{4, 8}" comes before "{16, 2}".
[[nodiscard]] inline bool comes_before(std::string_view a, std::string_view b)
{
    std::string_view x = a, y = b;
    while (!x.empty() && !y.empty()) {
        std::string_view m = leading_digits(x), n = leading_digits(y);
        if (m.empty() || n.empty()) {
            if (x[0] != y[0])
                return static_cast<unsigned char>(x[0]) < static_cast<unsigned char>(y[0]);
            x.remove_prefix(1);
            y.remove_prefix(1);
            continue;
        }
        x.remove_prefix(m.size());
        y.remove_prefix(n.size());
        m.remove_prefix(std::min(m.find_first_not_of('0'), m.size()));
        n.remove_prefix(std::min(n.find_first_not_of('0'), n.size()));
        if (m.size() != n.size()) return m.size() < n.size();
        if (m != n) return m < n;
    }
    if (x.empty() != y.empty()) return x.empty();
    return a < b; // "01" and "1" are two values
}

/// Numbers ascending, then other texts as comes_before() has them; the inactive level is the last.
/// @param values  each once
inline void sort_levels(std::vector<std::string>& values)
{
    struct keyed {
        int kind = 0;
        double number = 0;
        std::string text;
    };
    std::vector<keyed> all;
    for (std::string& value : values) {
        std::optional<double> const number = number_of(value);
        bool const is_number = number && *number == *number;
        int const kind = value == inactive_text ? 2 : is_number ? 0 : 1;
        all.push_back({kind, kind == 0 ? *number : 0, std::move(value)});
    }
    std::sort(all.begin(), all.end(), [](keyed const& a, keyed const& b) {
        if (a.kind != b.kind) return a.kind < b.kind;
        return a.number != b.number ? a.number < b.number : comes_before(a.text, b.text);
    });
    for (std::size_t i = 0; i < all.size(); ++i)
        values[i] = std::move(all[i].text);
}

} // namespace attune::inline ATTUNE_ABI::detail

// tests/support/texts.hpp : what an error says, and whether it says that.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace attune_test {

/// The text of the attune::error that `act` throws; empty when it throws nothing.
template <class Act>
[[nodiscard]] std::string error_of(Act const& act)
{
    try {
        act();
    } catch (attune::error const& e) {
        return e.what();
    }
    return {};
}

[[nodiscard]] inline bool has(std::string_view text, std::string_view part)
{
    return text.find(part) != std::string_view::npos;
}

/// The parts of a text between its marks.
[[nodiscard]] inline std::vector<std::string> parts_of(std::string_view text,
                                                       std::string_view mark = " ")
{
    std::vector<std::string> out;
    std::size_t end = text.find(mark);
    for (; end != text.npos; end = text.find(mark)) {
        out.emplace_back(text.substr(0, end));
        text.remove_prefix(end + mark.size());
    }
    out.emplace_back(text);
    return out;
}

} // namespace attune_test

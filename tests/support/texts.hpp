// tests/support/texts.hpp : what an error says, and whether it says that.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>

#include <string>
#include <string_view>

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

} // namespace attune_test

// tests/support/same_json.hpp - whether a line read in place says what nlohmann's document says.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/remember/detail/json_fields.hpp>

#include <bit>
#include <cstdint>
#include <string>

namespace support {

/// Also false for members in another order.
inline bool is_same_json(attune::detail::line_value in_place,
                         attune::detail::record_json const& document)
{
    if (in_place.is_object() != document.is_object() || in_place.is_array() != document.is_array())
        return false;
    if (in_place.is_object() || in_place.is_array()) {
        if (in_place.size() != document.size()) return false;
        auto other = document.begin();
        for (attune::detail::line_value const one : in_place) {
            if (in_place.is_object() && one.name() != other.key()) return false;
            if (!is_same_json(one, *other++)) return false;
        }
        return true;
    }
    if (document.is_string())
        return in_place.is_string() && in_place.get<std::string>() == document.get<std::string>();
    if (document.is_boolean())
        return in_place.is_boolean() && in_place.get<bool>() == document.get<bool>();
    if (document.is_null())
        return !in_place.is_string() && !in_place.is_boolean() && !in_place.is_number();
    if (!in_place.is_number() || !document.is_number() ||
        in_place.is_number_unsigned() != document.is_number_unsigned() ||
        in_place.is_number_integer() != document.is_number_integer())
        return false;
    return in_place.is_number_integer()
               ? in_place.get<std::int64_t>() == document.get<std::int64_t>()
               : std::bit_cast<std::uint64_t>(in_place.get<double>()) ==
                     std::bit_cast<std::uint64_t>(document.get<double>());
}

} // namespace support

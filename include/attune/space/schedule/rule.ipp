// attune/space/schedule/rule.ipp - the definitions of rule.hpp.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/declare/text.hpp>
#include <attune/space/schedule/detail/product_rule.hpp>
#include <attune/space/schedule/detail/row_rule.hpp>
#include <attune/space/schedule/rule.hpp>

#include <charconv>
#include <cstddef>

namespace attune::inline ATTUNE_ABI {

ATTUNE_INLINE std::string const& schedule_choices::text(std::string_view name) const
{
    for (choice const& one : all)
        if (one.name == name) return one.value;
    throw error("a configuration has no value of a parameter", std::string(name),
                "give all parameters of the derived space");
}

ATTUNE_INLINE std::int64_t schedule_choices::number(std::string_view name) const
{
    std::string const& value = text(name);
    std::int64_t out = 0;
    auto const read = std::from_chars(value.data(), value.data() + value.size(), out);
    if (read.ec != std::errc{} || read.ptr != value.data() + value.size())
        throw error("a value is no whole number", std::string(name) + " = " + value,
                    "give a number");
    return out;
}

ATTUNE_INLINE schedule_choices choices_of(description const& space, std::span<coordinate const> at)
{
    schedule_choices out;
    for (std::size_t i = 0; i < space.parameters.size(); ++i)
        out.all.push_back({space.parameters[i].name, text_of(space.parameters[i], at[i])});
    return out;
}

ATTUNE_INLINE std::vector<schedule_rule> default_schedule_rules()
{
    return {detail::product_rule(), detail::row_rule()};
}

} // namespace attune::inline ATTUNE_ABI

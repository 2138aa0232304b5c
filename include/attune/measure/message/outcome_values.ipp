// attune/measure/message/outcome_values.ipp - the members in order.
// SPDX-License-Identifier: MIT
//
// Structured bindings name all members, so that a new member that is not encoded here does not
// compile.
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/message/outcome_values.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <variant>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE void put_failure(message_writer& to, failure const& what)
{
    auto const& [stage, reason, log] = what;
    to.put(stage);
    to.put_text(reason);
    to.put_text(log);
}

ATTUNE_INLINE failure get_failure(message_reader& from)
{
    failure out;
    out.stage = from.get<failure_stage>();
    if (static_cast<std::size_t>(out.stage) >= failure_stage_count) throw damaged_message();
    out.reason = from.get_text();
    out.log = from.get_text();
    return out;
}

ATTUNE_INLINE void put_measurement(message_writer& to, measurement const& what)
{
    auto const& [value, low, high, samples] = what;
    to.put(std::array{value, low, high});
    to.put(samples);
}

ATTUNE_INLINE measurement get_measurement(message_reader& from)
{
    measurement out;
    auto& [value, low, high, samples] = out;
    for (double* const one : {&value, &low, &high})
        *one = from.get<double>();
    samples = from.get<std::uint32_t>();
    return out;
}

ATTUNE_INLINE void put_outcome(message_writer& to, outcome const& what)
{
    to.put(what.index());
    if (auto const* const measured = std::get_if<measurement>(&what))
        put_measurement(to, *measured);
    else
        put_failure(to, std::get<failure>(what));
}

ATTUNE_INLINE outcome get_outcome(message_reader& from)
{
    switch (from.get<std::size_t>()) {
    case 0:
        return get_measurement(from);
    case 1:
        return get_failure(from);
    default:
        throw damaged_message();
    }
}

} // namespace attune::inline ATTUNE_ABI::detail

// attune/declare/table.ipp - reading and making tables.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/assert.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/table.hpp>

namespace attune::inline ATTUNE_ABI {

void permutation_at(std::uint32_t rank, std::span<std::int64_t> out) noexcept
{
    std::uint32_t const items = static_cast<std::uint32_t>(out.size());
    ATTUNE_ASSERT(items <= max_permutation_items, "more orders than 32 bits can number");
    std::uint32_t orders = 1;
    for (std::uint32_t i = 2; i < items; ++i)
        orders *= i;
    std::int64_t rest[max_permutation_items] = {};
    for (std::uint32_t i = 0; i < items; ++i)
        rest[i] = i;
    for (std::uint32_t place = 0; place < items; ++place) {
        std::uint32_t const chosen = rank / orders;
        rank %= orders;
        out[place] = rest[chosen];
        for (std::uint32_t i = chosen; i + 1 < items - place; ++i)
            rest[i] = rest[i + 1];
        if (place + 1 < items) orders /= items - 1 - place > 0 ? items - 1 - place : 1;
    }
}

std::uint32_t permutation_rank(std::span<std::int64_t const> order) noexcept
{
    std::uint32_t rank = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
        std::uint32_t smaller_behind = 0;
        for (std::size_t j = i + 1; j < order.size(); ++j)
            smaller_behind += order[j] < order[i] ? 1U : 0U;
        rank = rank * static_cast<std::uint32_t>(order.size() - i) + smaller_behind;
    }
    return rank;
}

std::vector<std::int64_t> elements_at(parameter_description const& parameter, std::uint32_t index)
{
    std::vector<std::int64_t> out(parameter.parts);
    if (parameter.kind == parameter_kind::permutation)
        permutation_at(index, out);
    else
        for (std::size_t i = 0; i < parameter.parts; ++i)
            out[i] = parameter.integers[std::size_t{index} * parameter.parts + i];
    return out;
}

std::vector<std::int64_t> divisors(std::int64_t extent)
{
    std::vector<std::int64_t> out;
    for (std::int64_t d = 1; d <= extent / d; ++d)
        if (extent % d == 0) out.push_back(d);
    for (std::size_t i = out.size(); i-- > 0;)
        if (out[i] != extent / out[i]) out.push_back(extent / out[i]);
    return out;
}

std::vector<std::int64_t> factor_table(std::int64_t extent, std::uint32_t parts)
{
    std::vector<std::int64_t> const factors = divisors(extent);
    std::vector<std::int64_t> table;
    std::vector<std::int64_t> row(parts, 1);
    auto const fill = [&](auto const& self, std::uint32_t place, std::int64_t rest) -> void {
        if (place + 1 == parts) {
            row[place] = rest;
            table.insert(table.end(), row.begin(), row.end());
            return;
        }
        for (std::int64_t const d : factors) {
            if (d > rest) break;
            if (rest % d != 0) continue;
            row[place] = d;
            self(self, place + 1, rest / d);
        }
    };
    fill(fill, 0, extent);
    return table;
}

} // namespace attune::inline ATTUNE_ABI

// attune/declare/kind/kind_rules.ipp - the table of kind_rules.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/enum_table.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/kind/detail/interval.hpp>
#include <attune/declare/kind/detail/listed.hpp>
#include <attune/declare/kind/detail/permutation.hpp>
#include <attune/declare/kind/detail/tile.hpp>
#include <attune/declare/kind/detail/truth.hpp>
#include <attune/declare/kind/kind_rules.hpp>

namespace attune::inline ATTUNE_ABI::detail {

// clang-format off
inline constexpr enum_table<kind_rules, parameter_kind::tile> rules_of_kinds{{
    {parameter_kind::real,
     interval_kind::text, interval_kind::parse, interval_kind::distance, interval_kind::steps,
     one_number, no_table, interval_kind::to_unit, interval_kind::from_unit},
    {parameter_kind::integer,
     listed_kind::text, listed_kind::parse, number_distance, nearest_that_is_taken,
     one_number, no_table, share_of_table, index_of_share},
    {parameter_kind::ordinal,
     listed_kind::text, listed_kind::parse, number_distance, nearest_that_is_taken,
     one_number, no_table, share_of_table, index_of_share},
    {parameter_kind::categorical,
     listed_kind::text, listed_kind::parse, whether_different, every_other_value,
     one_per_value, no_table, one_hot, index_of_greatest},
    {parameter_kind::boolean,
     truth_kind::text, truth_kind::parse, whether_different, every_other_value,
     one_number, no_table, share_of_table, index_of_share},
    {parameter_kind::permutation,
     list_text, permutation_kind::parse, permutation_kind::distance, permutation_kind::steps,
     one_per_part, no_table, permutation_kind::to_unit, permutation_kind::from_unit},
    {parameter_kind::tile,
     list_text, tile_kind::parse, tile_kind::distance, tile_kind::steps,
     one_per_part, tile_kind::logarithms, tile_kind::to_unit, tile_kind::from_unit},
}};
// clang-format on

ATTUNE_INLINE kind_rules const& rules_of(parameter_kind kind) noexcept
{
    return rules_of_kinds[kind];
}

} // namespace attune::inline ATTUNE_ABI::detail

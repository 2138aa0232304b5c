// attune/tune/dispatch/choice/session_record.hpp - what a session found as a store keeps it, and back.
// SPDX-License-Identifier: MIT
//
// tested by tune/loop/session.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/point.hpp>
#include <attune/remember/problem/relation.hpp>
#include <attune/remember/record.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/tune/dispatch/dispatched_kernel.hpp>
#include <attune/tune/loop/session.hpp>
#include <attune/tune/options.hpp>

#include <optional>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// How times are taken, as far as it is not the default way.
/// @param compiler  its identity
[[nodiscard]] named_texts setting_of(dispatched_kernel const& subject, std::string const& compiler);

/// The bound on the joules of a call in such a setting; nothing where there is none.
[[nodiscard]] std::optional<double> joules_bound_in(named_texts const& setting);

/// This moment, as records have it: "2026-01-31T12:00:00Z".
[[nodiscard]] std::string text_of_now();

/// The record of a finished session. @param key  from make_key()
/// @param options  of that session
[[nodiscard]] record make_record(record_key key, description const& space,
                                 session_result const& result, tuning_options const& options);

/// The point of these values; nothing when the space has no such configuration.
[[nodiscard]] std::optional<point> point_of(named_texts const& configuration,
                                            chain_of_trees const& space);
/// The same of values without names. @pre  as many as names
[[nodiscard]] std::optional<point> point_of(std::vector<std::string> const& names,
                                            value_texts const& values, chain_of_trees const& space);
/// The values of a point, one per parameter.
[[nodiscard]] value_texts values_of(description const& space, point const& at);
/// The parameters that are inactive at a point, ascending.
[[nodiscard]] std::vector<std::uint32_t> inactive_in(description const& space, point const& at);

/// The problem of a key, as a store keeps it.
/// @param of_calls  facts_of_calls()
[[nodiscard]] stored_problem problem_of(record_key const& key, description const& space,
                                        named_texts const& of_calls);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/dispatch/choice/session_record.ipp>
#endif

// attune/tune/dispatch/choice/session_record.hpp - the result of a session as a record, and back, with the facts of its device.
// SPDX-License-Identifier: MIT
//
// tested by tune/loop/session.cpp
// Source   x86-64 psABI, section 3.1.1: levels of the instruction set
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/point.hpp>
#include <attune/remember/problem/problem.hpp>
#include <attune/remember/record.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/tune/dispatch/dispatched_kernel.hpp>
#include <attune/tune/loop/session.hpp>
#include <attune/tune/options.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Returns "isa", "vendor" and "cores" of this processor, as far as the system has them:
/// "x86-64-v4", "AuthenticAMD", "16". Cores are the hardware threads of the machine. Reads them
/// once.
[[nodiscard]] named_texts const& facts_of_processor();

/// Returns "isa" and "vendor" of a device by its name: "sm_90" and "NVIDIA" for "NVIDIA H200
/// (sm_90)", and also for "sm_90".
[[nodiscard]] named_texts facts_of_device(std::string const& name);

/// Returns the level of an x86-64 processor with these flags of /proc/cpuinfo.
[[nodiscard]] std::string x86_level(std::string_view flags);
/// Returns the level of an AArch64 processor with these features of /proc/cpuinfo, as in -march=.
[[nodiscard]] std::string arm_level(std::string_view features);

/// Returns the settings of measurement that differ from the defaults.
/// @param compiler  identity of the compiler
[[nodiscard]] named_texts setting_of(dispatched_kernel const& subject, std::string const& compiler);

/// Returns the bound on the joules of a call in such a setting; empty: no bound.
[[nodiscard]] std::optional<double> joules_bound_in(named_texts const& setting);

/// Returns this moment in the form of records: "2026-01-31T12:00:00Z".
[[nodiscard]] std::string text_of_now();

/// Returns the record of a finished session.
/// @param key      from make_key()
/// @param options  options of that session
[[nodiscard]] record make_record(record_key key, description const& space,
                                 session_result const& result, tuning_options const& options);

/// Returns the point of these values; empty if the space has no such configuration.
[[nodiscard]] std::optional<point> point_of(named_texts const& configuration,
                                            chain_of_trees const& space);
/// The same for separate names and values. @pre  as many names as values
[[nodiscard]] std::optional<point> point_of(std::vector<std::string> const& names,
                                            value_texts const& values, chain_of_trees const& space);
[[nodiscard]] value_texts values_of(description const& space, point const& at);
/// Returns the indices of the parameters that are inactive at a point, ascending.
[[nodiscard]] std::vector<std::uint32_t> inactive_in(description const& space, point const& at);

/// Returns the problem of a key in the form of a store.
/// @param of_calls  facts_of_calls()
[[nodiscard]] stored_problem problem_of(record_key const& key, description const& space,
                                        named_texts const& of_calls);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/dispatch/choice/session_record.ipp>
#endif

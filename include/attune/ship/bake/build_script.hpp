// attune/ship/bake/build_script.hpp - how what was baked is compiled without CMake, as a shell script.
// SPDX-License-Identifier: MIT
// tested by ship/tool/bake.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/ship/bake/bake_plan.hpp>

#include <string>

namespace attune::inline ATTUNE_ABI::detail {

/// Compiles the files of a stem, beside itself, into lib<stem>.a, as attune_bake of CMake does: the
/// symbols of each function are local to it, and none starts anything before main().
/// @pre  the variants have their builds
[[nodiscard]] std::string script_text(bake_plan const& plan, std::string const& stem);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/ship/bake/build_script.ipp>
#endif

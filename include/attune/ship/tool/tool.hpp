// attune/ship/tool/tool.hpp - the program attune.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/ship/tool/command.hpp>

#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail::tool {

/// All sub-commands, in the order of the help.
[[nodiscard]] std::vector<command> const& all_commands();

/// Runs a command line without the program's name. @return  an exit_code. Does not throw.
[[nodiscard]] int run_tool(std::vector<std::string> const& given, console& on);

/// The same on the standard streams, for main().
[[nodiscard]] int run_tool(int count, char const* const* given);

} // namespace attune::inline ATTUNE_ABI::detail::tool

#ifdef ATTUNE_HEADER_ONLY
#include <attune/ship/tool/tool.ipp>
#endif

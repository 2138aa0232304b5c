// attune/ship/prepare/prepared_code.hpp - the files of code that was compiled ahead: their names and their entry.
// SPDX-License-Identifier: MIT
// tested by ship/prepare.cpp
#pragma once

#include <attune/compile/source/compile_request.hpp>
#include <attune/compile/source/source.hpp>
#include <attune/core/version.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace attune::inline ATTUNE_ABI::detail {

/// 32 hexadecimal digits of a configuration: the kernel's text, its function, macros and flags.
/// What says for which processor the code is does not count, and neither do the headers that the
/// kernel includes: they may not be there where the program runs.
[[nodiscard]] std::string prepared_key(kernel_source const& kernel, compile_request const& v);

/// "x86_64", "aarch64", "machine 243": what a shared object is for; empty: these bytes are none.
[[nodiscard]] std::string machine_of_object(std::string_view bytes);

/// Of this program.
[[nodiscard]] std::string machine_of_program();

/// @param level  as in instruction_level_names
[[nodiscard]] std::string prepared_name(std::string const& key, std::string const& machine,
                                        std::string_view level);

/// The file that says by which compiler the objects for a machine were made.
[[nodiscard]] std::string prepared_by_name(std::string const& machine);

/// Empty: it is no file, or cannot be read.
[[nodiscard]] std::optional<std::string> bytes_of_file(std::string const& path);

/// The kernel, and a function attune_entry that gives the address of what is called.
[[nodiscard]] std::string prepared_text(kernel_source const& kernel, std::string const& function);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/ship/prepare/prepared_code.ipp>
#endif

// attune/ship/bake.hpp - the winners of a store become source files of a release: see attune_bake in CMake.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// What is baked, and for what.
struct bake_request {
    std::string store{};                     ///< path
    std::string kernel_file{};               ///< path; empty: the store has the generated text
    std::string kernel{};                    ///< its name in the store; empty: the only one
    std::vector<std::string> include_dirs{}; ///< where the kernel's quoted includes are, too
    /// "base", "x86-64-v2" ...; the highest that a processor has serves it.
    std::vector<std::string> levels{};
    /// 80, 90 ...: the kernel's winners on devices are baked, as CUBINs for these, and nothing for
    /// processors. Empty: for processors.
    std::vector<int> architectures{};
    bool is_unverified = false; ///< what was predicted for a device serves it, without a proof
    /// "aarch64": of the release, where it is not for this machine. Flags for x86 are left out
    /// then.
    std::string machine{};
    std::string compiler{}; ///< that will compile the variants, for messages: "GNU 12.2.0"
    std::string folder{};   ///< of the files that are written; made where it is missing
    std::string stem{};     ///< identifier that is unique in the program
    std::string depfile{};  ///< path: the table's dependencies, for make and ninja; empty: none
    std::size_t most_variants = 10;
    /// Of calls that the build verifies its code for: see listed_shapes(). None: it verifies
    /// nothing. Else it bakes twice: the program of <stem>_check.cpp writes a file between.
    std::vector<std::string> shapes{};
    std::string checked{}; ///< path of that file: the second time
    bool writes_script =
        false; ///< <stem>.sh, which compiles what is needed; nothing else is written
};

/// Writes into the folder
///   <stem>_table.cpp          constants, for the program as it is
///   <stem>_default.cpp        the kernel's default
///   <stem>_<i>_<level>.cpp    variant i below most_variants for a level; empty for those that are
///                             not needed
///   <stem>_default.flags, <stem>_<i>.flags   of the compiler, as a response file: @file
/// and, where shapes are to be verified, instead of <stem>_table.cpp
///   <stem>_unproven.cpp       the constants with all that is compiled
///   <stem>_check.cpp          a program that verifies it: `<program> FILE`
/// With what that program wrote, <stem>_table.cpp alone.
/// For devices (architectures) it writes two files:
///   <stem>_table.cpp          constants, and what launches
///   <stem>_images.cpp         CUBINs of the winners and the default, and its PTX
/// @return  sentences for the user
/// Errors   attune::error, and nothing is written: no winner of this text of the kernel, an unknown
///          level, a store that does not say how calls become shapes
std::vector<std::string> bake(bake_request const& request);

/// In the order of instruction_level_names, each once; none: base.
/// Errors   attune::error: there is no such instruction set
[[nodiscard]] std::vector<std::string> checked_levels(std::vector<std::string> const& levels);

/// Errors   attune::error: it cannot be read
[[nodiscard]] std::string text_of_store(std::string const& path);

/// A program that bakes: `--store F --folder D --stem S [--kernel-file F] [--kernel NAME]
/// [--include DIR]... [--level L]... [--compiler TEXT] [--variants N] [--depfile F] [--machine M]
/// [--shapes S]... [--checked F] [--sm N]... [--unverified yes]`. Tells sentences and errors on
/// stderr.
/// @param arguments  without the program's name
/// @return  the exit status: 0, or 1 where it could not
int bake_main(std::span<char const* const> arguments);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/ship/bake.ipp>
#endif

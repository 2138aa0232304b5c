// attune/ship/bake.hpp - writes the winners of a store as source files: attune_bake in CMake.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

struct bake_request {
    std::string store{};                     ///< path
    std::string kernel_file{};               ///< path; empty: the store has the generated text
    std::string kernel{};                    ///< name in the store; empty: the only one
    std::vector<std::string> include_dirs{}; ///< further folders of the kernel's quoted includes
    /// "base", "x86-64-v2", "armv8.2-a+sve" ...; a processor uses its highest level.
    std::vector<std::string> levels{};
    /// 80, 90 ...: bakes winners of devices, as CUBINs for these architectures. Empty: bakes
    /// winners of processors.
    std::vector<int> architectures{};
    bool is_opencl = false;     ///< bakes winners of OpenCL devices
    bool is_unverified = false; ///< winners predicted for a device are used without a proof
    /// "aarch64": the release's machine. Flags for other machines are left out. Empty: that of the
    /// levels; where all are "base", this one.
    std::string machine{};
    std::string compiler{}; ///< that will compile the variants, for messages: "GNU 12.2.0"
    std::string folder{};   ///< folder of the written files; created if it is missing
    std::string stem{};     ///< identifier that is unique in the program
    std::string depfile{};  ///< path: the table's dependencies, for make and ninja; empty: none
    std::size_t most_variants = 10;
    /// Calls for which the build verifies its code: see listed_shapes(). Empty: none. Otherwise the
    /// build bakes twice, and the program of <stem>_check.cpp writes a file in between.
    std::vector<std::string> shapes{};
    std::string checked{};      ///< path of that file, for the second pass
    bool writes_script = false; ///< writes only <stem>.sh, which compiles the needed files
};

/// Writes into the folder
///   <stem>_table.cpp          constants, compiled with the program's flags
///   <stem>_default.cpp        the kernel's default
///   <stem>_<i>_<level>.cpp    variant i below most_variants for a level; empty if it is not needed
///   <stem>_default.flags, <stem>_<i>.flags   flags of the compiler, as a response file: @file
/// If shapes are to be verified, bake() writes instead of <stem>_table.cpp
///   <stem>_unproven.cpp       the constants with all compiled variants
///   <stem>_check.cpp          a program that verifies them: `<program> FILE`
/// With that program's output, bake() writes only <stem>_table.cpp.
/// For devices (architectures, is_opencl) bake() writes two files:
///   <stem>_table.cpp          constants, and the launcher
///   <stem>_images.cpp         CUBINs of the winners and the default, and its PTX; for OpenCL
///                             (is_opencl) their texts, and binaries for devices of this machine
/// @param table  if given, receives proof_table(); empty if a second pass will prove more
/// @return  sentences for the user
/// Errors   attune::error, and nothing is written: no winner of this text of the kernel, an unknown
///          level, a store without the rules that turn calls into shapes
std::vector<std::string> bake(bake_request const& request, std::string* table = nullptr);

/// Each level once, in the order of instruction_level_names; without `levels`: base.
/// Errors   attune::error: there is no such instruction set, or they are of two architectures
[[nodiscard]] std::vector<std::string> checked_levels(std::vector<std::string> const& levels);

/// Errors   attune::error: it cannot be read
[[nodiscard]] std::string text_of_store(std::string const& path);

/// A program that bakes: `--store F --folder D --stem S [--kernel-file F] [--kernel NAME]
/// [--include DIR]... [--level L]... [--compiler TEXT] [--variants N] [--depfile F] [--machine M]
/// [--shapes S]... [--checked F] [--sm N]... [--opencl yes] [--unverified yes]`. Writes sentences
/// and errors to stderr.
/// @param arguments  without the program's name
/// @return  the exit status: 0, or 1 after an error
int bake_main(std::span<char const* const> arguments);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/ship/bake.ipp>
#endif

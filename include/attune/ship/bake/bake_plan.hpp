// attune/ship/bake/bake_plan.hpp - which configurations of a store are baked, and where each of them serves.
// SPDX-License-Identifier: MIT
// tested by ship/bake.cpp
#pragma once

#include <attune/compile/source/compile_request.hpp>
#include <attune/compile/source/source.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/problem/call_facts.hpp>
#include <attune/remember/record.hpp>
#include <attune/ship/baked/baked_table.hpp>
#include <attune/ship/baked/instruction_level.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Properties of shapes for which code was right: see shape_properties.
struct proven_properties {
    std::vector<std::uint64_t> all{};    ///< ascending, each once
    std::vector<std::int64_t> largest{}; ///< by word; empty: no shape
};

/// Code for a device: see device_images.hpp.
struct planned_image {
    std::string bytes{}; ///< a CUBIN, or PTX; empty: none
    std::string entry{}; ///< the kernel's symbol
    int architecture = 0;
    bool is_ptx = false;
};

/// Code of a variant for an instruction set, and what stands behind it.
struct planned_build {
    std::string level{};
    baked_proof proof{};
    proven_properties proven{};
    std::size_t checked = 0; ///< shapes that the build of the program verified
    planned_image image{};   ///< of a device
};

/// A configuration that is compiled.
struct planned_variant {
    named_texts configuration{};
    compile_request code{};  ///< its macros and flags
    std::string generated{}; ///< its text, where no kernel file has it
    std::vector<std::int64_t> divisors{};
    std::uint32_t address_modulus = 64;  ///< see baked_variant
    proven_properties recorded{};        ///< what the store proves
    instruction_level recorded_up_to{};  ///< the instructions of the code that it proves
    int recorded_architecture = 0;       ///< of a device: the highest that it was verified on
    std::vector<int> predicted_for{};    ///< architectures that it was predicted for
    std::vector<planned_build> builds{}; ///< the highest level first: see add_builds()

    /// "TILE_M=64 TILE_N=8"
    [[nodiscard]] std::string text() const;
};

/// A processor or device that something was tuned on, or predicted for.
struct planned_device {
    std::string name{};
    std::string vendor{};
    std::uint32_t family = 0;
    std::uint32_t model = 0;
    std::vector<baked_node> tree{};
    int architecture = 0; ///< of a device
    bool is_predicted = false;
};

/// All that is written of one kernel.
struct bake_plan {
    std::string kernel{};
    kernel_source source{}; ///< without a path where the text was generated
    call_facts facts{};
    std::string fallback{};         ///< generated text of the default; empty: the kernel file's
    bool is_plain = false;          ///< `fallback` is a program's plain nest, no configuration
    std::string default_text{};     ///< "TILE_M=16 TILE_N=8"
    compile_request default_code{}; ///< its macros, as the kernel file has them
    std::vector<planned_variant> variants{};
    std::vector<planned_device> devices{};
    std::vector<std::vector<std::int64_t>> known_shapes{}; ///< of which the store tells, each once
    std::vector<std::string> compilers{};                  ///< that the winners were found with
    std::vector<std::string> notices{};
    bool is_for_device = false;                  ///< `facts` say how it is launched
    std::vector<planned_image> default_images{}; ///< CUBINs, the highest first, then PTX
};

/// What of a store is planned.
struct plan_choice {
    std::string kernel{}; ///< its name in the store; empty: the only one of this text
    std::size_t most_variants = 10;
    bool is_for_device = false; ///< winners on devices, else those on processors
    bool is_unverified = false; ///< predicted winners serve without a proof
};

/// Flags that say for which processor the code is: the levels of instruction sets say that here.
[[nodiscard]] bool is_machine_flag(std::string_view flag);

/// @param store   its text  @param path  of the store, in messages
/// @param source  the kernel file, with include folders; its flags are those of the store. Without
///                a path: what a function generated is planned, whose text the store has
/// Errors   attune::error: see bake()
[[nodiscard]] bake_plan plan_of(std::string const& store, std::string const& path,
                                kernel_source source, plan_choice const& choice);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/ship/bake/bake_plan.ipp>
#endif

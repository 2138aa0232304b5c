// attune/ship/bake/bake_plan.hpp - the configurations to bake, and the calls that each serves.
// SPDX-License-Identifier: MIT
// tested by ship/bake.cpp
#pragma once

#include <attune/compile/source/source.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/problem/call_facts.hpp>
#include <attune/remember/problem/choice_tree.hpp>
#include <attune/remember/record.hpp>
#include <attune/ship/baked/baked_table.hpp>
#include <attune/ship/baked/instruction_level.hpp>

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Properties of shapes with right code: see shape_properties.
struct proven_properties {
    std::vector<std::uint64_t> all{};    ///< ascending, each once
    std::vector<std::int64_t> largest{}; ///< by word; empty: no shape
    /// Largest product of two sizes by the place of for_each_product(); empty: there are no two.
    std::vector<double> products{};
};

/// Code for a device: see device_images.hpp.
struct planned_image {
    std::string bytes{}; ///< a CUBIN, or PTX; empty: none
    std::string entry{}; ///< the kernel's symbol
    int architecture = 0;
    bool is_ptx = false;
};

/// Code of a variant for an instruction set, and its proof.
struct planned_build {
    std::string level{};
    baked_proof proof{};
    proven_properties proven{};
    std::size_t checked = 0; ///< shapes that the build of the program verified
    planned_image image{};   ///< code for a device
};

struct planned_variant {
    named_texts configuration{};
    compile_request code{};  ///< its macros and flags
    std::string generated{}; ///< its text, if no kernel file has it
    std::vector<std::int64_t> divisors{};
    std::uint32_t address_modulus = 64; ///< see baked_variant
    proven_properties recorded{};       ///< proofs of the store
    /// Instruction sets of the code with these proofs. A store may have several architectures.
    std::set<instruction_level> recorded_levels{};
    int recorded_architecture = 0; ///< for a device: the highest architecture with a verification
    std::vector<int> predicted_for{};    ///< architectures with a prediction
    std::vector<planned_build> builds{}; ///< the highest level first: see add_builds()

    /// "TILE_M=64 TILE_N=8"
    [[nodiscard]] std::string text() const;
};

/// A processor or device with a tuning or a prediction.
struct planned_device {
    std::string name{};
    std::string vendor{};
    std::uint32_t family = 0;
    std::uint32_t model = 0;
    std::vector<baked_node> tree{};
    int architecture = 0; ///< architecture of a device
    bool is_predicted = false;
};

/// The data to write for one kernel.
struct bake_plan {
    std::string kernel{};
    kernel_source source{}; ///< without a path if the text was generated
    call_facts facts{};
    std::string fallback{};     ///< generated text of the default; empty: the kernel file has it
    bool is_plain = false;      ///< `fallback` is a program's plain nest, not a configuration
    std::string default_text{}; ///< "TILE_M=16 TILE_N=8"
    compile_request default_code{}; ///< its macros, in the form of the kernel file
    std::vector<planned_variant> variants{};
    std::vector<planned_device> devices{};
    /// Words of a shape that trees compare after the inputs: the sizes of a kernel whose winners
    /// are of several ones (options.sizes).
    std::vector<std::size_t> size_words{};
    std::vector<std::vector<std::int64_t>> known_shapes{}; ///< shapes in the store, each once
    std::vector<std::string> compilers{};                  ///< compilers of the winners' tunings
    std::vector<std::string> notices{};
    bool is_for_device = false;                  ///< `facts` have its launch
    std::vector<planned_image> default_images{}; ///< CUBINs, the highest first, then PTX
};

/// Filter for the winners of a store.
struct plan_choice {
    std::string kernel{}; ///< name in the store; empty: the only one of this text
    std::size_t most_variants = 10;
    bool is_for_device = false; ///< winners on devices, or on processors
    bool is_unverified = false; ///< predicted winners are used without a proof
};

/// Returns true for flags that name a processor. Here the levels of instruction sets replace them.
[[nodiscard]] bool is_machine_flag(std::string_view flag);

/// @param store   its text  @param path  of the store, in messages
/// @param source  the kernel file, with include folders; its flags are those of the store. Without
///                a path: plans a generated kernel, whose text the store has
/// Errors   attune::error: see bake()
[[nodiscard]] bake_plan plan_of(std::string const& store, std::string const& path,
                                kernel_source source, plan_choice const& choice);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/ship/bake/bake_plan.ipp>
#endif

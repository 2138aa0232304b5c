// attune/ship/bake/bake_plan.hpp - which configurations of a store are baked, and where each of them serves.
// SPDX-License-Identifier: MIT
// tested by ship/bake.cpp
#pragma once

#include <attune/compile/source/source.hpp>
#include <attune/compile/source/variant.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/call_facts.hpp>
#include <attune/remember/record.hpp>
#include <attune/ship/baked/baked_table.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// A configuration that is compiled.
struct planned_variant {
    named_texts configuration{};
    compile_request code{}; ///< its macros and flags
    std::vector<std::int64_t> divisors{};
    std::vector<std::uint64_t> proven{}; ///< ascending
    std::vector<std::int64_t> largest{}; ///< by word

    /// "TILE_M=64 TILE_N=8"
    [[nodiscard]] std::string text() const;
};

/// A processor that something was tuned on.
struct planned_device {
    std::string name{};
    std::string vendor{};
    std::uint32_t family = 0;
    std::uint32_t model = 0;
    std::vector<baked_node> tree{};
};

/// All that is written of one kernel.
struct bake_plan {
    std::string kernel{};
    kernel_source source{};
    call_facts facts{};
    std::string default_text{}; ///< "TILE_M=16 TILE_N=8"
    std::vector<planned_variant> variants{};
    std::vector<planned_device> devices{};
    std::vector<std::string> compilers{}; ///< that the winners were found with
    std::vector<std::string> notices{};
};

/// @param store   its text  @param path  of the store, in messages
/// @param source  the kernel file, with include folders; its flags are those of the store
/// @param kernel  its name in the store; empty: the only one of this text
/// Errors   attune::error: see bake()
[[nodiscard]] bake_plan plan_of(std::string const& store,
                                std::string const& path,
                                kernel_source source,
                                std::string const& kernel,
                                std::size_t most_variants);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/ship/bake/bake_plan.ipp>
#endif

// attune/ship/bake/build_proofs.hpp - which builds of a variant serve which shapes, and what proves it.
// SPDX-License-Identifier: MIT
// tested by ship/bake.cpp
#pragma once

#include <attune/core/shape/call_shape.hpp>
#include <attune/core/shape/shape_properties.hpp>
#include <attune/core/version.hpp>
#include <attune/ship/bake/bake_plan.hpp>

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Gathers the properties of verified shapes.
class property_collector {
public:
    /// @param modulus  as of shape_properties
    property_collector(std::vector<shape_word> layout, std::vector<std::int64_t> divisors,
                       std::uint32_t modulus = 64);
    /// @pre  as many words as the layout has
    void add(std::span<std::int64_t const> key);
    void add(proven_properties const& more);
    [[nodiscard]] proven_properties take() const;

private:
    shape_properties properties_;
    std::set<std::uint64_t> all_{};
    std::vector<std::int64_t> largest_{};
};

/// Whether every property of this shape was verified.
[[nodiscard]] bool is_covered(proven_properties const& by, shape_properties const& counted,
                              std::span<std::int64_t const> key);

/// What the program that verifies builds (ship/check/) found out of one of them.
struct checked_build {
    std::size_t variant = 0;
    std::string level{};
    std::vector<std::vector<std::int64_t>> right{}; ///< shapes
    std::string wrong{};                            ///< where and how; empty: nowhere
};

struct checked_builds {
    std::vector<checked_build> all{};
    std::vector<std::string> said{}; ///< sentences on what could not be verified
};

/// Reads what that program wrote, lines of words:
///   attune_checked MARK             the first; MARK stands for what was verified
///   right VARIANT LEVEL WORD...     of a shape
///   wrong VARIANT LEVEL TEXT
///   said TEXT
/// @param mark  as table_mark() gives it
/// @param path  in messages
/// Errors   attune::error: it is damaged, or of another table
[[nodiscard]] checked_builds checked_builds_in(std::string_view text, std::string const& path,
                                               std::string const& mark);

/// 90 of "sm_90"; 0 of an instruction set of processors.
[[nodiscard]] int architecture_in(std::string_view level);

/// Gives each variant a build for each level, to be verified.
/// @param levels   in the order of instruction_level_names
void add_all_builds(bake_plan& plan, std::vector<std::string> const& levels);

/// Gives each variant the builds that serve, and notices of those that do not. The store's proofs
/// stand for the instruction sets up to that of the processor of the tuning; code for a higher one
/// serves what was verified. Of a variant that was wrong no build serves. Architectures of devices
/// are such levels.
/// @param levels         in ascending order
/// @param checked        empty: the store's proofs alone
/// @param is_unverified  what was predicted for a device serves it, without a proof
void add_proven_builds(bake_plan& plan, std::vector<std::string> const& levels,
                       checked_builds const& checked, bool is_unverified = false);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/ship/bake/build_proofs.ipp>
#endif

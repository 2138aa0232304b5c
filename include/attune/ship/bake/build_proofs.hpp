// attune/ship/bake/build_proofs.hpp - the shapes that a build verifies, its proofs, the builds of variants.
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

/// Replaces the word of shape_part::places by several places in memory.
inline constexpr std::int64_t several_places = -1;

/// The listed shapes, each with all words of the layout, the smallest first.
/// @param asked  each is one of three: "KNOWN", for the store's shapes; a file with a shape in each
///               line, with # before a comment; or a shape. A shape has the numbers of the layout
///               without the places, such as "1024 1024 32" for a span, a span and an int
/// Errors   attune::error: a text that is none of these
[[nodiscard]] std::vector<std::vector<std::int64_t>>
listed_shapes(bake_plan const& plan, std::vector<std::string> const& asked);

/// Gathers the properties of verified shapes.
class property_collector {
public:
    /// @param modulus  modulus of shape_properties
    property_collector(std::vector<shape_word> layout, std::vector<std::int64_t> divisors,
                       std::uint32_t modulus = 64);
    /// @pre  the key has as many words as the layout
    void add(std::span<std::int64_t const> key);
    void add(proven_properties const& more);
    [[nodiscard]] proven_properties take() const;

private:
    shape_properties properties_;
    std::set<std::uint64_t> all_{};
    std::vector<std::int64_t> largest_{};
    std::vector<double> products_{};
};

/// Returns true if every property of this shape was verified.
[[nodiscard]] bool is_covered(proven_properties const& by, shape_properties const& counted,
                              std::span<std::int64_t const> key);

/// The result of verifying a build by the program of ship/check/.
struct checked_build {
    std::size_t variant = 0;
    std::string level{};
    std::vector<std::vector<std::int64_t>> right{}; ///< shapes
    std::string wrong{};                            ///< place and kind of an error; empty: none
};

struct checked_builds {
    std::vector<checked_build> all{};
    std::vector<std::string> said{}; ///< sentences on undecided checks
};

/// Reads the output of that program, lines of words:
///   attune_checked MARK             the first; MARK is a hash of the verified table
///   right VARIANT LEVEL WORD...     a shape
///   wrong VARIANT LEVEL TEXT
///   said TEXT
/// @param mark  result of table_mark()
/// @param path  in messages
/// Errors   attune::error: the text is damaged, or of another table
[[nodiscard]] checked_builds checked_builds_in(std::string_view text, std::string const& path,
                                               std::string const& mark);

/// 90 for "sm_90"; 0 for an instruction set of processors.
[[nodiscard]] int architecture_in(std::string_view level);

/// Gives each variant a build for each level, for verification.
/// @param levels   in the order of instruction_level_names
void add_all_builds(bake_plan& plan, std::vector<std::string> const& levels);

/// Gives each variant its usable builds, and notices about the others. The store's proofs hold for
/// instruction sets up to that of the tuning's processor. Code for a higher set serves the shapes
/// verified for it. A variant that was wrong once has no build. Architectures of devices count as
/// such levels.
/// @param levels         in ascending order
/// @param checked        empty: only the store's proofs
/// @param is_unverified  winners predicted for a device are used without a proof
void add_proven_builds(bake_plan& plan, std::vector<std::string> const& levels,
                       checked_builds const& checked, bool is_unverified = false);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/ship/bake/build_proofs.ipp>
#endif

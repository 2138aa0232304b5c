// attune/search/bayes/features/derived.hpp - features from the constraints of a space and from its user.
// SPDX-License-Identifier: MIT
// Source   own: constraints name the quantities that limit a kernel, which also explain its times
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/expression/evaluate.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The operation on the formula.
enum class derivation : std::uint8_t {
    value,     ///< the value of `first`
    ratio,     ///< of `first` to `second`
    flag,      ///< 1 where `first` is not zero, else 0
    alignment, ///< how often 2 divides the value of parameter `first`
};

/// A number computed from a configuration.
struct derived_feature {
    derivation how = derivation::value;
    std::uint32_t first = no_index;
    std::uint32_t second = no_index;
    std::vector<std::uint32_t> scope; ///< parameters it reads, ascending and unique
    std::string name;
};

/// The user's features(...), in order of declaration.
[[nodiscard]] std::vector<derived_feature> features_of_user(description const& space);

/// Features from the constraints, in order of declaration, each once: the sides of comparisons that
/// read two or more varying parameters; `a % b` as the ratio a / b if it reads two, as a flag if it
/// reads one. Opaque predicates give none, nor do conditions of active_if(). Formulas read an
/// inactive parameter at the one value that it has, as constraints do.
/// @param varies  for each parameter, whether it takes more than one valid value
[[nodiscard]] std::vector<derived_feature> features_of_constraints(description const& space,
                                                                   std::vector<bool> const& varies);

/// The alignment of whole parameters with positive values that are not all powers of two.
[[nodiscard]] std::vector<derived_feature> features_of_alignment(description const& space,
                                                                 std::vector<bool> const& varies);

/// The number at `p`; nothing if undefined: division by zero, overflow, not finite.
[[nodiscard]] std::optional<double>
value_of(description const& space, derived_feature const& feature, std::span<coordinate const> p);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/bayes/features/derived.ipp>
#endif

// attune/search/meta/space_structure.hpp - the kinds of parameters of a space, for comparing spaces.
// SPDX-License-Identifier: MIT
// Source   Wu, "DeepTuner", 2015, Sec. 5.1.1 (canonical text) and 6.1, step 1 (distance). Own: the
//          number of values beside each kind; a conditional parameter is one like any other
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::search {

/// The kinds of parameters of a space, without names, values and order.
struct space_structure {
    /// Parameters of one kind and one order of magnitude.
    struct part {
        std::string kind;         ///< as in files: "ordinal", "permutation"; or "array_of_integer"
        std::uint32_t digits = 0; ///< digits of the number of values (of an element); 0: interval
        std::size_t count = 0;

        bool operator==(part const&) const = default;
    };
    std::vector<part> parts; ///< ascending by kind and digits, each pair once

    bool operator==(space_structure const&) const = default;
};

[[nodiscard]] space_structure structure_of(description const& of);

/// "boolean.1*3 ordinal.2*4": kind, digits and count of each part. Equal structures have equal
/// texts.
[[nodiscard]] std::string structure_text(space_structure const& structure);
/// The structure with this text; nothing if `text` is no structure_text().
[[nodiscard]] std::optional<space_structure> read_structure(std::string_view text);

/// The loss of using experience with `other` for `own`, >= 0. With a and b, log10 of the number of
/// parameters of a kind in `own` and `other`, it is the sum of
///   (a - b)^2 over kinds of both, a^2 over kinds of `own` alone, 1 over kinds of `other` alone.
/// Not symmetric, because a space with more kinds contains the experience of one with fewer.
[[nodiscard]] double structure_distance(space_structure const& own, space_structure const& other);

/// The difference in numbers of values of parameters, for spaces with equal structure_distance():
/// the sum over common kinds of the squared difference of their mean digits. >= 0
[[nodiscard]] double digits_distance(space_structure const& a, space_structure const& b);

} // namespace attune::inline ATTUNE_ABI::search

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/meta/space_structure.ipp>
#endif

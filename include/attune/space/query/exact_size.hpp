// attune/space/query/exact_size.hpp - counts and numbers spaces of any size.
// SPDX-License-Identifier: MIT
// Source   own: mixed radix over the trees, the last one fastest, as in chain_of_trees::at
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/query/configurations.hpp>
#include <attune/space/tree/tree.hpp>

#include <boost/multiprecision/cpp_int.hpp>

#include <cstddef>
#include <cstdint>

namespace attune::inline ATTUNE_ABI {

using exact_integer = boost::multiprecision::cpp_int;

namespace detail {

inline exact_integer to_exact(leaf_count n)
{
    exact_integer out = static_cast<std::uint64_t>(n >> 64U);
    out <<= 64U;
    return out + static_cast<std::uint64_t>(n);
}

/// @pre  0 <= n < 2^128
inline leaf_count from_exact(exact_integer const& n)
{
    exact_integer const high = n >> 64U;
    exact_integer const low = n - (high << 64U);
    return (leaf_count{static_cast<std::uint64_t>(high)} << 64U) | static_cast<std::uint64_t>(low);
}

} // namespace detail

/// Number of valid settings of the discrete parameters.
/// Errors  attune::error unless space.is_exact(), in all functions of this file
[[nodiscard]] inline exact_integer exact_size(chain_of_trees const& space)
{
    space.require_exact("an exact size");
    exact_integer product = 1;
    for (std::size_t t = 0; t < space.tree_count(); ++t)
        product *= detail::to_exact(space.tree_at(t).leaves());
    return product;
}

/// Number of valid settings of the discrete parameters with value `index`:
/// marginals::configurations without limit.
/// @param counts  marginals(space)
/// @pre   the parameter is discrete, `index` lies in its table
[[nodiscard]] inline exact_integer exact_count(chain_of_trees const& space, marginals const& counts,
                                               std::uint32_t parameter, std::uint32_t index)
{
    exact_integer product = detail::to_exact(counts.leaves(parameter)[index]);
    for (std::size_t t = 0; t < space.tree_count(); ++t)
        if (t != counts.tree_of(parameter)) product *= detail::to_exact(space.tree_at(t).leaves());
    return product;
}

/// The number of a configuration: space.at(index) is space.at(to_integer(space, index)) if that
/// fits 64 bits.
[[nodiscard]] inline exact_integer to_integer(chain_of_trees const& space, space_index const& index)
{
    space.require_exact("numbering");
    exact_integer number = 0;
    for (std::size_t t = 0; t < space.tree_count(); ++t) {
        number *= detail::to_exact(space.tree_at(t).leaves());
        number += detail::to_exact(index.leaf[t]);
    }
    return number;
}

/// The inverse of to_integer.  @pre 0 <= number < exact_size(space)
[[nodiscard]] inline space_index from_integer(chain_of_trees const& space, exact_integer number)
{
    space.require_exact("numbering");
    space_index out;
    out.leaf.resize(space.tree_count());
    for (std::size_t t = space.tree_count(); t-- > 0;) {
        exact_integer const leaves = detail::to_exact(space.tree_at(t).leaves());
        out.leaf[t] = detail::from_exact(number % leaves);
        number /= leaves;
    }
    ATTUNE_ASSERT(number == 0, "a configuration's number must be below exact_size()");
    return out;
}

} // namespace attune::inline ATTUNE_ABI

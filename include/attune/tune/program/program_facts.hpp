// attune/tune/program/program_facts.hpp - the work of a program's call, and how exact its results are.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/element.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/nest/nest_description.hpp>
#include <attune/measure/roofline/roofline.hpp>

#include <cstdint>
#include <span>

namespace attune::inline ATTUNE_ABI::detail {

/// The work of one call, from the statements (operations_of()): an operation for each value of real
/// numbers that a statement computes, one for each step of a reduction, and one where a statement
/// adds to what its target holds; exp, tanh and the like count as one, conversions as none.
/// Programs of whole numbers have no flops: the roofline has no peak for them. Each array of the
/// call crosses the bus once, updated ones twice.
/// @param inputs  values of the program's inputs, in their order
[[nodiscard]] work program_work(nest_description const& nest, std::span<std::int64_t const> inputs);

/// Operations of one run of the plain nest, of whole numbers as well.
[[nodiscard]] double program_operations(nest_description const& nest,
                                        std::span<std::int64_t const> inputs);

/// How far a result may lie from that of the plain nest, where the order of summation is free.
///
/// For real numbers, relative to the result or to the root mean square of all, the larger of
///   - default_tolerance(type of the array), that of float where a value on the way is a float, and
///   - 8 sqrt(n) u, with the unit roundoff u (2^-24 where a value on the way is a float, else
///     2^-53), and n the values that are summed on the way to one element: the extents of a
///     statement's reduction axes, multiplied, and added along statements that read each other's
///     results. An extent that is an input counts as 65536.
/// A sum of n terms has an error near sqrt(n) u times the size of its partial sums in most orders;
/// 8 leaves room for the largest of many elements, in two orders.
/// For whole numbers computed from real ones 1, else 0.
/// Source   Higham & Mary 2019, A New Approach to Probabilistic Rounding Error Analysis, theorem
///          2.4: gamma_n = exp(lambda sqrt(n) u + n u^2 / (1 - u)) - 1, lambda from 4 to 8
/// @param array  index into `arrays`; written or updated
[[nodiscard]] tolerance program_tolerance(nest_description const& nest, std::uint32_t array);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/program/program_facts.ipp>
#endif

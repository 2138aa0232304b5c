// attune/tune/program/program_facts.hpp - the work of a program's call, its precision, and the bytes that its loops touch.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/element.hpp>
#include <attune/core/posix/machine_figures.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/generated_code.hpp>
#include <attune/declare/nest/loop_program.hpp>
#include <attune/declare/nest/nest_description.hpp>
#include <attune/measure/roofline/roofline.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Returns each loop of the program in order of the text, with the bytes that all of its iterations
/// touch. For an array, these are the bytes of the smallest box around the elements that statements
/// and copying loops name. For a copy, these are the bytes of its elements, which several
/// iterations share. If loops are cut off at the end of an axis, the longest of them counts.
/// @param inputs  inputs of the space, with their known values
[[nodiscard]] std::vector<placed_loop> placed_loops(loop_program program,
                                                    std::vector<input_description> const& inputs);

/// {"registers", 512}, {"L1", 32768}, {"L2", ..}, {"L3", ..}: bytes for vectors, then caches.
[[nodiscard]] std::vector<std::pair<std::string, std::int64_t>>
levels_of(processor_shape const& processor);

/// The work of one call, from the statements (operations_of()). One operation counts for each real
/// value that a statement computes, for each step of a reduction, and for each addition to a
/// target's value. exp, tanh and similar functions count as one, conversions as zero. Programs of
/// whole numbers have no flops: the roofline has no peak for them. Each array of the call crosses
/// the bus once, updated ones twice.
/// @param inputs  values of the program's inputs, in their order
[[nodiscard]] work program_work(nest_description const& nest, std::span<std::int64_t const> inputs);

/// Operations of one run of the plain nest, including those of whole numbers.
[[nodiscard]] double program_operations(nest_description const& nest,
                                        std::span<std::int64_t const> inputs);

/// Allowed difference of a result from the plain nest's, for any order of summation.
///
/// For real numbers, relative to the result or to the root mean square of all, the larger of
///   - default_tolerance(type of the array), or that of float if a value on the way is a float, and
///   - 8 sqrt(n) u, with the unit roundoff u: 2^-24 if a value on the way is a float, otherwise
///     2^-53. n is the number of values that are summed on the way to one element. One statement
///     sums as many as the product of the extents of its reduction axes. The numbers of statements
///     that read each other's results are added. An extent that is an input counts as 65536.
/// In most orders, the error of a sum of n terms is near sqrt(n) u times the size of its partial
/// sums. The factor 8 leaves room for the largest of many elements, in two orders.
/// For whole numbers computed from real ones 1, otherwise 0.
/// Source   Higham & Mary 2019, A New Approach to Probabilistic Rounding Error Analysis, theorem
///          2.4: gamma_n = exp(lambda sqrt(n) u + n u^2 / (1 - u)) - 1, lambda from 4 to 8
/// @param array  index into `arrays`; written or updated
[[nodiscard]] tolerance program_tolerance(nest_description const& nest, std::uint32_t array);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/program/program_facts.ipp>
#endif

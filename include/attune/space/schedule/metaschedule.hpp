// attune/space/schedule/metaschedule.hpp - the designs that TVM's MetaSchedule derives for processors.
// SPDX-License-Identifier: MIT
// Source   apache/tvm 0.27, src/s_tir/meta_schedule
//
// For comparison with TVM: tiles divide exactly, the order of loops is fixed, operands have no
// packed copies. The rules for processors:
// - AutoInline: as derived_space inlines;
// - AddRFactor: sums over one axis;
// - MultiLevelTiling SSRSRS with write caches: if one statement reads a product element by element
//   (a bias, a sum with another array, an activation), that statement is the cache;
// - ParallelizeVectorizeUnroll: the outermost spatial loops in threads without MetaSchedule's limit
//   of 16 iterations a core; only the innermost loop in lanes, where MetaSchedule would fuse it
//   with the next ones; loops unrolled statement by statement;
// - RandomComputeLocation: a statement without tiles and parts, in the loops around its last
//   reader, if compute_at() allows it. compute_at() refuses a loop over an axis of the statement's
//   sum, and readers that need different elements there.
// The rules do not copy a padded input: reads outside it are zeros. Weights keep their layout (no
// RewriteLayout).
#pragma once

#include <attune/core/posix/machine_figures.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/nest/nest_description.hpp>
#include <attune/declare/point.hpp>
#include <attune/space/schedule/derived_space.hpp>
#include <attune/space/schedule/trace.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// The design of one statement.
enum class metaschedule_choice : std::uint8_t {
    plain,
    tiled,        ///< SSRSRS, no write cache; its reader is a separate pass
    tiled_cache1, ///< its reader, or the write back, is after the first level of spatial loops
    tiled_cache2, ///< the same after the second level
    outer_parts,  ///< rfactor of the outer part of the fused reduction
    inner_parts,  ///< rfactor of its inner part
};

/// A design space of a program: a trace whose decisions are its parameters.
struct metaschedule_design {
    struct part {
        std::uint32_t statement = no_index;
        metaschedule_choice choice{};
        std::string prefix; ///< of its parameters
        /// The statement that reads each element of a product; no_index: none.
        std::uint32_t reader = no_index;
    };
    std::vector<part> parts;
    description space;
    traced_program start; ///< with statements inlined

    /// Errors   attune::error: a missing value, or a refused step
    [[nodiscard]] traced_program schedule(schedule_choices const& chosen) const;
    [[nodiscard]] traced_program schedule(point const& at) const;
};

/// All combinations of three designs for each product or convolution with its reader, and of three
/// designs for each other reduction of more than 16 steps a core.
/// Errors   attune::error: an extent that is an input
[[nodiscard]] std::vector<metaschedule_design>
metaschedule_designs(nest_description const& nest,
                     processor_shape const& processor = this_processor());

/// The same designs as one space, for derived_space and program_options::rules: each statement with
/// several designs has a parameter DESIGN, whose values are those of metaschedule_choice. If
/// several statements are tiled, each has a parameter UNROLL. The parameter AT of a statement is
/// the number of loops of its last reader around it; 0: none. The rules apply only to constant
/// extents.
///
/// Example   gemm.kernel({.rules = attune::metaschedule_rules()})
[[nodiscard]] std::vector<schedule_rule> metaschedule_rules();

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/space/schedule/metaschedule.ipp>
#endif

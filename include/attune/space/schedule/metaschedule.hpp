// attune/space/schedule/metaschedule.hpp - the designs that TVM's MetaSchedule derives for processors.
// SPDX-License-Identifier: MIT
// Source   apache/tvm 0.27, src/s_tir/meta_schedule
//
// For comparison: tiles divide exactly, the order of loops is fixed, nothing is packed. Of the
// rules for processors there are
// - AutoInline, by what derived_space inlines;
// - AddRFactor, of sums over one axis;
// - MultiLevelTiling SSRSRS with its write caches: where one statement reads a product element by
//   element (a bias, a sum with another array, an activation), that statement is the cache;
// - ParallelizeVectorizeUnroll: the outermost spatial loops in threads without MetaSchedule's limit
//   of 16 iterations a core; the innermost loop alone in lanes, where MetaSchedule would join it
//   with the next ones; loops written out statement by statement;
// - RandomComputeLocation, of a statement that is neither tiled nor has parts, in the loops of the
//   nest that its last reader is in, where compute_at() allows it. It does not where a loop runs
//   over an axis that the statement sums over, or where readers need different elements there.
// There is no copy of a padded input, which is read as zeros where it is used, and no weights in
// another layout (RewriteLayout).
#pragma once

#include <attune/core/posix/processor_shape.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/nest/nest_description.hpp>
#include <attune/declare/point.hpp>
#include <attune/space/schedule/rule.hpp>
#include <attune/space/schedule/trace.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// What a design does with one statement.
enum class metaschedule_choice : std::uint8_t {
    plain,
    tiled,        ///< SSRSRS, no write cache; its reader is a pass of its own
    tiled_cache1, ///< written back, or read by its reader, after the first level of spatial loops
    tiled_cache2, ///< after the second one
    outer_parts,  ///< rfactor of the outer part of the fused reduction
    inner_parts,  ///< of the inner part
};

/// One design space of a program: a trace whose decisions are its parameters.
struct metaschedule_design {
    struct part {
        std::uint32_t statement = no_index;
        metaschedule_choice choice{};
        std::string prefix; ///< of its parameters
        /// The statement that each element of a product goes to; no_index: none
        std::uint32_t reader = no_index;
    };
    std::vector<part> parts;
    description space;
    traced_program start; ///< with statements inlined

    /// Errors   attune::error: a value that is missing, or what a step refuses
    [[nodiscard]] traced_program schedule(schedule_choices const& chosen) const;
    [[nodiscard]] traced_program schedule(point const& at) const;
};

/// Three designs per product or convolution with its reader, three per other reduction of more than
/// 16 steps a core, and all their combinations. Extents are constants.
/// Errors   attune::error: an extent that is an input
[[nodiscard]] std::vector<metaschedule_design>
metaschedule_designs(nest_description const& nest,
                     processor_shape const& processor = this_processor());

/// The same designs as one space, for derived_space and program_options::rules: each statement that
/// has several has a parameter DESIGN, whose values are those of metaschedule_choice. Where several
/// statements are tiled each has an UNROLL of its own. AT is the number of its last reader's loops
/// that a statement is computed in, 0: in none. It applies where extents are constants.
///
/// Example   gemm.kernel({.rules = attune::metaschedule_rules()})
[[nodiscard]] std::vector<schedule_rule> metaschedule_rules();

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/space/schedule/metaschedule.ipp>
#endif

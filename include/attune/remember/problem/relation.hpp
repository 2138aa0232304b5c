// attune/remember/problem/relation.hpp - how a remembered problem is related to the one at hand.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/remember/record.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// A tuning problem as a store keeps it.
struct stored_problem {
    record_key key{}; ///< its schema is empty: an added value keeps what was learned
    std::vector<std::string> parameters{};
    /// Facts of the device, for the distance: "isa", "vendor", "cores"; of calls: call_facts.hpp
    named_texts facts{};

    [[nodiscard]] friend bool operator==(stored_problem const&, stored_problem const&) = default;
};

/// What differs between two problems of one kernel; of several differences the last one here.
enum class problem_difference : std::uint8_t {
    none,    ///< times are comparable
    code,    ///< source or compiler: comparable where the object code is the same
    setting, ///< how times were taken, or the function's arguments
    size,    ///< inputs
    device,
};

struct problem_relation {
    problem_difference how = problem_difference::none;
    /// 0 for `none`. Sum over inputs of |log ratio|, 1 for another text or a missing input; .1 for
    /// another compiler, .25 for another source; .5 for each setting that differs and for each
    /// parameter that only one of them has; 1, 2 or 3 for another model of the same kind, another
    /// vendor, another instruction set; |log ratio of cores| where calls use several threads.
    double distance{};
    std::string why{}; ///< "for N=512, not N=1024, on another processor (X)"; empty for `none`
};

/// Compares two problems of one kernel.
/// Cost  O(n^2) for n parameters; 1 us
[[nodiscard]] problem_relation relate(stored_problem const& have, stored_problem const& want);

/// 16 hexadecimal digits of what makes times comparable: kernel, source, compiler, device, inputs
/// and setting. The order of inputs does not matter.
[[nodiscard]] std::string identity_of(record_key const& key);

/// The identity, "-", and 8 digits of the signature and the names of the parameters: the name of a
/// problem in a store.
[[nodiscard]] std::string id_of(stored_problem const& problem);

/// The problem of a record: its key without the schema, and the names of its configuration.
[[nodiscard]] stored_problem problem_of(record const& r);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/remember/problem/relation.ipp>
#endif

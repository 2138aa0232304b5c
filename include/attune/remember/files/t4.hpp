// attune/remember/files/t4.hpp - results of other tuners: T4 and Kernel Tuner's cache files.
// SPDX-License-Identifier: MIT
// Source   T4 results schema 1.0.0 (FAIR sharing of auto-tuning results); Kernel Tuner 1.0
#pragma once

#include <attune/core/version.hpp>
#include <attune/remember/problem/problem.hpp>
#include <attune/remember/record.hpp>
#include <attune/remember/record_store.hpp>

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// The problem of imported results. Empty members are taken from the file, if it has them.
struct result_origin {
    std::string kernel{}; ///< the program's name for its kernel; T4 has none
    std::string device{};
    named_texts inputs{}; ///< such as {"N", "4096"}, as the program binds them
};

/// Results as T4, and their problem.
struct exported_results {
    result_origin of{};
    std::string text{};
};

namespace detail {

/// Value for a failure in Kernel Tuner before 0.4.2, in its own unit.
inline constexpr double time_of_failure = 1e20;

/// Source of measurements of another tuner.
inline constexpr char const* foreign_source = "T4";

struct imported_results {
    stored_problem problem{};
    std::vector<tried_row> rows{};
    /// rows[open] and later ones belong to an unfinished tuning
    std::size_t open = std::numeric_limits<std::size_t>::max();
    std::size_t left_out = 0;        ///< results of the file that are not in `rows`
    std::string why_left_out{};      ///< the reason for the first of them
    std::string unread_objectives{}; ///< of the first result with several: all but its first

    template <class Store>
    void put_into(Store& store) const
    {
        for (std::size_t i = 0; i < rows.size(); ++i) {
            store.note(problem, rows[i]);
            if (i + 1 == open || (i + 1 == rows.size() && open > i)) store.end(problem);
        }
    }
};

/// Reads T4 results or a cache file, even if its writer did not finish it. Times become seconds.
/// Units are read in any spelling; without a unit they are milliseconds. A time of 1e20 is a
/// failure. Configurations that break a constraint, have no time above 0, another objective than
/// the first, or an unknown "invalidity", are left out and counted.
/// Errors   attune::error: it is neither, it names a member twice, no kernel is named, its objective
///          is no time, a higher time is better, or configurations have different parameters
[[nodiscard]] imported_results read_t4(std::string const& text, result_origin const& of);

/// A T4 document of rows. Failures keep their kind, not their reason.
[[nodiscard]] std::string t4_text(problem_history const& of);

} // namespace detail

/// Adds results of another tuner to a store. Such results never count as results of this program,
/// but they start its searches: see "source" in README.md of this folder.
/// @param into  `store`, `memory_store` or `layers`
/// @return  number of configurations that were added
/// Errors   attune::error: `text` is neither T4 nor a cache file of Kernel Tuner, it names a member
///          twice, no kernel is named, its objective is no time, a higher time is better, or
///          configurations have different parameters
/// Example  attune::import_t4(store, text_of_file, {.kernel = "gemm", .inputs = {{"N", "4096"}}});
template <class Store>
std::size_t import_t4(Store& into, std::string const& text, result_origin const& of)
{
    static_assert(
        detail::keeps_rows<Store>,
        "attune::import_t4(store, ...): this store keeps winners alone; use attune::store, "
        "memory_store or layers");
    if constexpr (detail::keeps_rows<Store>) {
        detail::imported_results const results = detail::read_t4(text, of);
        results.put_into(into);
        return results.rows.size();
    } else
        return 0;
}

/// All outcomes that a store holds of a kernel, one document for each problem.
/// @param most  largest number of problems
template <class Store>
[[nodiscard]] std::vector<exported_results> export_t4(Store& from, std::string const& kernel,
                                                      std::size_t most = 1000)
{
    static_assert(
        detail::keeps_rows<Store>,
        "attune::export_t4(store, ...): this store keeps winners alone; use attune::store, "
        "memory_store or layers");
    std::vector<exported_results> out;
    if constexpr (detail::keeps_rows<Store>) {
        detail::stored_problem any;
        any.key.kernel = kernel;
        for (detail::related_problem const& one : from.related(any, most)) {
            if (one.past.rows.empty()) continue;
            record_key const& key = one.past.problem.key;
            out.push_back({{key.kernel, key.device, key.inputs}, detail::t4_text(one.past)});
        }
    }
    return out;
}

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/remember/files/t4.ipp>
#endif

// attune/ship/export_header.hpp - the best configurations of a store as constants of C++.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/remember/record.hpp>

#include <concepts>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// The records of a store's text that a release uses: for each problem the one that serves, sorted
/// by kernel name, device and inputs.
/// Errors   attune::error: the text is no store, is of a newer release, or has no winner
/// @param path  in messages
/// @param source  fingerprint of the kernel's text; empty: the latest
/// @param takes_predictions  also includes winners of tuned.predict()
[[nodiscard]] std::vector<record> winners_in(std::string const& text, std::string const& path,
                                             std::string const& source = {},
                                             bool takes_predictions = false);

/// Returns true if the winner is that of a further size: see is_tuned_size().
[[nodiscard]] bool has_tuned_sizes(record const& of);

/// The text of the header. @pre  `winners` is not empty, and in the order of winners_in()
/// Errors   attune::error: a name of a kernel or parameter cannot be one of C++
[[nodiscard]] std::string configurations_text(std::vector<record> const& winners);

void export_header_of(std::string const& store_text, std::string const& path);

} // namespace detail

/// Writes the best configurations of a store as a header of `constexpr` data, for a program that
/// compiles its kernels itself. The header needs only the standard library.
/// `attune_configurations::sgemm::all` is an array with the values of the parameters, the inputs,
/// the device and the seconds, or values of kernel.objective(), of each winner. Whole numbers and
/// truth values are numbers, lists of whole numbers are arrays, other values are text.
///
/// @param from  attune::store, memory_store: any type with text()
/// Errors   attune::error: `from` has no winner, or `path` cannot be written; no half-written file
///          remains
/// Example  attune::store tuned{"sgemm.attune"};
///          attune::export_header(tuned, "sgemm.tuned.hpp");
template <class Store>
    requires requires(Store& from) {
        { from.text() } -> std::convertible_to<std::string>;
    }
void export_header(Store&& from, std::string const& path)
{
    detail::export_header_of(from.text(), path);
}

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/ship/export_header.ipp>
#endif

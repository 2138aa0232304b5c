// attune/tune/over/variant_text.hpp - what processes that tune one kernel tell each other, as text.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/tune/loop/trials_elsewhere.hpp>
#include <attune/tune/report.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace attune::inline ATTUNE_ABI::detail {

/// Of a variant without its configuration, its outcome and its code.
/// @param most_bytes  the single times are left out where the text would be longer
[[nodiscard]] std::string text_of_variant(tried_variant const& tried, std::size_t most_bytes);
/// Puts what the text has into `to`.
/// Errors   std::runtime_error: it is damaged
void read_variant(std::string_view text, tried_variant& to);

/// How a tuning ended.
struct found_elsewhere {
    std::optional<point> at{}; ///< what serves; nothing: the default does, untuned
    tuning_report report{};
};

/// Of the report what a person reads of a tuning: without the machine's noise, roofline, baseline,
/// and what it says of shapes.
[[nodiscard]] std::string text_of_found(found_elsewhere const& found);
/// Errors   std::runtime_error: the text is damaged
[[nodiscard]] found_elsewhere read_found(std::string_view text);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/over/variant_text.ipp>
#endif

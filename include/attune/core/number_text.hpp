// attune/core/number_text.hpp - numbers as text, the same in every locale.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace attune::inline ATTUNE_ABI::detail {

/// What printf writes in the C locale, whatever setlocale() and std::locale::global() have set.
///
/// @param format  text with conversions %.Nf or %.Ng, N from 0 to 17; %% is a percent sign
[[nodiscard]] std::string formatted(std::string_view format, double value);

/// A double to the last bit, as %a writes it: "0x1.8p+0", "-inf", "nan".
[[nodiscard]] std::string hexadecimal_text(double value);

/// Seconds in three digits, all of those before the point: "0.25 s", "0.333 s", "3600 s".
[[nodiscard]] std::string seconds_text(double seconds);

/// A size in a unit that suits it, of 1,024 of the next smaller one: "96 bytes", "3.1 MiB".
[[nodiscard]] std::string text_of_bytes(double bytes);

/// The number in `text`, as hexadecimal_text() writes it or decimal. Nothing when `text` holds
/// anything else, or a number out of range.
[[nodiscard]] std::optional<double> real_in_text(std::string_view text);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/core/number_text.ipp>
#endif

// attune/tune/known_choice.hpp - the configuration that is known for a call, and how it is known.
// SPDX-License-Identifier: MIT
#pragma once

#ifdef ATTUNE_OFF
#include <attune/off/tuned.hpp>
#else
#include <attune/core/number_text.hpp>
#include <attune/core/version.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace attune::inline ATTUNE_ABI {

/// How a configuration is known for the inputs of a call, best first.
enum class choice_match : std::uint8_t {
    forced,        ///< the variable ATTUNE_FORCE names it
    exact,         ///< tuned for these inputs
    exact_by_code, ///< tuned for these inputs; another source text or compiler made the same code
    near_size,     ///< the best on this device for other inputs, or of another version or compiler
    near_device,   ///< the best on another device, or predicted for a device of this kind
    by_default,    ///< nothing is known
};

/// The match as a report writes it.
[[nodiscard]] constexpr std::string_view describe(choice_match how) noexcept
{
    switch (how) {
    case choice_match::forced:
        return "forced";
    case choice_match::exact:
        return "exact";
    case choice_match::exact_by_code:
        return "exact by code";
    case choice_match::near_size:
        return "near size";
    case choice_match::near_device:
        return "near device";
    case choice_match::by_default:
        return "default";
    }
    return "default";
}

/// The known configuration for the inputs of a call.
/// Example  std::puts(sgemm.explain(a, b, c, n).text().c_str());
struct known_choice {
    std::string kernel{};
    std::string configuration{}; ///< "TILE_M=64 UNROLL=4"
    choice_match how = choice_match::by_default;
    /// Distance from the nearest problem that gave the configuration; 0 for these inputs on this
    /// device. The sum over inputs of |log ratio|, plus 0.1 for another compiler and 0.25 for
    /// another source. Another device of the same kind adds 1, one of another vendor 2, one of
    /// another instruction set 3.
    double distance = 0;
    std::string why{}; ///< a sentence
    /// True if calls of this shape run it at once. Otherwise the first such call verifies it, or
    /// tunes, and the default runs until then.
    bool serves = false;

    /// A line: "sgemm: TILE_M=64 UNROLL=4 (near size, distance 0.69): best for N=512, not N=1024;
    /// it has not served this shape so far".
    [[nodiscard]] std::string text() const;
};

inline std::string known_choice::text() const
{
    std::string out = kernel + ": " + configuration + " (" + std::string(describe(how));
    if (distance > 0) out += detail::formatted(", distance %.2f", distance);
    out += "): " + why;
    if (!serves && how != choice_match::by_default) out += "; it has not served this shape so far";
    return out;
}

} // namespace attune::inline ATTUNE_ABI
#endif // ATTUNE_OFF

// attune/search/search_log.hpp - a search written down, to be resumed exactly where it was.
// SPDX-License-Identifier: MIT
//
// Every searcher owes the same answers to the same seed and calls, so the calls are its state: what
// they restore is exact for each of them, also those that users write, and does not break when one
// learns to keep more. The price is the time that the questions took: some milliseconds each,
// against the seconds of the evaluations that are saved.
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/point.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// Calls in their order.
struct search_log {
    struct question {
        std::size_t count = 0;         ///< what ask() was called with
        std::vector<point> answered{}; ///< what it gave
    };
    struct answer {
        point where;
        outcome result;
        bool asked = true; ///< told as the outcome of a question; false: observed elsewhere
    };
    using call = std::variant<question, answer>;

    std::uint64_t seed = 0;
    std::string space{}; ///< hash of schema_text(): which space it was
    std::vector<call> calls{};
};

/// More than any search is asked for in one call. A text that says more is damaged: it must not
/// make a searcher fill the memory.
inline constexpr std::size_t most_asked_at_once = std::size_t{1} << 20;

/// One line per call; numbers as exact hexadecimal, so that reading gives the same bits.
[[nodiscard]] std::string text_of(search_log const& log);

/// Reads what text_of() wrote.
/// Errors  attune::error naming the line that is wrong
[[nodiscard]] search_log parse_search_log(std::string_view text);

/// The text that stands for a space in a log.
[[nodiscard]] std::string space_identity(description const& space);

/// Makes the calls again, on what is in the state of the beginning.
/// Errors  attune::error when `ask` answers otherwise than it did: it is not the same searcher
void replay(search_log const& log,
            std::function<std::vector<point>(std::size_t)> const& ask,
            std::function<void(search_log::answer const&)> const& tell);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/search_log.ipp>
#endif

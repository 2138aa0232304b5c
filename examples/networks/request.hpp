// examples/networks/request.hpp - what the command line of an example asks for.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/search/search_limits.hpp>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace networks {

struct request {
    bool is_full = false; ///< the size of the paper, not a small one
    attune::search_limits budget{};
    std::size_t repeats = 5; ///< timings of the whole network
    std::size_t runs = 2;    ///< runs in each
};

/// Of "--full", which has 600 evaluations and 600 seconds, and of "--evaluations", "--seconds",
/// "--repeats" and "--runs", each before a number.
/// @param out  what holds without them
/// Errors   std::invalid_argument: another word, or no whole number of at least 1
inline request read_request(std::vector<std::string_view> const& words, request out)
{
    for (std::string_view const word : words)
        if (word == "--full") {
            out.is_full = true;
            out.budget = {.evaluations = 600, .seconds = 600};
        }
    for (std::size_t at = 0; at < words.size(); ++at) {
        std::string_view const word = words[at];
        if (word == "--full") continue;
        if (word != "--evaluations" && word != "--seconds" && word != "--repeats" &&
            word != "--runs")
            throw std::invalid_argument("there is no '" + std::string(word) +
                                        "'; there are --full, --evaluations N, --seconds N, "
                                        "--repeats N and --runs N");
        std::uint32_t number = 0;
        if (++at < words.size()) {
            char const* const end = words[at].data() + words[at].size();
            auto const [stopped, problem] = std::from_chars(words[at].data(), end, number);
            if (problem != std::errc{} || stopped != end) number = 0;
        }
        if (number == 0)
            throw std::invalid_argument(std::string(word) + " takes a whole number of at least 1");
        if (word == "--evaluations")
            out.budget.evaluations = number;
        else if (word == "--seconds")
            out.budget.seconds = number;
        else if (word == "--repeats")
            out.repeats = number;
        else
            out.runs = number;
    }
    return out;
}

/// For main(): what show(request) returns; 2, with the reason on stderr, for a command line that
/// says nothing.
int with_request(int count, char** text, attune::search_limits const& budget, auto&& show)
{
    request asked;
    try {
        asked = read_request({text + 1, text + count}, {.budget = budget});
    } catch (std::invalid_argument const& why) {
        std::fprintf(stderr, "%s: %s\n", text[0], why.what());
        return 2;
    }
    return show(asked);
}

} // namespace networks

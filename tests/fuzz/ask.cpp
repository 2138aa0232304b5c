// tests/fuzz/ask.cpp - no line that a user sends to `attune ask` crashes it; each has a reply.
// SPDX-License-Identifier: MIT
#include <attune/ship/tool/detail/ask.hpp>

#include <attune/core/error.hpp>
#include <attune/declare/bind_inputs.hpp>
#include <attune/search/optimizer.hpp>
#include <attune/search/random.hpp>
#include <attune/space/files/read_json.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

attune::chain_of_trees asked_space()
{
    auto read = attune::read_spaces_json(R"({"params": [
        {"name": "a", "values": [1, 2, 4]}, {"name": "r", "kind": "real", "low": 0.5, "high": 1.5},
        {"name": "m", "values": ["x", "y"]}, {"name": "b", "values": [true, false]},
        {"name": "O", "kind": "permutation", "parts": 3}], "constraints": ["a < 4 or b"]})");
    return attune::chain_of_trees(attune::bind_inputs(std::move(read.front().space), {}));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
    static attune::chain_of_trees const space = asked_space();
    attune::detail::optimizer_core search(space, attune::search_with<attune::random_searcher>(), 1,
                                          false);
    std::string_view rest(reinterpret_cast<char const*>(data), size);
    while (!rest.empty()) {
        std::string const line(rest.substr(0, rest.find('\n')));
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
        try {
            auto const reply = attune::detail::tool::reply_to(line, search, line.size() % 2 == 0);
            if (attune::detail::tool::line_of(reply).find('\n') != std::string::npos) std::abort();
        } catch (attune::error const&) {
        } catch (attune::detail::tool::tool_json::exception const&) {
        }
    }
    return 0;
}

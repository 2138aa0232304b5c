// tests/fuzz/expressions.cpp - no text crashes the parser; what it reads, it writes and reads again.
// SPDX-License-Identifier: MIT
#include <attune/declare/expression/evaluate.hpp>
#include <attune/space/files/expression_parser.hpp>
#include <attune/space/files/read_json.hpp>
#include <attune/space/files/write_json.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace {

attune::description sample_space()
{
    return attune::read_spaces_json(R"({"problem": {"N": 12}, "params": [
        {"name": "a", "values": [-1, 0, 2]}, {"name": "r", "values": [0.5, 1.5]},
        {"name": "m", "values": ["x", "y"]}, {"name": "O", "kind": "permutation", "parts": 3}]})")
        .front()
        .space;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
    static attune::description const sample = sample_space();
    attune::description space = sample;
    attune::constraint_description read;
    try {
        read = attune::parse_constraint(
            space, std::string_view(reinterpret_cast<char const*>(data), size));
    } catch (attune::syntax_error const&) {
        return 0;
    }
    static_cast<void>(attune::detail::evaluator(space).holds(
        read, attune::point(space.parameters.size(), attune::coordinate{1, 0})));
    try {
        std::string const written = attune::write_expression(space, read.root);
        if (attune::parse_expression(space, written) != read.root) std::abort();
    } catch (attune::syntax_error const&) { // brackets that were not needed before may be too many
    }
    return 0;
}

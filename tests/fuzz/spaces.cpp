// tests/fuzz/spaces.cpp - no file crashes the reader; what it reads is written and read again.
// SPDX-License-Identifier: MIT
#include <attune/space/files/read_json.hpp>
#include <attune/space/files/write_json.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
    std::string_view const text(reinterpret_cast<char const*>(data), size);
    std::vector<attune::named_space> spaces;
    try {
        spaces = attune::read_spaces_json(text);
    } catch (attune::syntax_error const&) {
        return 0;
    }
    for (attune::named_space const& space : spaces) {
        std::string written;
        try {
            written = attune::write_space_json(space);
        } catch (attune::error const&) { // a name with a backquote in an expression
            continue;
        }
        if (attune::read_spaces_json(written).size() != 1) std::abort();
    }
    return 0;
}

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
    std::string written;
    try {
        written = attune::write_spaces_json(spaces);
    } catch (attune::error const&) { // a name with a backquote in an expression
        return 0;
    }
    if (attune::read_spaces_json(written).size() != spaces.size()) std::abort();
    return 0;
}

// tests/fuzz/store.cpp - no file crashes a store; a record that is read is written and read again.
// SPDX-License-Identifier: MIT
#include <attune/remember/store.hpp>

#include <attune/remember/record_line.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <variant>

#include "data_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
    static fuzz::data_file const file;
    std::string_view const text(reinterpret_cast<char const*>(data), size);
    file.hold(text);
    attune::record_key key;
    std::string_view rest = text;
    while (!rest.empty()) {
        std::string_view const line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
        attune::detail::line_content const read = attune::detail::read_line(line);
        auto const* const entry = std::get_if<attune::record>(&read);
        if (entry == nullptr) continue;
        key = entry->key;
        std::string const written = attune::detail::record_line(*entry);
        attune::detail::line_content const again = attune::detail::read_line(written);
        auto const* const same = std::get_if<attune::record>(&again);
        if (same == nullptr || attune::detail::record_line(*same) != written) std::abort();
    }
    attune::store opened(file.path());
    static_cast<void>(opened.find(key));
    if (opened.notices().size() > 1) std::abort(); // however much is damaged
    return 0;
}

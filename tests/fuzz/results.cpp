// tests/fuzz/results.cpp - no file of results, captures or spaces of other programs crashes its reader.
// SPDX-License-Identifier: MIT
//
// The first byte says which reader has the rest, or the first one of ATTUNE_FUZZ_READER.
#include <attune/core/error.hpp>
#include <attune/remember/files/captured_call.ipp>
#include <attune/remember/files/t4.hpp>
#include <attune/remember/memory_store.hpp>
#include <attune/remember/study.ipp>
#include <attune/search/cost/cost_samples.ipp>
#include <attune/search/meta/space_structure.ipp>
#include <attune/search/meta/technique_history.ipp>
#include <attune/ship/tool/detail/csv.hpp>
#include <attune/space/files/nni.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <variant>

namespace {

using namespace attune::detail;

void require(bool holds)
{
    if (!holds) std::abort();
}

/// Another tuner's results, and what a store makes of them.
void read_results_of(std::string const& text)
{
    imported_results const read = read_t4(text, {.kernel = "k"});
    for (tried_row const& row : read.rows)
        require(row.values.size() == read.problem.parameters.size());
    attune::memory_store store;
    read.put_into(store);
}

void read_lines_of_study(std::string_view text)
{
    while (!text.empty()) {
        std::string_view const line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        study_content const read = read_study_line(line);
        if (auto const* const said = std::get_if<study_line>(&read)) {
            std::string const written = text_of_line(*said);
            study_content const again = read_study_line(written);
            require(std::holds_alternative<study_line>(again));
            require(text_of_line(std::get<study_line>(again)) == written);
        }
    }
}

void read_history_of(std::string_view text)
{
    std::string const once = attune::search::history_text(attune::search::read_history(text));
    require(attune::search::history_text(attune::search::read_history(once)) == once);
}

void read_samples_of(std::string_view text)
{
    std::string const once = attune::text_of(attune::read_cost_samples(text));
    require(attune::text_of(attune::read_cost_samples(once)) == once);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
    if (size == 0) return 0;
    std::string const text(reinterpret_cast<char const*>(data) + 1, size - 1);
    static char const* const reader = std::getenv("ATTUNE_FUZZ_READER");
    try {
        switch (reader != nullptr ? *reader : static_cast<char>(data[0])) {
        case 't':
            read_results_of(text);
            break;
        case 'l':
            read_lines_of_study(text);
            break;
        case 'h':
            read_history_of(text);
            break;
        case 's':
            read_samples_of(text);
            break;
        case 'c':
            static_cast<void>(capture_reader::of_text(text, "file").take_bytes());
            break;
        case 'v':
            for (auto const& row : tool::read_csv(text, "file"))
                for (auto const& cell : row)
                    static_cast<void>(tool::value_of_cell(cell.text));
            break;
        case 'n':
            static_cast<void>(attune::read_nni(text));
            break;
        default:
            break;
        }
    } catch (attune::error const&) {
    }
    return 0;
}

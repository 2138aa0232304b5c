// tests/fuzz/store.cpp - no file crashes a store; what is read is written and read again.
// SPDX-License-Identifier: MIT
#include <attune/remember/store.hpp>

#include <attune/remember/detail/json_fields.hpp>
#include <attune/remember/detail/line_json.hpp>
#include <attune/remember/lines/record_line.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "../support/same_json.hpp"
#include "data_file.hpp"

namespace {

using namespace attune::detail;

void require(bool holds)
{
    if (!holds) std::abort();
}

/// What a line says is written and read again, to the same text.
void check_line(std::string_view line, attune::record_key& key, stored_problem& problem)
{
    if (auto const in_place = line_json::read(line)) {
        record_json const document = record_json::parse(line, nullptr, false);
        require(!document.is_discarded() && ::support::is_same_json(in_place->root(), document));
    }
    line_content const read = read_line(line);
    if (auto const* const old = std::get_if<attune::record>(&read)) {
        key = old->key;
        problem = problem_of(*old);
        std::string const written = won_line("id", *old);
        auto const again = std::get<won_entry>(read_line(written));
        require(won_line("id", record_of(again, problem)) == written);
    } else if (auto const* const p = std::get_if<problem_entry>(&read)) {
        problem = p->problem;
        key = problem.key;
        std::string const written = problem_line(p->id, problem);
        auto const again = std::get<problem_entry>(read_line(written));
        require(problem_line(again.id, again.problem) == written);
    } else if (auto const* const w = std::get_if<won_entry>(&read)) {
        key.schema = w->entry.key.schema;
        std::string const written = won_line(w->at, w->entry);
        auto const again = std::get<won_entry>(read_line(written));
        require(won_line(again.at, again.entry) == written);
    } else if (auto const* const t = std::get_if<tried_entry>(&read)) {
        std::string const written = tried_line(t->at, t->row);
        auto const again = std::get<tried_entry>(read_line(written));
        require(tried_line(again.at, again.row) == written);
    } else if (auto const* const c = std::get_if<calls_entry>(&read)) {
        std::string const written = calls_line(c->at, c->calls);
        auto const again = std::get<calls_entry>(read_line(written));
        require(calls_line(again.at, again.calls) == written);
        past_calls sum = c->calls;
        sum.take(again.calls);
        require(sum.coverage.rest.size() <= most_uncovered_shapes);
        static_cast<void>(sum.coverage.text());
    } else if (auto const* const s = std::get_if<proven_entry>(&read)) {
        std::string const written = proven_line(s->at, s->proof);
        require(std::get<proven_entry>(read_line(written)).proof == s->proof);
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
    static fuzz::data_file const file;
    std::string_view const text(reinterpret_cast<char const*>(data), size);
    file.hold(text);
    attune::record_key key;
    stored_problem problem;
    std::string_view rest = text;
    while (!rest.empty()) {
        std::string_view const line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
        check_line(line, key, problem);
    }
    attune::store opened(file.path());
    static_cast<void>(opened.find(key));
    static_cast<void>(opened.recall(problem));
    static_cast<void>(opened.proofs(problem, "c0"));
    for (related_problem const& one : opened.related(problem, 8))
        require(one.past.open <= one.past.rows.size());
    require(opened.notices().size() <= 1); // however much is damaged
    return 0;
}

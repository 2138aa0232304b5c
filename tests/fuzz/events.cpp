// tests/fuzz/events.cpp - no event log crashes a reader, nor a search that continues it.
// SPDX-License-Identifier: MIT
#include <attune/core/offer.hpp>
#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/text.hpp>
#include <attune/measure/clock/sampler.hpp>
#include <attune/remember/detail/event_line.hpp>
#include <attune/remember/files/event_log.hpp>
#include <attune/remember/files/sample_file.ipp>
#include <attune/search/cost/cost_samples.ipp>
#include <attune/search/meta/space_structure.ipp>
#include <attune/search/meta/technique_history.ipp>
#include <attune/search/narrowing_search.ipp>
#include <attune/search/random.ipp>
#include <attune/search/transfer/past_session.ipp>
#include <attune/space/files/read_json.hpp>
#include <attune/space/query/setting_list.ipp>
#include <attune/tune/dispatch/choice/kept_lessons.hpp>
#include <attune/tune/dispatch/choice/kept_lessons.ipp>
#include <attune/tune/loop/logged_search.ipp>
#include <attune/tune/loop/session_memory.ipp>
#include <attune/tune/loop/time_bounds.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "data_file.hpp"

namespace {

attune::chain_of_trees sample_space()
{
    auto read = attune::read_spaces_json(R"({"params": [
        {"name": "a", "values": [1, 2, 4]}, {"name": "r", "kind": "real", "low": 0.5, "high": 1.5},
        {"name": "m", "values": ["x", "y"]}, {"name": "O", "kind": "permutation", "parts": 3}]})");
    read.front().space.code_metrics = {"registers"};
    return attune::chain_of_trees(attune::bind_inputs(std::move(read.front().space), {}));
}

std::shared_ptr<attune::detail::lesson const> lesson_of(std::string_view text)
{
    auto programs = attune::detail::samples_lesson::in(text);
    return programs ? programs : attune::detail::techniques_lesson::in(text);
}

attune::any_searcher narrowing(attune::search_factory const& make,
                               attune::chain_of_trees const& space, std::uint64_t seed)
{
    return attune::detail::narrowing_search{make, space, seed};
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
    static fuzz::data_file const file;
    static attune::chain_of_trees const space = sample_space();
    static attune::detail::tuning_lessons const lessons{.read = &lesson_of};
    attune::detail::exchange_offer(&lessons);
    static attune::detail::time_bounds const bounds{.narrowing = &narrowing};
    attune::detail::exchange_offer(&bounds);
    static attune::search_factory const make = attune::search_with<attune::random_searcher>();
    // The first line is right, so that what follows is a past.
    file.hold(attune::detail::session_line("key", 5) +
              std::string(reinterpret_cast<char const*>(data), size));
    try {
        auto const saved = attune::read_session({reinterpret_cast<char const*>(data), size});
        if (attune::text_of(attune::read_session(attune::text_of(saved))) != attune::text_of(saved))
            std::abort();
    } catch (attune::error const&) {
    }
    try {
        for (attune::logged_session const& session : attune::read_event_log(file.path()))
            for (attune::event const& e : session.events)
                static_cast<void>(attune::detail::event_line(e));
    } catch (attune::error const&) {
    }
    attune::event_log log(file.path(), "key", 5);
    attune::detail::logged_search search(make, space, 5, log);
    for (auto const& [at, result] : search.past())
        static_cast<void>(attune::text_of(space.describe(), at));
    static_cast<void>(search.ask(2));
    return 0;
}

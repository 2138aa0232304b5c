// tests/fuzz/readers.cpp - the readers of texts in one program, which takes a third of the time of one for each.
// SPDX-License-Identifier: MIT
//
// ATTUNE_FUZZ_READER is the name of one, as CMakeLists.txt lists it. Each file below defines
// LLVMFuzzerTestOneInput; what they include is included here, outside of their namespaces.
#include <attune/core/error.hpp>
#include <attune/core/offer.hpp>
#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/expression/evaluate.hpp>
#include <attune/declare/text.hpp>
#include <attune/measure/clock/sampler.hpp>
#include <attune/remember/detail/event_line.hpp>
#include <attune/remember/detail/json_fields.hpp>
#include <attune/remember/detail/line_json.hpp>
#include <attune/remember/files/captured_call.ipp>
#include <attune/remember/files/event_log.hpp>
#include <attune/remember/files/sample_file.ipp>
#include <attune/remember/files/t4.hpp>
#include <attune/remember/lines/record_line.hpp>
#include <attune/remember/memory_store.hpp>
#include <attune/remember/store.hpp>
#include <attune/remember/study.ipp>
#include <attune/search/cost/cost_samples.ipp>
#include <attune/search/meta/space_structure.ipp>
#include <attune/search/meta/technique_history.ipp>
#include <attune/search/narrowing_search.ipp>
#include <attune/search/optimizer.hpp>
#include <attune/search/optimizer.ipp>
#include <attune/search/random.hpp>
#include <attune/search/random.ipp>
#include <attune/search/search_limits.ipp>
#include <attune/search/transfer/past_session.ipp>
#include <attune/ship/tool/detail/ask.hpp>
#include <attune/ship/tool/detail/csv.hpp>
#include <attune/space/files/expression_parser.hpp>
#include <attune/space/files/nni.hpp>
#include <attune/space/files/read_json.hpp>
#include <attune/space/files/t1.hpp>
#include <attune/space/files/write_json.hpp>
#include <attune/space/query/setting_list.ipp>
#include <attune/tune/dispatch/choice/kept_lessons.hpp>
#include <attune/tune/dispatch/choice/kept_lessons.ipp>
#include <attune/tune/loop/logged_search.ipp>
#include <attune/tune/loop/session_memory.ipp>
#include <attune/tune/loop/time_bounds.hpp>
#include <attune/unit/core.hpp>
#include <attune/unit/files.hpp>
#include <attune/unit/remember.hpp>
#include <attune/unit/space.hpp>
#include <attune/unit/space_query.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "../support/same_json.hpp"
#include "data_file.hpp"

#define LLVMFuzzerTestOneInput fuzz_ask
namespace of_ask {
#include "ask.cpp"
}
#undef LLVMFuzzerTestOneInput

#define LLVMFuzzerTestOneInput fuzz_events
namespace of_events {
#include "events.cpp"
}
#undef LLVMFuzzerTestOneInput

#define LLVMFuzzerTestOneInput fuzz_expressions
namespace of_expressions {
#include "expressions.cpp"
}
#undef LLVMFuzzerTestOneInput

#define LLVMFuzzerTestOneInput fuzz_results
namespace of_results {
#include "results.cpp"
}
#undef LLVMFuzzerTestOneInput

#define LLVMFuzzerTestOneInput fuzz_spaces
namespace of_spaces {
#include "spaces.cpp"
}
#undef LLVMFuzzerTestOneInput

#define LLVMFuzzerTestOneInput fuzz_store
namespace of_store {
#include "store.cpp"
}
#undef LLVMFuzzerTestOneInput

#define LLVMFuzzerTestOneInput fuzz_t1
namespace of_t1 {
#include "t1.cpp"
}
#undef LLVMFuzzerTestOneInput

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
    using reader = int(std::uint8_t const*, std::size_t);
    struct named_reader {
        std::string_view name;
        reader* run;
    };
    static constexpr named_reader all[] = {
        {"ask", of_ask::fuzz_ask},
        {"events", of_events::fuzz_events},
        {"expressions", of_expressions::fuzz_expressions},
        {"spaces", of_spaces::fuzz_spaces},
        {"store", of_store::fuzz_store},
        {"t1", of_t1::fuzz_t1},
    };
    static reader* const chosen = [] {
        char const* const name = std::getenv("ATTUNE_FUZZ_READER");
        for (named_reader const& one : all)
            if (name != nullptr && one.name == name) return one.run;
        return &of_results::fuzz_results; // which has several, by the first letter
    }();
    return chosen(data, size);
}

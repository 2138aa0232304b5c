// attune/search/compose/closed.hpp - a technique that is an algorithm of its own, with settings and a name.
// SPDX-License-Identifier: MIT
// Source   Wu, "DeepTuner", 2015, Sec. 3.2: techniques besides composable ones
// tested by search/compose/simplex.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/compose/settings.hpp>
#include <attune/search/local/search_process.hpp>
#include <attune/search/local/stepwise.hpp>
#include <attune/search/local/trials.hpp>
#include <attune/search/meta/technique.hpp>

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace attune::inline ATTUNE_ABI::search {

/// A closed technique: `name` without blanks, settings (settings.hpp), and run(trials&, A), the
/// coroutine.
template <class A>
concept closed_algorithm = requires(trials& t, A const& with) {
    { A::name } -> std::convertible_to<std::string_view>;
    { A::run(t, with) } -> std::same_as<search_process>;
} && std::copy_constructible<A> && std::default_initializable<A>;

/// A closed technique as a searcher.
template <class A>
class closed_search : public stepwise_searcher {
    static_assert(
        closed_algorithm<A>,
        "attune::search::closed_search<A>: 'A' is no closed technique; it needs `name` and "
        "run(attune::trials&, A) -> attune::search_process");

public:
    explicit closed_search(chain_of_trees searched, std::uint64_t seed = 0, A const& with = {})
        : stepwise_searcher(std::move(searched), seed, [&](trials& t) { return A::run(t, with); })
    {
    }
};

/// A closed technique with its name.
template <class A>
    requires(closed_algorithm<A>)
[[nodiscard]] technique technique_of(A const& with)
{
    std::string const name = detail::text_with_settings(with);
    return {name, attune::detail::named_search(name, search_with<closed_search<A>>(with))};
}

/// Random configurations.
struct pure_random {
    static constexpr std::string_view name = "pure_random";
    [[nodiscard]] static search_process run(trials& t, pure_random)
    {
        for (;;) {
            point const one = t.fresh();
            static_cast<void>(co_await t.evaluate(one));
        }
    }
};

} // namespace attune::inline ATTUNE_ABI::search

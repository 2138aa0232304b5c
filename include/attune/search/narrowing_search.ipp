// attune/search/narrowing_search.ipp - makes searchers of parts, and passes known outcomes to them.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/search/cost/cost_samples.hpp>
#include <attune/search/meta/technique_history.hpp>
#include <attune/search/narrowing_search.hpp>
#include <attune/search/transfer/past_session.hpp>
#include <attune/space/query/setting_list.hpp>

#include <algorithm>
#include <new>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE
narrowing_search::narrowing_search(search_factory make, chain_of_trees whole, std::uint64_t seed)
    : make_(std::move(make))
    , whole_(std::move(whole))
    , seed_(seed)
    , now_(make_(whole_, seed_))
{
}

ATTUNE_INLINE bool narrowing_search::narrow(part_type const& part)
{
    std::optional<chain_of_trees> built;
    if (part && !(built = part_of(whole_, *part))) return false;
    try {
        any_searcher next = make_(built ? *built : whole_, seed_ + begun_ + 1);
        for (call const& made : before_)
            made(next);
        for (auto const& [about, made] : calls_)
            if (!built || built->contains(about)) made(next);
        earlier_uses_ = uses();
        part_ = std::move(built);
        now_ = std::move(next);
    } catch (error const&) { // such as a search that refuses a space of one point
        return false;
    } catch (std::bad_alloc const&) {
        return false;
    }
    ++begun_;
    return true;
}

ATTUNE_INLINE std::vector<point> narrowing_search::ask(std::size_t k)
{
    std::vector<point> out = now_.ask(k);
    if (begun_ == 0) {
        seen_.insert(out.begin(), out.end());
        return out;
    }
    auto const drop_seen = [&](std::vector<point>& asked) {
        std::erase_if(asked, [&](point const& p) { return !seen_.insert(p).second; });
    };
    bool is_finished = out.empty();
    drop_seen(out);
    std::size_t rounds = out.empty() ? 1 : 0; // in a row without a new point
    while (out.size() < k && !is_finished && rounds < most_rounds_without_news) {
        std::vector<point> more = now_.ask(k - out.size());
        is_finished = more.empty();
        drop_seen(more);
        rounds = more.empty() ? rounds + 1 : 0;
        out.insert(out.end(), more.begin(), more.end());
    }
    return out;
}

ATTUNE_INLINE void narrowing_search::make_call(point const& about, call made)
{
    if (!part_ || part_->contains(about)) made(now_);
    calls_.emplace_back(about, std::move(made));
}

ATTUNE_INLINE void narrowing_search::tell(point const& p, outcome const& result)
{
    seen_.insert(p);
    make_call(p, [p, result](any_searcher& s) { s.tell(p, result); });
}

ATTUNE_INLINE void narrowing_search::tell_bound(point const& p, double value)
{
    seen_.insert(p);
    make_call(p, [p, value](any_searcher& s) { s.tell_bound(p, value); });
}

ATTUNE_INLINE void narrowing_search::tell_metrics(point const& p, std::span<double const> numbers)
{
    make_call(p, [p, kept = std::vector<double>(numbers.begin(), numbers.end())](any_searcher& s) {
        s.tell_metrics(p, kept);
    });
}

ATTUNE_INLINE void narrowing_search::tell_excess(point const& p, double value,
                                                 std::span<double const> excess)
{
    make_call(p, [p, value, kept = std::vector<double>(excess.begin(), excess.end())](
                     any_searcher& s) { s.tell_excess(p, value, kept); });
}

ATTUNE_INLINE void narrowing_search::inform(std::vector<past_session> const& past)
{
    now_.inform(past);
    before_.emplace_back([past](any_searcher& s) { s.inform(past); });
}

ATTUNE_INLINE bool narrowing_search::learn_from(cost_samples const& others)
{
    bool const learns = now_.learn_from(others);
    if (learns) before_.emplace_back([others](any_searcher& s) { s.learn_from(others); });
    return learns;
}

ATTUNE_INLINE bool narrowing_search::learn_from(search::technique_history const& past)
{
    bool const learns = now_.learn_from(past);
    if (learns) before_.emplace_back([past](any_searcher& s) { s.learn_from(past); });
    return learns;
}

ATTUNE_INLINE std::vector<search::technique_use> narrowing_search::uses() const
{
    std::vector<search::technique_use> out = earlier_uses_;
    for (search::technique_use const& one : now_.uses()) {
        auto const same = std::find_if(out.begin(), out.end(),
                                       [&](auto const& other) { return other.name == one.name; });
        if (same == out.end()) {
            out.push_back(one);
            continue;
        }
        same->requests += one.requests;
        same->new_bests += one.new_bests;
    }
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail

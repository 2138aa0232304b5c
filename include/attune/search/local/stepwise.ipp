// attune/search/local/stepwise.ipp - runs the coroutine between ask and tell.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/search/local/stepwise.hpp>

namespace attune::inline ATTUNE_ABI {

struct stepwise_searcher::state {
    state(chain_of_trees space, std::uint64_t seed,
          std::function<search_process(trials&)> const& begin)
        : board(std::move(space), seed)
        , algorithm(begin(board))
    {
    }

    /// Runs the algorithm until it requests an unseen point; nothing after too many rounds.
    [[nodiscard]] std::optional<point> next()
    {
        constexpr int most_known_rounds = 100;
        for (int rounds = 0; rounds < most_known_rounds; ++rounds) {
            if (std::optional<point> wanted = board.next_of_round()) return wanted;
            if (!board.round_is_known() || algorithm.is_done()) break;
            algorithm.resume();
        }
        return board.next_elsewhere();
    }

    trials board;
    search_process algorithm;
};

ATTUNE_INLINE
stepwise_searcher::stepwise_searcher(chain_of_trees space, std::uint64_t seed,
                                     std::function<search_process(trials&)> const& begin)
    : state_(detail::make_state<state>(std::move(space), seed, begin))
{
}

ATTUNE_INLINE std::vector<point> stepwise_searcher::ask(std::size_t k)
{
    std::vector<point> out;
    while (out.size() < k) {
        state_->board.set_batch(k - out.size());
        std::optional<point> p = state_->next();
        if (!p) break;
        out.push_back(std::move(*p));
    }
    return out;
}

ATTUNE_INLINE void stepwise_searcher::tell(point const& p, outcome const& result)
{
    state_->board.tell(p, result);
}

} // namespace attune::inline ATTUNE_ABI

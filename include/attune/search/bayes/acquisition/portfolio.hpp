// attune/search/bayes/acquisition/portfolio.hpp - turns and scores of several acquisitions.
// SPDX-License-Identifier: MIT
// Source   Willemsen et al. 2021 Sec. III-G: round-robin, discounted observation score dos_t = sum
//          o_i 0.9^(t - i). Ours is divided by the sum of the weights, so that members that had a
//          different number of turns can be compared; the order among equals in turns is the same.
#pragma once

#include <attune/core/assert.hpp>
#include <attune/core/version.hpp>

#include <cstddef>
#include <limits>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Members by number, with their scores; inactive ones are skipped. The rules that drop members are
/// in multi.hpp and advanced_multi.hpp.
class acquisition_portfolio {
public:
    /// @param members   their number, >= 1; turns follow the numbers
    /// @param discount  weight of an observation relative to the next one of the same member, in
    ///                  (0, 1]
    explicit acquisition_portfolio(std::size_t members, double discount = 0.9)
        : members_(members)
        , discount_(discount)
    {
        ATTUNE_ASSERT(members > 0, "a portfolio needs a member");
    }

    [[nodiscard]] std::size_t size() const noexcept { return members_.size(); }
    [[nodiscard]] bool is_active(std::size_t member) const { return members_[member].active; }
    [[nodiscard]] std::vector<std::size_t> active() const
    {
        std::vector<std::size_t> out;
        for (std::size_t m = 0; m < members_.size(); ++m)
            if (members_[m].active) out.push_back(m);
        return out;
    }

    /// The member of this turn; the next call gives the next member.
    [[nodiscard]] std::size_t take_turn() noexcept
    {
        while (!members_[turn_].active)
            turn_ = (turn_ + 1) % members_.size();
        std::size_t const out = turn_;
        turn_ = (turn_ + 1) % members_.size();
        return out;
    }

    /// @param value  of the configuration that `member` chose; lower is better
    void observe(std::size_t member, double value)
    {
        entry& e = members_[member];
        e.sum = e.sum * discount_ + value;
        e.weight = e.weight * discount_ + 1;
        ++e.observations;
    }
    [[nodiscard]] std::size_t observations(std::size_t member) const
    {
        return members_[member].observations;
    }
    /// The discounted mean of the values that `member` chose; infinite before the first.
    [[nodiscard]] double score_of(std::size_t member) const
    {
        entry const& e = members_[member];
        return e.observations > 0 ? e.sum / e.weight : std::numeric_limits<double>::infinity();
    }

    /// Drops `member` for good. @pre another one is active
    void skip(std::size_t member)
    {
        members_[member].active = false;
        ATTUNE_ASSERT(!active().empty(), "the last member of a portfolio stays");
    }

private:
    struct entry {
        bool active = true;
        double sum = 0;
        double weight = 0;
        std::size_t observations = 0;
    };

    std::vector<entry> members_;
    double discount_;
    std::size_t turn_ = 0;
};

} // namespace attune::inline ATTUNE_ABI::detail

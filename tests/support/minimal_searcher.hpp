// tests/support/minimal_searcher.hpp : what the concept `searcher` promises, and nothing more
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/declare/point.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <cstddef>
#include <cstdint>
#include <unordered_set>
#include <utility>
#include <vector>

/// Walks a discrete space once, from an index that the seed decides. Neither copyable nor movable.
class minimal_searcher {
public:
    minimal_searcher(attune::chain_of_trees space, std::uint64_t seed)
        : space_(std::move(space))
        , size_(static_cast<std::uint64_t>(*space_.size()))
        , first_(seed % size_)
    {
    }
    minimal_searcher(minimal_searcher const&) = delete;
    minimal_searcher& operator=(minimal_searcher const&) = delete;

    std::vector<attune::point> ask(std::size_t k)
    {
        std::vector<attune::point> out;
        for (; out.size() < k && walked_ < size_; ++walked_) {
            attune::point p = space_.at((first_ + walked_) % size_);
            if (!told_.contains(p)) out.push_back(std::move(p));
        }
        return out;
    }
    void tell(attune::point const& p, attune::outcome const&) { told_.insert(p); }

private:
    attune::chain_of_trees space_;
    std::uint64_t size_;
    std::uint64_t first_;
    std::uint64_t walked_ = 0;
    std::unordered_set<attune::point, attune::point_hash> told_;
};

// tests/support/factory_searcher.hpp : the searcher of a factory, as a type that the laws accept
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/search/searcher.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

/// @tparam Factory  () -> search_factory
template <attune::search_factory (*Factory)()>
class factory_searcher {
public:
    factory_searcher(attune::chain_of_trees const& space, std::uint64_t seed)
        : inner_(Factory()(space, seed))
    {
    }
    [[nodiscard]] std::vector<attune::point> ask(std::size_t k) { return inner_.ask(k); }
    void tell(attune::point const& p, attune::outcome const& o) { inner_.tell(p, o); }

private:
    attune::any_searcher inner_;
};

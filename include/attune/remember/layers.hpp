// attune/remember/layers.hpp - several stores as one: a program's own over a shipped one.
// SPDX-License-Identifier: MIT
#pragma once

#ifdef ATTUNE_OFF
#include <attune/off/tuned.hpp>
#else
#include <attune/core/version.hpp>
#include <attune/remember/record.hpp>
#include <attune/remember/record_store.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// Stores in layers. Reads all of them and writes to the first only. Models `record_store`.
/// Movable. Several threads may use it if they may use each layer.
/// Example  attune::layers{attune::store{"own.attune"}, attune::store{"shipped.attune"}}
class layers {
public:
    /// @param first  receives all writes; its record is preferred among equal fits
    template <record_store First, record_store... Others>
        requires(sizeof...(Others) > 0)
    explicit layers(First first, Others... others)
    {
        push_back(std::make_shared<First>(std::move(first)));
        (push_back(std::make_shared<Others>(std::move(others))), ...);
    }

    /// @param paths  paths of files; the first is written: "own.attune:/usr/share/shipped.attune"
    /// Errors   attune::error: `paths` has no path
    [[nodiscard]] static layers of_paths(std::string_view paths);

    [[nodiscard]] lookup_result find(record_key const& key);
    void add(record const& entry) { layers_.front().add(entry); }
    [[nodiscard]] std::vector<std::string> notices();

    // Further functions for tune/: see detail::any_store.
    void note(detail::stored_problem const& problem, detail::tried_row const& row)
    {
        layers_.front().note(problem, row);
    }
    void end(detail::stored_problem const& problem) { layers_.front().end(problem); }
    void prove(detail::stored_problem const& problem, detail::proven_shape const& proof)
    {
        layers_.front().prove(problem, proof);
    }
    [[nodiscard]] detail::problem_history recall(detail::stored_problem const& wanted);
    [[nodiscard]] std::vector<detail::related_problem> related(detail::stored_problem const& wanted,
                                                               std::size_t most);
    [[nodiscard]] std::vector<detail::proven_shape> proofs(detail::stored_problem const& wanted,
                                                           std::string const& code);
    void count(std::vector<detail::problem_calls> const& all)
    {
        if (layers_.front().count) layers_.front().count(all);
    }
    [[nodiscard]] detail::problem_claim claim(record_key const& key, double wait_s)
    {
        return layers_.front().claim(key, wait_s);
    }

private:
    layers() = default;

    template <class Store>
    void push_back(std::shared_ptr<Store> one)
    {
        layers_.push_back(detail::make_any_store_of(std::move(one)));
    }

    std::vector<detail::any_store> layers_{};
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/remember/layers.ipp>
#endif
#endif // ATTUNE_OFF

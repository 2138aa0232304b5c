// attune/tune/dispatch/served/inputs_register.hpp - what is known of each set of bound inputs, for a bounded number of sets.
// SPDX-License-Identifier: MIT
// Bench    bench/tune/inputs.cpp
#pragma once

#include <attune/core/posix/fork_gate.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/tune/dispatch/served/served_inputs.hpp>

#include <cstddef>
#include <list>
#include <memory>
#include <unordered_map>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Of inputs without a winner the 1,024 that were asked for last are kept, and those that a tuning
/// or a thread uses. Inputs that were dropped are looked up anew at their next call. Any thread.
class inputs_register {
public:
    /// @param most  kept without a winner
    explicit inputs_register(std::size_t most = 1'024)
        : most_(most)
    {
    }

    /// Finds the inputs, or adds them. Nothing is dropped while the caller has the result.
    /// Cost     a hash; no scan
    [[nodiscard]] std::shared_ptr<served_inputs> at(std::vector<number> const& inputs);

private:
    struct hash {
        [[nodiscard]] std::size_t operator()(std::vector<number> const& inputs) const noexcept;
    };
    /// @pre  lock_ is held  @return  null: none
    [[nodiscard]] std::shared_ptr<served_inputs> found(std::vector<number> const& inputs);
    [[nodiscard]] std::shared_ptr<served_inputs> drop_one();

    struct entry {
        std::shared_ptr<served_inputs> of;
        bool is_kept = false; ///< for good, in `kept_`
    };
    using line = std::list<entry>;

    std::size_t const most_;
    fork_safe_mutex lock_{lock_use::brief}; ///< of what follows
    line line_{};                           ///< the one asked for last comes first
    line kept_{};                           ///< a tuning was spent on them
    std::unordered_map<std::vector<number>, line::iterator, hash> place_{};
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/dispatch/served/inputs_register.ipp>
#endif

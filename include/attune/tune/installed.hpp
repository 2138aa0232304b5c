// attune/tune/installed.hpp - the variants in use, one for each set of inputs met so far.
// SPDX-License-Identifier: MIT
//
// Stage    declare -> space -> search -> compile -> measure -> remember, closed by tune
// In       the first call with a new set of inputs
// Out      the variant for them: remembered, or tuned on the spot
// Source   own
// Depends  std only
// Tests    tests/tune/installed.cpp
#pragma once

#include <attune/compile/callable.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/call_frame.hpp>
#include <attune/tune/loaded_kernel.hpp>
#include <attune/tune/options.hpp>
#include <attune/tune/problem.hpp>
#include <attune/tune/report.hpp>

#include <atomic>
#include <memory>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// One variant in use. Immutable once it can be seen; lives as long as its list.
struct installed_variant {
    std::vector<number> inputs; ///< in the order of kernel_description::inputs
    callable code;
    std::unique_ptr<loaded_kernel const> on_device{}; ///< null: `code` is for this processor
    installed_variant const* next = nullptr;
};

/// A list that grows at its head: read without a lock, extended under one.
class installed_variants {
public:
    installed_variants(kernel_description const& kernel,
                       any_compiler compiler,
                       any_store store,
                       tuning_options options);
    ~installed_variants();
    installed_variants(installed_variants const&) = delete;
    installed_variants& operator=(installed_variants const&) = delete;

    [[nodiscard]] installed_variant const* first() const noexcept
    {
        return head_.load(std::memory_order_acquire);
    }

    /// The variant for `inputs`: looks again, then into the store, then tunes. Other threads that
    /// need something new wait meanwhile.
    /// @param stream  what the caller launched there is waited for; null: see wait_for_caller()
    /// Errors   as `tuned`; attune::error: called by what it calls, such as the progress sink
    [[nodiscard]] installed_variant const&
    obtain(std::vector<number> const& inputs, call_frame frame, void* stream = nullptr);

    /// Tunes by predicted_objective(), or takes that from the store: nothing is run or installed.
    /// @return  how that went; report() stays as it is
    /// @pre     the compiler is one for a device
    /// Errors   as `tuned`
    [[nodiscard]] tuning_report predict(std::vector<number> const& inputs, call_frame frame);

    /// Of the latest variant installed; waits for no tuning, and may be called from its sink.
    [[nodiscard]] tuning_report report() const;

private:
    struct state;
    std::atomic<installed_variant const*> head_{nullptr};
    std::unique_ptr<state> state_;
};

} // namespace attune::inline ATTUNE_ABI

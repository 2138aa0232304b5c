// attune/tune/dispatch/served/installed_variant.hpp - code that serves calls.
// SPDX-License-Identifier: MIT
//
// tested by tune/dispatch/dispatch_table.cpp
#pragma once

#include <attune/compile/callable.hpp>
#include <attune/core/posix/fork_gate.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/device/device_target.hpp>
#include <attune/tune/dispatch/dispatched_kernel.hpp>

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Code that serves calls. It never changes and is never unloaded.
struct installed_variant {
    callable code;
    std::unique_ptr<loaded_kernel const> on_device{}; ///< null: `code` is for this processor
};

/// All code of one kernel that serves calls. Any thread may install.
class installed_variants {
public:
    /// @pre  `subject` outlives this object
    explicit installed_variants(dispatched_kernel const& subject)
        : subject_(subject)
    {
    }
    /// For the life of this object. Code of this processor that is installed already is not
    /// installed again: many inputs have the same code.
    /// Errors   what the device says of the code
    [[nodiscard]] installed_variant const& install(callable code);

private:
    /// @pre  lock_ is held  @return  null: none is
    [[nodiscard]] installed_variant const* equal_to(callable const& code) const;

    dispatched_kernel const& subject_;
    fork_safe_mutex lock_{lock_use::brief};
    std::vector<std::unique_ptr<installed_variant const>> all_{};
    std::unordered_map<void*, installed_variant const*> by_address_{};
    std::unordered_map<std::string, installed_variant const*> by_key_{}; ///< callable::object_key
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/dispatch/served/installed_variant.ipp>
#endif

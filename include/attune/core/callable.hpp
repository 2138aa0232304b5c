// attune/core/callable.hpp - compiled code that can be called, and what is known about it.
// SPDX-License-Identifier: MIT
//
// tested by compile/callable.cpp
#pragma once

#include <attune/core/version.hpp>

#include <memory>
#include <string>

namespace attune::inline ATTUNE_ABI {

/// Code in memory. Copies share it; it is unloaded when the last copy goes, also when the compiler
/// that made it is gone already. The address must not be used after that.
struct callable {
    void* address{};                    ///< `result attune_entry(arguments...)`, C linkage
    std::shared_ptr<void const> code{}; ///< keeps `address` valid
    std::string object_key{};           ///< equal for equal object code of one compiler
    double compile_s{};                 ///< wall seconds from text to address
    std::string compiler{};             ///< identity() of the compiler that made it
    bool from_cache = false;            ///< it was compiled by an earlier call or process

    /// The code as a function. The signature is the one that the variant declared; an entry checks
    /// it when the kernel is compiled, nothing can check it here.
    template <class Signature>
    [[nodiscard]] Signature* as() const noexcept
    {
        return reinterpret_cast<Signature*>(address);
    }
};

} // namespace attune::inline ATTUNE_ABI

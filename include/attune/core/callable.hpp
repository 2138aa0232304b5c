// attune/core/callable.hpp - compiled code that can be called, and what is known about it.
// SPDX-License-Identifier: MIT
//
// tested by compile/callable.cpp
#pragma once

#include <attune/core/version.hpp>

#include <memory>
#include <string>

namespace attune::inline ATTUNE_ABI {

/// Compiled code in memory. Copies share the code; it is unloaded with the last copy, even when the
/// compiler that made it is already destroyed. `address` is invalid after that.
struct callable {
    void* address{};                    ///< `result attune_entry(arguments...)`, C linkage
    std::shared_ptr<void const> code{}; ///< keeps `address` valid
    std::string object_key{};           ///< equal for equal object code of one compiler
    double compile_s{};                 ///< wall seconds from text to address
    std::string compiler{};             ///< identity() of the compiler that made it
    bool from_cache = false;            ///< true: an earlier call or process compiled it

    /// The code as a function of type `Signature`. Nothing checks the type here: `Signature` must
    /// be the one that the variant declared.
    template <class Signature>
    [[nodiscard]] Signature* as() const noexcept
    {
        return reinterpret_cast<Signature*>(address);
    }
};

} // namespace attune::inline ATTUNE_ABI

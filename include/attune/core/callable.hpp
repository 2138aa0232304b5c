// attune/core/callable.hpp - compiled code that can be called, and what is known about it.
// SPDX-License-Identifier: MIT
//
// tested by compile/callable.cpp
#pragma once

#include <attune/core/version.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace attune::inline ATTUNE_ABI {

/// Sizes and counts of a variant's code for this processor. Empty: its compiler does not tell.
struct code_size {
    /// Of the largest function: the kernel, or the entry that it was inlined into. Functions of the
    /// kernel file that nothing calls count too, unless they are static or inline.
    std::optional<std::int64_t> code_bytes{};
    std::optional<std::int64_t> stack_bytes{}; ///< of the largest frame of one function
    std::optional<std::int64_t> spills{};      ///< stores to the stack for want of registers
    std::optional<std::int64_t> vector_instructions{}; ///< in the optimised intermediate code
};

/// The facts that a compiler proves about a variant's code. Each default value means: unknown.
struct code_facts {
    /// Bytes. Where arrays lie modulo this number can matter to the results; where they lie
    /// otherwise cannot, but for overlaps. A power of two: of a kernel of floats mostly 4, with
    /// accesses that must lie at multiples of 32 bytes 32.
    std::uint32_t address_modulus = 64;
    /// The results do not depend on earlier calls, other threads or a clock.
    bool depends_on_this_call_alone = false;

    [[nodiscard]] friend bool operator==(code_facts const&, code_facts const&) = default;
};

/// Compiled code in memory. Copies share the code; it is unloaded with the last copy, even when the
/// compiler that made it is already destroyed. `address` is invalid after that.
struct callable {
    void* address{};                    ///< `result attune_entry(arguments...)`, C linkage
    std::shared_ptr<void const> code{}; ///< keeps `address` valid
    std::string object_key{};           ///< equal for equal code that calls equal libraries
    double compile_s{};                 ///< wall seconds from text to address
    std::string compiler{};             ///< identity() of the compiler that made it
    bool from_cache = false;            ///< true: an earlier call or process compiled it
    code_size size{};
    code_facts facts{};

    /// The code as a function of type `Signature`. Nothing checks the type here: `Signature` must
    /// be the one that the variant declared.
    template <class Signature>
    [[nodiscard]] Signature* as() const noexcept
    {
        return reinterpret_cast<Signature*>(address);
    }
};

} // namespace attune::inline ATTUNE_ABI

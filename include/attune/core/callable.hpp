// attune/core/callable.hpp - compiled code that can be called, and the facts known about it.
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

/// Sizes and counts of a variant's code for this processor. A member is empty if the compiler does
/// not report it.
struct code_size {
    /// Size of the largest function: the kernel, or the entry into which the compiler inlined it.
    /// Unused functions of the kernel file count too, except static and inline ones.
    std::optional<std::int64_t> code_bytes{};
    std::optional<std::int64_t> stack_bytes{}; ///< largest stack frame of one function
    std::optional<std::int64_t> spills{};      ///< stores to the stack because no register was free
    std::optional<std::int64_t> vector_instructions{}; ///< in the optimised intermediate code
};

/// The facts that a compiler proves about a variant's code. Each default value means: unknown.
struct code_facts {
    /// Modulus for addresses, in bytes. Of addresses, the results depend only on the values modulo
    /// this number and on overlaps of arrays. A power of two: mostly 4 for a kernel of floats, 32
    /// if accesses must be aligned to 32 bytes.
    std::uint32_t address_modulus = 64;
    /// The results do not depend on earlier calls or a clock, nor on threads other than those of
    /// the code's own OpenMP loops.
    bool depends_on_this_call_alone = false;

    [[nodiscard]] friend bool operator==(code_facts const&, code_facts const&) = default;
};

/// Compiled code in memory. Copies share the code. The last copy unloads it and makes `address`
/// invalid; the compiler may already be destroyed by then.
struct callable {
    void* address{};                    ///< `result attune_entry(arguments...)`, C linkage
    std::shared_ptr<void const> code{}; ///< keeps `address` valid
    std::string object_key{};           ///< equal for equal code that calls equal libraries
    double compile_s{};                 ///< wall seconds from text to address
    std::string compiler{};             ///< identity() of the compiler that made it
    bool from_cache = false;            ///< true: an earlier call or process compiled it
    code_size size{};
    code_facts facts{};

    /// Returns the code as a function of type `Signature`. The caller must pass the type that the
    /// variant declared; this function does not check.
    template <class Signature>
    [[nodiscard]] Signature* as() const noexcept
    {
        return reinterpret_cast<Signature*>(address);
    }
};

} // namespace attune::inline ATTUNE_ABI

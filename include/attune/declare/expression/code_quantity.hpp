// attune/declare/expression/code_quantity.hpp - resources of compiled code, as terms of conditions.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/expression/expression.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// Names one quantity of compiled code in a type; empty.
template <fixed_string Name>
struct code_ref {
    static constexpr std::string_view name = Name.view();
    static constexpr bool is_input = true;
};

} // namespace detail

/// A number that is known when a variant is compiled, before its launch. Only kernel.require(...)
/// and kernel.features(...) may read one.
template <fixed_string Name, class T>
struct code_quantity : detail::term {
    using value_type = T;
    using ref = detail::code_ref<Name>;
    static constexpr std::string_view name = Name.view();

    [[nodiscard]] constexpr auto as_expression() const
    {
        constexpr value_kind kind = detail::kind_of<T>();
        return expression<kind, 1, ref>{{{{op::input, static_cast<std::int64_t>(kind), 0, name}}}};
    }
};

// Of device code, except stack_bytes, which is of both, and those below it, which are of code for
// this processor.

/// 32-bit registers per thread.
inline constexpr code_quantity<"registers", std::int64_t> registers{};
/// Bytes of a thread that the compiler stores to local memory for want of registers.
inline constexpr code_quantity<"spill_bytes", std::int64_t> spill_bytes{};
/// Bytes of shared memory of a block, without those that the launch asks for.
inline constexpr code_quantity<"static_shared_bytes", std::int64_t> static_shared_bytes{};
/// Resident warps of a multiprocessor over those that it has room for: 0 to 1.
inline constexpr code_quantity<"occupancy", double> occupancy{};
/// Bytes of local memory of a thread. On this processor, of the largest frame of one function of
/// the variant, without what that function calls; known where Clang compiles.
inline constexpr code_quantity<"stack_bytes", std::int64_t> stack_bytes{};
/// Bytes of machine code of the variant's largest function, the kernel as a rule; of this
/// processor.
inline constexpr code_quantity<"code_bytes", std::int64_t> code_bytes{};
/// Instructions of the variant that store a register to the stack for want of registers, as the
/// register allocator of clang_compiler counts them; not known at -O0, which has another one.
inline constexpr code_quantity<"spills", std::int64_t> spills{};
/// Instructions of the variant with a vector as result or operand, in the optimised LLVM code of
/// clang_compiler, before machine code is chosen; 0: nothing was vectorised.
inline constexpr code_quantity<"vector_instructions", std::int64_t> vector_instructions{};

namespace detail {

/// All of them, by name.
inline constexpr std::array<std::string_view, 8> code_quantity_names{
    registers.name, spill_bytes.name, stack_bytes.name, static_shared_bytes.name,
    occupancy.name, code_bytes.name,  spills.name,      vector_instructions.name};

/// Those that only code for this processor has.
inline constexpr std::array<std::string_view, 3> processor_quantity_names{
    code_bytes.name, spills.name, vector_instructions.name};

[[nodiscard]] constexpr bool names_code_quantity(std::string_view name) noexcept
{
    for (std::string_view const known : code_quantity_names)
        if (known == name) return true;
    return false;
}

template <class Ref>
inline constexpr bool is_code_ref = false;
template <fixed_string Name>
inline constexpr bool is_code_ref<code_ref<Name>> = true;

/// Whether an expression, as lift() gives it, reads a quantity of compiled code.
template <class Expression>
inline constexpr bool reads_code = false;
template <value_kind K, std::size_t N, class... R>
inline constexpr bool reads_code<expression<K, N, R...>> = (is_code_ref<R> || ...);

/// Whether it reads a parameter.
template <class Expression>
inline constexpr bool reads_parameter = false;
template <value_kind K, std::size_t N, class... R>
inline constexpr bool reads_parameter<expression<K, N, R...>> = (!R::is_input || ...);

} // namespace detail

} // namespace attune::inline ATTUNE_ABI

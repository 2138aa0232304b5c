// attune/remember/problem/call_facts.hpp - a store's facts of a kernel's calls, for code without its types.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/element.hpp>
#include <attune/core/shape/call_shape.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/record.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The launch of a kernel on a device, for code without its declaration.
struct launch_facts {
    std::vector<std::string> arguments{}; ///< C++ text of the arguments' types
    std::string declarations{};           ///< lines that these types need
    /// C++ text of grid, block and cluster, three each, and of the shared bytes; empty: not
    /// declared. See tune/kernel/kernel_description.hpp.
    std::array<std::string, 10> formulas{};
    std::vector<std::string> reads{}; ///< the parts of a configuration that they read, as at[i]
    bool is_cooperative = false;
    named_texts defaults{}; ///< the default configuration

    [[nodiscard]] friend bool operator==(launch_facts const&, launch_facts const&) = default;
};

/// Rules that turn calls of a kernel into shapes, and its configurations into code.
struct call_facts {
    std::vector<shape_word> layout{}; ///< layout of the shapes of its calls
    std::vector<std::pair<std::string, std::size_t>> inputs{}; ///< each with its argument
    std::vector<std::size_t> ignored{};                        ///< arguments of kernel.ignore<i>()
    bool any_shape = false;                                    ///< kernel.any_shape()
    bool any_alignment = false;                                ///< kernel.any_alignment()
    std::vector<std::string> flags{};        ///< parameters that are flags of the compiler
    std::vector<std::string> compilers{};    ///< parameters that name a compiler
    std::vector<std::string> source_flags{}; ///< kernel_source::flags
    std::vector<std::string> own_names{}; ///< parameters with a name that the kernel file declares
    /// Tolerances of kernel.tolerate<i>(), by argument; the result follows the last argument.
    std::vector<std::pair<std::size_t, tolerance>> tolerances{};
    bool is_checked = false; ///< kernel.check(f): the default does not decide if a result is right
    bool is_generated = false; ///< kernel_source::generate: no file has the text of the kernel
    std::int64_t rules = 0;    ///< first word of proven shapes; 0: an older release wrote them
    std::optional<launch_facts> launch{}; ///< the kernel's launch, if it is declared

    [[nodiscard]] friend bool operator==(call_facts const&, call_facts const&) = default;
};

/// The facts of a stored_problem: {"call", "elements:0 number:1 places:1"}, {"inputs", "N:1"} ...
[[nodiscard]] named_texts facts_texts(call_facts const& facts);

/// The call facts among all facts of a problem; empty if an older release wrote it, or if they are
/// damaged.
[[nodiscard]] std::optional<call_facts> call_facts_in(named_texts const& facts);

/// Returns true if an input has the name of a call's size: "argument 2", "length of argument 0",
/// "number 2 of argument 0". Problems with such inputs are the further sizes of a kernel, see
/// tune/sizes/.
[[nodiscard]] constexpr bool is_tuned_size(std::string_view name) noexcept
{
    return name.starts_with("argument ") || name.find(" of argument ") != name.npos;
}

/// The words of a shape that count for such calls.
[[nodiscard]] shape_choice shape_choice_of(call_facts const& facts);

/// The numbers in "512 64 -1".
[[nodiscard]] std::vector<std::int64_t> words_in(std::string_view text);

/// A shape of a store. 0.4 had a single word for places and overlaps, and 0, 1 or 2 for a number
/// that is no integer.
/// @return  empty: it is no shape of this layout, or is incomplete
[[nodiscard]] std::vector<std::int64_t> stored_shape(std::span<shape_word const> layout,
                                                     std::vector<std::int64_t> key);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/remember/problem/call_facts.ipp>
#endif

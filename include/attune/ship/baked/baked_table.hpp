// attune/ship/baked/baked_table.hpp - the constants that attune_bake writes for a kernel.
// SPDX-License-Identifier: MIT-0
// tested by ship/baked.cpp
#pragma once

#ifndef ATTUNE_RELEASED
#define ATTUNE_RELEASED // exceptions are not needed: core/version.hpp
#endif

#include <attune/core/fixed_string.hpp>
#include <attune/core/shape/call_shape.hpp>
#include <attune/core/shape/choice_node.hpp>
#include <attune/core/version.hpp>
#include <attune/ship/baked/baked_code.hpp>
#include <attune/ship/baked/device_code.hpp>
#include <attune/ship/baked/instruction_level.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

/// Two plugins of a program may bake kernels of the same name and type.
#if defined(__GNUC__) && !defined(_WIN32)
#define ATTUNE_BAKED_LOCAL __attribute__((visibility("hidden")))
#else
#define ATTUNE_BAKED_LOCAL
#endif

namespace attune::inline ATTUNE_ABI::detail {

template <class T>
struct baked_list {
    T const* first = nullptr;
    std::size_t count = 0;

    constexpr baked_list() = default;
    template <std::size_t N>
    constexpr baked_list(T const (&all)[N]) noexcept
        : first(all)
        , count(N)
    {
    }
    [[nodiscard]] constexpr T const* begin() const noexcept { return first; }
    [[nodiscard]] constexpr T const* end() const noexcept { return first + count; }
    [[nodiscard]] constexpr T const& operator[](std::size_t i) const noexcept { return first[i]; }
};

/// The proof that code is right for shapes.
enum class baked_proof : std::uint8_t {
    record,     ///< store: the tuner verified machine code of the same text
    build,      ///< build of this program: it ran this code and compared it with the default
    both,       ///< each for some of the shapes
    prediction, ///< no proof, serves all shapes: attune_bake(... UNVERIFIED)
};
/// Names by baked_proof.
inline constexpr std::array<std::string_view, 4> baked_proof_names{
    "record", "build", "record and build", "prediction"};

/// The code of a configuration for one instruction set, and its proven shapes. `address` too is
/// compiled for that set, so it is called only if the processor has it.
struct baked_build {
    instruction_level level{};
    baked_code (*address)() noexcept = nullptr;
    baked_proof proof{};
    baked_list<std::uint64_t> proven{}; ///< properties of verified shapes, ascending
    baked_list<std::int64_t> largest{}; ///< largest verified value of each word
    baked_image const* image = nullptr; ///< code for a device, instead of a function
    /// Largest verified product of two sizes, by the place of for_each_product(). Empty: there are
    /// no two sizes, or an earlier attune_bake wrote the table.
    baked_list<double> products{};
};

/// A configuration of the table.
struct baked_variant {
    char const* configuration = "";      ///< "TILE_M=64 TILE_N=8"
    baked_list<baked_build> builds{};    ///< the highest level first
    baked_list<std::int64_t> divisors{}; ///< numbers among its parameters
    baked_list<launch_number> numbers{}; ///< numbers for the formulas of a launch
    /// Addresses of arrays count only modulo this number of bytes, as the tuner's compiler proved
    /// of it and of the default; 64: not proven.
    std::uint32_t address_modulus = 64;
};

/// A node of the tree over inputs, in released text. Its `input` is an index of
/// baked_table::inputs, or beyond these a word of the call's shape.
using baked_node = choice_node;

/// The winners for one processor or device.
struct baked_device {
    char const* name = "";
    char const* vendor = "";
    std::uint32_t family = 0;
    std::uint32_t model = 0;
    baked_list<baked_node> tree{}; ///< begins with its root
    int architecture = 0;          ///< for a device: 90 for compute capability 9.0
    bool is_predicted = false;     ///< true: without measurements on it
};

/// A kernel of a release. Released text lists the members in this order, so new members come last.
struct baked_table {
    char const* kernel = "";
    char const* configuration = ""; ///< configuration of the default
    baked_code (*fallback)() noexcept = nullptr;
    baked_list<shape_word> layout{};   ///< layout of the verified shapes
    baked_list<std::size_t> inputs{};  ///< argument of each input
    baked_list<std::size_t> ignored{}; ///< arguments outside of the shape
    bool any_shape = false;
    baked_list<baked_variant> variants{};
    baked_list<baked_device> devices{}; ///< first the one with most results; at least one
    /// Makes a baked_machine of the kernel's type for this table, up to an instruction set. Null:
    /// the program's own files make it.
    void* (*machine)(baked_table const&, instruction_level most) noexcept = nullptr;
    baked_launcher const* launcher = nullptr; ///< null: a kernel of this processor
    bool any_alignment = false; ///< true: shapes have no addresses, but overlaps of arrays
};

/// The name of a kernel: `attune::baked_kernel<"sgemm">`.
template <fixed_string Name>
struct baked_name {};

/// The table that attune_bake wrote for a kernel of this name and type. If the linker does not find
/// it, no such kernel was baked into the program, or it has another type.
template <fixed_string Name, class Signature>
[[nodiscard]] ATTUNE_BAKED_LOCAL baked_table const& baked_table_of() noexcept;

} // namespace attune::inline ATTUNE_ABI::detail

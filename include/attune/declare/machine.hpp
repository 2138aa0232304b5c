// attune/declare/machine.hpp - the figures of the machine, as terms of constraints and features.
// SPDX-License-Identifier: MIT
// tested by declare/bind_inputs.cpp
//
// Inputs with reserved names: bind_inputs() gives each the figure of this machine, unless the
// caller gives a value. They are part of a problem's key, as all inputs that its space reads: on
// one machine they do not change, so records are found again.
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/input.hpp>

#include <cstdint>

namespace attune::inline ATTUNE_ABI {

/// Example  space(tile_m, tile_k).where(8 * tile_m * tile_k <= attune::machine::l2_bytes / 2)
/// Example  build(pack, attune::machine::l2_bytes(1 << 20))   // as on another machine
namespace machine {

template <fixed_string Name>
using figure = input_parameter<Name, std::int64_t>;

/// The data cache of one core.
inline constexpr figure<"machine.l1_bytes"> l1_bytes{};
/// The second cache of one core; of a few cores together where they share it.
inline constexpr figure<"machine.l2_bytes"> l2_bytes{};
/// The third cache that one core reaches: shared by the cores of its group.
inline constexpr figure<"machine.l3_bytes"> l3_bytes{};
/// Hardware threads of the machine, whether or not this process may use all of them.
inline constexpr figure<"machine.cores"> cores{};
/// Width of the widest vectors.
inline constexpr figure<"machine.vector_bytes"> vector_bytes{};
/// Vector registers of one hardware thread.
inline constexpr figure<"machine.vector_registers"> vector_registers{};
/// A page of memory, without huge pages.
inline constexpr figure<"machine.page_bytes"> page_bytes{};
/// Memory that this process may ever have: the installed memory, rounded down by a sixteenth at
/// most, or the limit of its control group. Not what is free: that differs from call to call, and
/// so would keys and spaces. kernel.memory(...) looks at what is free.
inline constexpr figure<"machine.memory_bytes"> memory_bytes{};

} // namespace machine

} // namespace attune::inline ATTUNE_ABI

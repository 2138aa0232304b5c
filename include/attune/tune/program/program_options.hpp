// attune/tune/program/program_options.hpp - how a program becomes a kernel.
// SPDX-License-Identifier: MIT
// tested by tune/program/nest.cpp
#pragma once

#ifdef ATTUNE_OFF
#include <attune/off/program.hpp>
#else
#include <attune/core/device_limits.hpp>
#include <attune/core/element.hpp>
#include <attune/core/posix/processor_shape.hpp>
#include <attune/core/version.hpp>
#include <attune/space/schedule/rule.hpp>

#include <optional>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// Of program.kernel(options).
struct program_options {
    /// What makes the space: the first rule that applies to a statement schedules it. Put your own
    /// before default_schedule_rules(). Empty: those.
    std::vector<schedule_rule> rules{};
    /// What schedules are made for; nothing: this processor, one thread. With `cores` above 1 loops
    /// may be parallel, and the kernel is compiled with -fopenmp.
    std::optional<processor_shape> processor{};
    /// How far a result may lie from that of the plain nest; nothing: see program_tolerance().
    std::optional<tolerance> within{};
    /// True: each value of the inputs that are extents is tuned for. False: what is tuned at the
    /// first call serves all sizes, once it is verified for them.
    bool tune_each_size = true;
    /// What a program for a GPU is made for: its blocks may have what the device allows, and the
    /// default uses tensor cores where it has them; see device_space. Nothing: any device. Where it
    /// is tuned, configurations that the compiler's device cannot launch are left out. Devices of
    /// other limits have records of their own.
    ///
    /// Example  layer.device_kernel({.device = compiler.target().limits})
    std::optional<device_limits> device{};
};

} // namespace attune::inline ATTUNE_ABI
#endif // ATTUNE_OFF

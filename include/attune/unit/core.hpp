// attune/unit/core.hpp - the definitions of core/ and declare/.
// SPDX-License-Identifier: MIT
//
// Included by exactly one translation unit of the compiled form: that of the CMake target
// attune::core. With ATTUNE_HEADER_ONLY no file includes it.
#pragma once

#include <attune/core/environment.ipp>
#include <attune/core/evaluation.ipp>
#include <attune/core/number_text.ipp>
#include <attune/core/own_float_environment.ipp>
#include <attune/core/posix/descriptor.ipp>
#include <attune/core/posix/fork_gate.ipp>
#include <attune/core/posix/library_functions.ipp>
#include <attune/core/posix/machine_figures.ipp>
#include <attune/core/posix/program_end.ipp>
#include <attune/core/posix/range_lock.ipp>
#include <attune/core/posix/replace_file.ipp>
#include <attune/core/posix/signals.ipp>
#include <attune/core/posix/spawn.ipp>
#include <attune/declare/activity.ipp>
#include <attune/declare/bind_inputs.ipp>
#include <attune/declare/expression/lower_code.ipp>
#include <attune/declare/group.ipp>
#include <attune/declare/kind_rules.ipp>
#include <attune/declare/table.ipp>
#include <attune/declare/text.ipp>

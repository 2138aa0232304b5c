// attune/tune.hpp - joins all stages: a kernel tunes itself, a function is minimised.
// SPDX-License-Identifier: MIT
#pragma once

#ifdef ATTUNE_OFF
#include <attune/off/tuned.hpp>
#else
#include <attune/tune/kernel.hpp>
#include <attune/tune/minimize.hpp>
#include <attune/tune/tuned.hpp>
#endif // ATTUNE_OFF

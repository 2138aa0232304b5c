// attune/attune.hpp - all light parts: the only header that most programs include.
// SPDX-License-Identifier: MIT
#pragma once

#ifdef ATTUNE_OFF
#include <attune/off/tuned.hpp>
#else
#include <attune/compile/source/source.hpp>
#include <attune/compile/system.hpp>
#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/store.hpp>
#include <attune/search/automatic.hpp>
#include <attune/search/bayesian.hpp>
#include <attune/search/optimizer.hpp>
#include <attune/search/random.hpp>
#include <attune/space/build_pack.hpp>
#include <attune/tune.hpp>
#endif // ATTUNE_OFF

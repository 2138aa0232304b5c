// attune/tune.hpp - every stage meets here: a kernel tunes itself, a function is minimised.
// SPDX-License-Identifier: MIT
//
// Stage    declare -> space -> search -> compile -> measure -> remember, closed by [tune]
// In       the headers of tune/
// Out      attune::kernel, attune::tuned, attune::minimize
// Source   own
// Depends  std only; Boost.Hana through declare
// Tests    tests/tune.cpp
#pragma once

#include <attune/tune/kernel.hpp>
#include <attune/tune/minimize.hpp>
#include <attune/tune/replay.hpp>
#include <attune/tune/tuned.hpp>

// attune/search/local/local.ipp - the searches of this folder.
// SPDX-License-Identifier: MIT
//
// Stage    declare -> space -> [search] -> compile -> measure -> remember
// In       nothing
// Out      their definitions; included by search.ipp, in one translation unit
// Source   own
// Depends  std only
// Tests    tests/search/local/
#pragma once

#include <attune/search/local/annealing.ipp>
#include <attune/search/local/coordinate_descent.ipp>
#include <attune/search/local/differential_evolution.ipp>
#include <attune/search/local/genetic.ipp>
#include <attune/search/local/local_search.ipp>
#include <attune/search/local/neighbourhood_descent.ipp>
#include <attune/search/local/particle_swarm.ipp>

// attune/unit/local_search.hpp - the searches of this folder.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/search/local/annealing.ipp>
#include <attune/search/local/coordinate_descent.ipp>
#include <attune/search/local/differential_evolution.ipp>
#include <attune/search/local/genetic.ipp>
#include <attune/search/local/local_search.ipp>
#include <attune/search/local/neighbourhood_descent.ipp>
#include <attune/search/local/particle_swarm.ipp>

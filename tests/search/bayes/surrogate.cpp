// tests/search/bayes/surrogate.cpp : mirrors include/attune/search/bayes/surrogate.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/surrogate.hpp>

#include <doctest/doctest.h>

#include "../../laws/surrogate.hpp"
#include "../../support/minimal_surrogate.hpp"

TEST_CASE_TEMPLATE_INVOKE(surrogate_laws, minimal_surrogate);

static_assert(!attune::surrogate<int>);
static_assert(!attune::resident_surrogate<minimal_surrogate>);

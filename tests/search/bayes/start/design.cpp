// tests/search/bayes/start/design.cpp : mirrors include/attune/search/bayes/start/design.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/start/design.hpp>

#include <doctest/doctest.h>

#include "../../../laws/design.hpp"
#include "../../../support/minimal_design.hpp"

TEST_CASE_TEMPLATE_INVOKE(design_laws, minimal_design);

static_assert(!attune::design<int>);

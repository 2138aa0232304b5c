// tests/search/cost/cost_model.cpp - the smallest cost model obeys the laws.
// SPDX-License-Identifier: MIT
#include <attune/search/cost/cost_model.hpp>

#include "../../laws/cost_model.hpp"
#include "../../support/minimal_cost_model.hpp"

TEST_CASE_TEMPLATE_INVOKE(cost_model_laws, support::minimal_cost_model);

// attune/unit/declare.hpp - all of declare that is not a template.
// SPDX-License-Identifier: MIT
//
// Included by exactly one translation unit of a program, through space.ipp.
#pragma once

#include <attune/declare/bind_inputs.ipp>
#include <attune/declare/expression/lower_code.ipp>
#include <attune/declare/schema.ipp>
#include <attune/declare/table.ipp>
#include <attune/declare/text.ipp>

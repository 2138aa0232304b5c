// attune/unit/clang_module.hpp - the Clang module's only translation unit.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/clang/detail/module.hpp>

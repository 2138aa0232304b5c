// attune/unit/clang.hpp - the Clang module, which is one translation unit.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/clang/detail/module.hpp>

// attune/matrix_view.hpp - what a kernel file includes to take a matrix_view or a volume_view.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/matrix_view.hpp>

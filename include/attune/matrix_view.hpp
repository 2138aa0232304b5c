// attune/matrix_view.hpp - the header for kernel files with a matrix_view or a volume_view.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/matrix_view.hpp>

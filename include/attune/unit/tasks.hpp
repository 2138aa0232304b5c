// attune/unit/tasks.hpp - the definitions of the tasks of a model: declare/model/tasks/, tune/model/.
// SPDX-License-Identifier: MIT
//
// Included by exactly one translation unit of the compiled form: that of the CMake target
// attune::tasks. With ATTUNE_HEADER_ONLY no file includes it.
#pragma once

#include <attune/declare/model/tasks/tasks_of.ipp>
#include <attune/tune/model/tune_model.ipp>

// tests/fuzz/library.cpp - what reads and writes spaces and records, once for all that is fed hostile texts.
// SPDX-License-Identifier: MIT
#include <attune/unit/files.hpp>
#include <attune/unit/remember.hpp>
#include <attune/unit/space.hpp>
#include <attune/unit/space_query.hpp>

// tests/fuzz/library.cpp - what reads and writes spaces, once for all that is fed hostile texts.
// SPDX-License-Identifier: MIT
#include <attune/space/files/files.ipp>
#include <attune/space/space.ipp>

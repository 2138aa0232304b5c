// tests/support/call_site_off.hpp - the call site of tests/off, of a unit with ATTUNE_OFF in a program that tunes.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

/// What the call site says: it names the types that the units with the tuner name.
std::string run_call_site_off();

// tests/host/plugin_of_another_version.cpp - plugin.cpp with all of attune, of a version that is
// not this one, in the same unit. SPDX-License-Identifier: MIT
#define ATTUNE_IMPLEMENTATION
#include "plugin.cpp" // NOLINT(bugprone-suspicious-include)
#include "scale.cpp"  // NOLINT(bugprone-suspicious-include)

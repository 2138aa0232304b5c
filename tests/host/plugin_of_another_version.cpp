// tests/host/plugin_of_another_version.cpp - plugin.cpp with all of attune, of a version that is not this one.
// SPDX-License-Identifier: MIT
#include "plugin.cpp" // NOLINT(bugprone-suspicious-include)
#include "scale.cpp"  // NOLINT(bugprone-suspicious-include)

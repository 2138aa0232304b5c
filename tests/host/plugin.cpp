// tests/host/plugin.cpp - a plugin that holds a whole attune.
// SPDX-License-Identifier: MIT
#include <exception>

#include "scale.hpp"

#if defined(__GNUC__)
#define PLUGIN_EXPORT extern "C" __attribute__((visibility("default")))
#endif

PLUGIN_EXPORT int plugin_tune(int n, unsigned evaluations, double seconds);
PLUGIN_EXPORT char const* plugin_told();

namespace {

std::string told;

} // namespace

/// 0: it was tuned, or known, and the result is right.
int plugin_tune(int n, unsigned evaluations, double seconds)
{
    static host::scale scale{
        {.evaluations = evaluations,
         .seconds = seconds}}; // destroyed with the plugin, or with the program
    try {
        host::arrays data(static_cast<std::size_t>(n));
        data.call(scale);
        if (!data.called(1)) return 2;
        data.call(scale);
        told = (scale.report().interrupted ? "interrupted after " : "") +
               std::to_string(scale.report().evaluations) + " evaluations; " +
               scale.report().notices;
        return data.called(2) ? 0 : 2;
    } catch (std::exception const& thrown) {
        told = thrown.what();
        return 3;
    }
}

char const* plugin_told() { return told.c_str(); }

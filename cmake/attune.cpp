// cmake/attune.cpp - the program attune: looks into stores of tuned kernels, and tunes any program.
// SPDX-License-Identifier: MIT
#include <attune/ship/tool/tool.hpp>

int main(int count, char** given) { return attune::detail::tool::run_tool(count, given); }

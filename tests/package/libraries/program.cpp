// tests/package/libraries/program.cpp - a program that is linked with two libraries.
// SPDX-License-Identifier: MIT
#include <cstdio>

extern "C" int run_one();
extern "C" int run_two();

/// With an argument, two is called first.
int main(int count, char**)
{
    int first = count > 1 ? run_two() : run_one();
    int second = count > 1 ? run_one() : run_two();
    std::printf("%d %d\n", first, second);
    return first == (count > 1 ? 3100 : 210) && second == (count > 1 ? 210 : 3100) ? 0 : 1;
}

// tests/package/one_unit.cpp - a program whose only unit with attune in it is tuned.cpp.
// SPDX-License-Identifier: MIT
int tune_and_remember();

int main() { return tune_and_remember(); }

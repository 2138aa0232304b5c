// The call site of tests/off, with ATTUNE_OFF in a program that tunes: tests/tune/tuned.cpp.
#define ATTUNE_OFF
#include "../off/call_site.hpp"
#include "call_site_off.hpp"

std::string run_call_site_off() { return call_site::run("/nowhere/s.attune"); }

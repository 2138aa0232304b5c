// tests/support/scripted_nvml.cpp : a management library that knows one device, at bus 0x42.
// SPDX-License-Identifier: MIT
//
// ATTUNE_TEST_NVML_INIT      what nvmlInit returns
// ATTUNE_TEST_NVML_REASONS   the clocks event reasons, as bits
#include <cstdlib>
#include <cstring>

namespace {

unsigned long long number(char const* variable)
{
    char const* const text = std::getenv(variable);
    return text != nullptr ? std::strtoull(text, nullptr, 0) : 0;
}

int the_device = 0;

} // namespace

extern "C" {

int nvmlInit_v2();
int nvmlInit_v2() { return static_cast<int>(number("ATTUNE_TEST_NVML_INIT")); }

int nvmlShutdown();
int nvmlShutdown() { return 0; }

char const* nvmlErrorString(int result);
char const* nvmlErrorString(int result)
{
    return result == 9 ? "Driver Not Loaded" : result == 6 ? "Not Found" : "Unknown Error";
}

int nvmlDeviceGetHandleByPciBusId_v2(char const* bus, void** device);
int nvmlDeviceGetHandleByPciBusId_v2(char const* bus, void** device)
{
    *device = &the_device;
    return std::strcmp(bus, "0000:42:00.0") == 0 ? 0 : 6;
}

int nvmlDeviceGetClockInfo(void* device, unsigned which, unsigned* mhz);
int nvmlDeviceGetClockInfo(void* device, unsigned which, unsigned* mhz)
{
    *mhz = 1409 + which;
    return device == &the_device ? 0 : 2;
}

int nvmlDeviceGetMaxClockInfo(void* device, unsigned which, unsigned* mhz);
int nvmlDeviceGetMaxClockInfo(void* device, unsigned which, unsigned* mhz)
{
    *mhz = 1979 + which;
    return device == &the_device ? 0 : 2;
}

int nvmlDeviceGetCurrentClocksThrottleReasons(void* device, unsigned long long* bits);
int nvmlDeviceGetCurrentClocksThrottleReasons(void* device, unsigned long long* bits)
{
    *bits = number("ATTUNE_TEST_NVML_REASONS");
    return device == &the_device ? 0 : 2;
}

} // extern "C"

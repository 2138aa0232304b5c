// tests/baked/opencl_program.cpp - a release with a kernel in OpenCL C that was tuned on another device.
// SPDX-License-Identifier: MIT
//
// Prints what serves a call, and if its result is right.
#include <attune/ship/baked.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <dlfcn.h>
#include <string>
#include <vector>

namespace {

void* library = nullptr;

template <class Function>
Function* find(char const* name)
{
    return reinterpret_cast<Function*>(::dlsym(library, name));
}

} // namespace

int main()
{
    using signature =
        void(attune::device_span<float const>, attune::device_span<float>, float, int);
    static attune::baked<signature> const axpy{attune::baked_kernel<"axpy">};
    constexpr int n = 4'096;
    constexpr std::size_t bytes = n * sizeof(float);
    library = ::dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    void* platform = nullptr;
    void* device = nullptr;
    unsigned count = 0;
    if (library == nullptr ||
        find<int(unsigned, void**, unsigned*)>("clGetPlatformIDs")(1, &platform, &count) != 0 ||
        find<int(void*, std::uint64_t, unsigned, void**, unsigned*)>("clGetDeviceIDs")(
            platform, 0xFFFFFFFF, 1, &device, nullptr) != 0) {
        std::puts("skipped: there is no OpenCL device");
        return 0;
    }
    int error = 0;
    void* const context = find<void*(void const*, unsigned, void**, void*, void*, int*)>(
        "clCreateContext")(nullptr, 1, &device, nullptr, nullptr, &error);
    void* const queue = find<void*(void*, void*, std::uint64_t, int*)>("clCreateCommandQueue")(
        context, device, 0, &error);
    std::vector<float> values(n, 2.0F);
    auto* const make =
        find<void*(void*, std::uint64_t, std::size_t, void*, int*)>("clCreateBuffer");
    constexpr std::uint64_t copied = 1 | 32; // CL_MEM_READ_WRITE, CL_MEM_COPY_HOST_PTR
    attune::device_span<float> const x{
        static_cast<float*>(make(context, copied, bytes, values.data(), &error)), n};
    attune::device_span<float> const y{
        static_cast<float*>(make(context, copied, bytes, values.data(), &error)), n};
    attune::baked_choice const by = axpy.explain(x, y, 2.0F, n);
    std::printf("%s by %s: %s\n", std::string(by.configuration).c_str(),
                std::string(by.instructions).c_str(), std::string(by.why).c_str());
    axpy.on(queue)(x, y, 2.0F, n);
    axpy.on(queue)(x, y, 1.0F, n); // not verified
    find<int(void*, void*, unsigned, std::size_t, std::size_t, void*, unsigned, void*, void*)>(
        "clEnqueueReadBuffer")(queue, y.data(), 1, 0, bytes, values.data(), 0, nullptr, nullptr);
    std::puts(std::count(values.begin(), values.end(), 8.0F) == n ? "right" : "wrong");
}

// tests/baked/device_program.cpp - a release with a kernel for GPUs, on the scripted libcuda of the tests.
// SPDX-License-Identifier: MIT
//
// Prints what serves calls, and what the driver was asked for. With an argument it asks for a
// launch where there is no driver, which ends the program.
#include <attune/ship/baked.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <dlfcn.h>
#include <string>

int main(int count, char**)
{
    using signature =
        void(attune::device_span<float const>, attune::device_span<float>, float, int);
    attune::baked<signature> const axpy{attune::baked_kernel<"linear::axpy">};
    auto* const x = reinterpret_cast<float*>(std::uintptr_t{0x100000});
    auto* const y = reinterpret_cast<float*>(std::uintptr_t{0x900000});
    auto const span = [](float* at, int n) {
        return attune::device_span<float>{at, static_cast<std::size_t>(n)};
    };
    if (count > 1) {
        axpy(span(x, 64), span(y, 64), 2.0F, 64);
        return 0;
    }
    int stream = 0;
    for (int const n : {4'096, 65'536, 5'000}) {
        attune::baked_choice const by = axpy.explain(span(x, n), span(y, n), 2.0F, n);
        std::printf("%d: %s by %s%s%s%s\n", n, std::string(by.configuration).c_str(),
                    std::string(by.instructions).c_str(),
                    by.is_default ? ", the default" : ", proven by ", std::string(by.proof).c_str(),
                    by.is_predicted ? ", predicted" : "");
        axpy.on(n == 4'096 ? &stream : nullptr)(span(x, n), span(y, n), 2.0F, n);
    }
    void* const library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    if (library == nullptr) return 1;
    auto* const said = reinterpret_cast<char const* (*)()>(::dlsym(library, "attune_test_cu_said"));
    if (said == nullptr) return 1;
    std::fputs(said(), stdout);
}

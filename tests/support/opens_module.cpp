// tests/support/opens_module.cpp : opens the shared object it is told and ends as a function of it says. It knows nothing of attune: started without arguments, it fails.
// SPDX-License-Identifier: MIT
#include <cstdio>
#include <dlfcn.h>

int main(int count, char** arguments)
{
    if (count != 3) {
        std::fputs("two arguments: an object and a function of it\n", stderr);
        return 100;
    }
    void* const object = ::dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
    void* const found = object != nullptr ? ::dlsym(object, arguments[2]) : nullptr;
    if (found == nullptr) {
        std::fprintf(stderr, "%s\n", ::dlerror());
        return 101;
    }
    return reinterpret_cast<int (*)()>(found)();
}

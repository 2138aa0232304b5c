// tests/package/libraries/opens.cpp - a program that opens libraries: opens <local or global> <library> <function>...
// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cstring>
#include <dlfcn.h>

int main(int count, char** arguments)
{
    int const mode = std::strcmp(arguments[1], "global") == 0 ? RTLD_GLOBAL : RTLD_LOCAL;
    for (int round = 0; round < 2; ++round) // once more after dlclose()
        for (int i = 2; i + 1 < count; i += 2) {
            void* const library = ::dlopen(arguments[i], RTLD_NOW | mode);
            if (library == nullptr) std::fprintf(stderr, "%s\n", ::dlerror());
            if (library == nullptr) return 2;
            auto* const run = reinterpret_cast<int (*)()>(::dlsym(library, arguments[i + 1]));
            if (run == nullptr) return 2;
            int const result = run();
            std::printf("%s: %d\n", arguments[i + 1], result);
            bool const is_one = std::strcmp(arguments[i + 1], "run_one") == 0;
            if (result != (is_one ? 210 : 3100)) return 1;
            if (round > 0 || i > 2) ::dlclose(library);
        }
}

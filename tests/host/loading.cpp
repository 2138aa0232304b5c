// tests/host/loading.cpp - a library whose constructor calls a kernel for the first time, within dlopen().
// SPDX-License-Identifier: MIT
//
// The file is the library and the program that opens it.
#ifdef HOST_LIBRARY
#include <attune/core/error.hpp>
#endif

#include <cstdio>
#include <dlfcn.h>
#include <string_view>
#include <unistd.h>

#include "scale.hpp"

#ifdef HOST_LIBRARY
extern "C" __attribute__((visibility("default"))) bool call_now();

namespace {

bool call_with(host::scale& scale)
{
    host::arrays mine(1000);
    mine.call(scale);
    return mine.called(1);
}

struct caller {
    caller()
    {
        for (bool const system : {false, true}) {
            host::scale scale{{.evaluations = 3, .system = system}};
            try {
                HOST_CHECK(call_with(scale));
            } catch (attune::error const& refused) {
                std::string_view const said = refused.what();
                HOST_CHECK(said.find("while a library is loaded") != said.npos);
            }
        }
    }
};
caller const while_loading;

} // namespace

bool call_now()
{
    static host::scale scale{{.evaluations = 3}};
    return call_with(scale);
}
#else
#ifdef HOST_HAS_DLOPEN
extern "C" void* dlopen(char const* path, int how) noexcept
{
    auto const next = reinterpret_cast<void* (*)(char const*, int)>(::dlsym(RTLD_NEXT, "dlopen"));
    return next(path, how); // optimised code jumps there, and leaves no frame of this function
}
#endif

int main(int, char** text)
{
    ::alarm(100); // where it hangs, it is ended
    void* const library = ::dlopen(text[1], RTLD_NOW);
    if (library == nullptr) std::fprintf(stderr, "%s\n", ::dlerror());
    HOST_CHECK(library != nullptr);
    auto const call = reinterpret_cast<bool (*)()>(::dlsym(library, "call_now"));
    HOST_CHECK(call != nullptr && call());
    HOST_CHECK(::dlclose(library) == 0);
}
#endif
